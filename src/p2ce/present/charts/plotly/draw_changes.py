"""Draw what options change with plotly: from → to, with the population behind each feature."""

from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from p2ce.present.charts.axis_scales import short
from p2ce.present.charts.change_data import ChangeData, FeatureChanges
from p2ce.present.charts.chart_labels import label
from p2ce.present.charts.chart_styles import GREY, INK, PALE, POPULATION, look_of
from p2ce.present.charts.plotly.canvas import axis, finish, rows_axis, shown

ROW, AROUND = 36, 96  # pixels for each option, and for title and ticks of each feature
POINTERS = {"below": "triangle-left", "above": "triangle-right"}
MARGIN = 0.03


def draw_changes(data: ChangeData) -> go.Figure:
    """Draw a frame per feature, in it a row per option."""
    rows = len(data.features)
    height = rows * (AROUND + ROW * len(data.options))
    figure = make_subplots(
        rows=rows,
        cols=1,
        vertical_spacing=(AROUND - 4) / height if rows > 1 else 0.0,
    )
    for place, feature in enumerate(data.features):
        _panel(figure, feature, data, {"row": place + 1, "col": 1})
    _legend(figure, data)
    lines = sum(1 for option in data.options if option.why) + 1 + data.has_population
    return finish(figure, height=height, note=data.note, legend=lines, bottom=60)


def _panel(figure: go.Figure, feature: FeatureChanges, data: ChangeData, where: dict[str, Any]) -> None:
    count = len(data.options)
    figure.update_xaxes({**axis(feature.frame.ticks), "range": [-MARGIN, 1 + MARGIN]}, **where)
    figure.update_yaxes(rows_axis([option.name for option in data.options]), **where)
    bottom, tall = count - 0.4, count + 0.2
    figure.add_trace(
        go.Bar(
            x=[(bar.begin + bar.end) / 2 for bar in feature.frame.bars],
            y=[-bar.height * tall for bar in feature.frame.bars],
            base=bottom,
            width=[bar.end - bar.begin for bar in feature.frame.bars],
            marker={"color": POPULATION, "line": {"color": "white", "width": 0.5}},
            hoverinfo="text",
            hovertext=[shown(bar.text) for bar in feature.frame.bars],
            showlegend=False,
        ),
        **where,
    )
    for edge in feature.frame.edges:
        figure.add_vline(edge, line={"color": PALE, "width": 1}, layer="below", **where)
    if feature.frame.divider is not None:
        figure.add_vline(feature.frame.divider, line={"color": GREY, "width": 1, "dash": "dot"}, **where)
    figure.add_vline(feature.today.place, line={"color": INK, "width": 1.2, "dash": "dash"}, **where)
    today_is = label(data.language, "today_is", value=short(feature.today.text, 30))
    for text, side in (
        (f"<b>{shown(short(feature.title, 40))}</b>", "left"),
        (shown(today_is), "right"),
    ):
        figure.add_annotation(
            text=text,
            x=-MARGIN if side == "left" else 1 + MARGIN,
            y=-0.75,
            xanchor=side,
            yanchor="bottom",
            showarrow=False,
            font={"size": 13 if side == "left" else 12, "color": INK if side == "left" else GREY},
            **where,
        )
    for row, (option, mark) in enumerate(zip(data.options, feature.marks, strict=True)):
        look = look_of(row)
        side = "left" if mark.place > 0.85 else "right" if mark.place < 0.15 else "center"
        if not mark.changed:
            side = "left" if mark.place > 0.8 else "right"
        start = POINTERS.get(feature.today.outside, "circle")
        end = POINTERS.get(mark.outside, look.symbol) if mark.changed else "circle-open"
        hover = shown(f"{option.name}: {short(mark.text, 60)}")
        figure.add_trace(
            go.Scatter(
                x=[feature.today.place, mark.place] if mark.changed else [mark.place],
                y=[row, row] if mark.changed else [row],
                mode="lines+markers+text" if mark.changed else "markers+text",
                line={"color": look.colour, "width": 3},
                marker={
                    "color": [INK, look.colour] if mark.changed else [GREY],
                    "symbol": [start, end] if mark.changed else [end],
                    "size": [7, 12] if mark.changed else [7],
                    "opacity": 1.0,
                    "line": {"color": "white" if mark.changed else GREY, "width": 1},
                },
                text=["", shown(short(mark.text, 34))]
                if mark.changed
                else [f"&#8194;{shown(mark.text)}&#8194;"],
                textposition=f"{'top' if mark.changed else 'middle'} {side}",
                textfont={"size": 12, "color": INK if mark.changed else GREY},
                hoverinfo="text",
                hovertext=[hover] * (2 if mark.changed else 1),
                cliponaxis=False,
                showlegend=False,
            ),
            **where,
        )


def _legend(figure: go.Figure, data: ChangeData) -> None:
    for place, option in enumerate(data.options):
        look = look_of(place)
        if option.why:
            figure.add_trace(
                go.Scatter(
                    x=[None],
                    y=[None],
                    mode="lines+markers",
                    name=shown(short(f"{option.name}: {option.why}", 84)),
                    line={"color": look.colour, "width": 3},
                    marker={"color": look.colour, "symbol": look.symbol, "size": 11},
                )
            )
    today = {"color": INK, "width": 1.2, "dash": "dash"}
    figure.add_trace(
        go.Scatter(x=[None], y=[None], mode="lines", name=label(data.language, "today"), line=today)
    )
    if data.has_population:
        figure.add_trace(
            go.Bar(
                x=[None],
                y=[None],
                name=label(data.language, "share_of_population"),
                marker={"color": POPULATION},
            )
        )
