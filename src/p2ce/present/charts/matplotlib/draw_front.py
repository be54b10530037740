"""Draw a Pareto front with matplotlib: pairs of objectives, or parallel coordinates."""

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from p2ce.present.charts.axis_scales import short, wrapped
from p2ce.present.charts.chart_labels import label
from p2ce.present.charts.chart_styles import GREY, INK, Look, look_of
from p2ce.present.charts.front_data import FrontData, FrontPoint
from p2ce.present.charts.label_placement import place_labels, spread_out
from p2ce.present.charts.matplotlib.canvas import (
    add_legend,
    add_note,
    figure_of,
    new_figure,
    set_ticks,
    shown,
    styled,
    write,
)

COLUMNS = 3
MOST_NUMBERED = 12  # of more options, only the picks carry their numbers
MOST_ROWS = 12
ONE_PANEL, PANEL = (5.4, 3.9), (3.2, 2.9)  # inches
MOST_IN_LABEL = 3  # options of the same costs that are named; more become …


def draw_front(data: FrontData, *, kind: str, ax: Axes | None = None) -> Figure:
    """Draw "pairs" or "parallel"; one objective is drawn as a row per option."""
    with styled():
        if len(data.axes) == 1:
            return _rows(data, ax)
        return _parallel(data, ax) if kind == "parallel" else _pairs(data, ax)


def _pairs(data: FrontData, ax: Axes | None) -> Figure:
    pairs = data.pairs
    if ax is not None:
        _pair(ax, data, pairs[0], frame=ONE_PANEL)
        _legend(ax, data, lines=False)
        return figure_of(ax)
    columns = min(len(pairs), COLUMNS)
    rows = math.ceil(len(pairs) / columns)
    size = ONE_PANEL if len(pairs) == 1 else PANEL
    figure = new_figure(size[0] * columns, size[1] * rows + 0.2 * len(data.picks) + 0.4)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, pair in zip(grid, pairs, strict=False):
        _pair(panel, data, pair, frame=(size[0] - 0.8, size[1] - 0.7))
    for panel in grid[len(pairs) :]:
        panel.set_axis_off()
    _legend(figure, data, lines=False)
    add_note(figure, label(data.language, "lower_is_better"))
    return figure


def _pair(panel: Axes, data: FrontData, pair: tuple[int, int], *, frame: tuple[float, float]) -> None:
    across, up = (data.axes[axis] for axis in pair)
    panel.grid(visible=True)
    panel.set_xlim(across.scale.low, across.scale.high)
    panel.set_ylim(up.scale.low, up.scale.high)
    set_ticks(panel.xaxis, across.ticks, low=across.scale.low, high=across.scale.high)
    set_ticks(panel.yaxis, up.ticks, low=up.scale.low, high=up.scale.high)
    panel.set_xlabel(shown(wrapped(across.title, 40)), parse_math=False)
    panel.set_ylabel(shown(wrapped(up.title, 34)), parse_math=False)
    groups = data.ties(pair)
    places = [(group[0].places[pair[0]] * frame[0], group[0].places[pair[1]] * frame[1]) for group in groups]
    texts = [_numbers(group, numbered=len(data.points) <= MOST_NUMBERED) for group in groups]
    for group, text, middle in zip(groups, texts, place_labels(places, texts, frame), strict=True):
        first = next((point for point in group if point.pick is not None), group[0])
        across_cost, up_cost = (first.costs[axis] for axis in pair)
        look = look_of(first.pick)
        _dot(panel, across_cost, up_cost, look, picked=first.pick is not None, ring=len(group) > 1)
        if text:
            panel.text(
                middle[0] / frame[0],
                middle[1] / frame[1],
                text,
                transform=panel.transAxes,
                ha="center",
                va="center",
                fontsize=8.5,
                color=INK,
                zorder=6,
            )


def _numbers(group: tuple[FrontPoint, ...], *, numbered: bool) -> str:
    """Write the numbers of the options at one point: all, or those of picks."""
    named = [str(point.number) for point in group if numbered or point.pick is not None]
    return ", ".join(named[:MOST_IN_LABEL]) + (" …" if len(named) > MOST_IN_LABEL else "")


def _dot(panel: Axes, across: float, up: float, look: Look, *, picked: bool, ring: bool = False) -> None:
    if ring:  # several options have these costs
        panel.plot(
            [across],
            [up],
            marker="o",
            markersize=12,
            color="none",
            markeredgecolor=GREY,
            clip_on=False,
            zorder=2,
        )
    panel.plot(
        [across],
        [up],
        marker=look.marker,
        markersize=8 if picked else 5,
        color=look.colour,
        markeredgecolor="white",
        markeredgewidth=0.7,
        linestyle="none",
        clip_on=False,
        zorder=5 if picked else 3,
    )


