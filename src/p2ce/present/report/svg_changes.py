"""Draw what the options change: one small picture per feature, the population behind it."""

from p2ce.present.charts.change_data import ChangeData, FeatureChanges, Mark
from p2ce.present.report.escaped_html import Html
from p2ce.present.report.page_words import Labels
from p2ce.present.report.svg import (
    BOLD,
    WIDTH,
    arrow,
    badge,
    circle,
    clamped,
    drawing,
    fitted,
    line,
    rect,
    spaced,
    text,
    text_width,
    titled,
)
from p2ce.present.speaker import Speaker

LEFT, RIGHT = 10.0, WIDTH - 10.0
TOP, BASE, LINE = 22.0, 66.0, 25.0  # of the population's bars, and the height of an option's line
ROW, BARS, MARKS = 24.0, 150.0, 256.0  # of a category: its height, and where bars and marks begin
BAR_ROOM = 58.0
BESIDE = 14.0  # from the middle of a number to the text beside it


def draw_changes(data: ChangeData, speaker: Speaker, labels: Labels) -> tuple[Html, ...]:
    """Draw one picture per feature that any of the options changes."""
    return tuple(_feature(feature, data, speaker, labels) for feature in data.features)


def _feature(feature: FeatureChanges, data: ChangeData, speaker: Speaker, labels: Labels) -> Html:
    options = [
        labels("drawn_option", number=option.number, new=mark.text)
        for option, mark in zip(data.options, feature.marks, strict=True)
        if mark.changed
    ]
    description = labels(
        "drawn_change", name=feature.name, old=feature.today.text, options="; ".join(options)
    )
    if feature.frame.kind == "category":
        height, shapes = _categories(feature, data, speaker, labels)
    else:
        height, shapes = _numbers(feature, data, labels)
    return titled(feature.title, drawing(height, feature.title, description, *shapes))


def _x(place: float) -> float:
    return LEFT + place * (RIGHT - LEFT)


def _numbers(feature: FeatureChanges, data: ChangeData, labels: Labels) -> tuple[float, list[Html]]:
    frame, today = feature.frame, _x(feature.today.place)
    shapes = [
        rect(
            _x(bar.begin),
            BASE - bar.height * (BASE - TOP),
            max(_x(bar.end) - _x(bar.begin) - 1, 0.6),
            bar.height * (BASE - TOP),
            "bars",
        )
        for bar in frame.bars
        if bar.height > 0
    ]
    shapes.append(line(LEFT, BASE, RIGHT, BASE))
    for tick in spaced(frame.ticks, LEFT, RIGHT):
        x = _x(tick.place)
        shapes.append(line(x, BASE, x, BASE + 4))
        shapes.append(
            text(clamped(x, tick.text, 0, WIDTH), BASE + 16, tick.text, anchor="middle", kind="grey")
        )
    moved = [
        (place, option.number, mark)
        for place, (option, mark) in enumerate(zip(data.options, feature.marks, strict=True))
        if mark.changed
    ]
    height = BASE + 24 + LINE * len(moved)
    # In two pieces, so that it does not cross the numbers of the axis.
    shapes.append(line(today, TOP - 5, today, BASE, "today"))
    shapes.append(line(today, BASE + 22, today, height - 4, "today"))
    now = fitted(labels("today_value", value=feature.today.text), WIDTH, BOLD)
    middle = clamped(today, now, 0, WIDTH, BOLD)
    shapes.append(text(middle, TOP - 10, now, anchor="middle", kind="strong"))
    for row, (place, number, mark) in enumerate(moved):
        shapes += _option_line(BASE + 36 + LINE * row, today, mark, number, place)
    return height, shapes


def _option_line(y: float, today: float, mark: Mark, number: int, place: int) -> list[Html]:
    """Draw one option's line from today's value to its own, with that value written where there is room."""
    tip = _x(mark.place)
    away = 1.0 if tip >= today else -1.0
    half = max(8.5, text_width(str(number), 11.0) / 2 + 4)
    shapes = []
    if abs(tip - today) > half + 4:
        shapes.append(arrow(today, tip - away * (half + 1), y, f"option-{place}"))
    shapes += [circle(today, y, 3.2, "today-mark"), badge(tip, y, str(number), place)]
    value = fitted(mark.text, 150.0)
    width = text_width(value)
    beyond, before = tip + away * BESIDE, today - away * 9
    # Beyond the number, or before today's mark; above the line only where neither has room, and then the
    # line is long enough.
    for x, direction in ((beyond, away), (before, -away)):
        if 0 <= x + direction * width <= WIDTH:
            anchor = "start" if direction > 0 else "end"
            return [*shapes, text(x, y + 4, value, anchor=anchor)]
    between = fitted(value, abs(tip - today) - half - 12)
    return [*shapes, text((tip + away * -half + today) / 2, y - 5, between, anchor="middle")]


def _categories(
    feature: FeatureChanges, data: ChangeData, speaker: Speaker, labels: Labels
) -> tuple[float, list[Html]]:
    """Draw a line for each label: its name, its share of the population, and who goes there."""
    frame = feature.frame
    names = {middle: speaker.value(feature.column, key) for key, middle in frame.slots.items()}
    shapes: list[Html] = []
    for row, tick in enumerate(frame.ticks):
        y = 12 + ROW * row
        name = names.get(tick.place, tick.text)
        is_today = tick.place == feature.today.place
        shapes.append(text(0, y + 4, fitted(name, BARS - 8), kind="strong" if is_today else ""))
        for bar in frame.bars:
            if bar.begin < tick.place < bar.end:
                width = max(bar.height * BAR_ROOM, 0.6)
                percent = labels("percent", number=speaker.figure(100 * bar.share, 0))
                shapes.append(rect(BARS, y - 6, width, 12, "bars"))
                shapes.append(text(BARS + width + 4, y + 4, percent, kind="grey"))
        if is_today:
            shapes.append(circle(MARKS + 6, y, 4.5, "today-mark"))
            shapes.append(text(MARKS + 16, y + 4, labels("today"), kind="strong"))
        going = [
            (place, option.number)
            for place, (option, mark) in enumerate(zip(data.options, feature.marks, strict=True))
            if mark.changed and mark.place == tick.place
        ]
        x = MARKS + 6 + (70 if is_today else 0)
        for place, number in going:
            half = max(8.5, text_width(str(number), 11.0) / 2 + 4)
            shapes.append(badge(x + half - 6, y, str(number), place))
            x += 2 * half + 4
        shapes.append(line(0, y + ROW / 2, WIDTH, y + ROW / 2, "pale"))
    return 12 + ROW * len(frame.ticks) - ROW / 2 + 2, shapes[:-1]
