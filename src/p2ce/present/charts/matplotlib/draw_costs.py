"""Draw the costs of many people with matplotlib, and how many have no option."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from p2ce.present.charts.axis_scales import wrapped
from p2ce.present.charts.chart_styles import GREY, INK, OUTCOME_FILLS
from p2ce.present.charts.cost_data import CostData
from p2ce.present.charts.matplotlib.canvas import add_note, new_figure, set_ticks, shown, styled, write

WIDTH, HISTOGRAM, ROW = 6.8, 3.3, 0.33  # inches; a row holds a name on two lines


def draw_costs(data: CostData) -> Figure:
    """Draw the histogram of the cheapest costs above how everybody ended."""
    with styled():
        rows = ROW * sum(1 for one in data.outcomes if one.people)
        figure = new_figure(WIDTH, HISTOGRAM + rows + (0.6 if data.note else 0.35))
        top, bottom = figure.subplots(2, 1, height_ratios=(HISTOGRAM - 0.5, rows))
        _histogram(top, data)
        _outcomes(bottom, data)
        add_note(figure, data.note)
        return figure


def _histogram(axes: Axes, data: CostData) -> None:
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.0)
    axes.grid(visible=True, axis="y")
    set_ticks(axes.xaxis, data.ticks)
    set_ticks(axes.yaxis, data.up_ticks)
    axes.set_xlabel(shown(wrapped(data.title, 76)), parse_math=False)
    axes.set_ylabel(data.up_title)
    for bar in data.bars:
        axes.bar(
            (bar.begin + bar.end) / 2,
            bar.height,
            width=bar.end - bar.begin,
            color=OUTCOME_FILLS["with_options"].colour,
            edgecolor="white",
            linewidth=0.6,
            zorder=2,
        )
    if data.empty:
        write(axes, 0.5, 0.5, data.empty, ha="center", va="center", color=GREY, fontsize=11)
    if data.median is not None:
        axes.axvline(data.median.place, color=INK, linewidth=1.2, linestyle=(0, (4, 2)), zorder=3)
        right = data.median.place < 0.75
        axes.annotate(
            data.median.text,
            (data.median.place, 0.97),
            xytext=(5 if right else -5, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8},
            zorder=4,
        )


def _outcomes(axes: Axes, data: CostData) -> None:
    """Draw a bar for each status, with its count beside it."""
    rows = [one for one in data.outcomes if one.people]
    axes.set_title(data.people_text, fontweight="bold")
    axes.set_xlim(0.0, 1.22)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set_yticks(range(len(rows)), [wrapped(one.name, 26) for one in rows])
    axes.tick_params(axis="y", length=0)
    for row, one in enumerate(rows):
        fill = OUTCOME_FILLS[one.outcome]
        axes.barh(row, one.share, height=0.66, color=fill.colour, hatch=fill.hatch, edgecolor="white")
        axes.barh(row, one.share, height=0.66, color="none", edgecolor=GREY, linewidth=0.6)
        write(axes, one.share + 0.012, row, one.text, va="center", fontsize=8.5)
