"""Draw the figures: time against cost, and bars of outlier shares and hypervolumes."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.paper.report import words
from benchmarks.paper.report.figure_info import BarInfo, BarPanel, ScatterInfo, ScatterPanel
from benchmarks.paper.report.looks import FIGURE_STYLE, GREY, INK, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, NARROW = 3, 1  # panels side by side on a screen, and on a phone
WIDTH = {WIDE: 10.5, NARROW: 4.3}  # inches
DOTS_PER_INCH = 160
PAPER_MARK: dict[str, Any] = {
    "marker": "D",
    "markersize": 5,
    "color": "white",
    "markeredgecolor": INK,
    "markeredgewidth": 1,
}


def draw_scatter(info: ScatterInfo, *, columns: int = WIDE) -> "Figure":
    """One panel per data set and model; all panels share the axis of time."""
    figure, axes = _panels(len(info.panels), columns=columns, height=2.9, sharey=True)
    for place, (axis, panel) in enumerate(zip(axes, info.panels, strict=True)):
        _scatter_panel(axis, panel)
        if place % columns == 0:
            axis.set_ylabel("Time of one call")
        if place >= len(info.panels) - columns:
            axis.set_xlabel(
                "Cost c₁ (mean distance, in standard deviations)" if columns == NARROW else "Cost c₁"
            )
    _legend(figure, info.methods, columns=4 if columns == WIDE else 2)
    return figure


def draw_bars(info: BarInfo, *, columns: int = WIDE) -> "Figure":
    """One panel per data set and model; the methods stand at the left, so that no colour must be read."""
    height = 0.55 + 0.27 * len(info.methods)
    figure, axes = _panels(len(info.panels), columns=columns, height=height, sharey=False)
    largest = max((_end(panel) for panel in info.panels), default=1.0)
    for place, (axis, panel) in enumerate(zip(axes, info.panels, strict=True)):
        _bar_panel(axis, panel, info, largest=largest, named=place % columns == 0)
        if place >= len(info.panels) - columns:
            axis.set_xlabel(info.label)
    _bar_legend(figure, info, columns=2 if columns == WIDE else 1)
    return figure


def save_figure(draw: Callable[..., "Figure"], info: Any, path: Path) -> None:
    """Write ``path`` with .png and .svg, and a tall form for phones with -narrow.svg; no date inside."""
    import matplotlib

    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **FIGURE_STYLE, "backend": "agg"}):
        wide = draw(info, columns=WIDE)
        wide.savefig(path.with_suffix(".png"), dpi=DOTS_PER_INCH, metadata={"Software": None})
        wide.set_layout_engine("none")  # it is laid out; doing so again would take as long again
        wide.savefig(path.with_suffix(".svg"), metadata={"Date": None})
        draw(info, columns=NARROW).savefig(path.with_name(f"{path.name}-narrow.svg"), metadata={"Date": None})


def _panels(count: int, *, columns: int, height: float, sharey: bool) -> tuple["Figure", list["Axes"]]:
    from matplotlib.figure import Figure

    rows = math.ceil(count / columns)
    figure = Figure(figsize=(WIDTH[columns], height * rows + 0.7), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.09, h_pad=0.07)
    grid = figure.subplots(rows, columns, sharey=sharey, squeeze=False)
    axes = [grid[place // columns][place % columns] for place in range(rows * columns)]
    for axis in axes[count:]:
        axis.set_axis_off()
    return figure, axes[:count]


def _scatter_panel(axis: "Axes", panel: ScatterPanel) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    axis.set_title(words.cut(panel.title, 36))
    axis.set_yscale("log")
    axis.grid(visible=True)
    for point in panel.points:
        look = look_of(point.method)
        cost, time = point.cost, point.seconds
        line: dict[str, Any] = {"color": look.colour, "linewidth": 1.6, "alpha": 0.75, "zorder": 2}
        axis.plot([cost.low, cost.high], [time.middle, time.middle], solid_capstyle="butt", **line)
        axis.plot([cost.middle, cost.middle], [time.low, time.high], solid_capstyle="butt", **line)
    for point in panel.points:  # above all lines
        look = look_of(point.method)
        axis.plot(
            [point.cost.middle],
            [point.seconds.middle],
            marker=look.marker,
            markersize=look.size,
            color=look.colour,
            markeredgecolor="white",
            markeredgewidth=0.8,
            linestyle="none",
            zorder=4 if point.method == "proven" else 3,
        )
    axis.set_xlim(left=0)
    axis.xaxis.set_major_locator(MaxNLocator(nbins=5))
    axis.yaxis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _round_time(value)))


def _bar_panel(axis: "Axes", panel: BarPanel, info: BarInfo, *, largest: float, named: bool) -> None:
    axis.set_title(words.cut(panel.title, 36))
    axis.grid(visible=True, axis="x")
    for place, bar in enumerate(panel.bars):
        # Values stand in a column of their own at the right edge, where no line or mark can touch them.
        column: dict[str, Any] = {"x": 1.0, "y": place, "transform": axis.get_yaxis_transform()}
        if math.isnan(bar.value):
            axis.text(s=bar.note, ha="right", va="center", color=GREY, fontsize=8, **column)
            continue
        axis.barh(place, bar.value, height=0.62, color=look_of(bar.method).colour, zorder=2)
        if not math.isnan(bar.low):
            for colour, width in (("white", 3.0), (INK, 1.1)):  # white beneath, to be seen on dark bars
                axis.plot([bar.low, bar.high], [place, place], color=colour, linewidth=width, zorder=3)
        if not math.isnan(bar.paper):
            axis.plot([bar.paper], [place], **PAPER_MARK, clip_on=False, zorder=4)
        weight = "bold" if bar.method == "proven" else "normal"
        axis.text(
            s=f"{bar.value:.{info.digits}f}", ha="right", va="center", fontsize=8.5, weight=weight, **column
        )
    names = [words.cut(words.name_of(bar.method)) if named else "" for bar in panel.bars]
    axis.set_yticks(range(len(panel.bars)), names)
    for bar, label in zip(panel.bars, axis.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if bar.method == "proven" else "normal")
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(len(panel.bars) - 0.5, -0.5)
    axis.set_xlim(0, largest * 1.2)
    ticks = [tick for tick in axis.get_xticks() if tick <= largest * 1.001]
    axis.set_xticks(ticks)


def _bar_legend(figure: "Figure", info: BarInfo, *, columns: int) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=INK, linewidth=1.1, label=info.interval)]
    if any(not math.isnan(bar.paper) for panel in info.panels for bar in panel.bars):
        handles.append(Line2D([], [], linestyle="none", label="published in the paper", **PAPER_MARK))
    figure.legend(handles=handles, loc="outside upper left", ncols=columns)


def _legend(figure: "Figure", methods: Sequence[str], *, columns: int) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for method in methods:
        look = look_of(method)
        handles.append(
            Line2D(
                [],
                [],
                color=look.colour,
                marker=look.marker,
                markersize=look.size,
                markeredgecolor="white",
                linewidth=1.6,
                label=words.cut(words.name_of(method)),
            )
        )
    if handles:
        figure.legend(handles=handles, loc="outside upper left", ncols=columns)


def _end(panel: BarPanel) -> float:
    ends = [
        value for bar in panel.bars for value in (bar.value, bar.high, bar.paper) if not math.isnan(value)
    ]
    return max(ends, default=0.0) or 1.0


def _round_time(value: float) -> str:
    """A tick of the time axis: 1 ms, 10 s."""
    if value < 0.9e-3:
        return f"{value * 1e6:g} µs"
    return f"{value * 1e3:g} ms" if value < 0.9 else f"{value:,g} s"
