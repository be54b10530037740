"""Draw a Pareto front with plotly: pairs of objectives, or parallel coordinates."""

import math
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from p2ce.present.charts.axis_scales import short, wrapped
from p2ce.present.charts.chart_labels import label
from p2ce.present.charts.chart_styles import GREY, look_of
from p2ce.present.charts.front_data import FrontData, FrontPoint
from p2ce.present.charts.label_placement import place_labels, spread_out
from p2ce.present.charts.plotly.canvas import axis, finish, rows_axis, shown

COLUMNS = 3
MOST_NUMBERED = 12
MOST_ROWS = 12
FRAME = {1: (7.0, 3.6), 2: (3.6, 2.8), 3: (2.4, 2.4)}  # inches of a panel, by columns
ACROSS, UP = {1: "right", 0: "center", -1: "left"}, {1: "top", 0: "middle", -1: "bottom"}


def draw_front(data: FrontData, *, kind: str) -> go.Figure:
    """Draw "pairs" or "parallel"; one objective is drawn as a row per option."""
    if len(data.axes) == 1:
        return _rows(data)
    return _parallel(data) if kind == "parallel" else _pairs(data)


def _pairs(data: FrontData) -> go.Figure:
    columns = min(len(data.pairs), COLUMNS)
    rows = math.ceil(len(data.pairs) / columns)
    figure = make_subplots(rows=rows, cols=columns, horizontal_spacing=0.11, vertical_spacing=0.28 / rows)
    for place, pair in enumerate(data.pairs):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        across, up = (data.axes[one] for one in pair)
        width = 60 if columns == 1 else 30
        figure.update_xaxes(
            axis(
                across.ticks,
                wrapped(across.title, width),
                low=across.scale.low,
                high=across.scale.high,
                grid=True,
            ),
            **where,
        )
        figure.update_yaxes(
            axis(up.ticks, wrapped(up.title, 30), low=up.scale.low, high=up.scale.high, grid=True), **where
        )
        positions = _positions(data, pair, FRAME[columns])
        for point in sorted(data.points, key=lambda point: point.pick is not None):
            trace = _dot(data, point, [point.costs[pair[0]]], [point.costs[pair[1]]], legend=place == 0)
            numbered = point.number in positions
            trace.update(
                mode="markers+text" if numbered else "markers",
                text=[positions[point.number][0]] if numbered else None,
                textposition=positions[point.number][1] if numbered else None,
                cliponaxis=False,
            )
            figure.add_trace(go.Scatter(**trace), **where)
    return finish(
        figure,
        height=420 if rows == 1 else 330 * rows,
        note=label(data.language, "lower_is_better"),
        legend=_lines(data),
    )


def _positions(
    data: FrontData, pair: tuple[int, int], frame: tuple[float, float]
) -> dict[int, tuple[str, str]]:
    """Say on which side of its point each label goes: that of the first of the options at one place."""
    groups = data.ties(pair)
    numbered = len(data.points) <= MOST_NUMBERED
    texts = [
        ", ".join(str(point.number) for point in group if numbered or point.pick is not None)
        for group in groups
    ]
    points = [(group[0].places[pair[0]] * frame[0], group[0].places[pair[1]] * frame[1]) for group in groups]
    found = {}
    for group, text, point, middle in zip(
        groups, texts, points, place_labels(points, texts, frame), strict=True
    ):
        sides = [round(math.copysign(abs(b - a) > 0.05, b - a)) for a, b in zip(point, middle, strict=True)]
        if text:
            first = next((one for one in group if one.pick is not None), group[0])
            found[first.number] = (text, f"{UP[sides[1]]} {ACROSS[sides[0]]}")
    return found


