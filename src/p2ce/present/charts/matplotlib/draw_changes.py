"""Draw what options change with matplotlib: from → to, with the population behind each feature."""

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from p2ce.present.charts.axis_scales import short
from p2ce.present.charts.change_data import ChangeData, FeatureChanges
from p2ce.present.charts.chart_labels import label
from p2ce.present.charts.chart_styles import GREY, INK, PALE, POPULATION, look_of
from p2ce.present.charts.matplotlib.canvas import (
    add_legend,
    add_note,
    new_figure,
    set_ticks,
    shown,
    styled,
    write,
)

ONE_COLUMN = 3  # features below each other; more stand in two columns
WIDTH = {1: 6.6, 2: 11.0}  # inches
ROW, AROUND = 0.34, 0.78  # inches for each option, and for title and ticks of each feature
BEHIND: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
POINTERS = {"below": "<", "above": ">"}  # at the edge, towards a value beyond it
MARGIN = 0.03  # of the frame, so that marks on the edge are whole


def draw_changes(data: ChangeData) -> Figure:
    """Draw a frame per feature, in it a row per option."""
    with styled():
        columns = 1 if len(data.features) <= ONE_COLUMN else 2
        rows = math.ceil(len(data.features) / columns)
        legend = 0.21 * math.ceil((len(data.options) + 2) / columns)
        figure = new_figure(WIDTH[columns], rows * (AROUND + ROW * len(data.options)) + legend + 0.35)
        grid = figure.subplots(rows, columns, squeeze=False)
        panels = list(grid.ravel())
        for panel, feature in zip(panels, data.features, strict=False):
            _panel(panel, feature, data)
        for panel in panels[len(data.features) :]:
            panel.set_axis_off()
        _legend(figure, data, columns=columns)
        add_note(figure, data.note)
        return figure


def _panel(panel: Axes, feature: FeatureChanges, data: ChangeData) -> None:
    count = len(data.options)
    panel.set_xlim(-MARGIN, 1.0 + MARGIN)
    panel.set_ylim(count - 0.35, -0.75)
    panel.set_title(shown(short(feature.title, 44)), fontweight="bold", parse_math=False)
    today_is = label(data.language, "today_is", value=short(feature.today.text, 30))
    panel.set_title(shown(today_is), loc="right", fontsize=8.5, color=GREY, parse_math=False)
    set_ticks(panel.xaxis, feature.frame.ticks)
    panel.set_yticks(range(count), [option.name for option in data.options])
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)
    bottom, tall = count - 0.35, count + 0.2
    for bar in feature.frame.bars:
        panel.bar(
            (bar.begin + bar.end) / 2,
            -bar.height * tall,
            width=bar.end - bar.begin,
            bottom=bottom,
            color=POPULATION,
            edgecolor="white",
            linewidth=0.4,
            zorder=1,
        )
    for edge in feature.frame.edges:
        panel.axvline(edge, color=PALE, linewidth=0.6, zorder=0)
    if feature.frame.divider is not None:
        panel.axvline(feature.frame.divider, color=GREY, linewidth=0.6, linestyle=(0, (1, 2)), zorder=1)
    panel.axvline(feature.today.place, color=INK, linewidth=1.0, linestyle=(0, (4, 2)), zorder=2)
    for row, mark in enumerate(feature.marks):
        look = look_of(row)
        if not mark.changed:
            _dot(panel, feature.today.place, row, colour="white", edge=GREY, size=5)
            _beside(panel, mark.place, row, mark.text)
            continue
        panel.plot([feature.today.place, mark.place], [row, row], color=look.colour, linewidth=2.0, zorder=3)
        start = POINTERS.get(feature.today.outside, "o")
        _dot(panel, feature.today.place, row, colour=INK, edge="white", size=5, marker=start)
        marker = POINTERS.get(mark.outside, look.marker)
        _dot(panel, mark.place, row, colour=look.colour, edge="white", size=9, marker=marker)
        _say(panel, mark.place, row, mark.text, colour=INK)


def _dot(
    panel: Axes, across: float, row: int, *, colour: str, edge: str, size: float, marker: str = "o"
) -> None:
    panel.plot(
        [across],
        [row],
        marker=marker,
        markersize=size,
        color=colour,
        markeredgecolor=edge,
        markeredgewidth=0.8,
        linestyle="none",
        clip_on=False,
        zorder=5,
    )


def _beside(panel: Axes, across: float, row: int, text: str) -> None:
    """Write a quiet remark beside a mark, on the side that has room."""
    right = across < 0.8
    panel.annotate(
        text,
        (across, row),
        xytext=(7 if right else -7, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize=8,
        color=GREY,
        bbox=BEHIND,
        zorder=4,
    )


def _say(panel: Axes, across: float, row: int, text: str, *, colour: str) -> None:
    """Write a value above its mark, inside of the frame."""
    side = "left" if across < 0.15 else "right" if across > 0.85 else "center"
    write(
        panel,
        min(max(across, -0.02), 1.02),
        row - 0.24,
        short(text, 34),
        ha=side,
        va="bottom",
        fontsize=8,
        color=colour,
        bbox=BEHIND,
        zorder=6,
    )


def _legend(figure: Figure, data: ChangeData, *, columns: int) -> None:
    handles: list[Any] = []
    texts: list[str] = []
    for place, option in enumerate(data.options):
        look = look_of(place)
        if option.why:
            handles.append(
                Line2D(
                    [],
                    [],
                    color=look.colour,
                    marker=look.marker,
                    markersize=8,
                    markeredgecolor="white",
                    linewidth=2.0,
                )
            )
            texts.append(short(f"{option.name}: {option.why}", 84))
    handles.append(Line2D([], [], color=INK, linewidth=1.0, linestyle=(0, (4, 2))))
    texts.append(label(data.language, "today"))
    if data.has_population:
        handles.append(Patch(facecolor=POPULATION))
        texts.append(label(data.language, "share_of_population"))
    add_legend(figure, handles, texts, columns=columns)
