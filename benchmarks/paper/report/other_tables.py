"""Which tables are there besides the experiments? Models, broken answers, differences, gaps, failures."""

import json

from benchmarks.paper.names import OURS
from benchmarks.paper.report import words
from benchmarks.paper.report.broken import KINDS, broken_by_kind
from benchmarks.paper.report.differences import DIFFERENCES
from benchmarks.paper.report.facts import settings_of
from benchmarks.paper.report.results import KEY, Results, sorted_by_names
from benchmarks.paper.report.table import Cell, Group, Table, plain

LONGEST_ERROR = 300  # characters of what a peer said; the whole is in people.csv


def models_table(results: Results) -> Table:
    """What was trained on what, and how well it decides."""
    rows = [
        (
            words.cell_name(study["data"], study["model"]),
            words.number(study["seed"], digits=0),
            *(words.number(study[name], digits=0) for name in ("rows", "features", "mutable")),
            words.number(study["balanced_accuracy_validation"]),
            words.number(study["balanced_accuracy_test"]),
            words.number(study["denied"], digits=0),
            words.number(study["people"], digits=0),
            words.seconds(study["seconds_training"]),
            _parameters(study["parameters"]),
        )
        for study in sorted_by_names(results.studies, ["model", "data", "seed"]).to_dict("records")
    ]
    columns = (
        "Study",
        "Seed",
        "Rows",
        "Features",
        "May change",
        "Balanced accuracy, validation",
        "Balanced accuracy, test",
        "Denied",
        "Requested",
        "Training",
        "Parameters",
    )
    return plain("What each model was trained on, and how well it decides", columns, rows, len(columns) - 1)


def broken_table(results: Results) -> Table:
    """How many answers are wrong, and which constraints they break."""
    counts = broken_by_kind(results)
    kinds = [name for name in counts if name.startswith("kind: ")]
    rows = [
        (
            words.name_of(row["method"]),
            f"{row['given']:,}",
            *(f"{row[name]:,}" for name in ("invalid", "not_allowed", *kinds, "implausible", "off_grid")),
        )
        for row in counts.to_dict("records")
    ]
    broken = [name.removeprefix("kind: ") for name in kinds]
    columns = (
        "Method",
        "Answers",
        "Invalid",
        "Not allowed",
        *(f"of these: {KINDS.get(kind, kind)}" for kind in broken),
        "Implausible",
        "Off the grid",
    )
    return plain(
        "All answers of the run; one that breaks several constraints counts in several columns", columns, rows
    )


def differences_table(results: Results) -> Table:
    """The paper beside the authors' code."""
    rows = tuple(
        (
            *(Cell(text=text) for text in (each.topic, each.paper, each.code)),
            Cell(text=each.followed_by(settings_of(results.run))),
            Cell(text=each.other, kind="code" if each.other.startswith("--") else ""),
        )
        for each in DIFFERENCES
    )
    return Table(
        caption="What was followed, and how to get the other",
        columns=("Topic", "The paper", "The authors' code", "Followed here, and why", "The other"),
        groups=(Group(title="", rows=rows),),
        words=frozenset({1, 2, 3, 4}),
    )


def missing_table(results: Results) -> Table:
    """The rows that could not be run."""
    rows = [
        (
            words.name_of(row["method"]),
            words.name_of(row["experiment"]),
            words.cell_name(row["data"], row["model"]),
            row["reason"] or words.NOTHING,
        )
        for row in sorted_by_names(results.missing, KEY).to_dict("records")
    ]
    return plain(
        "Rows that the tables call “not run”, and why",
        ("Method", "Experiment", "Study", "Why"),
        rows,
        1,
        2,
        3,
    )


def failures_table(results: Results) -> Table:
    """What peers said when they gave no answer."""
    people = results.people
    said = people[(people["error"] != "") & ~people["method"].isin(OURS)]
    counts = sorted_by_names(said.groupby(["method", "error"], as_index=False).size(), ["method"])
    rows = [
        (words.name_of(row["method"]), words.cut(row["error"], LONGEST_ERROR), f"{row['size']:,}")
        for row in counts.to_dict("records")
    ]
    return plain(
        "What peers said instead of an answer; a question is one person in one cell",
        ("Method", "What it said", "Questions"),
        rows,
        1,
    )


def _parameters(text: str) -> str:
    try:
        read = json.loads(text)
    except ValueError:
        return text or words.NOTHING
    if not isinstance(read, dict):
        return text
    return ", ".join(f"{name} {words.value(value)}" for name, value in read.items()) or words.NOTHING
