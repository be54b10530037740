"""What is in the figures? Their data, apart from how they are drawn."""

from dataclasses import dataclass
from math import isnan

import numpy as np
import pandas as pd

from benchmarks.paper.report import words
from benchmarks.paper.report.results import Results, sorted_by_names
from benchmarks.paper.report.summaries import seconds_of_a_call

LEAST_SECONDS = 1e-6  # a logarithmic axis has no zero
OUTLIERS = ("Outliers, %", "95 % interval")
VOLUMES = ("Hypervolume (more is better)", "95 % interval over seeds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A median, and where 90 % of people lie: the 5th to the 95th percentile."""

    middle: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One method in a scatter: cost and time of the people who got a valid answer."""

    method: str
    cost: Range
    seconds: Range
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterPanel:
    title: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterInfo:
    """Time against cost; a panel per data set and model."""

    panels: tuple[ScatterPanel, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        found = pd.DataFrame({"method": [point.method for panel in self.panels for point in panel.points]})
        return tuple(sorted_by_names(found.drop_duplicates(), ["method"])["method"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One method's value, or NaN and a ``note`` why; ``paper`` is the published value, or NaN."""

    method: str
    value: float
    low: float
    high: float
    paper: float
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarPanel:
    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BarInfo:
    """Bars with their intervals; a panel per data set and model, the same methods in each."""

    label: str
    interval: str  # what the line over a bar means
    digits: int
    methods: tuple[str, ...]
    panels: tuple[BarPanel, ...]


def scatter_info(results: Results, experiment: str) -> ScatterInfo:
    """Time against cost in an experiment with one objective; methods without a valid answer are left out."""
    people = results.people[results.people["experiment"] == experiment]
    people = people.assign(seconds=seconds_of_a_call(people))
    people = people[people["best_cost"].notna() & people["seconds"].notna()]
    panels = []
    for (_, data, model), found in _cells(people):
        points = [
            Point(
                method=method,
                cost=_range(mine["best_cost"]),
                seconds=_range(mine["seconds"].clip(lower=LEAST_SECONDS)),
                people=len(mine),
            )
            for method, mine in found.groupby("method", sort=False)
        ]
        panels.append(ScatterPanel(title=words.cell_name(data, model), points=tuple(points)))
    return ScatterInfo(panels=tuple(panels))


def outlier_info(summary: pd.DataFrame, experiment: str) -> BarInfo:
    """Shares of outliers in per cent, with Wilson's interval."""
    columns = ("outliers", "outliers_low", "outliers_high", "published_outliers")
    return _bars(summary, experiment, OUTLIERS, columns, factor=100, digits=0)


def hypervolume_info(summary: pd.DataFrame) -> BarInfo:
    """Mean hypervolumes, with their interval over seeds."""
    columns = ("hypervolume_mean", "hypervolume_low", "hypervolume_high", "published_hypervolume")
    return _bars(summary, "three", VOLUMES, columns, factor=1, digits=2)


def _bars(
    summary: pd.DataFrame,
    experiment: str,
    label: tuple[str, str],
    columns: tuple[str, str, str, str],
    *,
    factor: float,
    digits: int,
) -> BarInfo:
    mine = summary[summary["experiment"] == experiment]
    methods = tuple(sorted_by_names(mine[["method"]].drop_duplicates(), ["method"])["method"])
    panels = []
    for (_, data, model), found in _cells(mine):
        rows = found.set_index("method")
        bars = []
        for method in methods:
            there = rows.loc[method] if method in rows.index else None
            value, low, high, paper = (
                np.nan if there is None else factor * float(there[column]) for column in columns
            )
            note = "" if there is not None else "not run"
            if there is not None and isnan(value):
                note = "no valid answer"
            bars.append(Bar(method=method, value=value, low=low, high=high, paper=paper, note=note))
        if not all(isnan(bar.value) for bar in bars):
            panels.append(BarPanel(title=words.cell_name(data, model), bars=tuple(bars)))
    return BarInfo(label=label[0], interval=label[1], digits=digits, methods=methods, panels=tuple(panels))


def _cells(frame: pd.DataFrame) -> list[tuple[tuple[str, str, str], pd.DataFrame]]:
    """The frame cell by cell: models below each other, data sets side by side."""
    ordered = sorted_by_names(frame, ["experiment", "model", "data", "method"])
    return [(key, found) for key, found in ordered.groupby(["experiment", "data", "model"], sort=False)]


def _range(values: pd.Series) -> Range:
    low, middle, high = np.percentile(values.to_numpy(float), [5, 50, 95])
    return Range(middle=float(middle), low=float(low), high=float(high))
