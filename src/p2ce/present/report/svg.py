"""Draw small pictures that stay legible on a phone: shapes and text, coloured by the page's style only."""

import math
import unicodedata
from collections.abc import Sequence

from p2ce.present.charts.axis_scales import Tick
from p2ce.present.report.escaped_html import Content, Html, tag
from p2ce.visible import visible

WIDTH = 340.0  # of every drawing, in units of which a phone shows about one per pixel
SIZE = 12.0  # of letters
BOLD = 1.1 * SIZE  # the size of light letters that take as much room as bold ones
NARROW, WIDE = 0.57, 1.0  # of a letter, as a share of its height: a little more than most fonts need


def drawing(height: float, title: str, description: str, *shapes: Content) -> Html:
    """Put shapes into a picture, with a text that describes it to readers who cannot see it."""
    return tag(
        "svg",
        tag("title", title),
        tag("desc", description),
        *shapes,
        viewBox=f"0 0 {_number(WIDTH)} {_number(height)}",
        role="img",
    )


def titled(title: str, picture: Html) -> Html:
    """Put words above a picture, where they can take more lines than one."""
    return tag("div", tag("p", title, class_="drawing-title"), picture, class_="drawing")


def text(x: float, y: float, content: str, *, anchor: str = "", kind: str = "") -> Html:
    """Write one line of text."""
    return tag("text", content, x=_number(x), y=_number(y), text_anchor=anchor, class_=kind)


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "") -> Html:
    """Draw a straight line."""
    return tag("line", x1=_number(x1), y1=_number(y1), x2=_number(x2), y2=_number(y2), class_=kind)


def rect(x: float, y: float, width: float, height: float, kind: str = "", round_: float = 0.0) -> Html:
    """Draw a rectangle."""
    return tag(
        "rect",
        x=_number(x),
        y=_number(y),
        width=_number(width),
        height=_number(height),
        rx=_number(round_) if round_ else "",
        class_=kind,
    )


def circle(x: float, y: float, radius: float, kind: str = "") -> Html:
    """Draw a circle."""
    return tag("circle", cx=_number(x), cy=_number(y), r=_number(radius), class_=kind)


def polyline(points: Sequence[tuple[float, float]], kind: str = "") -> Html:
    """Draw a line through points."""
    steps = " ".join(
        f"{'L' if place else 'M'}{_number(x)} {_number(y)}" for place, (x, y) in enumerate(points)
    )
    return tag("path", d=steps, class_=kind)


def arrow(x1: float, x2: float, y: float, kind: str = "") -> Html:
    """Draw an arrow along a line of text."""
    back = math.copysign(min(5.0, abs(x2 - x1)), x1 - x2)
    tip = polyline([(x2 + back, y - 4), (x2, y), (x2 + back, y + 4)], kind)
    return Html(line(x1, y, x2, y, kind).markup + tip.markup)


def badge(x: float, y: float, number: str, place: int) -> Html:
    """Draw the number of an option in its colour, as on its card."""
    half = max(8.5, text_width(number, SIZE - 1) / 2 + 4)
    box = rect(x - half, y - 8.5, 2 * half, 17, f"option-{place}", 8.5)
    return Html(box.markup + text(x, y + 4, number, anchor="middle", kind="badge").markup)


def text_width(content: str, size: float = SIZE) -> float:
    """Estimate how wide a text is.

    >>> round(text_width("1,000"), 1)
    34.2
    """
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in content)
    return size * (NARROW * (len(content) - wide) + WIDE * wide)


def fitted(content: object, width: float, size: float = SIZE) -> str:
    """Cut a text to a width, and show that it was cut."""
    shown = visible(content)[: int(width)]  # no letter is narrower than a unit
    if text_width(shown, size) <= width and len(shown) == len(visible(content)):
        return shown
    while shown and text_width(shown + "…", size) > width:
        shown = shown[:-1]
    return shown.rstrip() + "…"


def clamped(x: float, content: str, left: float, right: float, size: float = SIZE) -> float:
    """Give the middle of a text that is to stand at x, but must not leave its room."""
    half = text_width(content, size) / 2
    return min(max(x, left + half), right - half) if right - left > 2 * half else (left + right) / 2


def spaced(ticks: Sequence[Tick], left: float, right: float) -> list[Tick]:
    """Keep the ticks whose texts have room beside each other; the first and the last stay longest."""

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


def _number(value: float) -> str:
    """Write a place in a picture; a tenth of a pixel is the least that can be seen.

    >>> _number(12.0), _number(3.14159), _number(-0.01)
    ('12', '3.1', '0')
    """
    rounded = round(value, 1)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)
