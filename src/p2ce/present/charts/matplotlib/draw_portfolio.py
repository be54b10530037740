"""Draw with matplotlib what the options of many people cost, and which features they change."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from p2ce.present.charts.axis_scales import distinct_cuts, wrapped
from p2ce.present.charts.matplotlib import canvas
from p2ce.present.charts.matplotlib.canvas import DIRECTION_FILLS, GREY, INK, OUTCOME_FILLS
from p2ce.present.charts.portfolio_data import DIRECTIONS, CostData, LeverData
from p2ce.present.wording import Wording

WIDTH, HISTOGRAM, AROUND = 6.8, 3.3, 1.75  # inches
ROW, LEVER = 0.33, 0.36  # inches of a row, which holds a name on two lines
OUTLINE: dict[str, Any] = {"height": 0.7, "edgecolor": GREY, "linewidth": 0.9}


def draw_costs(data: CostData, wording: Wording) -> Figure:
    """Draw the histogram of the smallest changes above the outcomes of all people."""
    with canvas.styled():
        rows = ROW * len(data.outcomes)
        figure = canvas.new_figure(WIDTH, HISTOGRAM + rows + (0.6 if data.note else 0.35))
        top, bottom = figure.subplots(2, 1, height_ratios=(HISTOGRAM - 0.5, rows))
        _histogram(top, data, wording)
        _outcomes(bottom, data, wording)
        canvas.add_note(figure, data.note)
        return figure


def _histogram(axes: Axes, data: CostData, wording: Wording) -> None:
    axes.grid(visible=True, axis="y")
    canvas.set_axis(axes.xaxis, data.ticks, data.title, width=76)
    canvas.set_axis(axes.yaxis, data.up_ticks, wording.say("chart_people"))
    looks = {"color": OUTCOME_FILLS["with_options"].colour, "edgecolor": "white", "linewidth": 0.6}
    for bar in data.bars:
        axes.bar((bar.begin + bar.end) / 2, bar.height, width=bar.end - bar.begin, zorder=2, **looks)
    if data.median is None:
        words = wording.say("chart_nobody")
        canvas.label_at(axes, 0.5, 0.5, words, ha="center", va="center", color=GREY, fontsize=11)
    else:
        axes.axvline(data.median.place, color=INK, linewidth=1.2, linestyle=canvas.DASHES, zorder=3)
        canvas.write_beside(axes, data.median.place, 0.97, data.median.text, gap=5, turn=0.75)


def _outcomes(axes: Axes, data: CostData, wording: Wording) -> None:
    """Draw a bar for each outcome, with its count next to it."""
    people = sum(one.people for one in data.outcomes)
    axes.set_title(wording.counted("chart_people_count", people), fontweight="bold")
    axes.set_xlim(0.0, 1.22)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    canvas.set_rows(axes, [wrapped(one.name, 26) for one in data.outcomes])
    for row, one in enumerate(data.outcomes):
        fill = OUTCOME_FILLS[one.outcome]
        axes.barh(row, one.share, height=0.66, color=fill.colour, hatch=fill.hatch, edgecolor="white")
        axes.barh(row, one.share, height=0.66, color="none", edgecolor=GREY, linewidth=0.6)
        canvas.label_at(axes, one.share + 0.012, row, one.text, va="center")


def draw_levers(data: LeverData, wording: Wording) -> Figure:
    """Draw a bar per feature: filled for first options, by direction; outlined for any option."""
    with canvas.styled():
        figure = canvas.new_figure(WIDTH, AROUND + LEVER * len(data.levers))
        axes = figure.subplots()
        axes.grid(visible=True, axis="x")
        canvas.set_axis(axes.xaxis, data.ticks, data.title, width=200)
        axes.set_xlim(0.0, 1.2)  # with room for labels beyond the end of the axis
        axes.spines["bottom"].set_bounds(0.0, 1.0)
        names = distinct_cuts([lever.name for lever in data.levers], lambda name: wrapped(name, 26))
        canvas.set_rows(axes, names)
        for row, lever in enumerate(data.levers):
            end, reached = lever.any_share / data.end, 0.0
            axes.barh(row, end, color="white", zorder=2, **OUTLINE)
            for direction, share in lever.directions.items():
                wide, fill = share / data.end, DIRECTION_FILLS[direction]
                inside = {"color": fill.colour, "hatch": fill.hatch, "edgecolor": "white", "linewidth": 0}
                axes.barh(row, wide, left=reached, zorder=3, **{**OUTLINE, **inside})
                axes.barh(row, wide, left=reached, zorder=4, color="none", **OUTLINE)
                reached += wide
            canvas.label_at(axes, end + 0.012, row, lever.text, va="center")
        used = [one for one in DIRECTIONS if any(one in lever.directions for lever in data.levers)]
        fills = [(DIRECTION_FILLS[one], wording.say(f"chart_first_{one}")) for one in used]
        entries = [
            (Patch(facecolor=fill.colour, hatch=fill.hatch, edgecolor="white"), words)
            for fill, words in fills
        ]
        entries.append(
            (Patch(facecolor="white", edgecolor=GREY, linewidth=0.9), wording.say("chart_any_option"))
        )
        canvas.add_legend(figure, entries, columns=2)
        canvas.add_note(figure, data.note)
        return figure
