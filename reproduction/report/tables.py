"""The report's tables as data frames of text, ready for a template."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import pandas as pd

from reproduction.names import AUTHORS, OURS
from reproduction.report import numbers
from reproduction.report.numbers import NOTHING, cell_name, name_of, text
from reproduction.report.results import KEY, Results, in_order, json_object
from reproduction.report.summary import broken_by_kind

LONGEST_ERROR = 300  # characters of what a peer said; the whole is in people.csv
ANSWERS_IN_THE_PAPER = 3  # answers of P²CE's in the paper's example
Row = Mapping[str, Any]  # a row of the summary


class Text(str):
    """A text of a table, and what stands beside it in small grey: the paper's value, or a remark."""

    __slots__ = ("beside", "kind")

    def __new__(cls, content: str, beside: str = "", kind: str = "") -> "Text":
        made = super().__new__(cls, content)
        made.beside, made.kind = beside, kind  # kind: "strong", "code", "good" or "bad"
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A data frame for readers; its first column names the rows."""

    caption: str
    frame: pd.DataFrame  # of texts
    words: tuple[str, ...] = ()  # columns that hold sentences, not figures
    groups: str = ""  # a column, the first one, that groups rows

    @property
    def columns(self) -> list[str]:
        """Without the one that groups."""
        return [name for name in self.frame if name != self.groups]

    @property
    def grouped(self) -> list[tuple[str, list[list[str]]]]:
        """Title → rows; one untitled group where nothing groups."""
        if not self.groups:
            return [("", self.frame.to_numpy(object).tolist())]
        rows = self.frame.groupby(self.groups, sort=False)
        return [(title, found[self.columns].to_numpy(object).tolist()) for title, found in rows]


def table(
    caption: str, rows: list[dict[str, str]], *words: str, groups: str = "", columns: tuple[str, ...] = ()
) -> Table:
    """Make a table; ``columns`` are needed only where there may be no row."""
    frame = pd.DataFrame(rows, columns=list(columns) or None, dtype=object)
    return Table(caption=caption, frame=frame, words=words, groups=groups)


def experiment_tables(results: Results, experiment: str) -> list[Table]:
    """What the paper's table shows, and the other judge, the other costs and what is wrong with answers."""
    three = experiment == "three"
    main = {
        "People answered": _answered,
        **(
            {"Hypervolume": _mean("hypervolume", 2), "By the grid": _mean("hypervolume_grid")}
            if three
            else {"Cost c₁": _mean("cost", 3)}
        ),
        "Outliers, % [95 %]": lambda row: Text(
            numbers.share_within(row["outliers"], row["outliers_low"], row["outliers_high"]),
            "" if isnan(row["published_outliers"]) else f"paper {100 * row['published_outliers']:.0f}",
        ),
        "Time": lambda row: numbers.seconds(row["seconds_median"]),
        "Time, mean": lambda row: Text(
            numbers.seconds_within(row["seconds_mean"], row["seconds_low"], row["seconds_high"]),
            ""
            if isnan(row["published_seconds"])
            else f"paper {row['published_seconds']} ± {row['published_seconds_sd']} s",
        ),
        "Model calls": lambda row: numbers.count(row["calls"]),
        "Cells evaluated": lambda row: numbers.count(row["cells"]),
        "SHAP explanations": lambda row: numbers.count(row["explanations"]),
        "True fronts [95 %]": lambda row: (
            numbers.of(row["fronts_true"], row["fronts_checked"])
            + (
                f" [{100 * row['fronts_low']:.0f}–{100 * row['fronts_high']:.0f}]"
                if row["fronts_checked"]
                else ""
            )
        ),
    }
    further = {
        **({"Least cost c₁": _mean("cost", 3)} if three else {}),
        "In a batch": lambda row: numbers.seconds(row["seconds_in_batch"]),
        "Nodes": lambda row: numbers.count(row["nodes"]),
        "Proven, same people": lambda row: numbers.number(row["cost_of_proven"]),
        "Answers per person": lambda row: numbers.number(row["answers_per_person"], digits=1),
        "True and plausible": lambda row: numbers.of(
            row["plausible_fronts_true"], row["plausible_fronts_checked"]
        ),
        "Outliers, axis-parallel, %": lambda row: numbers.per_cent(row["outliers_axis_parallel"]),
        "Invalid": _wrong("invalid"),
        "Not allowed": _wrong("not_allowed"),
        "Implausible": _wrong("implausible"),
        "Off the grid": _wrong("off_grid"),
        "How the calls ended": lambda row: row["statuses"] or NOTHING,
    }
    captions = (
        "What the methods found, and how long it took",
        "Further figures, and what is wrong with answers",
    )
    return [
        _by_method(results, experiment, captions[0], main),
        _by_method(results, experiment, captions[1], further, "How the calls ended"),
    ]


