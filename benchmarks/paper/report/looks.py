"""How does each method look in figures? A colour that the colour-blind distinguish, and a shape."""

from dataclasses import dataclass

INK, GREY, PALE = "#1a1a1a", "#6b6b6b", "#e3e3e3"
FIGURE_STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
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
    "legend.frameon": False,
    "text.parse_math": False,  # a $ in a name is a $
    "svg.hashsalt": "p2ce",  # the same figure is the same file
    "svg.fonttype": "path",  # looks the same where the font is not installed
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Colour, and the marker that separates methods in greyscale; bars have names beside them."""

    colour: str
    marker: str
    size: float = 7.0


LOOKS = {  # the colours of Okabe and Ito
    "mapocam": Look(colour="#E69F00", marker="s"),
    "p2ce-ablation": Look(colour="#56B4E9", marker="v"),
    "p2ce": Look(colour="#0072B2", marker="o"),
    "proven": Look(colour="#000000", marker="*", size=12.0),
    "dice-genetic": Look(colour="#D55E00", marker="^"),
    "dice-free": Look(colour="#8A3D00", marker="<"),
    "dice-code": Look(colour="#7D3560", marker=">"),
    "authors-mapocam": Look(colour="#A87400", marker="p"),
    "authors-ablation": Look(colour="#2F8FC4", marker="d"),
    "authors-p2ce": Look(colour="#003F66", marker="H"),
    "dice-random": Look(colour="#CC79A7", marker="D", size=6.0),
    "nice": Look(colour="#009E73", marker="P", size=8.0),
    "ocean": Look(colour="#7A7A7A", marker="X", size=8.0),
}
UNKNOWN = Look(colour=GREY, marker="h")


def look_of(method: str) -> Look:
    return LOOKS.get(method, UNKNOWN)
