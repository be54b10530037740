"""Draw the most used levers with plotly."""

import plotly.graph_objects as go

from p2ce.present.charts.axis_scales import wrapped
from p2ce.present.charts.chart_styles import DIRECTION_FILLS, GREY
from p2ce.present.charts.lever_data import DIRECTIONS, LeverData
from p2ce.present.charts.plotly.canvas import axis, finish, pattern, rows_axis, shown

ROW, AROUND = 40, 120  # pixels


def draw_levers(data: LeverData) -> go.Figure:
    """Draw a bar per feature: filled for first options, by direction; outlined for any option."""
    figure = go.Figure()
    rows = list(range(len(data.levers)))
    names = data.names
    figure.add_trace(
        go.Bar(
            x=[lever.any_place for lever in data.levers],
            y=rows,
            orientation="h",
            width=0.7,
            marker={"color": "white", "line": {"color": GREY, "width": 1.2}},
            text=[lever.text for lever in data.levers],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="text",
            hovertext=[
                shown(f"{lever.name}: {lever.any_text}, {names['any_option']}") for lever in data.levers
            ],
            name=names["any_option"],
            legendrank=2000,
        )
    )
    for direction in DIRECTIONS:
        parts = [
            (row, lever, begin, end)
            for row, lever in enumerate(data.levers)
            for one, begin, end in lever.places
            if one == direction
        ]
        if not parts:
            continue
        fill = DIRECTION_FILLS[direction]
        figure.add_trace(
            go.Bar(
                x=[end - begin for _, _, begin, end in parts],
                y=[row for row, _, _, _ in parts],
                base=[begin for _, _, begin, _ in parts],
                orientation="h",
                width=0.7,
                marker={
                    "color": fill.colour,
                    "pattern": pattern(fill.pattern, fill.colour),
                    "line": {"color": GREY, "width": 1.2},
                },
                hoverinfo="text",
                hovertext=[
                    shown(f"{lever.name}: {lever.first_text}, {names[direction]}") for _, lever, _, _ in parts
                ],
                name=names[direction],
            )
        )
    figure.update_xaxes({**axis(data.ticks, data.title, grid=True), "range": [0, 1.15]})
    figure.update_yaxes(rows_axis([wrapped(lever.name, 26) for lever in data.levers]))
    used = len(figure.data)
    return finish(figure, height=AROUND + ROW * len(rows), note=data.note, legend=used)
