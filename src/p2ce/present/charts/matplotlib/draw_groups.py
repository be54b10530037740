"""Draw a metric of groups with matplotlib: a dot with its interval for each, and a line for all people."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from p2ce.present.charts.axis_scales import distinct_cuts, wrapped
from p2ce.present.charts.group_data import GroupData
from p2ce.present.charts.matplotlib import canvas
from p2ce.present.charts.matplotlib.canvas import GREY, INK, LOOKS
from p2ce.present.wording import Wording

WIDTH, ROW, AROUND = 6.8, 0.3, 0.95  # inches
COLOUR = LOOKS[0].colour


def draw_groups(data: Sequence[GroupData], wording: Wording) -> Figure:
    """Draw a panel for each grouping, one below the other."""
    with canvas.styled():
        heights = [AROUND + ROW * len(one.rows) for one in data]
        figure = canvas.new_figure(WIDTH, sum(heights))
        panels = figure.subplots(len(data), 1, height_ratios=heights, squeeze=False)[:, 0]
        for axes, one in zip(panels, data, strict=True):
            _panel(axes, one, wording)
        canvas.add_note(figure, next((one.note for one in data if one.note), ""))
        return figure


def _panel(axes: Axes, data: GroupData, wording: Wording) -> None:
    axes.set_title(
        canvas.drawable(wording.say("audit_by", names=data.heading)), fontweight="bold", parse_math=False
    )
    axes.grid(visible=True, axis="x")
    canvas.set_axis(axes.xaxis, data.ticks, data.title)
    axes.set_xlim(0.0, 1.2)  # with room for labels beyond the end of the axis
    axes.spines["bottom"].set_bounds(0.0, 1.0)
    canvas.set_rows(axes, distinct_cuts([row.name for row in data.rows], lambda name: wrapped(name, 26)))
    if data.whole is not None:
        axes.axvline(data.whole.place, color=INK, linewidth=1.2, linestyle=canvas.DASHES, zorder=1)
    for place, row in enumerate(data.rows):
        small = row.place is None
        canvas.label_at(axes, 1.03, place, row.text, va="center", color=GREY if small else INK)
        if row.box is not None:
            axes.barh(place, row.box[1] - row.box[0], left=row.box[0], height=0.5, color=COLOUR, alpha=0.4)
        if not small:
            axes.plot([row.low, row.high], [place, place], color=COLOUR, linewidth=1.8, zorder=2)
            if not row.has_end:
                axes.plot(
                    [row.high], [place], color=COLOUR, marker=">", markersize=6, zorder=2, clip_on=False
                )
            canvas.dot(axes, row.place, place, LOOKS[0], 6.5, zorder=3)  # type: ignore[arg-type]
