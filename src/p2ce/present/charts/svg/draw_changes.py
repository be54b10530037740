"""Draw what the options change as SVG: a small picture per feature, with the population behind it."""

from collections.abc import Iterator

from markupsafe import Markup

from p2ce.present.charts.change_data import ChangeData, FeatureChanges, Mark
from p2ce.present.charts.front_data import ChartOption
from p2ce.present.charts.svg import shapes as svg
from p2ce.present.wording import Wording

LEFT, RIGHT = 10.0, svg.WIDTH - 10.0
TOP, BASE, LINE = 22.0, 66.0, 25.0  # height of the population's bars, and of an option's line
ROW, BARS, MARKS = 24.0, 150.0, 256.0  # of a category: its height, and where bars and marks begin
BAR_ROOM = 58.0
BESIDE = 14.0  # from the middle of a number to the text next to it


def draw_changes(data: ChangeData, wording: Wording) -> tuple[Markup, ...]:
    """Draw one picture per feature that any of the options changes."""
    return tuple(_feature(feature, data, wording) for feature in data.features)


def _feature(feature: FeatureChanges, data: ChangeData, wording: Wording) -> Markup:
    options = "; ".join(f"{option.name}: {mark.text}" for option, mark in _moved(feature, data))
    name = wording.name(feature.axis.column)
    description = wording.say("chart_drawn_change", name=name, old=feature.today.text, options=options)
    draw = _categories if feature.axis.scale is None else _numbers
    height, shapes = draw(feature, data, wording)
    return svg.titled(feature.axis.title, svg.drawing(height, feature.axis.title, description, shapes))


def _moved(feature: FeatureChanges, data: ChangeData) -> Iterator[tuple[ChartOption, Mark]]:
    """Return the options that change this feature."""
    return ((option, mark) for option, mark in zip(data.options, feature.marks, strict=True) if mark.changed)


def _x(place: float) -> float:
    return LEFT + place * (RIGHT - LEFT)


def _numbers(feature: FeatureChanges, data: ChangeData, wording: Wording) -> tuple[float, list[Markup]]:
    today = _x(feature.today.place)
    shapes = []
    for bar in feature.axis.bars:
        if bar.height > 0:
            high, wide = bar.height * (BASE - TOP), max(_x(bar.end) - _x(bar.begin) - 1, 0.6)
            shapes.append(svg.rect(_x(bar.begin), BASE - high, wide, high, "bars"))
    shapes.append(svg.line(LEFT, BASE, RIGHT, BASE))
    shapes += svg.axis_across(feature.axis.ticks, LEFT, RIGHT, BASE, drop=16)
    moved = list(_moved(feature, data))
    height = BASE + 24 + LINE * len(moved)
    # In two pieces, so that it does not cross the numbers of the axis.
    shapes.append(svg.line(today, TOP - 5, today, BASE, "today"))
    shapes.append(svg.line(today, BASE + 22, today, height - 4, "today"))
    now = svg.fitted(wording.say("chart_today_value", value=feature.today.text), svg.WIDTH, svg.BOLD)
    middle = svg.clamped(today, now, 0, svg.WIDTH, svg.BOLD)
    shapes.append(svg.text(middle, TOP - 10, now, anchor="middle", kind="strong"))
    for row, (option, mark) in enumerate(moved):
        shapes += _option_line(BASE + 36 + LINE * row, today, mark, option)
    return height, shapes


def _option_line(y: float, today: float, mark: Mark, option: ChartOption) -> list[Markup]:
    """Draw one option's line from today's value to the new one, with the new value if there is room."""
    tip, half = _x(mark.place), svg.badge_half(option.mark)
    away = 1.0 if tip >= today else -1.0
    shapes = []
    if abs(tip - today) > half + 4:
        shapes.append(svg.arrow_line(today, tip - away * (half + 1), y, f"option-{option.look}"))
    shapes += [svg.circle(today, y, 3.2, "today-mark"), svg.badge(tip, y, option.mark, option.look)]
    value = svg.fitted(mark.text, 150.0)
    # Beyond the badge, else above a line that is long enough, else before today's mark: next to that mark, it
    # would look like today's value.
    width, room = svg.text_width(value), abs(tip - today) - half - 12
    beyond, before = tip + away * BESIDE, away * min(away * today - 9, away * tip - BESIDE)
    if 0 <= beyond + away * width <= svg.WIDTH:
        return [*shapes, svg.text(beyond, y + 4, value, anchor="start" if away > 0 else "end")]
    if width > room and 0 <= before - away * width <= svg.WIDTH:
        return [*shapes, svg.text(before, y + 4, value, anchor="end" if away > 0 else "start")]
    above = svg.fitted(value, room)
    return [*shapes, svg.text((tip - away * half + today) / 2, y - 5, above, anchor="middle")]


def _categories(feature: FeatureChanges, data: ChangeData, wording: Wording) -> tuple[float, list[Markup]]:
    """Draw a line for each label: its name, its share of the population, and the options that lead there."""
    axis = feature.axis
    names = {middle: wording.value(feature.axis.column, key) for key, middle in axis.slots.items()}
    shapes: list[Markup] = []
    for row, tick in enumerate(axis.ticks):
        y = 12 + ROW * row
        is_today = tick.place == feature.today.place
        name = svg.fitted(names.get(tick.place, tick.text), BARS - 8, svg.BOLD if is_today else svg.SIZE)
        shapes.append(svg.text(0, y + 4, name, kind="strong" if is_today else ""))
        for bar in axis.bars:
            if bar.begin < tick.place < bar.end:
                width = max(bar.height * BAR_ROOM, 0.6)
                percent = wording.numbers.percent(round(bar.size, 2))
                shapes.append(svg.rect(BARS, y - 6, width, 12, "bars"))
                shapes.append(svg.text(BARS + width + 4, y + 4, percent, kind="grey"))
        x = MARKS + 6
        if is_today:
            shapes.append(svg.circle(x, y, 4.5, "today-mark"))
            shapes.append(svg.text(x + 10, y + 4, wording.say("chart_today"), kind="strong"))
            x += 70
        for option, mark in _moved(feature, data):
            if mark.place == tick.place:
                half = svg.badge_half(option.mark)
                shapes.append(svg.badge(x + half - 6, y, option.mark, option.look))
                x += 2 * half + 4
        shapes.append(svg.line(0, y + ROW / 2, svg.WIDTH, y + ROW / 2, "pale"))
    return 12 + ROW * len(axis.ticks) - ROW / 2 + 2, shapes[:-1]
