"""Draw the front as SVG: points for two objectives, lines across scales for more."""

from markupsafe import Markup

from p2ce.present.charts.axis_scales import pushed_apart
from p2ce.present.charts.front_data import FrontData, FrontPoint
from p2ce.present.charts.svg import shapes as svg
from p2ce.present.wording import Wording

TOP, BOTTOM = 42.0, 240.0
MOST_OTHERS = 400  # points or lines that are not picks; more would only be a blot
SIDE, FIRST, STEP = 8.0, 34.0, 72.0  # of parallel scales
BADGE_GAP = 30.0  # between the middles of numbers next to each other
AROUND = ((0, -17), (17, -12), (19, 0), (-17, -12), (-19, 0), (17, 12), (0, 17), (-17, 12), (0, -34), (34, 0))


def draw_front(data: FrontData, wording: Wording) -> Markup | None:
    """Draw all options by their costs, or nothing if there is nothing to compare."""
    if len(data.axes) < 2 or len(data.points) < 2:
        return None
    title = wording.say("chart_front_title", objectives=", ".join(axis.title for axis in data.axes))
    descriptions = []
    for point in data.picks:
        pairs = zip(data.axes, point.costs, strict=True)
        costs = ", ".join(f"{axis.title} {wording.numbers.cost(cost)}" for axis, cost in pairs)
        descriptions.append(f"{point.name}: {costs}")
    height, shapes = _points(data) if len(data.axes) == 2 else _lines(data)
    return svg.drawing(height, title, "; ".join(descriptions), shapes)


def _others(data: FrontData) -> list[FrontPoint]:
    others = [point for point in data.points if point.look is None]
    return others[:: max(1, -(-len(others) // MOST_OTHERS))]


def _points(data: FrontData) -> tuple[float, list[Markup]]:
    across, up = data.axes
    left = min(max([svg.text_width(tick.text) for tick in up.ticks] + [20.0]) + 14, 100.0)
    right = svg.WIDTH - 14

    def at(point: FrontPoint) -> tuple[float, float]:
        return left + point.places[0] * (right - left), BOTTOM - point.places[1] * (BOTTOM - TOP)

    shapes = [svg.text(0, 12, f"↑ {svg.fitted(up.title, svg.WIDTH - 30, svg.BOLD)}", kind="strong")]
    shapes += svg.axis_up(up.ticks, left, right, TOP, BOTTOM, gap=10)
    shapes += svg.axis_across(across.ticks, left, right, BOTTOM, drop=17)
    shapes.append(svg.line(left, BOTTOM, right, BOTTOM))
    named = f"{svg.fitted(across.title, svg.WIDTH - 30, svg.BOLD)} →"
    shapes.append(svg.text(right, BOTTOM + 36, named, anchor="end", kind="strong"))
    drawn = {(round(x), round(y)) for x, y in map(at, _others(data))}
    shapes += [svg.circle(x, y, 4, "other") for x, y in sorted(drawn)]
    shapes += [svg.circle(*at(point), 5, f"option-{point.look}") for point in data.picks]
    taken = [at(point) for point in data.picks]
    for point in data.picks:
        taken.append(_free_place(at(point), taken, left))
        shapes.append(svg.badge(*taken[-1], point.mark, point.look))
    return BOTTOM + 44, shapes


def _free_place(
    point: tuple[float, float], taken: list[tuple[float, float]], left: float
) -> tuple[float, float]:
    """Find a place next to a point where its number covers neither another point nor another number."""
    around = [(point[0] + dx, point[1] + dy) for dx, dy in AROUND]
    inside = [(x, y) for x, y in around if left + 6 <= x <= svg.WIDTH - 10 and TOP - 18 <= y <= BOTTOM - 9]
    free = [
        place
        for place in inside
        if all(abs(place[0] - x) >= 15 or abs(place[1] - y) >= 14.5 for x, y in taken)
    ]
    return [*free, *inside, point][0]


def _lines(data: FrontData) -> tuple[float, list[Markup]]:
    """Draw a scale per objective, one below the other, since a phone is higher than it is wide."""
    left, right = SIDE, svg.WIDTH - SIDE
    heights = [FIRST + STEP * place for place in range(len(data.axes))]
    foot = heights[-1] + 44

    def crossings(point: FrontPoint) -> list[tuple[float, float]]:
        places = zip(point.tight_places, heights, strict=True)
        return [(left + place * (right - left), y) for place, y in places]

    # Lines that would cover each other are drawn once.
    others = {tuple(round(x) for x, _ in crossings(point)): point for point in reversed(_others(data))}
    shapes = [svg.polyline(crossings(point), "other") for point in reversed(others.values())]
    free = pushed_apart([point.tight_places[-1] for point in data.picks], BADGE_GAP / (right - left))
    numbers = [left + place * (right - left) for place in free]
    for point, x in zip(data.picks, numbers, strict=True):
        shapes.append(svg.polyline([*crossings(point), (x, foot - 9)], f"option-{point.look}"))
    for axis, y in zip(data.axes, heights, strict=True):
        ends = " – ".join(tick.text for tick in axis.tight_ticks)
        name = svg.fitted(axis.title, svg.WIDTH - svg.text_width(ends) - 16, svg.BOLD)
        shapes.append(svg.line(left, y, right, y))
        shapes.append(svg.text(0, y - 13, name, kind="strong halo"))
        shapes.append(svg.text(svg.WIDTH, y - 13, ends, anchor="end", kind="grey halo"))
    for point in data.picks:
        shapes += [svg.circle(x, y, 4, f"option-{point.look}") for x, y in crossings(point)]
    for point, x in zip(data.picks, numbers, strict=True):
        shapes.append(svg.badge(x, foot, point.mark, point.look))
    return foot + 12, shapes
