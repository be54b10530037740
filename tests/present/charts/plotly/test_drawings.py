"""Drawings by plotly hold everything, and names in them are text."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import plotly.graph_objects as go
import pytest

from p2ce.present.charts import front_data, plot_changes, plot_costs, plot_front, plot_levers, plot_map
from p2ce.result import Explanations, Status
from tests.present.charts.examples import (
    answer,
    front,
    hostile,
    housing_map,
    loan,
    loan_map,
    many_labels,
    portfolio,
)

PICTURES: dict[str, Callable[..., go.Figure]] = {
    "loan": lambda **how: plot_front(loan(), **how),
    "loan in pairs": lambda **how: plot_front(loan(), kind="pairs", **how),
    "one option": lambda **how: plot_front(front(1, 2), **how),
    "one objective": lambda **how: plot_front(front(60, 1), **how),
    "five objectives in pairs": lambda **how: plot_front(front(60, 5), kind="pairs", **how),
    "hostile front": lambda **how: plot_front(hostile(), **how),
    "changes": lambda **how: plot_changes(loan(), **how),
    "many labels": lambda **how: plot_changes(many_labels(), **how),
    "hostile changes": lambda **how: plot_changes(hostile(), **how),
    "map": lambda **how: plot_map(loan_map(), **how),
    "map of labels": lambda **how: plot_map(housing_map(), **how),
    "costs": lambda **how: plot_costs(portfolio(), **how),
    "costs of nobody": lambda **how: plot_costs(Explanations([answer(status=Status.NO_RECOURSE)]), **how),
    "levers": lambda **how: plot_levers(portfolio(), **how),
    "hostile levers": lambda **how: plot_levers(Explanations([hostile(), many_labels()]), **how),
}
OUR_TAGS = ("<br>", "<b>", "</b>")


def texts_of(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for one in part.values():
            yield from texts_of(one)
    elif isinstance(part, list):
        for one in part:
            yield from texts_of(one)


@pytest.mark.parametrize("language", ["en", "pt", "es"])
@pytest.mark.parametrize("name", PICTURES)
def test_every_text_of_a_picture_is_escaped(name: str, language: str) -> None:
    figure = PICTURES[name](backend="plotly", language=language)
    assert isinstance(figure, go.Figure)
    content = json.loads(figure.to_json())
    content["layout"].pop("template", None)
    for text in texts_of(content):
        plain = text
        for tag in OUR_TAGS:
            plain = plain.replace(tag, "")
        assert "<" not in plain.replace("< 0", ""), text
        assert "$" not in plain, text


def test_hostile_names_are_there_in_escaped_form() -> None:
    content = plot_levers(Explanations([hostile()]), backend="plotly").to_json()
    assert "&lt;script&gt;" in json.dumps(json.loads(content))
    assert "&#36;x^2&#36;" in content


def test_every_option_is_drawn_with_its_costs() -> None:
    explanation = front(60, 2)
    figure = plot_front(explanation, backend="plotly")
    drawn = sorted((trace.x[0], trace.y[0]) for trace in figure.data)
    assert drawn == sorted(point.costs for point in front_data(explanation).points)
    assert sum(bool(trace.showlegend) for trace in figure.data) == 4


def test_both_libraries_show_the_same_words() -> None:
    figure = plot_changes(loan(), language="pt", backend="plotly")
    written = " ".join(texts_of(json.loads(figure.to_json())))
    for text in ("valor do empréstimo (EUR)", "hoje: 7.500 EUR", "5.200 EUR", "sem mudança", "opção 1"):
        assert text in written
