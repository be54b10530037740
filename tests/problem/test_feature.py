"""Does a single feature keep to its dtype at the far ends of it?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.problem import FeatureActions, Kind
from p2ce.problem.feature import LARGEST_MAGNITUDE, shown, shown_values


def feature(dtype: type, low: float, high: float, step: float, anchor: float = 0.0) -> FeatureActions:
    kind = Kind.NUMBER if np.dtype(dtype).kind == "f" else Kind.WHOLE
    return FeatureActions(
        name="x", kind=kind, dtype=np.dtype(dtype), low=low, high=high, step=step, anchor=anchor
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_largest_number_of_the_dtype_is_an_end_like_any_other(dtype: type) -> None:
    largest = min(float(np.finfo(dtype).max), LARGEST_MAGNITUDE)
    found = feature(dtype, -largest, largest, largest / 8).candidates()
    assert np.isfinite(found).all()
    assert (found.astype(dtype) == found).all()
    assert len(found) in (15, 16, 17)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32])
def test_integer_candidates_stay_inside_the_dtype(dtype: type) -> None:
    limits = np.iinfo(dtype)
    found = feature(dtype, -1e12, 1e12, max(1, limits.max // 10)).candidates()
    assert found[0] >= limits.min
    assert found[-1] <= limits.max
    assert (found.astype(dtype) == found).all()


@given(st.floats(-1e15, 1e15), st.floats(1e-9, 1e3), st.floats(1e-9, 1e3))
def test_candidates_ascend_without_repeats_whatever_the_magnitude(
    low: float, width: float, step: float
) -> None:
    high = low + width
    if high == low or width / step > 1000:
        return
    made = feature(float, low, high, step, anchor=low)
    found = made.candidates()
    assert found[0] == low
    assert (np.diff(found) > 0).all()
    assert found[-1] <= high
    assert len(found) <= made.count()


def test_counting_is_quick_where_making_would_not_be() -> None:
    assert feature(float, 0, 1e9, 1e-3).count() == 10**12 + 1


def test_numbers_are_shown_as_people_write_them() -> None:
    assert (shown(41.0), shown(0.15), shown(1e300)) == ("41", "0.15", "1e+300")
    assert shown_values(range(9)) == "0, 1, 2, 3, 4, 5, …"
