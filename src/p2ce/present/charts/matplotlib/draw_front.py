"""Draw a Pareto front with matplotlib: pairs of objectives, or parallel coordinates."""

import math
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from p2ce.present.charts.axis_scales import short, wrapped
from p2ce.present.charts.front_data import FrontData, FrontPoint
from p2ce.present.charts.matplotlib import canvas
from p2ce.present.charts.matplotlib.canvas import GREY, Look, look_of
from p2ce.present.charts.matplotlib.label_placement import place_labels, spread_out
from p2ce.present.wording import Wording

COLUMNS = 3
MOST_NUMBERED = 12  # if there are more options, only the picks have their numbers
MOST_ROWS = 12
ONE_PANEL, PANEL = (5.4, 3.9), (3.2, 2.9)  # inches
MOST_IN_LABEL = 3  # options with the same costs that are named; if there are more, … follows


def draw_front(data: FrontData, wording: Wording, *, kind: str, ax: Axes | None = None) -> Figure:
    """Draw "pairs" or "parallel". One objective is drawn as a row per option."""
    kind = "rows" if len(data.axes) == 1 else kind
    if ax is not None:  # the user's own axes keep the user's style
        _fill([ax], data, kind, frame=ONE_PANEL)
        _legend(ax, data, wording, lines=kind != "pairs")
        figure: Figure = ax.figure
        return figure
    with canvas.styled():
        figure = _own_figure(data, kind)
        _legend(figure, data, wording, lines=kind != "pairs")
        notes = [wording.say("chart_lower_is_better_here" if kind == "rows" else "chart_lower_is_better")]
        if kind == "parallel":
            notes.append(wording.say("chart_each_own_scale"))
        if kind == "rows" and len(data.points) > MOST_ROWS:
            notes.insert(0, wording.say("chart_shown_of", shown=MOST_ROWS, all=len(data.points)))
        canvas.add_note(figure, " ".join(notes))
        return figure


def _own_figure(data: FrontData, kind: str) -> Figure:
    """Make a figure in our style, and draw on it."""
    count = len(data.pairs) if kind == "pairs" else 1
    columns = min(count, COLUMNS)
    rows = math.ceil(count / columns)
    width, height = {
        "pairs": ONE_PANEL if count == 1 else PANEL,
        "parallel": (max(1.35 * len(data.axes) + 1.0, 5.4), 3.9),
        "rows": (5.4, 0.9 + 0.28 * min(len(data.points), MOST_ROWS)),
    }[kind]
    figure = canvas.new_figure(width * columns, height * rows + 0.2 * len(data.picks) + 0.4)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel in panels:
        panel.grid(visible=kind != "parallel", axis="x" if kind == "rows" else "both")
    _fill(panels, data, kind, frame=(width - 0.8, height - 0.7))
    if kind == "parallel":
        panels[0].spines[:].set_visible(False)
        panels[0].set_ylim(-0.05, 1.05)
        panels[0].tick_params(axis="x", length=0, pad=14)  # below the numbers at the ends of the axes
    for panel in panels[count:]:
        panel.set_axis_off()
    return figure


def _fill(panels: Sequence[Axes], data: FrontData, kind: str, *, frame: tuple[float, float]) -> None:
    if kind == "rows":
        _rows(panels[0], data)
    elif kind == "parallel":
        _parallel(panels[0], data)
    else:
        for panel, pair in zip(panels, data.pairs, strict=False):
            _pair(panel, data, pair, frame=frame)


def _pair(panel: Axes, data: FrontData, pair: tuple[int, int], *, frame: tuple[float, float]) -> None:
    across, up = (data.axes[axis] for axis in pair)
    canvas.set_axis(panel.xaxis, across.ticks, across.title, width=40, scale=across.scale)
    canvas.set_axis(panel.yaxis, up.ticks, up.title, width=34, scale=up.scale)
    groups = data.ties(pair)
    places = [(group[0].places[pair[0]], group[0].places[pair[1]]) for group in groups]
    texts = [_numbers(group, numbered=len(data.points) <= MOST_NUMBERED) for group in groups]
    for group, text, middle in zip(groups, texts, place_labels(places, texts, frame), strict=True):
        first = next((point for point in group if point.look is not None), group[0])
        if len(group) > 1:  # a ring: several options have these costs
            ring = Look("none", "o", "-")
            canvas.dot(
                panel, first.costs[pair[0]], first.costs[pair[1]], ring, 12, markeredgecolor=GREY, zorder=2
            )
        _point(panel, first.costs[pair[0]], first.costs[pair[1]], first)
        if text:
            canvas.label_at(
                panel, *middle, text, transform=panel.transAxes, ha="center", va="center", zorder=6
            )


