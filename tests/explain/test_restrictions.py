"""What is listed as a restriction, and that lifting one only adds candidates."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.explain.restrictions import ends_of, widened
from p2ce.problem.actions import ActionSet

PEOPLE = pd.DataFrame(
    {
        "loan": np.arange(250, 18_650, 200),
        "rate": np.arange(92, dtype=np.float32) / 10,
        "home": ["own", "rent", "free", "own"] * 23,
    }
)


def test_the_ends_leave_missing_values_out() -> None:
    assert ends_of(np.array([[1.0, -np.inf], [3.0, 5.0]])).tolist() == [[1.0, 5.0], [3.0, 5.0]]


def test_a_range_goes_as_far_as_the_data() -> None:
    actions = ActionSet.infer(PEOPLE).within(loan=(1_000, 4_000))
    wider = widened(actions["loan"], 250, 18_450)
    assert wider is not None
    assert wider.stated_range == (250, 18_450)
    assert wider.step == actions["loan"].step


@pytest.mark.parametrize(
    "asked",
    [lambda a: a, lambda a: a.within(loan=(0, 20_000))],
    ids=["nothing asked", "wider than the data"],
)
def test_what_is_no_restriction_is_not_one(asked) -> None:  # type: ignore[no-untyped-def]
    assert widened(asked(ActionSet.infer(PEOPLE))["loan"], 250, 18_450) is None


def test_a_step_keeps_the_inferred_range_which_can_be_lifted() -> None:
    wider = widened(ActionSet.infer(PEOPLE).step(loan=50)["loan"], 250, 18_450)
    assert wider is not None
    assert wider.stated_range == (250, 18_450)
    assert wider.inferred is None


def test_labels() -> None:
    actions = ActionSet.infer(PEOPLE)
    assert widened(actions["home"], 0, 2) is None
    assert widened(actions.values(home=["own", "rent", "free"])["home"], 0, 2) is None
    wider = widened(actions.values(home=["rent"])["home"], 0, 2)
    assert wider is not None
    assert wider.candidates().tolist() == ["own", "rent", "free"]


def test_a_range_that_cannot_be_made_is_none() -> None:
    # Steps of one over a narrow range are fine, over that of the data they are too many.
    fine = ActionSet.infer(PEOPLE).step(loan=1).within(loan=(300, 310))["loan"]
    assert widened(fine, 250, 18_450) is not None
    assert widened(fine, 250, 90_000) is None


def test_single_precision_keeps_the_digits_of_people() -> None:
    wider = widened(ActionSet.infer(PEOPLE).within(rate=(1, 2))["rate"], float(np.float32(0.1)), 9.0)
    assert wider is not None
    assert wider.stated_range == (0.1, 9.0)


numbers = st.floats(-50, 50, width=32).map(lambda value: round(value, 2))


@given(
    ends=st.tuples(numbers, numbers).map(sorted),
    asked=st.none() | st.tuples(numbers, numbers).map(sorted),
    choices=st.none() | st.lists(numbers, min_size=1, max_size=5),
    kind=st.sampled_from([np.float64, np.float32, np.int32]),
)
def test_widening_only_adds(
    ends: list[float], asked: list[float] | None, choices: list[float] | None, kind: type
) -> None:
    frame = pd.DataFrame({"x": np.linspace(-40, 40, 50).astype(kind)})
    actions = ActionSet.infer(frame)
    try:
        if choices is not None:
            actions = actions.values(x=[kind(value).item() for value in choices])
        if asked is not None:
            actions = actions.within(x=tuple(asked))
    except ValueError:
        return  # no candidate lies inside
    low, high = (float(kind(end)) for end in ends)
    wider = widened(actions["x"], low, high)
    if wider is not None:
        before, after = actions["x"].candidates(), wider.candidates()
        assert np.isin(before, after).all()
        inside = np.array([value for value in (low, high) if wider.allows(1000.0, value)])
        assert len(inside) == 2 or choices is not None
