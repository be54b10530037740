"""Make plotly figures that look alike, and in which names are text and nothing else."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from p2ce.present.charts.axis_scales import Tick
from p2ce.present.charts.chart_styles import GREY, INK, PALE

FONT = {"family": "system-ui, Segoe UI, Roboto, Helvetica, Arial, sans-serif", "size": 13, "color": INK}
LINE = 20  # pixels that a line of a legend or note takes
# Plotly reads some HTML in texts, and formulas between dollars.
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "\n": "<br>"})


def shown(text: str) -> str:
    """Give a text that is shown as it is.

    >>> shown("<b> $x$")
    '&lt;b&gt; &#36;x&#36;'
    """
    return text.translate(ESCAPES)


def finish(
    figure: go.Figure, *, height: int, note: str = "", legend: int = 0, bottom: int = 60, side: bool = False
) -> go.Figure:
    """Give a figure its size and style; `legend` is how many lines stand above the axes."""
    above = 24 + LINE * legend
    place = (
        {"x": 1.02, "xanchor": "left", "y": 1.0, "yanchor": "top"}
        if side
        else {
            "x": 0.0,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "bottom",
            "yref": "container",
            "orientation": "v",
        }
    )
    if not side:
        place |= {"y": 1.0 - 8 / (height + above), "yanchor": "top"}
    figure.update_layout(
        template="none",
        font=FONT,
        height=height + above,
        margin={"l": 70, "r": 30, "t": above + 16, "b": bottom + (LINE + 16 if note else 0)},
        paper_bgcolor="white",
        plot_bgcolor="white",
        hovermode="closest",
        hoverlabel={"bgcolor": "white", "font": {"color": INK}},
        legend={**place, "tracegroupgap": 0},
        barmode="overlay",
        bargap=0,
    )
    if note:
        figure.add_annotation(
            text=shown(note),
            xref="paper",
            yref="paper",
            x=0,
            y=0,
            xanchor="left",
            yanchor="top",
            yshift=-bottom,
            showarrow=False,
            align="left",
            font={"size": 11, "color": GREY},
        )
    return figure


def axis(
    ticks: Sequence[Tick], title: str = "", *, low: float = 0.0, high: float = 1.0, grid: bool = False
) -> dict[str, Any]:
    """Describe an axis from `low` to `high` with its ticks."""
    return {
        "range": [low, high],
        "tickmode": "array",
        "tickvals": [low + tick.place * (high - low) for tick in ticks],
        "ticktext": [shown(tick.text) for tick in ticks],
        "title": {"text": shown(title), "standoff": 12, "font": {"size": 13}},
        "tickangle": 0,
        "tickfont": {"size": 12},
        "showgrid": grid,
        "gridcolor": PALE,
        "zeroline": False,
        "showline": True,
        "linecolor": GREY,
        "ticks": "outside",
        "tickcolor": GREY,
        "fixedrange": True,
        "automargin": True,
    }


def rows_axis(names: Sequence[str]) -> dict[str, Any]:
    """Describe an axis with a named row for each thing, the first on top."""
    return {
        "range": [len(names) - 0.4, -0.75],
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": [shown(name) for name in names],
        "ticklabelstandoff": 6,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
    }


def pattern(shape: str, colour: str) -> dict[str, Any]:
    """Describe a hatch in white over a colour."""
    return {"shape": shape, "bgcolor": colour, "fgcolor": "white", "size": 7, "solidity": 0.25}
