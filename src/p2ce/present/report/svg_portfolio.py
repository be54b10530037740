"""Draw what many people's options cost, and what changes in them most often."""

from p2ce.present.charts.cost_data import CostData
from p2ce.present.charts.lever_data import LeverData
from p2ce.present.report.escaped_html import Html
from p2ce.present.report.svg import (
    WIDTH,
    clamped,
    drawing,
    fitted,
    line,
    rect,
    spaced,
    text,
    text_width,
)

TOP, BOTTOM = 26.0, 170.0
ROW, PERCENT_ROOM = 40.0, 100.0


def draw_costs(data: CostData) -> Html:
    """Draw a bar for each range of costs, as high as there are people in it."""
    left = max([text_width(tick.text) for tick in data.up_ticks] + [16.0]) + 8
    right = WIDTH - 8

    def x(place: float) -> float:
        return left + place * (right - left)

    shapes = [text(0, 12, f"↑ {fitted(data.up_title, WIDTH - 30)}", kind="strong")]
    for tick in data.up_ticks:
        y = BOTTOM - tick.place * (BOTTOM - TOP)
        shapes.append(line(left, y, right, y, "pale"))
        shapes.append(text(left - 6, y + 4, tick.text, anchor="end", kind="grey"))
    for bar in data.bars:
        if bar.people:
            high = max(bar.height * (BOTTOM - TOP), 1.0)
            width = max(x(bar.end) - x(bar.begin) - 1, 1.0)
            shapes.append(rect(x(bar.begin), BOTTOM - high, width, high, "option-0"))
    shapes.append(line(left, BOTTOM, right, BOTTOM))
    for tick in spaced(data.ticks, left, right):
        place = clamped(x(tick.place), tick.text, 0, WIDTH)
        shapes.append(text(place, BOTTOM + 17, tick.text, anchor="middle", kind="grey"))
    if data.median is not None:
        at = x(data.median.place)
        shapes.append(line(at, TOP - 6, at, BOTTOM, "today"))
        words = fitted(data.median.text, WIDTH)
        place = clamped(at, words, left + 60, WIDTH)
        shapes.append(text(place, TOP - 10, words, anchor="middle", kind="strong halo"))
    named = fitted(data.title, WIDTH)
    shapes.append(text(WIDTH / 2, BOTTOM + 36, named, anchor="middle", kind="strong"))
    description = "; ".join(bar.text for bar in data.bars if bar.people)
    return drawing(BOTTOM + 44, data.title, description, *shapes)


def draw_levers(data: LeverData) -> Html:
    """Draw a bar for each feature: dark for people's first options, pale for any of their options."""
    room = WIDTH - PERCENT_ROOM
    shapes = []
    for row, lever in enumerate(data.levers):
        y = 12 + ROW * row
        shapes.append(text(0, y, fitted(lever.name, WIDTH)))
        shapes.append(rect(0, y + 7, room, 12, "bars"))
        shapes.append(rect(0, y + 7, max(lever.any_share * room, 1.0), 12, "pale-bar"))
        if lever.first_share:
            shapes.append(rect(0, y + 7, max(lever.first_share * room, 1.0), 12, "option-0"))
        shapes.append(text(room + 8, y + 17, lever.text, kind="grey"))
    description = "; ".join(f"{lever.name}: {lever.text}" for lever in data.levers)
    return drawing(ROW * len(data.levers), data.title, description, *shapes)