def _by_method(
    results: Results, experiment: str, caption: str, columns: dict[str, Callable[[Row], str]], *words: str
) -> Table:
    """One row per method that was run or should have been, grouped by data set and model."""
    measured = results.summary[results.summary["experiment"] == experiment]
    not_run = results.missing[results.missing["experiment"] == experiment][KEY]
    listed = pd.concat([measured, not_run.drop_duplicates()]).drop_duplicates(KEY)
    rows = []
    for row in in_order(listed, ["model", "data", "method"]).to_dict("records"):
        name = Text(name_of(row["method"]), kind="strong" if row["method"] == "proven" else "")
        shown = {"Study": cell_name(row["data"], row["model"]), "Method": name}
        if pd.isna(row["people"]):
            made = dict.fromkeys(columns, NOTHING) | {next(iter(columns)): "not run"}
        else:
            made = {column: make(row) for column, make in columns.items()}
        rows.append(shown | made)
    return table(caption, rows, *words, groups="Study", columns=("Study", "Method", *columns))


def _answered(row: Row) -> Text:
    late = row["people"] - row["finished"]
    return Text(numbers.of(row["answered"], row["people"]), f"{late:.0f} not finished" if late else "")


def _mean(name: str, digits: int = 0) -> Callable[[Row], Text]:
    """The mean and its interval; with digits, the paper's beside it."""

    def made(row: Row) -> Text:
        paper = row[f"published_{name}"] if digits else float("nan")
        beside = (
            "" if isnan(paper) else f"paper {paper:.{digits}f} ± {row[f'published_{name}_sd']:.{digits}f}"
        )
        return Text(numbers.within(row[f"{name}_mean"], row[f"{name}_low"], row[f"{name}_high"]), beside)

    return made


def _wrong(name: str) -> Callable[[Row], str]:
    return lambda row: numbers.of(row[name], row["given"]) if row[name] else "0"


def models_table(results: Results) -> Table:
    """What was trained on what, and how well it decides."""
    rows = [
        {
            "Study": cell_name(study["data"], study["model"]),
            "Seed": numbers.number(study["seed"], digits=0),
            "Rows": numbers.number(study["rows"], digits=0),
            "Features": numbers.number(study["features"], digits=0),
            "May change": numbers.number(study["mutable"], digits=0),
            "Balanced accuracy, validation": numbers.number(study["balanced_accuracy_validation"]),
            "Balanced accuracy, test": numbers.number(study["balanced_accuracy_test"]),
            "Denied": numbers.number(study["denied"], digits=0),
            "Requested": numbers.number(study["people"], digits=0),
            "Training": numbers.seconds(study["seconds_training"]),
            "Parameters": ", ".join(
                f"{name} {numbers.value(value)}" for name, value in json_object(study["parameters"]).items()
            )
            or study["parameters"].replace("{}", "")
            or NOTHING,
        }
        for study in in_order(results.studies, ["model", "data", "seed"]).to_dict("records")
    ]
    return table("What each model was trained on, and how well it decides", rows, "Parameters")


def broken_table(results: Results) -> Table:
    """How many answers are wrong, and which constraints they break."""
    kinds = text()["broken"]
    counts = in_order(broken_by_kind(results.answers, list(kinds)), ["method"])
    found = [name for name in counts if name.startswith("kind: ")]
    columns = {"given": "Answers", "invalid": "Invalid", "not_allowed": "Not allowed"}
    columns |= {name: f"of these: {kinds.get(name[6:], name[6:])}" for name in found}
    columns |= {"implausible": "Implausible", "off_grid": "Off the grid"}
    rows = [
        {"Method": name_of(row["method"])} | {title: f"{row[name]:,}" for name, title in columns.items()}
        for row in counts.to_dict("records")
    ]
    return table(
        "All answers of the run; one that breaks several constraints counts in several columns", rows
    )


def methods_table(results: Results) -> Table:
    """How each method of this run is set."""
    there = set(results.people["method"])
    rows = [
        {"Method": name_of(method), "Settings": said}
        for method, said in text()["methods"].items()
        if method in there
    ]
    return table("How each method was set", rows, "Settings")


def differences_table(results: Results) -> Table:
    """The paper beside the authors' code, and which of the two this run follows."""
    settings, rows = results.run.get("settings") or {}, []
    for each in text()["differences"]:
        followed = f"{each['followed'][0].upper()}{each['followed'][1:]}. {each['why']}"
        if is_other(each, settings):
            followed = f"This run took the other, by {each['other']}. Usually: {followed}"
        rows.append(
            {
                "Topic": each["topic"],
                "The paper": each["paper"],
                "The authors' code": each["code"],
                "Followed here, and why": followed,
                "The other": Text(each["other"], kind="code" if each["other"].startswith("--") else ""),
            }
        )
    return table("What was followed, and how to get the other", rows, *list(rows[0])[1:])


