"""Draw what options change with matplotlib: before and after, with the population behind each feature."""

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from p2ce.present.charts.axis_scales import distinct_cuts, short
from p2ce.present.charts.change_data import ChangeData, FeatureChanges
from p2ce.present.charts.matplotlib import canvas
from p2ce.present.charts.matplotlib.canvas import GREY, INK, PALE, POPULATION, Look, look_of
from p2ce.present.wording import Wording

ONE_COLUMN = 3  # features below each other; if there are more, there are two columns
WIDTH = {1: 6.6, 2: 11.0}  # inches
ROW, AROUND = 0.34, 0.78  # inches for each option, and for the title and ticks of each feature
TEXT: dict[str, Any] = {"fontsize": 8, "bbox": {**canvas.BEHIND, "alpha": 0.75, "pad": 0.6}}
POINTERS = {"below": "<", "above": ">"}  # at the edge, towards a value beyond it
MARGIN = 0.03  # of the frame, so that marks at the edge are complete


def draw_changes(data: ChangeData, wording: Wording) -> Figure:
    """Draw a frame per feature, with a row per option."""
    with canvas.styled():
        columns = 1 if len(data.features) <= ONE_COLUMN else 2
        rows = math.ceil(len(data.features) / columns)
        legend = 0.21 * math.ceil((len(data.options) + 2) / columns)
        figure = canvas.new_figure(WIDTH[columns], rows * (AROUND + ROW * len(data.options)) + legend + 0.35)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        titles = distinct_cuts([one.axis.title for one in data.features], lambda title: short(title, 44))
        for panel, feature, title in zip(panels, data.features, titles, strict=False):
            _population(panel, feature, len(data.options))
            panel.set_title(canvas.drawable(title), fontweight="bold", parse_math=False)
            _panel(panel, feature, data, wording)
        for panel in panels[len(data.features) :]:
            panel.set_axis_off()
        _legend(figure, data, wording, columns=columns)
        canvas.add_note(figure, data.note)
        return figure


def _population(panel: Axes, feature: FeatureChanges, count: int) -> None:
    bottom, tall = count - 0.35, count + 0.2
    looks: dict[str, Any] = {"color": POPULATION, "edgecolor": "white", "linewidth": 0.4, "zorder": 1}
    for bar in feature.axis.bars:
        middle, width = (bar.begin + bar.end) / 2, bar.end - bar.begin
        panel.bar(middle, -bar.height * tall, width=width, bottom=bottom, **looks)
    # Pale lines between labels; a dotted one between numbers and the slot for missing values.
    line: dict[str, Any] = {"color": PALE, "zorder": 0}
    if feature.axis.scale is not None:
        line = {"color": GREY, "zorder": 1, "linestyle": (0, (1, 2))}
    for edge in feature.axis.edges[1:-1]:
        panel.axvline(edge, linewidth=0.6, **line)


def _panel(panel: Axes, feature: FeatureChanges, data: ChangeData, wording: Wording) -> None:
    canvas.set_axis(panel.xaxis, feature.axis.ticks, "")
    canvas.set_rows(panel, [option.name for option in data.options], above=0.75, below=0.35)
    panel.set_xlim(-MARGIN, 1.0 + MARGIN)
    panel.spines["left"].set_visible(False)
    today = wording.say("chart_today_is", value=short(feature.today.text, 30))
    panel.set_title(canvas.drawable(today), loc="right", fontsize=8.5, color=GREY, parse_math=False)
    start = feature.today.place
    panel.axvline(start, color=INK, linewidth=1.0, linestyle=canvas.DASHES, zorder=2)
    looks = {"markeredgewidth": 0.8, "zorder": 5}
    for row, (option, mark) in enumerate(zip(data.options, feature.marks, strict=True)):
        look = look_of(option.look)
        if not mark.changed:
            canvas.dot(panel, start, row, Look("white", "o", "-"), 5, **{**looks, "markeredgecolor": GREY})
            canvas.write_beside(panel, mark.place, row, mark.text, gap=7, turn=0.8, color=GREY, **TEXT)
            continue
        panel.plot([start, mark.place], [row, row], color=look.colour, linewidth=2.0, zorder=3)
        canvas.dot(panel, start, row, Look(INK, POINTERS.get(feature.today.outside, "o"), "-"), 5, **looks)
        canvas.dot(
            panel, mark.place, row, look._replace(marker=POINTERS.get(mark.outside, look.marker)), 9, **looks
        )
        side = "left" if mark.place < 0.15 else "right" if mark.place > 0.85 else "center"
        canvas.label_at(
            panel, mark.place, row - 0.24, short(mark.text, 34), ha=side, va="bottom", zorder=6, **TEXT
        )


def _legend(figure: Figure, data: ChangeData, wording: Wording, *, columns: int) -> None:
    entries: list[tuple[Any, str]] = [
        (canvas.legend_line(look_of(option.look), 8, linestyle="-", linewidth=2.0), short(option.legend, 84))
        for option in data.options
        if option.why
    ]
    entries.append(
        (Line2D([], [], color=INK, linewidth=1.0, linestyle=canvas.DASHES), wording.say("chart_today"))
    )
    if data.has_population:
        entries.append((Patch(facecolor=POPULATION), wording.say("chart_share_of_population")))
    canvas.add_legend(figure, entries, columns=columns)