def _parallel(data: FrontData, ax: Axes | None) -> Figure:
    figure = None
    count, width = len(data.axes), max(1.35 * len(data.axes) + 1.0, 5.4)
    if ax is None:
        figure = new_figure(width, 4.3 + 0.2 * len(data.picks))
        ax = figure.subplots()
    ax.set_xlim(-0.35, count - 1 + 0.35)
    ax.set_ylim(-0.05, 1.05)
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    for place, axis in enumerate(data.axes):
        ax.plot([place, place], [0, 1], color=GREY, linewidth=0.9, zorder=1)
        for tick in axis.tight_ticks:
            ax.plot([place - 0.03, place + 0.03], [tick.place] * 2, color=GREY, linewidth=0.9, zorder=1)
            below = tick.place < 0.5
            write(
                ax,
                place,
                tick.place + (-0.03 if below else 0.03),
                tick.text,
                ha="center",
                va="top" if below else "bottom",
                fontsize=8.5,
            )
    titles = [wrapped(axis.title, 16, 3) for axis in data.axes]
    ax.set_xticks(range(count), [shown(title) for title in titles], parse_math=False)
    ax.tick_params(axis="x", length=0, pad=14)
    for point in sorted(data.points, key=lambda point: point.pick is not None):
        look = look_of(point.pick)
        picked = point.pick is not None
        crowd = min(1.0, 12 / len(data.points))
        ax.plot(
            range(count),
            point.tight_places,
            color=look.colour,
            linestyle=look.line,
            linewidth=2.0 if picked else 0.9,
            marker=look.marker if picked else None,
            markersize=7,
            markeredgecolor="white",
            markeredgewidth=0.7,
            alpha=1.0 if picked else 0.35 + 0.35 * crowd,
            clip_on=False,
            zorder=4 if picked else 2,
        )
    _ends(ax, data)
    _legend(ax if figure is None else figure, data)
    if figure is None:
        return figure_of(ax)
    add_note(figure, " ".join(label(data.language, key) for key in ("lower_is_better", "each_own_scale")))
    return figure


def _ends(ax: Axes, data: FrontData) -> None:
    """Write the options' numbers at the right ends of their lines, apart from each other."""
    named = list(data.points if len(data.points) <= MOST_NUMBERED else data.picks)
    ends = [point.tight_places[-1] for point in named]
    last = len(data.axes) - 1
    for point, end, place in zip(named, ends, spread_out(ends, 0.05), strict=True):
        ax.plot([last, last + 0.13], [end, place], color=GREY, linewidth=0.5, zorder=1)
        picked = point.pick is not None
        write(
            ax,
            last + 0.15,
            place,
            str(point.number),
            va="center",
            fontsize=8.5,
            color=INK if picked else GREY,
            fontweight="bold" if picked else "normal",
        )


def _rows(data: FrontData, ax: Axes | None) -> Figure:
    """Draw one objective: a row per option, the cheapest on top."""
    axis = data.axes[0]
    ordered = sorted(data.points, key=lambda point: (point.pick is None, point.costs, point.number))[
        :MOST_ROWS
    ]
    rows = sorted(ordered, key=lambda point: (point.costs, point.number))
    figure = None
    if ax is None:
        figure = new_figure(5.4, 1.3 + 0.28 * len(rows) + 0.2 * len(data.picks))
        ax = figure.subplots()
    ax.set_xlim(axis.scale.low, axis.scale.high)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.grid(visible=True, axis="x")
    set_ticks(ax.xaxis, axis.ticks, low=axis.scale.low, high=axis.scale.high)
    ax.set_xlabel(shown(wrapped(axis.title, 60)), parse_math=False)
    ax.set_yticks(range(len(rows)), [point.name for point in rows])
    ax.tick_params(axis="y", length=0)
    for row, point in enumerate(rows):
        look = look_of(point.pick)
        ax.plot([axis.scale.low, point.costs[0]], [row, row], color=look.colour, linewidth=1.2, zorder=2)
        _dot(ax, point.costs[0], row, look, picked=point.pick is not None)
    _legend(ax if figure is None else figure, data)
    if figure is None:
        return figure_of(ax)
    notes = [label(data.language, "lower_is_better_here")]
    if len(rows) < len(data.points):
        notes.insert(0, label(data.language, "shown_of", shown=len(rows), all=len(data.points)))
    add_note(figure, " ".join(notes))
    return figure


def _legend(owner: Any, data: FrontData, *, lines: bool = True) -> None:
    handles, texts = [], []
    for point in data.picks:
        look = look_of(point.pick)
        handles.append(_handle(look, size=8, line=lines))
        texts.append(short(data.legend_of(point), 84))
    if len(data.picks) < len(data.points):
        handles.append(_handle(look_of(None), size=5, line=lines))
        texts.append(label(data.language, "others"))
    add_legend(owner, handles, texts)


def _handle(look: Look, *, size: float, line: bool) -> Line2D:
    return Line2D(
        [],
        [],
        color=look.colour,
        marker=look.marker,
        markersize=size,
        markeredgecolor="white",
        linestyle=look.line if line else "none",
        linewidth=1.6 if size > 6 else 0.9,
    )
