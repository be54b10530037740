"""Which tables does the report show of each experiment? Figures of a summary, put into words."""

from collections.abc import Callable, Iterator, Mapping
from math import isnan
from typing import Any

import pandas as pd

from benchmarks.paper.report import words
from benchmarks.paper.report.results import CELL, Results, sorted_by_names
from benchmarks.paper.report.table import Cell, Group, Table

Row = Mapping[str, Any]  # a row of the summary
Maker = Callable[[Row], Cell]


def main_table(results: Results, summary: pd.DataFrame, experiment: str) -> Table:
    """What the paper's table of this experiment shows, and how many fronts are true."""
    found: dict[str, Maker] = {"Cost c₁": _cost}
    if experiment == "three":
        found = {"Hypervolume": _hypervolume, "By the grid": _hypervolume_by_grid}
    return _table(
        results,
        summary,
        experiment,
        "What the methods found, and how long it took",
        {
            "People answered": _answered,
            **found,
            "Outliers, % [95 %]": _outliers,
            "Time": lambda row: Cell(text=words.seconds(row["seconds_median"])),
            "Time, mean": _mean_time,
            "Model calls": _work("calls"),
            "Cells evaluated": _work("cells"),
            "SHAP explanations": _work("explanations"),
            "True fronts [95 %]": _fronts,
        },
    )


def further_table(results: Results, summary: pd.DataFrame, experiment: str) -> Table:
    """The other judge, the other costs, and what is wrong with answers."""
    columns: dict[str, Maker] = {"Least cost c₁": _cost} if experiment == "three" else {}
    columns |= {
        "In a batch": lambda row: Cell(text=words.seconds(row["seconds_in_batch"])),
        "Nodes": _work("nodes"),
        "Proven, same people": lambda row: Cell(text=words.number(row["cost_of_proven"])),
        "Answers per person": lambda row: Cell(text=words.number(row["answers_per_person"], digits=1)),
        "True and plausible": lambda row: Cell(
            text=words.of(row["plausible_fronts_true"], row["plausible_fronts_checked"])
        ),
        "Outliers, axis-parallel, %": lambda row: Cell(text=words.per_cent(row["outliers_axis_parallel"])),
        "Invalid": _count("invalid"),
        "Not allowed": _count("not_allowed"),
        "Implausible": _count("implausible"),
        "Off the grid": _count("off_grid"),
        "How the calls ended": lambda row: Cell(text=row["statuses"] or words.NOTHING),
    }
    title = "Further figures, and what is wrong with answers"
    made = _table(results, summary, experiment, title, columns)
    return Table(
        caption=made.caption,
        columns=made.columns,
        groups=made.groups,
        words=frozenset({len(made.columns) - 1}),
    )


def _table(
    results: Results, summary: pd.DataFrame, experiment: str, caption: str, columns: dict[str, Maker]
) -> Table:
    mine = summary[summary["experiment"] == experiment]
    not_run = results.missing[results.missing["experiment"] == experiment]
    places = pd.concat([mine[CELL], not_run[CELL]]).drop_duplicates()
    places = sorted_by_names(places, ["model", "data"])
    groups = tuple(
        Group(
            title=words.cell_name(data, model),
            rows=tuple(_rows(_at(mine, data, model), _at(not_run, data, model), columns)),
        )
        for _, data, model in places.itertuples(index=False)
    )
    return Table(caption=caption, columns=("Method", *columns), groups=groups)


def _rows(
    found: pd.DataFrame, not_run: pd.DataFrame, columns: dict[str, Maker]
) -> Iterator[tuple[Cell, ...]]:
    measured = {row["method"]: row for row in found.to_dict("records")}
    methods = pd.concat([found[["method"]], not_run[["method"]]]).drop_duplicates()
    for method in sorted_by_names(methods, ["method"])["method"]:
        name = Cell(text=words.name_of(method), kind="strong" if method == "proven" else "")
        if method in measured:
            yield name, *(make(measured[method]) for make in columns.values())
        else:
            nothing = [Cell(text=words.NOTHING) for _ in columns]
            yield name, Cell(text="not run"), *nothing[1:]


def _at(frame: pd.DataFrame, data: str, model: str) -> pd.DataFrame:
    return frame[(frame["data"] == data) & (frame["model"] == model)]


def _answered(row: Row) -> Cell:
    late = row["people"] - row["finished"]
    return Cell(
        text=words.of(row["answered"], row["people"]), beside=f"{late:.0f} not finished" if late else ""
    )


def _cost(row: Row) -> Cell:
    return Cell(text=_mean(row, "cost"), beside=_paper(row, "cost", 3))


def _hypervolume(row: Row) -> Cell:
    return Cell(text=_mean(row, "hypervolume"), beside=_paper(row, "hypervolume", 2))


def _hypervolume_by_grid(row: Row) -> Cell:
    return Cell(text=_mean(row, "hypervolume_grid"))


def _mean(row: Row, name: str) -> str:
    return words.within(row[f"{name}_mean"], row[f"{name}_low"], row[f"{name}_high"])


def _work(name: str) -> Maker:
    return lambda row: Cell(text=words.count(row[name]))


def _fronts(row: Row) -> Cell:
    text = words.of(row["fronts_true"], row["fronts_checked"])
    interval = f" [{100 * row['fronts_low']:.0f}–{100 * row['fronts_high']:.0f}]"
    return Cell(text=text + interval if row["fronts_checked"] else text)


def _outliers(row: Row) -> Cell:
    published = row["published_outliers"]
    return Cell(
        text=words.share_within(row["outliers"], row["outliers_low"], row["outliers_high"]),
        beside="" if isnan(published) else f"paper {100 * published:.0f}",
    )


def _mean_time(row: Row) -> Cell:
    mean, deviation = row["published_seconds"], row["published_seconds_sd"]
    return Cell(
        text=words.seconds_within(row["seconds_mean"], row["seconds_low"], row["seconds_high"]),
        beside="" if isnan(mean) else f"paper {mean} ± {deviation} s",
    )


def _paper(row: Row, name: str, digits: int) -> str:
    mean = row[f"published_{name}"]
    if isnan(mean):
        return ""
    return f"paper {words.spread(mean, row[f'published_{name}_sd'], digits=digits)}"


def _count(name: str) -> Maker:
    return lambda row: Cell(text=words.of(row[name], row["given"]) if row[name] else "0")