def _numbers(group: tuple[FrontPoint, ...], *, numbered: bool) -> str:
    """Write the numbers of the options at one point: all, or only those of picks."""
    named = [point.mark for point in group if numbered or point.look is not None]
    return ", ".join(named[:MOST_IN_LABEL]) + (" …" if len(named) > MOST_IN_LABEL else "")


def _point(panel: Axes, across: float, up: float, point: FrontPoint) -> None:
    size, level = (5, 3) if point.look is None else (8, 5)
    canvas.dot(panel, across, up, look_of(point.look), size, markeredgewidth=0.7, zorder=level)


def _parallel(panel: Axes, data: FrontData) -> None:
    count = len(data.axes)
    panel.set_xlim(-0.35, count - 1 + 0.35)
    panel.set_ylim(-0.12, 1.12)  # with room for the numbers at the ends of the axes
    panel.set_yticks([])
    line = {"color": matplotlib.rcParams["axes.edgecolor"], "zorder": 1}  # grey, or as on the user's axes
    for place, axis in enumerate(data.axes):
        panel.plot([place, place], [0, 1], linewidth=0.9, **line)
        for tick in axis.tight_ticks:
            panel.plot([place - 0.03, place + 0.03], [tick.place] * 2, linewidth=0.9, **line)
            gap, side = (-0.03, "top") if tick.place < 0.5 else (0.03, "bottom")
            canvas.label_at(panel, place, tick.place + gap, tick.text, ha="center", va=side)
    canvas.set_ticks(panel.xaxis, range(count), [wrapped(axis.title, 16, 3) for axis in data.axes])
    pale = 0.35 + 0.35 * min(1.0, 12 / len(data.points))
    for point in sorted(data.points, key=lambda point: point.look is not None):
        look = look_of(point.look)
        looks: dict[str, Any] = {"color": look.colour, "linestyle": look.line, "clip_on": False}
        if point.look is None:
            looks |= {"linewidth": 0.9, "alpha": pale, "zorder": 2}
        else:
            looks |= {"linewidth": 2.0, "zorder": 4, "marker": look.marker, "markersize": 7}
            looks |= {"markeredgecolor": "white", "markeredgewidth": 0.7}
        panel.plot(range(count), point.tight_places, **looks)
    # The numbers of the options are at the right ends of their lines, apart from each other.
    named = data.points if len(data.points) <= MOST_NUMBERED else data.picks
    ends = [point.tight_places[-1] for point in named]
    for point, end, free in zip(named, ends, spread_out(ends, 0.05), strict=True):
        panel.plot([count - 1, count - 0.87], [end, free], linewidth=0.5, **line)
        looks = {"color": line["color"]} if point.look is None else {"fontweight": "bold"}
        canvas.label_at(panel, count - 0.85, free, point.mark, va="center", **looks)


def _rows(panel: Axes, data: FrontData) -> None:
    """Draw one objective: a row per option, the smallest cost on top."""
    (axis,) = data.axes
    kept = sorted(data.points, key=lambda point: (point.look is None, point.costs, point.number))[:MOST_ROWS]
    rows = sorted(kept, key=lambda point: (point.costs, point.number))
    canvas.set_axis(panel.xaxis, axis.ticks, axis.title, scale=axis.scale)
    canvas.set_rows(panel, [point.name for point in rows], above=0.5, below=0.5)
    for row, point in enumerate(rows):
        (cost,) = point.costs
        line = {"color": look_of(point.look).colour, "linewidth": 1.2, "zorder": 2}
        panel.plot([axis.scale.low, cost], [row, row], **line)
        _point(panel, cost, row, point)


def _legend(owner: Figure | Axes, data: FrontData, wording: Wording, *, lines: bool) -> None:
    rows = [(point.look, 8, 1.6, short(point.legend, 84)) for point in data.picks]
    if len(data.picks) < len(data.points):
        rows.append((None, 5, 0.9, wording.say("chart_others")))
    entries = []
    for place, size, width, words in rows:
        look = look_of(place)
        style = look.line if lines else "none"
        entries.append((canvas.legend_line(look, size, linestyle=style, linewidth=width), words))
    canvas.add_legend(owner, entries)
