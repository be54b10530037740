"""Does a follower go where its driver takes it, in the decimals that people read?"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy.features.decimals import as_typed
from p2ce.policy.rules import Linked, linked
from p2ce.policy.rules.linked import AddedLinks, follow, links_by_follower
from p2ce.tables.codebook import MISSING, codebook_of

BOOK = codebook_of(
    pd.DataFrame(
        {
            "years": [1, 2],
            "age": [20, 30],
            "rate": [0.1, 0.2],
            "other": [0.5, 1.5],
            "more": [0.25, 1.5],
            "single": np.array([0.1, 0.2], dtype=np.float32),
            "byte": np.array([1, 2], dtype=np.int8),
            "job": ["a", "b"],
        }
    )
)


def followed(rule: Linked, before: np.ndarray, after: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return where the follower of one link goes."""
    return follow((rule,), {rule.driver: before}, {rule.driver: after}, start, BOOK)


DECIMALS = st.one_of(
    st.floats(-1e4, 1e4).map(lambda value: round(value, 3)),
    st.floats(-1e6, 1e6, allow_nan=False),
    st.sampled_from([0.1, 0.2, 0.3, 1e15, 123456789.123]),
)
RATIOS = st.one_of(st.sampled_from([1.0, -1.0, 0.1, 0.5, 2.5, 1 / 3, 1e7]), st.floats(-5, 5)).filter(bool)


@given(st.lists(st.tuples(DECIMALS, DECIMALS, DECIMALS), min_size=1, max_size=6), RATIOS)
def test_the_follower_moves_by_the_ratio_in_decimals(
    rows: list[tuple[float, float, float]], ratio: float
) -> None:
    before, after, start = (np.array(column) for column in zip(*rows, strict=True))
    found = followed(linked("rate", "other", ratio), before, after, start)
    expected = [float(as_typed(f) + as_typed(ratio) * (as_typed(b) - as_typed(a))) for a, b, f in rows]
    assert found.tolist() == expected


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=5),
    RATIOS,
)
def test_half_a_year_does_not_fit_a_column_of_whole_years(
    rows: list[tuple[int, int, int]], ratio: float
) -> None:
    before, after, start = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    found = followed(linked("years", "age", ratio), before, after, start)
    for value, (a, b, f) in zip(found.tolist(), rows, strict=True):
        expected = f + as_typed(ratio) * (b - a)
        if expected.denominator == 1 and abs(expected) < 2**53:
            assert value == expected
        elif expected.denominator != 1 and abs(expected) < 2**40 and expected.denominator < 2**10:
            assert np.isnan(value)


@pytest.mark.parametrize(
    ("driver", "follower", "ratio", "before", "after", "start", "expected"),
    [
        ("rate", "other", 1, 0.1, 0.3, 0.1, 0.3),  # decimals do not drift
        ("rate", "single", 1, 0.1, 0.3, float(np.float32(0.1)), float(np.float32(0.3))),
        ("years", "byte", Fraction(100), 0, 1, 0, 100),
        ("years", "byte", 100, 0, 2, 0, np.nan),  # more than the column holds
    ],
)
def test_the_follower_keeps_to_its_own_type(
    driver: str, follower: str, ratio: float, before: float, after: float, start: float, expected: float
) -> None:
    found = followed(
        linked(driver, follower, ratio), *(np.array([x], dtype=float) for x in (before, after, start))
    )
    np.testing.assert_array_equal(found, [expected])


def test_what_becomes_known_or_missing_moves_nothing() -> None:
    before = np.array([MISSING, 1.0, 1.0, MISSING])
    after = np.array([2.0, MISSING, 2.0, MISSING])
    start = np.array([30.0, 30.0, MISSING, 30.0])
    assert followed(linked("years", "age"), before, after, start).tolist() == [30.0, 30.0, MISSING, 30.0]


def test_it_holds_where_the_follower_went_with_the_driver() -> None:
    rule = linked("years", "age", 2)
    assert rule.budgets(BOOK) == ()
    before = {"years": np.array([1.0, 1.0, 1.0, 1.0]), "age": np.array([30.0, 30.0, 30.0, 30.0])}
    after = {"years": np.array([3.0, 3.0, 1.0, 1.0]), "age": np.array([34.0, 32.0, 31.0, 30.0])}
    assert rule.holds(before, after, BOOK).tolist() == [True, False, False, True]


@given(
    st.lists(st.tuples(*[DECIMALS] * 5), min_size=1, max_size=6),
    st.tuples(RATIOS, RATIOS),
)
def test_several_causes_add_up_in_decimals(
    rows: list[tuple[float, ...]], ratios: tuple[float, float]
) -> None:
    links = (linked("rate", "other", ratios[0]), linked("more", "other", ratios[1]))
    a, b, c, d, start = (np.array(column) for column in zip(*rows, strict=True))
    before, after = {"rate": a, "more": c}, {"rate": b, "more": d}
    found = follow(links, before, after, start, BOOK)
    exact = [[as_typed(value) for value in row] for row in rows]
    first, second = map(as_typed, ratios)
    expected = [float(own + first * (b - a) + second * (d - c)) for a, b, c, d, own in exact]
    assert found.tolist() == expected
    rule = AddedLinks(links)
    assert rule.holds({**before, "other": start}, {**after, "other": found}, BOOK).all()
    assert rule.columns == ("rate", "more", "other")


def test_a_cause_that_becomes_known_or_missing_adds_nothing() -> None:
    links = (linked("years", "age"), linked("single", "age", 2))
    before = {"years": np.array([1.0, MISSING, 1.0]), "single": np.array([5.0, 5.0, 5.0])}
    after = {"years": np.array([3.0, 3.0, 3.0]), "single": np.array([6.0, 6.0, MISSING])}
    assert follow(links, before, after, np.array([30.0] * 3), BOOK).tolist() == [34.0, 32.0, 32.0]
    assert links_by_follower(links) == {"age": links}


def test_bad_links_are_rejected() -> None:
    with pytest.raises(InvalidPolicy, match="its own follower"):
        linked("a", "a")
    for ratio in (0, float("nan"), float("inf"), "1", True):
        with pytest.raises(InvalidPolicy, match="ratio other than 0"):
            linked("a", "b", ratio)
    with pytest.raises(InvalidPolicy, match="Did you mean 'once'"):
        linked("a", "b", counts="Once")
    with pytest.raises(InvalidPolicy, match="'job', which holds categories"):
        linked("years", "job").budgets(BOOK)
