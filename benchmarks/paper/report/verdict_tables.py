"""How are the cells behind a verdict shown? One table per verdict."""

from collections.abc import Callable

import pandas as pd

from benchmarks.paper.report import verdict_of_fronts, words
from benchmarks.paper.report.broken import WRONG
from benchmarks.paper.report.results import sorted_by_names
from benchmarks.paper.report.table import Cell, Group, Table
from benchmarks.paper.report.verdicts import Verdict

SIGNS = {"holds": "✓", "fails": "✗", "partly": "◐", "not measured": "–"}
STATES = {
    "holds": "shown",
    "fails": "not shown",
    "partly": "shown wherever it was measured",
    "not measured": "not measured in this run",
}
PLACES = {
    "inside": "inside",
    "within chance": "within chance of < 5 %",
    "below": "below, fewer outliers",
    "above": "above, more outliers",
    "too few": "too few people to tell",
    "not everybody": "not everybody was asked",
    "": words.NOTHING,
}
HEADS = {"p2ce-ablation": "Ablation", "mapocam": "MAPOCAM (no plausibility)"}
FRONTS_NOTE = (
    "Means over the people answered, or over all for hypervolumes; small figures say over how many, if not "
    "over all. Who answers fewer may look cheaper, and MAPOCAM, which asks for no plausibility, may be "
    "better: neither decides. People are compared one by one with P²CE and P²CE (Ablation), hypervolumes by "
    "both reference points."
)
OUTLIERS_NOTE = (
    "The paper's share is one of 50 people, so that it could as well lie anywhere in its 95 % interval "
    "(Wilson's); ours is inside, or not. The difference is ours minus the paper's, with its 95 % interval "
    "(Newcombe's): as ours is a share of few people too, it can be 0 although ours is not inside."
)
TIMES_NOTE = (
    "Medians. “In a batch” is a person's share of one explain_many, which decides; “one explain” and the "
    "peer's are calls for one person. Rows without a mark are shown and decide nothing."
)


def state_in_words(verdict: Verdict) -> str:
    """A claim that needed an explanation is not simply shown."""
    told = STATES[verdict.state]
    explained = "explanation" in verdict.cells and (verdict.cells["explanation"] != "").any()
    return told.replace("shown", "shown or explained") if explained and verdict.state != "fails" else told


def verdict_table(verdict: Verdict) -> Table:
    """The evidence, one row per cell of experiment, data set and model (or per method)."""
    columns, row_of, note = _form(verdict.cells)
    cells = verdict.cells
    if "experiment" in cells:
        cells = sorted_by_names(cells, ["experiment", "model", "data"])
        groups = tuple(
            Group(title=words.name_of(name), rows=tuple(row_of(row) for _, row in found.iterrows()))
            for name, found in cells.groupby("experiment", sort=False)
        )
    else:
        groups = (Group(title="", rows=tuple(row_of(row) for _, row in cells.iterrows())),)
    words_at = frozenset(columns.index(name) for name in ("Where", "Explanation") if name in columns)
    return Table(
        caption=f"Evidence: {verdict.name}",
        columns=columns,
        groups=groups,
        words=words_at,
        titles="Experiment",
        note=note,
    )


Form = tuple[tuple[str, ...], Callable[[pd.Series], tuple[Cell, ...]], str]


def _form(cells: pd.DataFrame) -> Form:
    """Which columns a verdict's cells have tells which verdict it is."""
    if "measure" in cells:
        columns = (
            "Study",
            "Mean",
            *(HEADS.get(method, words.name_of(method)) for method in verdict_of_fronts.SHOWN),
            "Better with P²CE or Ablation",
            "Fronts true",
            "Shown",
        )
        return columns, _front, FRONTS_NOTE
    if "place" in cells:
        columns = (
            "Study",
            "Paper, %",
            "Paper, 95 % interval",
            "Proven, %",
            "Where",
            "Difference, 95 % interval, points",
            "Shown",
            "Explanation",
        )
        return columns, _outlier, OUTLIERS_NOTE
    if "peer" in cells:
        columns = (
            "Study",
            "Peer",
            "Proven, in a batch",
            "One explain",
            "Peer's call",
            "Times faster",
            "Shown",
        )
        return columns, _time, TIMES_NOTE
    if "method" in cells:
        columns = ("Method", "Answers", "Invalid", "Not allowed", "Implausible", "Off the grid", "Shown")
        return columns, _method, ""
    raise AssertionError(f"no verdict has these columns: {list(cells)}")


def _front(row: pd.Series) -> tuple[Cell, ...]:
    def mean(method: str) -> Cell:
        people = row[f"people of {method}"]
        told = "" if pd.isna(people) or people == row["asked"] else f"{people:.0f} people"
        return Cell(text=words.number(row[method]), beside=told)

    few = "" if row["fronts_checked"] == row["asked"] else f"{words.number(row['asked'], digits=0)} asked"
    return (
        _where(row),
        Cell(text=row["measure"]),
        *(mean(method) for method in verdict_of_fronts.SHOWN),
        Cell(text=words.of(row["worse"], row["compared"])),
        Cell(text=words.of(row["fronts_true"], row["fronts_checked"]), beside=few),
        _shown(row),
    )


def _outlier(row: pd.Series) -> tuple[Cell, ...]:
    apart = f"{words.points(row['apart_low'])} to {words.points(row['apart_high'])}"
    return (
        _where(row),
        Cell(text=f"{'< ' if row['at_most'] else ''}{100 * row['paper']:.0f}"),
        Cell(text=f"{100 * row['low']:.1f}–{100 * row['high']:.1f}"),
        Cell(text=words.per_cent(row["share"]), beside=f"{row['people']} people" if row["place"] else ""),
        Cell(text=PLACES[row["place"]]),
        Cell(text=words.NOTHING if pd.isna(row["apart_low"]) else apart),
        Cell(text="explained") if row["explanation"] else _shown(row),
        Cell(text=row["explanation"] or words.NOTHING),
    )


def _time(row: pd.Series) -> tuple[Cell, ...]:
    return (
        _where(row),
        Cell(text=words.name_of(row["peer"])),
        *(Cell(text=words.seconds(row[name])) for name in ("proven", "alone", "theirs")),
        Cell(text=words.factor(row["times"])),
        _shown(row),
    )


def _method(row: pd.Series) -> tuple[Cell, ...]:
    counts = [f"{row[name]:,}" for name in ("given", *WRONG)]
    return (Cell(text=words.name_of(row["method"])), *(Cell(text=count) for count in counts), _shown(row))


def _where(row: pd.Series) -> Cell:
    return Cell(text=words.cell_name(row["data"], row["model"]))


def _shown(row: pd.Series) -> Cell:
    if pd.isna(row["holds"]):
        return Cell(text=words.NOTHING)
    return Cell(text="✓ yes", kind="good") if row["holds"] else Cell(text="✗ no", kind="bad")
