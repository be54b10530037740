"""How are the cells behind a verdict shown? One table per verdict."""

from collections.abc import Callable

import pandas as pd

from benchmarks.paper.report import words
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
PLACES = {"inside": "inside", "below": "below, fewer outliers", "above": "above, more outliers", "": "–"}


def verdict_table(verdict: Verdict) -> Table:
    """The evidence, one row per cell of experiment, data set and model (or per method)."""
    columns, row_of = _form(verdict.cells)
    cells = verdict.cells
    if "experiment" in cells:
        cells = sorted_by_names(cells, ["experiment", "model", "data"])
        groups = tuple(
            Group(title=words.name_of(name), rows=tuple(row_of(row) for _, row in found.iterrows()))
            for name, found in cells.groupby("experiment", sort=False)
        )
    else:
        groups = (Group(title="", rows=tuple(row_of(row) for _, row in cells.iterrows())),)
    words_at = frozenset({len(columns) - 1}) if "explanation" in cells else frozenset()
    return Table(
        caption=f"Evidence: {verdict.name}",
        columns=columns,
        groups=groups,
        words=words_at,
        titles="Experiment",
    )


Form = tuple[tuple[str, ...], Callable[[pd.Series], tuple[Cell, ...]]]


def _form(cells: pd.DataFrame) -> Form:
    """Which columns a verdict's cells have tells which verdict it is."""
    if "measure" in cells:
        return (
            (
                "",
                "Mean",
                "P²CE, proven",
                "P²CE",
                "Ablation",
                "MAPOCAM",
                "People worse",
                "Fronts true",
                "Shown",
            ),
            _front,
        )
    if "place" in cells:
        columns = (
            "Study",
            "Paper, %",
            "Its 95 %",
            "Proven, %",
            "Where",
            "Apart, points",
            "Shown",
            "Explanation",
        )
        return columns, _outlier
    if "peer" in cells:
        return ("Study", "Peer", "P²CE, proven", "Peer's median", "Times faster", "Shown"), _time
    if "method" in cells:
        columns = ("Method", "Answers", "Invalid", "Not allowed", "Implausible", "Off the grid", "Shown")
        return columns, _method
    return ("Study", "Shown"), lambda row: (_where(row), _shown(row))


def _front(row: pd.Series) -> tuple[Cell, ...]:
    figures = [words.number(row[name]) for name in ("proven", "p2ce", "p2ce-ablation", "mapocam")]
    return (
        _where(row),
        Cell(text=row["measure"]),
        *(Cell(text=figure) for figure in figures),
        Cell(text=words.of(row["worse"], row["compared"])),
        Cell(text=words.of(row["fronts_true"], row["fronts_checked"])),
        _shown(row),
    )


def _outlier(row: pd.Series) -> tuple[Cell, ...]:
    apart = f"{words.points(row['apart_low'])} to {words.points(row['apart_high'])}"
    counted = f"{row['answers']} answers, {row['people']} people"
    return (
        _where(row),
        Cell(text=f"{'< ' if row['at_most'] else ''}{100 * row['paper']:.0f}"),
        Cell(text=f"{100 * row['low']:.1f}–{100 * row['high']:.1f}"),
        Cell(text=words.per_cent(row["share"]), beside=counted if row["place"] else ""),
        Cell(text=PLACES[row["place"]]),
        Cell(text=words.NOTHING if pd.isna(row["apart_low"]) else apart),
        _shown(row),
        Cell(text=row["explanation"] or words.NOTHING),
    )


def _time(row: pd.Series) -> tuple[Cell, ...]:
    return (
        _where(row),
        Cell(text=words.name_of(row["peer"])),
        Cell(text=words.seconds(row["proven"])),
        Cell(text=words.seconds(row["theirs"])),
        Cell(text=f"{row['times']:.1f}" if row["times"] < 10 else f"{row['times']:,.0f}"),
        _shown(row),
    )


def _method(row: pd.Series) -> tuple[Cell, ...]:
    counts = [f"{row[name]:,}" for name in ("given", "invalid", "not_allowed", "implausible", "off_grid")]
    return (Cell(text=words.name_of(row["method"])), *(Cell(text=count) for count in counts), _shown(row))


def _where(row: pd.Series) -> Cell:
    return Cell(text=words.cell_name(row["data"], row["model"]))


def _shown(row: pd.Series) -> Cell:
    if pd.isna(row["holds"]):
        return Cell(text=words.NOTHING)
    return Cell(text="✓ yes", kind="good") if row["holds"] else Cell(text="✗ no", kind="bad")
