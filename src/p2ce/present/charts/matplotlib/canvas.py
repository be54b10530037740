"""Make matplotlib figures that look the same everywhere, show themselves in notebooks, and leave no trace."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine

from p2ce.present.charts.axis_scales import Tick
from p2ce.present.charts.chart_styles import GREY, INK, PALE

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
SMALL = 8.0  # points, of notes
UNSEEN = dict.fromkeys([0x200B, 0x200C, 0x200D, 0xFE0E, 0xFE0F, 0xFEFF])  # parts of emoji and the like
NO_GLYPH = "□"


def _as_png(figure: Figure) -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


# Notebooks show a figure only once pyplot has taught them how, which is not imported here. Made by type(),
# since the class that it derives from is known to mypy only where matplotlib is installed.
ChartFigure = type("ChartFigure", (Figure,), {"_repr_png_": _as_png, "__module__": __name__})


@contextmanager
def styled() -> Iterator[None]:
    """Draw in our style whatever the user's is, but for fonts, which their names may need."""
    usual = {
        name: value
        for name, value in matplotlib.rcParamsDefault.items()
        if not name.startswith("backend")  # which would change the user's own
    }
    with matplotlib.rc_context({**usual, **STYLE, "font.family": list(_families())}):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure of so many inches."""
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.07)
    figure: Figure = ChartFigure(figsize=(width, height), layout=layout, dpi=DOTS_PER_INCH)
    return figure


def figure_of(axes: Any) -> Figure:
    """Give the figure to which a user's own axes belong."""
    figure: Figure = axes.figure
    return figure


def shown(text: str) -> str:
    """Give a text as the font can write it; what has no glyph becomes a box, as it would with a warning."""
    known = _glyphs(_families())
    return "".join(
        one if one == "\n" or ord(one) in known else " " if not one.isprintable() else NO_GLYPH
        for one in text.translate(UNSEEN)
    )


def write(axes: Axes, across: float, up: float, text: str, **looks: Any) -> Any:
    """Write a text that is never read as a formula."""
    return axes.text(across, up, shown(text), parse_math=False, **looks)


def set_ticks(axis: Axis, ticks: Sequence[Tick], *, low: float = 0.0, high: float = 1.0) -> None:
    """Put ticks and their texts on an axis that goes from `low` to `high`."""
    axis.set_ticks(
        [low + tick.place * (high - low) for tick in ticks],
        [shown(tick.text) for tick in ticks],
        parse_math=False,
    )


def add_note(figure: Figure, note: str) -> None:
    """Write a note at the lower left, outside of all axes."""
    if note:
        figure.supxlabel(
            shown(note), x=0.01, ha="left", fontsize=SMALL, color=GREY, fontweight="normal", parse_math=False
        )


def add_legend(
    owner: Figure | Axes,
    handles: Sequence[Any],
    texts: Sequence[str],
    *,
    columns: int = 1,
    side: str = "upper left",
) -> None:
    """Add a legend above the axes, or above one that belongs to the user."""
    if not handles:
        return
    # Said as names of a figure's own, since a legend leaves out what begins with an underscore.
    names = [" " + shown(text) if text.startswith("_") else shown(text) for text in texts]
    looks: dict[str, Any] = {"ncols": columns, "handlelength": 2.4, "borderaxespad": 0.3}
    if isinstance(owner, Axes):
        legend = owner.legend(handles, names, loc="lower left", bbox_to_anchor=(0.0, 1.0), **looks)
    else:
        legend = owner.legend(handles, names, loc=f"outside {side}", **looks)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _families() -> tuple[str, ...]:
    """List the fonts to write with: the user's, where they chose any, and one that is always there."""
    own = [
        name
        for family in matplotlib.rcParams["font.family"]
        for name in (matplotlib.rcParams[f"font.{family}"][:1] if family in GENERIC else [family])
    ]
    return tuple(dict.fromkeys([*own, FONT]))


GENERIC = ("serif", "sans-serif", "cursive", "fantasy", "monospace")


@lru_cache(maxsize=8)
def _glyphs(families: tuple[str, ...]) -> frozenset[int]:
    return frozenset(
        code
        for family in families
        for code in get_font(findfont(FontProperties(family=family))).get_charmap()
    )