def _parallel(data: FrontData) -> go.Figure:
    figure = go.Figure()
    count = len(data.axes)
    for place, one in enumerate(data.axes):
        figure.add_shape(type="line", x0=place, x1=place, y0=0, y1=1, line={"color": GREY, "width": 1})
        for tick in one.tight_ticks:
            figure.add_annotation(
                x=place,
                y=tick.place,
                text=shown(tick.text),
                showarrow=False,
                yshift=-16 if tick.place < 0.5 else 16,
            )
    for point in sorted(data.points, key=lambda point: point.pick is not None):
        figure.add_trace(
            go.Scatter(**_dot(data, point, list(range(count)), list(point.tight_places), line=True))
        )
    named = list(data.points if len(data.points) <= MOST_NUMBERED else data.picks)
    ends = [point.tight_places[-1] for point in named]
    for point, height in zip(named, spread_out(ends, 0.05), strict=True):
        figure.add_annotation(
            x=count - 1,
            y=height,
            text=f"<b>{point.number}</b>" if point.pick is not None else str(point.number),
            showarrow=False,
            xanchor="left",
            xshift=12,
        )
    figure.update_xaxes(
        range=[-0.3, count - 0.7],
        tickvals=list(range(count)),
        ticktext=[shown(wrapped(one.title, 16, 3)) for one in data.axes],
        showgrid=False,
        zeroline=False,
        ticklabelstandoff=18,
        fixedrange=True,
    )
    figure.update_yaxes(range=[-0.08, 1.08], visible=False, fixedrange=True)
    note = " ".join(label(data.language, key) for key in ("lower_is_better", "each_own_scale"))
    return finish(figure, height=480, note=note, legend=_lines(data) + 1, bottom=100)


def _rows(data: FrontData) -> go.Figure:
    figure = go.Figure()
    one = data.axes[0]
    kept = sorted(data.points, key=lambda point: (point.pick is None, point.costs, point.number))[:MOST_ROWS]
    rows = sorted(kept, key=lambda point: (point.costs, point.number))
    for row, point in enumerate(rows):
        trace = _dot(data, point, [one.scale.low, point.costs[0]], [row, row], line=True)
        trace["marker"] |= {"opacity": [0, 1], "size": 11 if point.pick is not None else 8}
        trace["line"] = {**trace["line"], "dash": "solid"}
        figure.add_trace(go.Scatter(**trace))
    figure.update_xaxes(
        axis(one.ticks, wrapped(one.title, 60), low=one.scale.low, high=one.scale.high, grid=True)
    )
    figure.update_yaxes(rows_axis([point.name for point in rows]))
    notes = [label(data.language, "lower_is_better_here")]
    if len(rows) < len(data.points):
        notes.insert(0, label(data.language, "shown_of", shown=len(rows), all=len(data.points)))
    return finish(figure, height=150 + 34 * len(rows), note=" ".join(notes), legend=_lines(data))


def _dot(
    data: FrontData,
    point: FrontPoint,
    across: list[Any],
    up: list[Any],
    *,
    legend: bool = True,
    line: bool = False,
) -> dict[str, Any]:
    """Describe the trace of one option; all that are no picks share one entry of the legend."""
    look, picked = look_of(point.pick), point.pick is not None
    others = [one.number for one in data.points if one.pick is None]
    costs = [f"{shown(one.title)}: {text}" for one, text in zip(data.axes, point.texts, strict=True)]
    hover = "<br>".join([shown(short(data.legend_of(point), 84)), *costs])
    return {
        "x": across,
        "y": up,
        "mode": "lines+markers" if line else "markers",
        "name": shown(short(data.legend_of(point), 84)) if picked else label(data.language, "others"),
        "legendgroup": str(point.number) if picked else "others",
        "legendrank": point.number if picked else 10_000,
        "showlegend": legend and (picked or point.number == others[0]),
        "marker": {
            "color": look.colour,
            "symbol": look.symbol,
            "size": 11 if picked else (4 if line else 7),
            "opacity": 1.0,
            "line": {"color": "white", "width": 1},
        },
        "line": {"color": look.colour, "dash": look.dash, "width": 2.5 if picked else 1},
        "opacity": 1.0 if picked else 0.7,
        "hoverinfo": "text",
        "hovertext": [hover] * len(across),
    }


def _lines(data: FrontData) -> int:
    return len(data.picks) + (len(data.picks) < len(data.points))
