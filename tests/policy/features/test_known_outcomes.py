"""Check that labels of a reference are read from every kind of column, and that wrong ones are named."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce.errors import InvalidArgument, InvalidTarget
from p2ce.policy.features.known_outcomes import known_outcomes
from tests.optional import LazyLibrary

pl = LazyLibrary("polars")


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        np.array([0, 1, 1]),
        pd.Series([0, 1, 1]),
        lambda: pl.Series([0, 1, 1]),
        pd.DataFrame({"paid": [0, 1, 1]}),
    ],
)
def test_any_column_is_read(y: Any) -> None:
    labels = known_outcomes(y() if callable(y) else y, rows=3)
    assert labels.values == (0, 1, 1)
    assert labels.are(1).tolist() == [False, True, True]
    assert labels.are((None, 0.5)).tolist() == [True, False, False]


def test_labels_lie_in_no_range() -> None:
    with pytest.raises(InvalidTarget, match="y holds labels such as 'good'"):
        known_outcomes(["good", "bad"], rows=2).are((1.0, None))


def test_the_name_is_that_of_the_column() -> None:
    assert known_outcomes(pd.Series([0], name="paid"), rows=1).name == "paid"
    assert known_outcomes(pd.DataFrame({"paid": [1]}), rows=1).name == "paid"
    assert known_outcomes([0], rows=1).name is None


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ("approved", "one label for each row"),
        (1, "one label for each row"),
        ([[0], [1]], "one label for each row"),
        ([0, 1, 1], "3 labels for the 2 rows"),
        ([0, {}], "is not a label"),
        ([0, None], "1 of the 2 labels of y are missing"),
        (pd.DataFrame({"a": [0, 1], "b": [0, 1]}), "one column"),
    ],
)
def test_wrong_labels_are_named(y: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        known_outcomes(y, rows=2)


def test_a_series_in_another_order_is_rejected() -> None:
    frame = pd.DataFrame({"a": range(4)}, index=[7, 5, 3, 1])
    y = pd.Series([0, 1, 1, 0], index=frame.index)
    assert known_outcomes(y, rows=4, index=frame.index).values == (0, 1, 1, 0)
    # Another index is not an order of this one: places count then, as everywhere.
    assert known_outcomes(y.reset_index(drop=True), rows=4, index=frame.index).values == (0, 1, 1, 0)
    with pytest.raises(InvalidArgument, match=r"y\.loc\[X\.index\]"):
        known_outcomes(y.sort_index(), rows=4, index=frame.index)


def test_labels_are_classes() -> None:
    known_outcomes([0, True], rows=2).require_classes((0, 1))
    with pytest.raises(InvalidTarget, match=r"'good', which is not one of the model's classes 0, 1"):
        known_outcomes([0, "good"], rows=2).require_classes((0, 1))
