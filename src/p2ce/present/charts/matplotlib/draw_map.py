"""Draw a map of two features with matplotlib."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from p2ce.base.arrays import BoolArray
from p2ce.present.charts.map_data import Crowd, MapData
from p2ce.present.charts.matplotlib import canvas
from p2ce.present.charts.matplotlib.canvas import ACCEPT, DOTS, GREY, INK, REJECT, Look, look_of
from p2ce.present.charts.matplotlib.label_placement import place_labels
from p2ce.present.wording import Wording

SIZE = (7.4, 4.9)  # inches
FRAME = (4.6, 3.9)  # of which the map itself takes about this much
VEIL: dict[str, Any] = {"facecolor": "white", "alpha": 0.5, "edgecolor": "none"}
HATCH: dict[str, Any] = {"facecolor": "none", "edgecolor": "#8c8c8c", "hatch": "/////", "linewidth": 0.0}
POINTS = 72  # cells per inch
WIDEST_CROWD = 20.0  # points
DASHES = (0, (5, 2))
TODAY = Look(INK, "o", "-")
ARROW: dict[str, Any] = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 4, "shrinkB": 5}

Entries: TypeAlias = list[tuple[Any, str]]


def draw_map(data: MapData, wording: Wording) -> Figure:
    """Draw the regions, the population in them, the person, and arrows to the person's options."""
    with canvas.styled():
        figure = canvas.new_figure(*SIZE)
        axes = figure.subplots()
        canvas.set_axis(axes.xaxis, data.across.ticks, data.across.title)
        canvas.set_axis(axes.yaxis, data.up.ticks, data.up.title, width=48)
        entries = [*_regions(axes, data, wording), *_people(axes, data, wording)]
        canvas.add_legend(figure, entries, side="right upper")
        canvas.add_note(figure, data.note)
        return figure


def _regions(axes: Axes, data: MapData, wording: Wording) -> Entries:
    regions = data.feature_map
    edges = np.array(data.across.edges), np.array(data.up.edges)
    colours = ListedColormap([REJECT, ACCEPT])
    cells = regions.accepted.astype(float)
    axes.pcolormesh(*edges, cells, cmap=colours, vmin=0, vmax=1, zorder=0, rasterized=True)
    _outline(axes, data, regions.accepted)
    entries = [
        (_patch(facecolor=ACCEPT), wording.say("chart_accepted")),
        (_patch(facecolor=REJECT), wording.say("chart_rejected")),
    ]
    if regions.plausible is not None and not regions.plausible.all():
        _cover(axes, data, ~regions.plausible, zorder=1, **HATCH)
        entries.append((_patch(**HATCH), wording.say("chart_implausible")))
    if not regions.allowed.all():
        _cover(axes, data, ~regions.allowed, zorder=2, **VEIL)
        _outline(axes, data, regions.allowed, linestyle=DASHES)
        patch = _patch(facecolor="white", edgecolor=INK, linestyle=DASHES)
        entries.append((patch, wording.say("chart_not_allowed")))
    return entries


def _people(axes: Axes, data: MapData, wording: Wording) -> Entries:
    entries: Entries = []
    if data.crowds:
        _circles(axes, data.crowds)
        dots = canvas.legend_line(Look(DOTS, "o", "-"), 7, markeredgecolor=DOTS, alpha=0.45)
        entries.append((dots, wording.say("chart_population")))
    if data.person is not None:
        canvas.dot(axes, *data.person, TODAY, 9, zorder=6)
        entries.append((canvas.legend_line(TODAY, 9), wording.say("chart_today")))
    avoid = []
    for arrow in data.arrows:
        if data.person is not None:
            axes.annotate("", arrow.end, xytext=data.person, zorder=4, arrowprops=ARROW)
            steps = np.linspace(data.person, arrow.end, 13)
            avoid += [(float(across), float(up)) for across, up in steps]
        canvas.dot(axes, *arrow.end, look_of(arrow.look), 10, zorder=6)
        entries.append((canvas.legend_line(look_of(arrow.look), 10), arrow.name))
    # The numbers are next to the ends of the arrows, where they hide nothing, with room for two digits.
    ends = [arrow.end for arrow in data.arrows]
    middles = place_labels(ends, ["00"] * len(ends), FRAME, avoid=avoid)
    looks = {"ha": "center", "va": "center", "fontweight": "bold", "bbox": canvas.BEHIND, "zorder": 7}
    for arrow, middle in zip(data.arrows, middles, strict=True):
        axes.text(*middle, str(arrow.number), **looks)
    return entries


def _circles(axes: Axes, crowds: Sequence[Crowd]) -> None:
    """Draw a circle inside each block, with an area in proportion to its people."""
    most = max(crowd.people for crowd in crowds)
    sides = [np.subtract(crowd.end, crowd.begin) * FRAME for crowd in crowds]
    widest = min(WIDEST_CROWD, 0.8 * POINTS * float(np.min(sides)))
    sizes = [crowd.people / most * widest**2 for crowd in crowds]
    middles = np.array([np.add(crowd.begin, crowd.end) / 2 for crowd in crowds])
    axes.scatter(*middles.T, s=sizes, color=DOTS, alpha=0.45, linewidths=0, zorder=3)


def _patch(**looks: Any) -> Patch:
    return Patch(**{"edgecolor": GREY, "linewidth": 0.7, **looks})


def _cover(axes: Axes, data: MapData, mask: BoolArray, **looks: Any) -> None:
    """Cover the cells of a mask by one path, since single cells would show seams."""
    across, up = data.across.edges, data.up.edges
    runs = []
    for row, cells in enumerate(mask):
        steps = np.flatnonzero(np.diff(cells, prepend=False, append=False))
        for left, right in zip(steps[::2], steps[1::2], strict=True):
            corners = [
                (across[x], up[y]) for x, y in ((left, row), (right, row), (right, row + 1), (left, row + 1))
            ]
            runs.append(Path([*corners, corners[0]], closed=True))
    axes.add_patch(PathPatch(Path.make_compound_path(*runs), **looks))


def _outline(axes: Axes, data: MapData, mask: BoolArray, **looks: Any) -> None:
    """Draw the lines between the cells of a mask and all others."""
    across, up = data.across.edges, data.up.edges
    lines = [
        [(across[column + 1], up[row]), (across[column + 1], up[row + 1])]
        for row, column in np.argwhere(mask[:, 1:] != mask[:, :-1])
    ]
    lines += [
        [(across[column], up[row + 1]), (across[column + 1], up[row + 1])]
        for row, column in np.argwhere(mask[1:] != mask[:-1])
    ]
    looks = {"color": INK, "linewidth": 1.0, "zorder": 2.5, "capstyle": "butt", **looks}
    axes.add_collection(LineCollection(lines, **looks))
