"""Draw time against cost, and bars of outlier shares and hypervolumes: data first, then drawing."""

import math
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from reproduction.names import METHODS
from reproduction.report.numbers import cell_name, cut, name_of
from reproduction.report.results import Results, in_order
from reproduction.report.summary import seconds_of_a_call

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, NARROW = 3, 1  # panels side by side on a screen, and on a phone
WIDTH = {WIDE: 10.5, NARROW: 4.3}  # inches
DOTS_PER_INCH = 160
LEAST_SECONDS = 1e-6  # a logarithmic axis has no zero
INK, GREY, PALE = "#1a1a1a", "#6b6b6b", "#e3e3e3"
STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "text.parse_math": False,  # a $ in a name is a $
    "svg.hashsalt": "p2ce",  # the same figure is the same file
    "svg.fonttype": "path",  # looks the same where the font is not installed
    "backend": "agg",
}
PAPER_MARK: dict[str, Any] = {
    "marker": "D",
    "markersize": 5,
    "color": "white",
    "markeredgecolor": INK,
    "markeredgewidth": 1,
}
# Method → colour (Okabe and Ito's, which the colour-blind distinguish), marker and its size.
LOOKS = {
    "mapocam": ("#E69F00", "s", 7),
    "p2ce-ablation": ("#56B4E9", "v", 7),
    "p2ce": ("#0072B2", "o", 7),
    "proven": ("#000000", "*", 12),
    "dice-genetic": ("#D55E00", "^", 7),
    "dice-free": ("#8A3D00", "<", 7),
    "dice-code": ("#7D3560", ">", 7),
    "authors-mapocam": ("#A87400", "p", 7),
    "authors-ablation": ("#2F8FC4", "d", 7),
    "authors-p2ce": ("#003F66", "H", 7),
    "dice-random": ("#CC79A7", "D", 6),
    "nice": ("#009E73", "P", 8),
    "ocean": ("#7A7A7A", "X", 8),
}
UNKNOWN = (GREY, "h", 7)
Panels = dict[str, pd.DataFrame]  # title → a row per method


class Bars(NamedTuple):
    """The columns of the summary that bars show (value, low, high, the paper's), and their format."""

    columns: tuple[str, str, str, str]
    label: str
    interval: str  # what the line over a bar means
    factor: float
    digits: int


BARS = {
    "outliers": Bars(
        ("outliers", "outliers_low", "outliers_high", "published_outliers"),
        "Outliers, %",
        "95 % interval",
        100,
        0,
    ),
    "hypervolume": Bars(
        ("hypervolume_mean", "hypervolume_low", "hypervolume_high", "published_hypervolume"),
        "Hypervolume (more is better)",
        "95 % interval over seeds",
        1,
        2,
    ),
}
# Kind and experiment of each figure; its file is named after both.
FIGURES = (
    ("scatter", "inlierness"),
    ("outliers", "inlierness"),
    ("scatter", "one"),
    ("outliers", "one"),
    ("hypervolume", "three"),
    ("outliers", "three"),
    ("scatter", "forests"),
    ("outliers", "forests"),
)


def draw_figures(results: Results) -> list[Path]:
    """Draw every figure with data, and remove those of an earlier run without data now."""
    folder = results.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for kind, experiment in FIGURES:
        path = folder / f"{kind}-{experiment}"
        make = scatter_panels if kind == "scatter" else bar_panels
        panels = make(results, kind, experiment)
        if panels:
            save_figure(kind, panels, path)
            drawn.append(path)
        else:
            for old in (".png", ".svg", "-narrow.svg"):
                path.with_name(f"{path.name}{old}").unlink(missing_ok=True)
    return drawn


