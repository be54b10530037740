"""Draw a map of two features with plotly."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from p2ce.present.charts.axis_scales import wrapped
from p2ce.present.charts.chart_labels import label
from p2ce.present.charts.chart_styles import ACCEPT, DOTS, GREY, INK, REJECT, look_of
from p2ce.present.charts.label_placement import number_places
from p2ce.present.charts.map_data import MapData
from p2ce.present.charts.plotly.canvas import axis, finish, shown

FRAME = (6.0, 4.2)  # inches, about


def draw_map(data: MapData) -> go.Figure:
    """Draw the regions, the population in them, the person and arrows to their options."""
    figure = go.Figure()
    _regions(figure, data)
    _people(figure, data)
    figure.update_xaxes(axis(data.across.ticks, wrapped(data.across.title, 60)))
    figure.update_yaxes(axis(data.up.ticks, wrapped(data.up.title, 44)))
    return finish(figure, height=520, note=data.note, side=True)


def _regions(figure: go.Figure, data: MapData) -> None:
    figure.add_trace(
        go.Heatmap(
            x=list(data.across.edges),
            y=list(data.up.edges),
            z=data.accepted.astype(int).tolist(),
            zmin=0,
            zmax=1,
            colorscale=[[0.0, REJECT], [1.0, ACCEPT]],
            showscale=False,
            hoverinfo="text",
            hovertext=_hovers(data),
        )
    )
    _lines(figure, data.outline(data.accepted), "", {"color": INK, "width": 1.2})
    _area(figure, label(data.language, "accepted"), ACCEPT)
    _area(figure, label(data.language, "rejected"), REJECT)
    if data.plausible is not None and not data.plausible.all():
        name = label(data.language, "implausible")
        _boxes(figure, data.boxes(~data.plausible), name, colour="rgba(255,255,255,0)", pattern="/")
    if not data.allowed.all():
        name = label(data.language, "not_allowed")
        _boxes(figure, data.boxes(~data.allowed), "", colour="rgba(255,255,255,0.5)", pattern="")
        _lines(figure, data.outline(data.allowed), name, {"color": INK, "width": 1.4, "dash": "dash"})


def _hovers(data: MapData) -> list[list[str]]:
    """Say of each cell where it is and what is the case there."""
    words = {key: label(data.language, key) for key in ("accepted", "rejected", "implausible", "not_allowed")}
    texts = []
    for row, up in enumerate(data.up.values):
        line = []
        for column, across in enumerate(data.across.values):
            verdicts = [words["accepted" if data.accepted[row, column] else "rejected"]]
            if data.plausible is not None and not data.plausible[row, column]:
                verdicts.append(words["implausible"])
            if not data.allowed[row, column]:
                verdicts.append(words["not_allowed"])
            line.append(f"{shown(across)}, {shown(up)}<br>{', '.join(verdicts)}")
        texts.append(line)
    return texts


def _boxes(figure: go.Figure, boxes: list[Any], name: str, *, colour: str, pattern: str) -> None:
    """Add boxes as one trace, since plotly has no hatched rectangles otherwise."""
    across: list[float | None] = []
    up: list[float | None] = []
    for left, low, right, high in boxes:
        across += [left, right, right, left, left, None]
        up += [low, low, high, high, low, None]
    figure.add_trace(
        go.Scatter(
            x=across,
            y=up,
            mode="lines",
            line={"width": 0, "color": "rgba(0,0,0,0)"},
            fill="toself",
            fillcolor=colour,
            fillpattern={"shape": pattern, "fgcolor": GREY, "size": 7, "solidity": 0.12} if pattern else None,
            name=name,
            showlegend=bool(name),
            hoverinfo="skip",
        )
    )


def _lines(figure: go.Figure, lines: list[Any], name: str, line: dict[str, Any]) -> None:
    across: list[float | None] = []
    up: list[float | None] = []
    for left, low, right, high in lines:
        across += [left, right, None]
        up += [low, high, None]
    figure.add_trace(
        go.Scatter(
            x=across, y=up, mode="lines", line=line, name=name, showlegend=bool(name), hoverinfo="skip"
        )
    )


def _area(figure: go.Figure, name: str, colour: str) -> None:
    """Add an entry to the legend."""
    marker = {"symbol": "square", "size": 13, "color": colour, "line": {"color": GREY, "width": 1}}
    figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=name))


def _people(figure: go.Figure, data: MapData) -> None:
    if len(data.population):
        figure.add_trace(
            go.Scatter(
                x=np.round(data.population[:, 0], 4).tolist(),
                y=np.round(data.population[:, 1], 4).tolist(),
                mode="markers",
                marker={"color": DOTS, "size": 4, "opacity": 0.6},
                name=label(data.language, "population"),
                hoverinfo="skip",
            )
        )
    arrows = [(arrow.across, arrow.up) for arrow in data.arrows]
    if data.person is not None:
        for across, up in arrows:
            figure.add_annotation(
                x=across,
                y=up,
                ax=data.person[0],
                ay=data.person[1],
                xref="x",
                yref="y",
                axref="x",
                ayref="y",
                showarrow=True,
                arrowhead=2,
                arrowwidth=1.6,
                arrowcolor=INK,
                standoff=8,
                text="",
            )
        figure.add_trace(_point(data.person, INK, "circle", label(data.language, "today"), data.person_text))
    for arrow in data.arrows:
        look = look_of(arrow.look)
        where = (arrow.across, arrow.up)
        figure.add_trace(_point(where, look.colour, look.symbol, arrow.name, f"{arrow.name}: {arrow.text}"))
    for arrow, middle in zip(data.arrows, number_places(arrows, data.person, FRAME), strict=True):
        figure.add_annotation(
            x=middle[0],
            y=middle[1],
            text=f"<b>{arrow.number}</b>",
            showarrow=False,
            bgcolor="rgba(255,255,255,0.8)",
            borderpad=1,
        )


def _point(where: tuple[float, float], colour: str, symbol: str, name: str, hover: str) -> go.Scatter:
    return go.Scatter(
        x=[where[0]],
        y=[where[1]],
        mode="markers",
        marker={"color": colour, "symbol": symbol, "size": 13, "line": {"color": "white", "width": 1.5}},
        name=shown(name),
        hoverinfo="text",
        hovertext=[shown(hover)],
        cliponaxis=False,
    )
