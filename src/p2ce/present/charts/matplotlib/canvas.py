"""Make matplotlib figures that look the same everywhere, with colours that everyone can distinguish."""

import io
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from p2ce.present.charts.axis_scales import AxisScale, Tick, wrapped

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


class AreaLook(NamedTuple):
    """A colour of an area, and the hatch that marks it in greyscale."""

    colour: str
    hatch: str = ""


DIRECTION_FILLS = {
    "up": AreaLook("#0072B2"),
    "down": AreaLook("#E69F00", "////"),
    "switched": AreaLook("#B8DCCB", "...."),
}
OUTCOME_FILLS = {
    "with_options": AreaLook("#0072B2"),
    "unproven": AreaLook("#56B4E9", "...."),
    "no_recourse": AreaLook("#D55E00", "////"),
    "no_fronts": AreaLook("#E69F00", "\\\\\\\\"),
    "favourable": AreaLook("#B8DCCB"),
    "error": AreaLook("#bbbbbb", "xxxx"),
}


def look_of(place: int | None) -> Look:
    """Return the look at a position of `looks_of`, or the look of options that are not highlighted."""
    return OTHER if place is None else LOOKS[place % len(LOOKS)]


FONT = "DejaVu Sans"  # comes with matplotlib
STYLE = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "hatch.linewidth": 0.8,
    "text.parse_math": False,  # a $ in a name is a $
    "text.usetex": False,
}
DOTS_PER_INCH = 110
SMALL = 8.0  # font size of notes, in points
LETTERS = 14  # characters of a note that fit into an inch
DASHES = (0, (4, 2))  # of a line that marks today or the median
BEHIND: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}  # of texts
UNSEEN = dict.fromkeys([0x200B, 0x200C, 0x200D, 0xFE0E, 0xFE0F, 0xFEFF])  # parts of emoji and the like
KEPT = "\n\N{NO-BREAK SPACE}"  # the second keeps an amount and its currency together
NO_GLYPH = "□"
GENERIC = ("serif", "sans-serif", "cursive", "fantasy", "monospace")


def _as_png(figure: Figure) -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


# Notebooks show a figure only if pyplot has registered it, which is not imported here. The class is made by
# type(), since mypy knows its base class only if matplotlib is installed.
ChartFigure = type("ChartFigure", (Figure,), {"_repr_png_": _as_png, "__module__": __name__})


@contextmanager
def styled() -> Iterator[None]:
    """Draw in our style, whatever the user's style is. Fonts are kept, since names may need them."""
    usual = {
        name: value
        for name, value in matplotlib.rcParamsDefault.items()
        if not name.startswith("backend")  # which would change the user's own
    }
    families = list(dict.fromkeys([*_families(), FONT]))
    with matplotlib.rc_context({**usual, **STYLE, "font.family": families}):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure with a size in inches."""
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.07)
    figure: Figure = ChartFigure(figsize=(width, height), layout=layout, dpi=DOTS_PER_INCH)
    return figure


def drawable(text: str) -> str:
    """Return a text as the font can write it. A character without a glyph becomes a box."""
    known = _glyphs(_families())
    return "".join(
        one if one in KEPT else " " if not one.isprintable() else one if ord(one) in known else NO_GLYPH
        for one in text.translate(UNSEEN)
    )


def label_at(axes: Axes, across: float, up: float, text: str, **looks: Any) -> None:
    """Write a text that is never parsed as a formula, in the size of tick labels."""
    size = matplotlib.rcParams["xtick.labelsize"]
    axes.text(across, up, drawable(text), parse_math=False, **{"fontsize": size, **looks})


def write_beside(
    axes: Axes, across: float, up: float, text: str, *, gap: float, turn: float, **looks: Any
) -> None:
    """Write a text a few points to the right of a place, or to its left from `turn` on."""
    right = across < turn
    axes.annotate(
        drawable(text),
        (across, up),
        xytext=(gap if right else -gap, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        parse_math=False,
        **{"bbox": BEHIND, "zorder": 4, **looks},
    )


def set_axis(
    axis: Axis, ticks: Sequence[Tick], title: str, *, width: int = 60, scale: AxisScale | None = None
) -> None:
    """Set the range (0 to 1, or a scale), the ticks and the title of an axis, which is broken into lines."""
    low, high = (0.0, 1.0) if scale is None else (scale.low, scale.high)
    axis.axes.set(**{f"{axis.axis_name}lim": (low, high)})
    set_ticks(axis, [low + tick.place * (high - low) for tick in ticks], [tick.text for tick in ticks])
    axis.set_label_text(drawable(wrapped(title, width)) if title else "", parse_math=False)


def set_ticks(axis: Axis, places: Sequence[float], texts: Sequence[str]) -> None:
    """Write labels at places of an axis."""
    axis.set_ticks(list(places), [drawable(text) for text in texts], parse_math=False)


def set_rows(axes: Axes, texts: Sequence[str], *, above: float = 0.6, below: float = 0.4) -> None:
    """Make the vertical axis a list of rows, the first on top."""
    axes.set_ylim(len(texts) - below, -above)
    set_ticks(axes.yaxis, range(len(texts)), texts)
    axes.tick_params(axis="y", length=0)


def dot(axes: Axes, across: float, up: float, look: Look, size: float, **looks: Any) -> None:
    """Draw a marker that may extend beyond the edge of the frame."""
    axes.plot([across], [up], **{**marker(look, size), "clip_on": False, **looks})


def marker(look: Look, size: float, **looks: Any) -> dict[str, Any]:
    """Return the settings of a marker without a line."""
    usual = {"marker": look.marker, "markersize": size, "color": look.colour, "linestyle": "none"}
    return {**usual, "markeredgecolor": "white", **looks}


def legend_line(look: Look, size: float, **looks: Any) -> Line2D:
    """Make a legend's entry for a marker, or for a marker on a line."""
    return Line2D([], [], **marker(look, size, **looks))


def add_note(figure: Figure, note: str) -> None:
    """Write a note at the lower left, outside all axes."""
    if note:
        looks: dict[str, Any] = {"fontsize": SMALL, "color": GREY, "fontweight": "normal"}
        lines = textwrap.fill(note, int(LETTERS * figure.get_figwidth()), break_long_words=False)
        figure.supxlabel(drawable(lines), x=0.01, ha="left", parse_math=False, **looks)


def add_legend(
    owner: Figure | Axes, entries: Sequence[tuple[Any, str]], *, columns: int = 1, side: str = "upper left"
) -> None:
    """Add a legend of handles and labels above the axes, or above the user's own axes."""
    if not entries:
        return
    # A space before an underscore, since a legend omits names that begin with one.
    names = [" " + drawable(text) if text.startswith("_") else drawable(text) for _, text in entries]
    looks: dict[str, Any] = {"ncols": columns, "handlelength": 2.4, "borderaxespad": 0.3}
    if isinstance(owner, Axes):
        looks |= {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
    else:
        looks["loc"] = f"outside {side}"
    legend = owner.legend([handle for handle, _ in entries], names, **looks)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _families() -> tuple[str, ...]:
    """List the fonts in use by their actual names."""
    return tuple(
        name
        for family in matplotlib.rcParams["font.family"]
        for name in (matplotlib.rcParams[f"font.{family}"][:1] if family in GENERIC else [family])
    )


@lru_cache(maxsize=8)
def _glyphs(families: tuple[str, ...]) -> frozenset[int]:
    return frozenset(
        code
        for family in families
        for code in get_font(findfont(FontProperties(family=family))).get_charmap()
    )