def scatter_panels(results: Results, _: str, experiment: str) -> Panels:
    """Return the medians of cost and time over the people with a result, and the range of 90 % of them."""
    people = results.people[results.people["experiment"] == experiment]
    people = people.assign(seconds=seconds_of_a_call(people))
    people = people[people["best_cost"].notna() & people["seconds"].notna()]

    def row(mine: pd.DataFrame) -> dict[str, float]:
        cost = np.percentile(mine["best_cost"].to_numpy(float), [5, 50, 95])
        time = np.percentile(mine["seconds"].clip(lower=LEAST_SECONDS).to_numpy(float), [5, 50, 95])
        names = ("cost_low", "cost", "cost_high", "time_low", "time", "time_high")
        return dict(zip(names, [*cost, *time], strict=True))

    return {
        title: pd.DataFrame({method: row(mine) for method, mine in found.groupby("method", sort=False)}).T
        for title, found in _cells(people)
    }


def bar_panels(results: Results, kind: str, experiment: str) -> Panels:
    """Return value, low, high and the paper's value for the same methods in each panel; NaN has a note."""
    bars = BARS[kind]
    mine = results.summary[results.summary["experiment"] == experiment]
    methods = in_order(mine[["method"]].drop_duplicates(), ["method"])["method"]
    panels = {}
    for title, found in _cells(mine):
        rows = found.set_index("method").reindex(methods)
        values = (bars.factor * rows[list(bars.columns)].astype(float)).set_axis(
            ["value", "low", "high", "paper"], axis=1
        )
        note = np.where(rows["people"].isna(), "not run", "no result")
        if values["value"].notna().any():
            panels[title] = values.assign(note=note)
    return panels


def _cells(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the frame cell by cell: models below each other, data sets side by side."""
    ordered = in_order(frame, ["model", "data", "method"])
    for (data, model), found in ordered.groupby(["data", "model"], sort=False):
        yield cell_name(str(data), str(model)), found


def save_figure(kind: str, panels: Panels, path: Path) -> None:
    """Write ``path`` with .png and .svg, and a tall form for phones with -narrow.svg; no date inside."""
    import matplotlib

    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE}):
        wide = _figure(kind, panels, WIDE)
        wide.savefig(path.with_suffix(".png"), dpi=DOTS_PER_INCH, metadata={"Software": None})
        wide.set_layout_engine("none")  # the layout is done, and would take as long again
        wide.savefig(path.with_suffix(".svg"), metadata={"Date": None})
        narrow = path.with_name(f"{path.name}-narrow.svg")
        _figure(kind, panels, NARROW).savefig(narrow, metadata={"Date": None})


def _figure(kind: str, panels: Panels, columns: int) -> "Figure":
    """Draw one panel per data set and model, and a legend above them."""
    from matplotlib.figure import Figure

    scatter = kind == "scatter"
    height = 2.9 if scatter else 0.55 + 0.27 * len(next(iter(panels.values())))
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(WIDTH[columns], height * rows + 0.7), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.09, h_pad=0.07)
    grid = figure.subplots(rows, columns, sharey=scatter, squeeze=False).ravel()
    for axis in grid[len(panels) :]:
        axis.set_axis_off()
    wide_label = "Cost c₁ (mean distance, in standard deviations)" if columns == NARROW else "Cost c₁"
    largest = 1.0 if scatter else max(_end(panel) for panel in panels.values())
    for place, (axis, (title, panel)) in enumerate(zip(grid, panels.items(), strict=False)):
        axis.set_title(cut(title, 36))
        first, last = place % columns == 0, place >= len(panels) - columns
        if scatter:
            _scatter(axis, panel)
            axis.set_ylabel("Time of one call" if first else "")
        else:
            _bars(axis, panel, BARS[kind].digits, largest=largest, named=first)
        axis.set_xlabel((wide_label if scatter else BARS[kind].label) if last else "")
    handles, across = _legend(kind, panels)
    if handles:
        figure.legend(handles=handles, loc="outside upper left", ncols=across[columns == NARROW])
    return figure


def _scatter(axis: "Axes", panel: pd.DataFrame) -> None:
    """Draw one mark per method and lines from the 5th to the 95th percentile. Panels share the time axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    axis.set_yscale("log")
    axis.grid(visible=True)
    for method, row in panel.iterrows():
        line: dict[str, Any] = {"color": _look(method)[0], "linewidth": 1.6, "alpha": 0.75, "zorder": 2}
        axis.plot([row.cost_low, row.cost_high], [row.time] * 2, solid_capstyle="butt", **line)
        axis.plot([row.cost] * 2, [row.time_low, row.time_high], solid_capstyle="butt", **line)
    for method, row in panel.iterrows():  # above all lines
        colour, marker, size = _look(method)
        axis.plot(
            [row.cost],
            [row.time],
            marker=marker,
            markersize=size,
            color=colour,
            markeredgecolor="white",
            markeredgewidth=0.8,
            linestyle="none",
            zorder=4 if method == "proven" else 3,
        )
    axis.set_xlim(left=0)
    axis.xaxis.set_major_locator(MaxNLocator(nbins=5))
    axis.yaxis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _round_time(value)))


