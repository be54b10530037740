"""Define colours that colour-blind readers can distinguish, and a shape for each."""

from dataclasses import dataclass

INK, GREY, PALE, PAPER = "#1a1a1a", "#5f5f5f", "#dedede", "#ffffff"
ACCEPT, REJECT = "#d8ecf8", "#ebbd9c"  # a light blue and a darker vermilion
POPULATION = "#d9d9d9"
DOTS = "#6f6f6f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A colour with a shape and a line of its own; names of both libraries."""

    colour: str
    marker: str  # matplotlib's
    symbol: str  # plotly's
    line: str  # matplotlib's line style
    dash: str  # plotly's


LOOKS = (  # the colours of Okabe and Ito, from dark to light
    Look(colour="#0072B2", marker="o", symbol="circle", line="-", dash="solid"),
    Look(colour="#D55E00", marker="s", symbol="square", line="--", dash="dash"),
    Look(colour="#009E73", marker="^", symbol="triangle-up", line="-.", dash="dashdot"),
    Look(colour="#A8487E", marker="D", symbol="diamond", line=":", dash="dot"),
    Look(colour="#E69F00", marker="v", symbol="triangle-down", line="-", dash="solid"),
    Look(colour="#56B4E9", marker="P", symbol="cross", line="--", dash="dash"),
)
OTHER = Look(colour="#8a8a8a", marker="o", symbol="circle", line="-", dash="solid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """A colour of an area, and the hatch that marks it in greyscale."""

    colour: str
    hatch: str  # matplotlib's
    pattern: str  # plotly's


DIRECTION_FILLS = {
    "up": Fill(colour="#0072B2", hatch="", pattern=""),
    "down": Fill(colour="#E69F00", hatch="////", pattern="/"),
    "switched": Fill(colour="#B8DCCB", hatch="....", pattern="."),
}
OUTCOME_FILLS = {
    "with_options": Fill(colour="#0072B2", hatch="", pattern=""),
    "unproven": Fill(colour="#56B4E9", hatch="....", pattern="."),
    "no_recourse": Fill(colour="#D55E00", hatch="////", pattern="/"),
    "no_fronts": Fill(colour="#E69F00", hatch="\\\\\\\\", pattern="\\"),
    "favourable": Fill(colour="#B8DCCB", hatch="", pattern=""),
    "error": Fill(colour="#bbbbbb", hatch="xxxx", pattern="x"),
}


def look_of(place: int | None) -> Look:
    """Give the look of the how-manieth option that is shown; of None, of any other."""
    return OTHER if place is None else LOOKS[place % len(LOOKS)]
