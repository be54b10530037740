"""Is what has to be reached the same for all models: a threshold, a win, a range?"""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument, InvalidTarget, UnsupportedModel
from p2ce.models.decisions.decision import BEHIND, decide_class, decide_number, leads
from tests.properties.amount import examples

ROWS = pd.DataFrame({"a": [0.0, 1.0, 2.0]})
TABLE = np.array([[0.2, 0.3, 0.5], [0.4, 0.4, 0.2], [0.1, 0.8, 0.1]])


@examples(100)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1), st.integers(0, 3))
def test_a_lead_is_at_least_zero_exactly_where_argmax_picks_the_class(rows, index):
    values = np.array(rows, dtype=float)
    assert ((leads(values, index) >= 0.0) == (values.argmax(axis=1) == index)).all()
    assert BEHIND < 0.0


def request(target: object = 1, at_least: float | None = None, scale: str | None = None) -> object:
    return SimpleNamespace(target=target, at_least=at_least, at_most=None, scale=scale, margin=0.0)


def three(**given: object) -> object:
    calls = {"probabilities": lambda _: TABLE, "decision_values": lambda _: 10.0 * TABLE}
    return decide_class(request(**given), classes=(0, 1, 2), name="model", **calls)


@pytest.mark.parametrize(
    ("given", "scale", "threshold", "values"),
    [
        ({}, "lead", 0.0, [-0.2, BEHIND, 0.7]),
        ({"at_least": 0.4}, "probability", 0.4, [0.3, 0.4, 0.8]),
        ({"scale": "decision"}, "decision", 0.0, [3.0, 4.0, 8.0]),
        ({"scale": "decision", "at_least": 3.5}, "decision", 3.5, [3.0, 4.0, 8.0]),
    ],
)
def test_one_class_of_several(given, scale, threshold, values):
    found = three(**given)
    assert (found.scale, found.threshold, found.index) == (scale, threshold, 1)
    assert found.evaluate(ROWS) == pytest.approx(values)
    assert (found.predict is None) == (scale != "lead")


@pytest.mark.parametrize(("target", "sign"), [(1, 1.0), (0, -1.0)])
def test_of_two_classes_one_number_is_that_of_the_second(target, sign):
    values = np.array([-1.0, 0.0, 2.0])
    found = decide_class(request(target), classes=(0, 1), decision_values=lambda _: values, name="model")
    assert (found.scale, found.threshold) == ("decision", 0.0)
    assert found.evaluate(ROWS).tolist() == (sign * values).tolist()


def test_a_decision_value_alone_is_compared_with_a_threshold_that_is_given():
    found = decide_class(request(at_least=2.0), classes=(0, 1, 2), decision_values=lambda _: TABLE, name="x")
    assert (found.scale, found.threshold) == ("decision", 2.0)
    with pytest.raises(InvalidArgument, match="scale='probability'"):
        decide_class(
            request(scale="probability"), classes=(0, 1), decision_values=lambda _: TABLE, name="model"
        )
    with pytest.raises(UnsupportedModel, match="only one class"):
        decide_class(request(), classes=(1,), probabilities=lambda _: TABLE, name="model")


@pytest.mark.parametrize(("target", "accepted"), [(1, [False, True, True]), (0, [True, True, False])])
def test_a_number_may_be_the_score_of_a_class(target, accepted):
    numbers = np.array([-1.0, 0.5, 2.0])
    found = decide_number(
        request(target, at_least=0.5 if target else -0.5), lambda _: numbers, scored=(0, 1), name="Booster"
    )
    assert found.scale == "decision"
    assert (found.evaluate(ROWS) >= found.threshold).tolist() == accepted
    assert (found.wanted.leads(numbers) >= 0.0).tolist() == accepted
    with pytest.raises(InvalidTarget, match="not probabilities"):
        decide_number(request(target), lambda _: numbers, scored=(0, 1), name="Booster")