def is_other(difference: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether a run with these settings follows the variant that is not the usual one."""
    name, value = difference.get("setting", (None, None))
    return name is not None and settings.get(name) == value


def missing_table(results: Results) -> Table:
    """The rows that could not be run."""
    rows = [
        {
            "Method": name_of(row["method"]),
            "Experiment": name_of(row["experiment"]),
            "Study": cell_name(row["data"], row["model"]),
            "Why": row["reason"] or NOTHING,
        }
        for row in in_order(results.missing, KEY).to_dict("records")
    ]
    return table("Rows that the tables call “not run”, and why", rows, "Experiment", "Study", "Why")


def failures_table(results: Results) -> Table:
    """What peers said when they gave no answer."""
    people = results.people
    said = people[(people["error"] != "") & ~people["method"].isin(OURS)]
    counts = in_order(said.groupby(["method", "error"], as_index=False).size(), ["method"])
    rows = [
        {
            "Method": name_of(row["method"]),
            "What it said": numbers.cut(row["error"], LONGEST_ERROR),
            "Questions": f"{row['size']:,}",
        }
        for row in counts.to_dict("records")
    ]
    return table(
        "What peers said instead of an answer; a question is one person in one cell", rows, "What it said"
    )


def example_table(results: Results) -> Table | None:
    """One person and every answer that any method gave: the features that some answer changes.

    The first person that the most methods answered, if possible with three answers of P²CE's, in the paper's
    cell if it was run, else in another. The authors' code, run on few people, does not count.
    """
    answers = results.answers[(results.answers["experiment"] == "three") & (results.answers["seed"] == 0)]
    if answers.empty:
        return None
    cells = in_order(answers[["data", "model"]].drop_duplicates(), ["model", "data"])
    like = (cells["data"] == "adult") & (cells["model"] == "mlp")  # the paper's example
    data, model = (cells[like] if like.any() else cells).iloc[0]
    here = answers[(answers["data"] == data) & (answers["model"] == model)]
    methods = here[~here["method"].isin(AUTHORS)].groupby("person")["method"].nunique()
    ours = here[here["method"] == "p2ce"].groupby("person").size().reindex(methods.index, fill_value=0)
    share = ours.clip(upper=ANSWERS_IN_THE_PAPER) / (ANSWERS_IN_THE_PAPER + 1)  # decides among equals
    number = (methods + share).idxmax()
    people = results.people
    mine = people[
        (people[["experiment", "data", "model"]] == ["three", data, model]).all(axis=1)
        & (people["person"] == number)
    ]
    person = next((found for given in mine["values"] if (found := json_object(given))), {})
    given = in_order(here[here["person"] == number], ["method"])
    given = given.assign(values=given["values"].map(json_object))
    features = _changed(person, [values for values in given["values"] if values])
    label = next(iter(mine["row"]), "") or NOTHING
    title = f"One person of {cell_name(data, model)} (row {label})"
    shown = [numbers.value(person.get(name, NOTHING)) for name in features]
    score = float(mine["score"].max()) if len(mine) else float("nan")
    rows = [("The person", [NOTHING, *shown, NOTHING, numbers.number(score, digits=2), NOTHING])]
    for method, found in given.groupby("method", sort=False):
        for place, (_, answer) in enumerate(found.iterrows(), start=1):
            wrong = {"invalid": answer["valid"] == 0, "not allowed": answer["allowed"] == 0}
            outlier, judged = (
                NOTHING if pd.isna(says) else f"{says:.0f}"
                for says in (1 - answer["plausible"], answer["outlier"])
            )
            values = [
                Text(
                    numbers.value(value := answer["values"].get(name, NOTHING)),
                    kind="strong" if person and value != person.get(name) else "",
                )
                for name in features
            ]
            remark = ", ".join(name for name, is_so in wrong.items() if is_so)
            said = [outlier, numbers.number(answer["score"], digits=2), judged]
            rows.append((name_of(method), [Text(str(place), remark), *values, *said]))
    return _example(title, [*features, "u(x)", "f(x)", "Judge"], rows)


def paper_example() -> Table:
    """The paper's own example, of another person and another model."""
    paper = text()["example"]
    rows = [("The person", [NOTHING, *paper["person"]])]
    for method, answers in paper["methods"].items():
        rows += [(method, [str(place), *answer]) for place, answer in enumerate(answers, start=1)]
    return _example("Table of the paper, by its methods", paper["columns"], rows)


def _example(caption: str, columns: list[str], rows: list[tuple[str, list[str]]]) -> Table:
    names = ["Answer", *columns]
    made = [{"Method": method} | dict(zip(names, cells, strict=True)) for method, cells in rows]
    return table(caption, made, groups="Method")


def _changed(person: dict[str, Any], given: list[dict[str, Any]]) -> list[str]:
    """The features that some answer changes, in the data's order."""
    names = list(dict.fromkeys(name for values in given for name in values))
    if person:
        return [name for name in names if any(values.get(name) != person.get(name) for values in given)]
    # Without the person's own row, what differs between answers is all that can be seen.
    return [name for name in names if len({numbers.value(values.get(name)) for values in given}) > 1]
