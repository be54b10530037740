"""Do limits relative to today hold in the decimals that people read, for every type of number?"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.policy.features.change_limit import Amount, ChangeLimit, largest_at_most
from p2ce.policy.features.decimals import as_typed

FLOATS = [np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.float16)]
TYPES = [*FLOATS, np.dtype(np.int64), np.dtype(np.int8)]
AMOUNTS = st.builds(Amount, st.integers(0, 400).map(lambda n: n / 4), st.booleans())


def values_of(dtype: "np.dtype[np.generic]") -> st.SearchStrategy[float]:
    if dtype.kind != "f":
        return st.integers(-100, 100).map(float)
    return st.integers(-9999, 9999).map(lambda n: float(dtype.type(n / 100)))


@given(st.sampled_from(TYPES), st.data(), AMOUNTS, AMOUNTS)
def test_the_ends_are_the_last_values_inside(
    dtype: "np.dtype[np.generic]", data: st.DataObject, down: Amount, up: Amount
) -> None:
    here = data.draw(values_of(dtype))
    limit = ChangeLimit(low=Amount(-down.number, down.percent), high=up)
    low, high = limit.ends(here, dtype)
    exact = as_typed(here, dtype)
    least, most = exact + limit.low.of(exact), exact + up.of(exact)  # type: ignore[union-attr]
    assert low <= here <= high
    assert least <= as_typed(low, dtype)
    assert as_typed(high, dtype) <= most
    if dtype.kind == "f":
        beyond = float(np.nextafter(dtype.type(high), dtype.type(np.inf)))
        before = float(np.nextafter(dtype.type(low), dtype.type(-np.inf)))
        assert as_typed(beyond, dtype) > most
        assert as_typed(before, dtype) < least
    else:
        assert high + 1 > most
        assert low - 1 < least


@pytest.mark.parametrize(
    ("here", "amount", "end"),
    [(1.1, 10, 1.21), (0.1, 10, 0.11), (41.0, 10, 45.1), (-200.0, 10, -180.0), (0.0, 10, 0.0)],
)
def test_percentages_are_of_the_size_of_the_value(here: float, amount: float, end: float) -> None:
    limit = ChangeLimit(low=None, high=Amount(amount, percent=True))
    assert limit.ends(here, np.dtype(float)) == (-np.inf, end)


@given(st.fractions(), st.sampled_from(TYPES))
def test_the_largest_value_at_most_a_limit(limit: Fraction, dtype: "np.dtype[np.generic]") -> None:
    found = largest_at_most(limit, dtype)
    assert found == -np.inf or as_typed(found, dtype) <= limit
