"""Define colours that colour-blind readers can distinguish, each with a shape."""

from typing import NamedTuple

INK, GREY, PALE = "#1a1a1a", "#5f5f5f", "#dedede"
ACCEPT, REJECT = "#d8ecf8", "#ebbd9c"  # a light blue and a darker vermilion
POPULATION = "#d9d9d9"
DOTS = "#6f6f6f"


class Look(NamedTuple):
    """A colour with its own marker and line style, in matplotlib's names."""

    colour: str
    marker: str
    line: str


LOOKS = (  # the colours of Okabe and Ito, from dark to light
    Look("#0072B2", "o", "-"),
    Look("#D55E00", "s", "--"),
    Look("#009E73", "^", "-."),
    Look("#A8487E", "D", ":"),
    Look("#E69F00", "v", "-"),
    Look("#56B4E9", "P", "--"),
)
OTHER = Look("#8a8a8a", "o", "-")


class Fill(NamedTuple):
    """A colour of an area, and the hatch that marks it in greyscale."""

    colour: str
    hatch: str = ""


DIRECTION_FILLS = {
    "up": Fill("#0072B2"),
    "down": Fill("#E69F00", "////"),
    "switched": Fill("#B8DCCB", "...."),
}
OUTCOME_FILLS = {
    "with_options": Fill("#0072B2"),
    "unproven": Fill("#56B4E9", "...."),
    "no_recourse": Fill("#D55E00", "////"),
    "no_fronts": Fill("#E69F00", "\\\\\\\\"),
    "favourable": Fill("#B8DCCB"),
    "error": Fill("#bbbbbb", "xxxx"),
}


def look_of(place: int | None) -> Look:
    """Return the look at a position of `looks_of`, or the look of options that are not highlighted."""
    return OTHER if place is None else LOOKS[place % len(LOOKS)]
