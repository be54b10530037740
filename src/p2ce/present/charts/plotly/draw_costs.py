"""Draw the costs of many people with plotly, and how many have no option."""

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from p2ce.present.charts.axis_scales import wrapped
from p2ce.present.charts.chart_styles import GREY, INK, OUTCOME_FILLS
from p2ce.present.charts.cost_data import CostData
from p2ce.present.charts.plotly.canvas import axis, finish, pattern, rows_axis, shown

HEIGHT = 600


def draw_costs(data: CostData) -> go.Figure:
    """Draw the histogram of the cheapest costs above how everybody ended."""
    figure = make_subplots(rows=2, cols=1, row_heights=[0.68, 0.32], vertical_spacing=0.24)
    figure.add_trace(
        go.Bar(
            x=[(bar.begin + bar.end) / 2 for bar in data.bars],
            y=[bar.height for bar in data.bars],
            width=[bar.end - bar.begin for bar in data.bars],
            marker={
                "color": OUTCOME_FILLS["with_options"].colour,
                "line": {"color": "white", "width": 1},
            },
            hoverinfo="text",
            hovertext=[shown(bar.text) for bar in data.bars],
            showlegend=False,
        ),
        row=1,
        col=1,
    )
    figure.update_xaxes(axis(data.ticks, wrapped(data.title, 76)), row=1, col=1)
    figure.update_yaxes(axis(data.up_ticks, data.up_title, grid=True), row=1, col=1)
    if data.empty:
        figure.add_annotation(
            x=0.5, y=0.5, text=data.empty, showarrow=False, font={"size": 16, "color": GREY}, row=1, col=1
        )
    if data.median is not None:
        figure.add_vline(data.median.place, line={"color": INK, "width": 1.5, "dash": "dash"}, row=1, col=1)
        right = data.median.place < 0.75
        figure.add_annotation(
            x=data.median.place,
            y=0.97,
            text=data.median.text,
            xanchor="left" if right else "right",
            xshift=6 if right else -6,
            showarrow=False,
            bgcolor="rgba(255,255,255,0.8)",
            row=1,
            col=1,
        )
    rows = [one for one in data.outcomes if one.people]
    for row, one in enumerate(rows):
        fill = OUTCOME_FILLS[one.outcome]
        figure.add_trace(
            go.Bar(
                x=[one.share],
                y=[row],
                orientation="h",
                width=0.66,
                marker={
                    "color": fill.colour,
                    "pattern": pattern(fill.pattern, fill.colour),
                    "line": {"color": GREY, "width": 1},
                },
                text=[one.text],
                textposition="outside",
                cliponaxis=False,
                hoverinfo="text",
                hovertext=[f"{one.name}: {one.text}"],
                showlegend=False,
            ),
            row=2,
            col=1,
        )
    figure.update_xaxes(range=[0, 1.22], visible=False, fixedrange=True, row=2, col=1)
    figure.update_yaxes(rows_axis([one.name for one in rows]), row=2, col=1)
    figure.add_annotation(
        x=0,
        y=-0.75,
        text=f"<b>{data.people_text}</b>",
        xanchor="left",
        yanchor="bottom",
        showarrow=False,
        row=2,
        col=1,
    )
    return finish(figure, height=HEIGHT, note=data.note, bottom=20)
