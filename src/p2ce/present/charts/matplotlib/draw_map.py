"""Draw a map of two features with matplotlib."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from p2ce.present.charts.axis_scales import wrapped
from p2ce.present.charts.chart_labels import label
from p2ce.present.charts.chart_styles import ACCEPT, DOTS, GREY, INK, REJECT, look_of
from p2ce.present.charts.label_placement import number_places
from p2ce.present.charts.map_data import MapData, OptionArrow
from p2ce.present.charts.matplotlib.canvas import add_legend, add_note, new_figure, set_ticks, shown, styled

SIZE = (7.4, 4.9)  # inches
FRAME = (4.6, 3.9)  # of which about so much is the map itself
VEIL: dict[str, Any] = {"facecolor": "white", "alpha": 0.5, "edgecolor": "none"}
HATCH: dict[str, Any] = {"facecolor": "none", "edgecolor": "#8c8c8c", "hatch": "/////", "linewidth": 0.0}
DASHES = (0, (5, 2))


def draw_map(data: MapData) -> Figure:
    """Draw the regions, the population in them, the person and arrows to their options."""
    with styled():
        figure = new_figure(*SIZE)
        axes = figure.subplots()
        axes.set_xlim(0.0, 1.0)
        axes.set_ylim(0.0, 1.0)
        set_ticks(axes.xaxis, data.across.ticks)
        set_ticks(axes.yaxis, data.up.ticks)
        axes.set_xlabel(shown(wrapped(data.across.title, 60)), parse_math=False)
        axes.set_ylabel(shown(wrapped(data.up.title, 48)), parse_math=False)
        handles, texts = _regions(axes, data)
        _people(axes, data, handles, texts)
        add_legend(figure, handles, texts, side="right upper")
        add_note(figure, data.note)
        return figure


def _regions(axes: Axes, data: MapData) -> tuple[list[Any], list[str]]:
    axes.pcolormesh(
        np.array(data.across.edges),
        np.array(data.up.edges),
        data.accepted.astype(float),
        cmap=ListedColormap([REJECT, ACCEPT]),
        vmin=0,
        vmax=1,
        zorder=0,
        rasterized=True,
    )
    _lines(axes, data.outline(data.accepted), color=INK, linewidth=1.0)
    handles = [_patch(facecolor=ACCEPT), _patch(facecolor=REJECT)]
    texts = [label(data.language, "accepted"), label(data.language, "rejected")]
    if data.plausible is not None and not data.plausible.all():
        boxes = _boxes(data.boxes(~data.plausible))
        axes.add_collection(PatchCollection(boxes, zorder=1, **HATCH))
        handles.append(_patch(**{**HATCH, "linewidth": 0.0}))
        texts.append(label(data.language, "implausible"))
    if not data.allowed.all():
        axes.add_collection(PatchCollection(_boxes(data.boxes(~data.allowed)), zorder=2, **VEIL))
        _lines(axes, data.outline(data.allowed), color=INK, linewidth=1.0, linestyle=DASHES)
        handles.append(_patch(facecolor="white", edgecolor=INK, linestyle=DASHES))
        texts.append(label(data.language, "not_allowed"))
    return handles, texts


def _people(axes: Axes, data: MapData, handles: list[Any], texts: list[str]) -> None:
    if len(data.population):
        axes.plot(
            data.population[:, 0],
            data.population[:, 1],
            linestyle="none",
            marker=".",
            markersize=3,
            color=DOTS,
            alpha=0.6,
            zorder=3,
        )
        handles.append(Line2D([], [], linestyle="none", marker=".", markersize=5, color=DOTS))
        texts.append(label(data.language, "population"))
    if data.person is not None:
        axes.plot(*[[place] for place in data.person], **_today())
        handles.append(Line2D([], [], **_today()))
        texts.append(label(data.language, "today"))
    for arrow in data.arrows:
        _arrow(axes, data.person, arrow)
        handles.append(Line2D([], [], **_end(arrow)))
        texts.append(arrow.name)
    _numbers(axes, data)


def _arrow(axes: Axes, person: tuple[float, float] | None, arrow: OptionArrow) -> None:
    if person is not None:
        axes.annotate(
            "",
            (arrow.across, arrow.up),
            xytext=person,
            zorder=4,
            arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 4, "shrinkB": 5},
        )
    axes.plot([arrow.across], [arrow.up], **_end(arrow))


def _numbers(axes: Axes, data: MapData) -> None:
    """Write the options' numbers beside them, where they hide nothing."""
    places = number_places([(arrow.across, arrow.up) for arrow in data.arrows], data.person, FRAME)
    for arrow, middle in zip(data.arrows, places, strict=True):
        axes.text(
            middle[0],
            middle[1],
            str(arrow.number),
            ha="center",
            va="center",
            fontweight="bold",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8},
            zorder=7,
        )


def _today() -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": "o",
        "markersize": 9,
        "color": INK,
        "markeredgecolor": "white",
        "clip_on": False,
        "zorder": 6,
    }


def _end(arrow: OptionArrow) -> dict[str, Any]:
    look = look_of(arrow.look)
    return {**_today(), "marker": look.marker, "color": look.colour, "markersize": 10}


def _patch(**looks: Any) -> Patch:
    return Patch(**{"edgecolor": GREY, "linewidth": 0.7, **looks})


def _boxes(boxes: Sequence[tuple[float, float, float, float]]) -> list[Rectangle]:
    return [Rectangle((left, low), right - left, high - low) for left, low, right, high in boxes]


def _lines(axes: Axes, lines: Sequence[tuple[float, float, float, float]], **looks: Any) -> None:
    segments = [[(left, low), (right, high)] for left, low, right, high in lines]
    axes.add_collection(LineCollection(segments, zorder=2.5, capstyle="butt", **looks))
