"""Draw as SVG what the options of many people cost, and what they change most often."""

from markupsafe import Markup

from p2ce.present.charts.axis_scales import distinct_cuts
from p2ce.present.charts.portfolio_data import CostData, LeverData
from p2ce.present.charts.svg import shapes as svg
from p2ce.present.wording import Wording

TOP, BOTTOM = 26.0, 170.0
ROW, PERCENT_ROOM = 40.0, 100.0


def draw_costs(data: CostData, wording: Wording) -> Markup:
    """Draw a bar for each range of costs, with the number of people as its height."""
    left = max([svg.text_width(tick.text) for tick in data.up_ticks] + [16.0]) + 8
    right = svg.WIDTH - 8

    def x(place: float) -> float:
        return left + place * (right - left)

    shapes = [svg.text(0, 12, "↑ " + wording.say("chart_people"), kind="strong")]
    shapes += svg.axis_up(data.up_ticks, left, right, TOP, BOTTOM, gap=6)
    bars = [bar for bar in data.bars if bar.size]
    for bar in bars:
        high, width = max(bar.height * (BOTTOM - TOP), 1.0), max(x(bar.end) - x(bar.begin) - 1, 1.0)
        shapes.append(svg.rect(x(bar.begin), BOTTOM - high, width, high, "option-0"))
    shapes.append(svg.line(left, BOTTOM, right, BOTTOM))
    shapes += svg.axis_across(data.ticks, left, right, BOTTOM, drop=17, marks=False)
    if data.median is not None:
        at, words = x(data.median.place), svg.fitted(data.median.text, svg.WIDTH)
        place = svg.clamped(at, words, left + 60, svg.WIDTH)
        shapes.append(svg.line(at, TOP - 6, at, BOTTOM, "today"))
        shapes.append(svg.text(place, TOP - 10, words, anchor="middle", kind="strong halo"))
    description = "; ".join(
        f"{bar.text}: {wording.counted('chart_people_count', int(bar.size))}" for bar in bars
    )
    return svg.titled(data.title, svg.drawing(BOTTOM + 24, data.title, description, shapes))


def draw_levers(data: LeverData) -> Markup:
    """Draw a bar for each feature: dark for people's first options, pale for any of their options."""
    room = svg.WIDTH - PERCENT_ROOM
    shapes = []
    names = distinct_cuts([lever.name for lever in data.levers], lambda name: svg.fitted(name, svg.WIDTH))
    for row, (name, lever) in enumerate(zip(names, data.levers, strict=True)):
        y = 12 + ROW * row
        shapes.append(svg.text(0, y, name))
        shapes.append(svg.rect(0, y + 7, room, 12, "bars"))
        shapes.append(svg.rect(0, y + 7, max(lever.any_share * room, 1.0), 12, "pale-bar"))
        if lever.first_share:
            shapes.append(svg.rect(0, y + 7, max(lever.first_share * room, 1.0), 12, "option-0"))
        shapes.append(svg.text(room + 8, y + 17, lever.text, kind="grey"))
    description = "; ".join(f"{lever.name}: {lever.text}" for lever in data.levers)
    return svg.drawing(ROW * len(data.levers), data.title, description, shapes)
