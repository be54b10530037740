"""The population behind a chart is the reference's own, however its columns are made."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.compile.describe_problem import MOST_BINS, MOST_LABELS, distributions
from p2ce.result import Distribution
from p2ce.tables.codebook import codebook_of


def spread(column: Any) -> Distribution:
    frame = pd.DataFrame({"x": column})
    book = codebook_of(frame)
    return distributions(book.encode(frame), book)["x"]


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
    | st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=60)
    | st.lists(st.integers(0, 5).map(lambda years: 12 * years), min_size=1, max_size=60)
)
def test_everyone_is_counted_once(column: list[float]) -> None:
    found = spread(column)
    assert sum(found.shares) + found.other + found.missing == pytest.approx(1.0)
    if found.edges:
        assert len(found.edges) == len(found.shares) + 1 <= MOST_BINS + 1
        assert list(found.edges) == sorted(set(found.edges))
    else:
        assert len(found.labels) == len(found.shares)


def test_labels_come_by_frequency_and_the_rest_in_one() -> None:
    found = spread(pd.Categorical(["b", "b", "a", "c"] + [f"x{i}" for i in range(30)]))
    assert found.labels[0] == "b"
    assert len(found.labels) == MOST_LABELS
    assert found.other == pytest.approx(1.0 - sum(found.shares))


def test_missing_values_are_a_share_of_their_own() -> None:
    assert spread([1.0, 2.5, np.nan, np.nan]).missing == 0.5
    assert spread(pd.Series([None, None], dtype="float64")).shares == ()
    assert spread(["a", None]).missing == 0.5


@pytest.mark.parametrize("column", [[7], [0.25], [-3.5, -3.5], [10**15, 10**15 + 1]])
def test_constant_and_huge_columns_have_bins(column: list[float]) -> None:
    found = spread(column)
    assert sum(found.shares) == pytest.approx(1.0)
    assert found.edges[0] < min(column) <= max(column) < found.edges[-1] * (1 + 1e-9) + 1
