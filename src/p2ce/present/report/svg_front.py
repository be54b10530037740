"""Draw the front: points for two objectives, a line of crossings for more."""

from p2ce.present.charts.front_data import FrontData, FrontPoint
from p2ce.present.report.escaped_html import Html
from p2ce.present.report.page_words import Labels
from p2ce.present.report.svg import (
    WIDTH,
    badge,
    circle,
    clamped,
    drawing,
    fitted,
    line,
    polyline,
    spaced,
    text,
    text_width,
)

TOP, BOTTOM = 42.0, 240.0
MOST_OTHERS = 400  # points or lines that are not picks; more would only be a stain
SIDE, FIRST, STEP = 8.0, 34.0, 72.0  # of parallel scales
AROUND = ((0, -17), (17, -12), (19, 0), (-17, -12), (-19, 0), (17, 12), (0, 17), (-17, 12), (0, -34), (34, 0))


def draw_front(data: FrontData, labels: Labels) -> Html | None:
    """Draw all options by their costs; nothing where there is nothing to compare."""
    if len(data.axes) < 2 or len(data.points) < 2:
        return None
    title = labels("front_title", objectives=", ".join(axis.title for axis in data.axes))
    descriptions = [
        labels(
            "front_point",
            number=point.number,
            costs=", ".join(
                f"{axis.title} {cost}" for axis, cost in zip(data.axes, point.texts, strict=True)
            ),
        )
        for point in data.picks
    ]
    height, shapes = _points(data) if len(data.axes) == 2 else _lines(data)
    return drawing(height, title, "; ".join(descriptions), *shapes)


def _others(data: FrontData) -> list[FrontPoint]:
    others = [point for point in data.points if point.pick is None]
    return others[:: max(1, -(-len(others) // MOST_OTHERS))]


def _points(data: FrontData) -> tuple[float, list[Html]]:
    across, up = data.axes
    left = min(max([text_width(tick.text) for tick in up.ticks] + [20.0]) + 14, 100.0)
    right = WIDTH - 14

    def at(point: FrontPoint) -> tuple[float, float]:
        return left + point.places[0] * (right - left), BOTTOM - point.places[1] * (BOTTOM - TOP)

    shapes = [text(0, 12, f"↑ {fitted(up.title, WIDTH - 30)}", kind="strong")]
    for tick in up.ticks:
        y = BOTTOM - tick.place * (BOTTOM - TOP)
        shapes.append(line(left, y, right, y, "pale"))
        shapes.append(text(left - 10, y + 4, tick.text, anchor="end", kind="grey"))
    for tick in spaced(across.ticks, left, right):
        x = left + tick.place * (right - left)
        shapes.append(line(x, BOTTOM, x, BOTTOM + 4))
        shapes.append(
            text(clamped(x, tick.text, 0, WIDTH), BOTTOM + 17, tick.text, anchor="middle", kind="grey")
        )
    shapes.append(line(left, BOTTOM, right, BOTTOM))
    named = f"{fitted(across.title, WIDTH - 30)} →"
    shapes.append(text(right, BOTTOM + 36, named, anchor="end", kind="strong"))
    drawn = {(round(x), round(y)) for x, y in map(at, _others(data))}
    shapes += [circle(x, y, 4, "other") for x, y in sorted(drawn)]
    shapes += [circle(*at(point), 5, f"option-{point.pick}") for point in data.picks]
    taken = [at(point) for point in data.picks]
    for point in data.picks:
        x, y = _free_place(at(point), taken, left)
        taken.append((x, y))
        shapes.append(badge(x, y, str(point.number), point.pick or 0))
    return BOTTOM + 44, shapes


def _free_place(
    point: tuple[float, float], taken: list[tuple[float, float]], left: float
) -> tuple[float, float]:
    """Find a place beside a point where its number covers neither another point nor another number."""
    inside = [
        (x, y)
        for x, y in ((point[0] + dx, point[1] + dy) for dx, dy in AROUND)
        if left + 6 <= x <= WIDTH - 10 and TOP - 18 <= y <= BOTTOM - 9
    ]
    free = [
        place
        for place in inside
        if all(abs(place[0] - x) >= 15 or abs(place[1] - y) >= 14.5 for x, y in taken)
    ]
    return [*free, *inside, point][0]


def _lines(data: FrontData) -> tuple[float, list[Html]]:
    """Draw a scale per objective, one below the other, since a phone is higher than it is wide."""
    left, right = SIDE, WIDTH - SIDE
    heights = [FIRST + STEP * place for place in range(len(data.axes))]
    foot = heights[-1] + 44

    def crossings(point: FrontPoint) -> list[tuple[float, float]]:
        places = zip(point.tight_places, heights, strict=True)
        return [(left + place * (right - left), y) for place, y in places]

    shapes: list[Html] = []
    seen: set[tuple[int, ...]] = set()
    for point in _others(data):
        key = tuple(round(x) for x, _ in crossings(point))
        if key not in seen:
            seen.add(key)
            shapes.append(polyline(crossings(point), "other"))
    numbers = _spread(data.picks, right - left)
    for point, x in zip(data.picks, numbers, strict=True):
        shapes.append(polyline([*crossings(point), (left + x, foot - 9)], f"option-{point.pick}"))
    for axis, y in zip(data.axes, heights, strict=True):
        shapes.append(line(left, y, right, y))
        ends = " – ".join(tick.text for tick in axis.tight_ticks)
        room = WIDTH - text_width(ends) - 16
        shapes.append(text(0, y - 13, fitted(axis.title, room), kind="strong halo"))
        shapes.append(text(WIDTH, y - 13, ends, anchor="end", kind="grey halo"))
    for point in data.picks:
        shapes += [circle(x, y, 4, f"option-{point.pick}") for x, y in crossings(point)]
    for point, x in zip(data.picks, numbers, strict=True):
        shapes.append(badge(left + x, foot, str(point.number), point.pick or 0))
    return foot + 12, shapes


def _spread(picks: tuple[FrontPoint, ...], width: float) -> list[float]:
    """Place the numbers below the lines, in the order in which these end, none on another."""
    gap = 30.0
    order = sorted(range(len(picks)), key=lambda place: picks[place].tight_places[-1])
    found = [0.0] * len(picks)
    least = 0.0
    for rank, place in enumerate(order):
        room = width - gap * (len(order) - 1 - rank)
        found[place] = min(max(picks[place].tight_places[-1] * width, least), room)
        least = found[place] + gap
    return found
