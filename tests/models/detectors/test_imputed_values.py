"""What stands in for a missing value lies below everything that is known of its column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from p2ce.errors import InvalidReference
from p2ce.models.detectors.imputed_values import known_codes
from p2ce.tables.codebook import codebook_of


def known(frame: pd.DataFrame) -> np.ndarray:
    book = codebook_of(frame)
    return known_codes(book.encode(frame), book)


@given(arrays(np.float64, 12, elements=st.floats(-1e30, 1e30)), st.integers(0, 11))
def test_it_is_lower_than_all_others_even_in_single_precision(values: np.ndarray, at: int) -> None:
    values = values.copy()
    values[at] = np.nan
    found = known(pd.DataFrame({"x": values}))[:, 0]
    others = np.delete(found, at)
    assert (others == np.delete(values, at)).all()
    assert np.float32(found[at]) < np.float32(others.min())
    # The next float32 below may lie farther off than a standard deviation.
    gap = float(np.float32(others.min())) - float(np.nextafter(np.float32(others.min()), np.float32(-np.inf)))
    assert found[at] >= others.min() - max(others.std() or 1.0, 2.0 * gap) * (1 + 1e-12)


def test_one_standard_deviation_below_the_smallest_number_and_one_rank_before_the_first_label() -> None:
    frame = pd.DataFrame(
        {
            "income": [1.0, 3.0, None],
            "same": [7.0, None, 7.0],
            "kids": pd.array([0, None, 4], dtype="Int64"),
            "housing": ["own", None, "own"],
            "grade": pd.Categorical(["b", None, "b"], categories=["a", "b"], ordered=True),
            "nothing": [None, None, None],
        }
    ).astype({"nothing": float})
    found = known(frame)
    assert found[2, 0] == 0.0
    assert found[1, 1] == 6.0
    assert found[1, 2] == -2.0
    assert found[1, 3:5].tolist() == [-1.0, -1.0]
    assert found[:, 5].tolist() == [0.0, 0.0, 0.0]
    assert np.isfinite(found).all()


def test_what_is_no_number_is_not_missing() -> None:
    with pytest.raises(InvalidReference, match=r"Column 'x' .*not finite"):
        known(pd.DataFrame({"x": [1.0, np.inf]}))