def _bars(axis: "Axes", panel: pd.DataFrame, digits: int, *, largest: float, named: bool) -> None:
    """Draw bars with the methods at the left, so the colours need no legend."""
    axis.grid(visible=True, axis="x")
    for place, (method, bar) in enumerate(panel.iterrows()):
        # Values have their own column at the right edge, where they touch no line or mark.
        column: dict[str, Any] = {"x": 1.0, "y": place, "transform": axis.get_yaxis_transform()}
        if math.isnan(bar.value):
            axis.text(s=bar.note, ha="right", va="center", color=GREY, fontsize=8, **column)
            continue
        axis.barh(place, bar.value, height=0.62, color=_look(method)[0], zorder=2)
        if not math.isnan(bar.low):
            for colour, width in (("white", 3.0), (INK, 1.1)):  # white beneath, to be seen on dark bars
                axis.plot([bar.low, bar.high], [place, place], color=colour, linewidth=width, zorder=3)
        if not math.isnan(bar.paper):
            axis.plot([bar.paper], [place], **PAPER_MARK, clip_on=False, zorder=4)
        axis.text(
            s=f"{bar.value:.{digits}f}",
            ha="right",
            va="center",
            fontsize=8.5,
            weight=_weight(method),
            **column,
        )
    axis.set_yticks(range(len(panel)), [cut(name_of(method)) if named else "" for method in panel.index])
    for method, label in zip(panel.index, axis.get_yticklabels(), strict=True):
        label.set_fontweight(_weight(method))
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(len(panel) - 0.5, -0.5)
    axis.set_xlim(0, largest * 1.2)
    axis.set_xticks([tick for tick in axis.get_xticks() if tick <= largest * 1.001])


def _legend(kind: str, panels: Panels) -> tuple[list[Any], tuple[int, int]]:
    """Return the handles of the legend, and its columns on a screen and on a phone."""
    from matplotlib.lines import Line2D

    if kind != "scatter":
        handles = [Line2D([], [], color=INK, linewidth=1.1, label=BARS[kind].interval)]
        if any(panel["paper"].notna().any() for panel in panels.values()):
            handles.append(Line2D([], [], linestyle="none", label="published in the paper", **PAPER_MARK))
        return handles, (2, 1)
    there = {method for panel in panels.values() for method in panel.index}
    handles = [
        Line2D(
            [],
            [],
            color=_look(method)[0],
            marker=_look(method)[1],
            markersize=_look(method)[2],
            markeredgecolor="white",
            linewidth=1.6,
            label=cut(name_of(method)),
        )
        for method in [*(name for name in METHODS if name in there), *sorted(there - set(METHODS))]
    ]
    return handles, (4, 2)


def _look(method: Hashable) -> tuple[str, str, float]:
    return LOOKS.get(str(method), UNKNOWN)


def _weight(method: Hashable) -> str:
    return "bold" if method == "proven" else "normal"


def _end(panel: pd.DataFrame) -> float:
    """Return how far the bars, intervals and marks of a panel reach."""
    largest = np.nanmax(panel[["value", "high", "paper"]].to_numpy(float))
    return float(largest) or 1.0


def _round_time(value: float) -> str:
    """Write a tick of the time axis: 1 ms, 10 s."""
    if value < 0.9e-3:
        return f"{value * 1e6:g} µs"
    return f"{value * 1e3:g} ms" if value < 0.9 else f"{value:,g} s"
