"""Which figures are drawn, under which names, and what do they show?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from benchmarks.paper.report.figure_info import hypervolume_info, outlier_info, scatter_info
from benchmarks.paper.report.figures import draw_bars, draw_scatter, save_figure
from benchmarks.paper.report.results import Results

CAPTIONS = {
    "scatter": "Time of a call for one person alone (logarithmic) against cost; lower and further left is "
    "better. Marks are medians over the people answered, lines run from the 5th to the 95th percentile, in "
    "both directions.",
    "outliers": "Share of a person's valid answers that the extended isolation forest calls outliers, mean "
    "over people; fewer is better.",
    "hypervolume": "Mean hypervolume over all people, 0 for a person without an answer; more is better. The "
    "reference point is that of the authors' code.",
}
ALTS = {
    "scatter": "time against cost, a panel per data set and model",
    "outliers": "bars of outlier shares, a panel per data set and model",
    "hypervolume": "bars of hypervolumes, a panel per data set and model",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureFile:
    """A figure of an experiment; its figures are in the tables too."""

    kind: Literal["scatter", "outliers", "hypervolume"]
    experiment: str

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.experiment}"

    @property
    def caption(self) -> str:
        return CAPTIONS[self.kind]

    @property
    def alt(self) -> str:
        return ALTS[self.kind]


FIGURES = (
    FigureFile(kind="scatter", experiment="inlierness"),
    FigureFile(kind="outliers", experiment="inlierness"),
    FigureFile(kind="scatter", experiment="one"),
    FigureFile(kind="outliers", experiment="one"),
    FigureFile(kind="hypervolume", experiment="three"),
    FigureFile(kind="outliers", experiment="three"),
    FigureFile(kind="scatter", experiment="forests"),
    FigureFile(kind="outliers", experiment="forests"),
)


def draw_figures(results: Results, summary: pd.DataFrame) -> list[Path]:
    """Draw every figure that has something to show; what only an earlier run could draw is removed."""
    folder = results.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for figure in FIGURES:
        path = folder / figure.name
        info, draw = _info(results, summary, figure)
        if info.panels:
            save_figure(draw, info, path)
            drawn.append(path)
        else:
            for old in (".png", ".svg", "-narrow.svg"):
                path.with_name(f"{path.name}{old}").unlink(missing_ok=True)
    return drawn


def _info(results: Results, summary: pd.DataFrame, figure: FigureFile) -> tuple[Any, Any]:
    if figure.kind == "scatter":
        return scatter_info(results, figure.experiment), draw_scatter
    if figure.kind == "outliers":
        return outlier_info(summary, figure.experiment), draw_bars
    return hypervolume_info(summary), draw_bars
