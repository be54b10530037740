"""What is listed as a restriction, and that lifting one only adds candidates."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.policy.policy import Policy
from p2ce.run.analysis.restrictions import with_range_of

PEOPLE = pd.DataFrame(
    {
        "loan": np.arange(250, 18_650, 200),
        "rate": np.arange(92, dtype=np.float32) / 10,
        "home": ["own", "rent", "free", "own"] * 23,
    }
)


@pytest.mark.parametrize(
    "given", [lambda a: a, lambda a: a.within(loan=(0, 20_000))], ids=["nothing given", "wider than the data"]
)
def test_what_is_no_restriction_is_not_one(given) -> None:  # type: ignore[no-untyped-def]
    assert with_range_of(given(Policy.infer(PEOPLE))["loan"], 250, 18_450) is None


def test_labels() -> None:
    policy = Policy.infer(PEOPLE)
    assert with_range_of(policy["home"], 0, 2) is None
    assert with_range_of(policy.candidates(home=["own", "rent", "free"])["home"], 0, 2) is None
    wider = with_range_of(policy.candidates(home=["rent"])["home"], 0, 2)
    assert wider is not None
    assert wider.candidates().tolist() == ["own", "rent", "free"]


def test_a_range_that_cannot_be_made_is_none() -> None:
    # Steps of one over a narrow range are fine, over that of the data they are too many.
    fine = Policy.infer(PEOPLE).step(loan=1).within(loan=(300, 310))["loan"]
    assert with_range_of(fine, 250, 18_450) is not None
    assert with_range_of(fine, 250, 90_000) is None


numbers = st.floats(-50, 50, width=32).map(lambda value: round(value, 2))


@given(
    ends=st.tuples(numbers, numbers).map(sorted),
    given=st.none() | st.tuples(numbers, numbers).map(sorted),
    choices=st.none() | st.lists(numbers, min_size=1, max_size=5),
    kind=st.sampled_from([np.float64, np.float32, np.int32]),
)
def test_widening_only_adds(
    ends: list[float], given: list[float] | None, choices: list[float] | None, kind: type
) -> None:
    frame = pd.DataFrame({"x": np.linspace(-40, 40, 50).astype(kind)})
    policy = Policy.infer(frame)
    try:
        if choices is not None:
            policy = policy.candidates(x=[kind(value).item() for value in choices])
        if given is not None:
            policy = policy.within(x=tuple(given))
    except ValueError:
        return  # no candidate lies inside
    low, high = (float(kind(end)) for end in ends)
    wider = with_range_of(policy["x"], low, high)
    if wider is not None:
        before, after = policy["x"].candidates(), wider.candidates()
        assert np.isin(before, after).all()
        inside = np.array([value for value in (low, high) if wider.allows(1000.0, value)])
        assert len(inside) == 2 or choices is not None
