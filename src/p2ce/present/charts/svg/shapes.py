"""Make the shapes and texts of small pictures. The page's style colours them by their class."""

import math
import unicodedata
from collections.abc import Sequence

from markupsafe import Markup, escape

from p2ce.base.visible import abridged, visible
from p2ce.present.charts.axis_scales import Tick

WIDTH = 340.0  # width of every drawing; on a phone, a unit is about a pixel
SIZE = 12.0  # of letters
BOLD = 1.2 * SIZE  # the size of light letters that take as much room as bold ones
NARROW, WIDE = 0.57, 1.0  # width of a letter, as a share of its height: a little more than most fonts need
EMPTY = ("line", "rect", "circle", "path")  # elements without content


def tag(name: str, /, *children: str, **attributes: str | float) -> Markup:
    """Make an element. ``class_`` is written as class, and an attribute that is "" is left out.

    >>> tag("text", "a < b", x=3.14159, class_="grey")
    Markup('<text x="3.1" class="grey">a &lt; b</text>')
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_written(value))}"'
        for key, value in attributes.items()
        if value != ""
    )
    if name in EMPTY:
        return Markup(f"<{name}{written}/>")
    inside = "".join(one if isinstance(one, Markup) else escape(visible(one)) for one in children)
    return Markup(f"<{name}{written}>{inside}</{name}>")


def _written(value: str | float) -> str:
    """Write an attribute. A tenth of a pixel is the least that can be seen."""
    if isinstance(value, str):
        return visible(value)
    rounded = round(value, 1)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def drawing(height: float, title: str, description: str, shapes: Sequence[Markup]) -> Markup:
    """Put shapes into a picture, with a description for readers who cannot see it."""
    size = f"0 0 {_written(WIDTH)} {_written(height)}"
    return tag("svg", tag("title", title), tag("desc", description), *shapes, viewBox=size, role="img")


def titled(title: str, picture: Markup) -> Markup:
    """Put text above a picture, where it can take several lines."""
    return tag("div", tag("p", title, class_="drawing-title"), picture, class_="drawing")


def text(x: float, y: float, content: str, *, anchor: str = "", kind: str = "") -> Markup:
    """Write one line of text."""
    return tag("text", content, x=x, y=y, text_anchor=anchor, class_=kind)


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "") -> Markup:
    """Draw a straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def rect(x: float, y: float, width: float, height: float, kind: str, rx: float | str = "") -> Markup:
    """Draw a rectangle."""
    return tag("rect", x=x, y=y, width=width, height=height, rx=rx, class_=kind)


def circle(x: float, y: float, radius: float, kind: str) -> Markup:
    """Draw a circle."""
    return tag("circle", cx=x, cy=y, r=radius, class_=kind)


def polyline(points: Sequence[tuple[float, float]], kind: str) -> Markup:
    """Draw a line through points."""
    steps = [f"{'L' if place else 'M'}{_written(x)} {_written(y)}" for place, (x, y) in enumerate(points)]
    return tag("path", d=" ".join(steps), class_=kind)


def arrow_line(x1: float, x2: float, y: float, kind: str) -> Markup:
    """Draw an arrow along a line of text."""
    back = math.copysign(min(5.0, abs(x2 - x1)), x1 - x2)
    return line(x1, y, x2, y, kind) + polyline([(x2 + back, y - 4), (x2, y), (x2 + back, y + 4)], kind)


def badge_half(mark: str) -> float:
    """Return half of the width of an option's mark."""
    return max(8.5, text_width(mark, SIZE - 1) / 2 + 4)


def badge(x: float, y: float, mark: str, look: int | None) -> Markup:
    """Draw the number or letter of an option in its colour, as on its card."""
    half = badge_half(mark)
    box = rect(x - half, y - 8.5, 2 * half, 17, f"option-{look}", 8.5)
    return box + text(x, y + 4, mark, anchor="middle", kind="badge")


def axis_across(
    ticks: Sequence[Tick], left: float, right: float, y: float, *, drop: float, marks: bool = True
) -> list[Markup]:
    """Write the ticks that fit below a horizontal axis, with a small mark at each."""
    shapes = []
    for tick in spaced(ticks, left, right):
        x = left + tick.place * (right - left)
        shapes += [line(x, y, x, y + 4)] if marks else []
        middle = clamped(x, tick.text, 0, WIDTH)
        shapes.append(text(middle, y + drop, tick.text, anchor="middle", kind="grey"))
    return shapes


def axis_up(
    ticks: Sequence[Tick], left: float, right: float, top: float, bottom: float, *, gap: float
) -> list[Markup]:
    """Write the ticks of a vertical axis, with a pale line across at each."""
    shapes = []
    for tick in ticks:
        y = bottom - tick.place * (bottom - top)
        shapes.append(line(left, y, right, y, "pale"))
        shapes.append(text(left - gap, y + 4, tick.text, anchor="end", kind="grey"))
    return shapes


def text_width(content: str, size: float = SIZE) -> float:
    """Estimate the width of a text.

    >>> round(text_width("1,000"), 1)
    34.2
    """
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in content)
    return size * (NARROW * (len(content) - wide) + WIDE * wide)


def fitted(content: str, width: float, size: float = SIZE) -> str:
    """Cut the middle of a text to a width, and mark the cut."""
    shown = abridged(content, most := max(int(width), 1))  # no letter is narrower than a unit
    while most > 1 and text_width(shown, size) > width:
        most -= 1
        shown = abridged(content, most)
    return shown


def clamped(x: float, content: str, left: float, right: float, size: float = SIZE) -> float:
    """Return the middle of a text that should be at x but must stay inside its room."""
    half = text_width(content, size) / 2
    return min(max(x, left + half), right - half) if right - left > 2 * half else (left + right) / 2


def spaced(ticks: Sequence[Tick], left: float, right: float) -> list[Tick]:
    """Keep the ticks whose labels fit next to each other. The first and the last are dropped last."""

    def ends(tick: Tick) -> tuple[float, float]:
        middle = clamped(left + tick.place * (right - left), tick.text, left - 8, right + 8)
        half = text_width(tick.text) / 2 + 3
        return middle - half, middle + half

    kept: list[Tick] = []
    for tick in [*ticks[-1:], *ticks[:-1]]:
        begin, end = ends(tick)
        if all(end <= ends(other)[0] or begin >= ends(other)[1] for other in kept):
            kept.append(tick)
    return sorted(kept, key=lambda tick: tick.place)
