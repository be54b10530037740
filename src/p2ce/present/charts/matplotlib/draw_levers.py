"""Draw the most used levers with matplotlib."""

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from p2ce.present.charts.axis_scales import wrapped
from p2ce.present.charts.chart_styles import DIRECTION_FILLS, GREY
from p2ce.present.charts.lever_data import DIRECTIONS, LeverData
from p2ce.present.charts.matplotlib.canvas import (
    add_legend,
    add_note,
    new_figure,
    set_ticks,
    shown,
    styled,
    write,
)

WIDTH, ROW, AROUND = 6.8, 0.36, 1.75  # inches


def draw_levers(data: LeverData) -> Figure:
    """Draw a bar per feature: filled for first options, by direction; outlined for any option."""
    with styled():
        count = len(data.levers)
        figure = new_figure(WIDTH, AROUND + ROW * count)
        axes = figure.subplots()
        axes.set_xlim(0.0, 1.2)
        axes.set_ylim(count - 0.4, -0.6)
        axes.grid(visible=True, axis="x")
        set_ticks(axes.xaxis, data.ticks)
        axes.set_xlabel(data.title)
        axes.spines["bottom"].set_bounds(0.0, 1.0)
        axes.set_yticks(
            range(count), [shown(wrapped(lever.name, 26)) for lever in data.levers], parse_math=False
        )
        axes.tick_params(axis="y", length=0)
        for row, lever in enumerate(data.levers):
            axes.barh(
                row, lever.any_place, height=0.7, color="white", edgecolor=GREY, linewidth=0.9, zorder=2
            )
            for direction, begin, end in lever.places:
                fill = DIRECTION_FILLS[direction]
                axes.barh(
                    row,
                    end - begin,
                    left=begin,
                    height=0.7,
                    color=fill.colour,
                    hatch=fill.hatch,
                    edgecolor="white",
                    linewidth=0,
                    zorder=3,
                )
                axes.barh(
                    row,
                    end - begin,
                    left=begin,
                    height=0.7,
                    color="none",
                    edgecolor=GREY,
                    linewidth=0.9,
                    zorder=4,
                )
            write(axes, lever.any_place + 0.012, row, lever.text, va="center", fontsize=8.5)
        used = [one for one in DIRECTIONS if any(one in lever.directions for lever in data.levers)]
        handles = [
            Patch(facecolor=DIRECTION_FILLS[one].colour, hatch=DIRECTION_FILLS[one].hatch, edgecolor="white")
            for one in used
        ]
        outline = Patch(facecolor="white", edgecolor=GREY, linewidth=0.9)
        add_legend(
            figure,
            [*handles, outline],
            [data.names[one] for one in (*used, "any_option")],
            columns=2,
        )
        add_note(figure, data.note)
        return figure
