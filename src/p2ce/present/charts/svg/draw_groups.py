"""Draw a metric of groups as SVG: a dot with its interval for each, and a line for all people."""

from collections.abc import Callable

from markupsafe import Markup

from p2ce.present.charts.axis_scales import distinct_cuts
from p2ce.present.charts.group_data import GroupData, GroupRow
from p2ce.present.charts.svg import shapes as svg

TOP, ROW = 20.0, 25.0
NAMES, FIGURES = 112.0, 58.0  # room for names on the left, and for figures on the right


def draw_groups(data: GroupData) -> Markup:
    """Draw one line per group."""
    longest = max(svg.text_width(row.name) for row in data.rows)
    left, right = min(max(longest, 24.0), NAMES) + 14, svg.WIDTH - FIGURES
    bottom = TOP + ROW * len(data.rows)

    def x(place: float) -> float:
        return left + place * (right - left)

    shapes: list[Markup] = []
    if data.whole is not None:
        shapes.append(svg.line(x(data.whole.place), TOP - 4, x(data.whole.place), bottom, "today"))
        middle = svg.clamped(x(data.whole.place), data.whole.text, left, svg.WIDTH)
        shapes.append(svg.text(middle, TOP - 8, data.whole.text, anchor="middle", kind="grey"))
    names = distinct_cuts([row.name for row in data.rows], lambda name: svg.fitted(name, left - 12))
    for place, (name, row) in enumerate(zip(names, data.rows, strict=True)):
        y = TOP + ROW * (place + 0.5)
        small = row.place is None
        shapes.append(svg.text(0, y + 4, name, kind="grey" if small else ""))
        shapes.append(
            svg.text(right + 10, y + 4, svg.fitted(row.text, FIGURES - 6), kind="grey" if small else "strong")
        )
        if not small:
            shapes += _marks(row, y, x)
    shapes.append(svg.line(left, bottom, right, bottom))
    shapes += svg.axis_across(data.ticks, left, right, bottom, drop=17)
    if data.note:
        shapes.append(svg.text(0, bottom + 36, svg.fitted(data.note, svg.WIDTH), kind="grey"))
    description = "; ".join(f"{row.name}: {row.text}" for row in data.rows)
    return svg.titled(
        data.title, svg.drawing(bottom + (42 if data.note else 22), data.title, description, shapes)
    )


def _marks(row: GroupRow, y: float, x: Callable[[float], float]) -> list[Markup]:
    assert row.place is not None
    assert row.low is not None
    assert row.high is not None
    shapes = []
    if row.box is not None:
        wide = max(x(row.box[1]) - x(row.box[0]), 1.0)
        shapes.append(svg.rect(x(row.box[0]), y - 6, wide, 12, "pale-bar", 2))
    if row.has_end:
        shapes.append(svg.line(x(row.low), y, x(row.high), y, "option-0"))
    else:
        shapes.append(svg.arrow_line(x(row.low), x(row.high), y, "option-0"))
    shapes.append(svg.circle(x(row.place), y, 4.2, "option-0"))
    return shapes
