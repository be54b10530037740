"""Does infer see kinds, ranges and steps as people would, and reject what it cannot read?"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument, InvalidReference
from p2ce.policy import FeaturePolicy, Kind, Policy


def inferred(values: object, grid: str = "data") -> FeaturePolicy:
    return Policy.infer(pd.DataFrame({"x": values}), grid=grid)["x"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 1, 1], Kind.BINARY),
        ([0.0, 1.0], Kind.BINARY),
        ([True, False], Kind.BINARY),
        ([True, True], Kind.BINARY),
        ([0.0, 1.0, 2.0], Kind.WHOLE),
        ([1, 1], Kind.WHOLE),
        ([0.0, 0.5], Kind.NUMBER),
        (pd.array([1, 2], dtype="Int64"), Kind.WHOLE),
        (pd.array([True, False], dtype="boolean"), Kind.BINARY),
    ],
)
def test_kinds_follow_the_values(values: object, kind: Kind) -> None:
    assert inferred(values).kind is kind


@pytest.mark.parametrize(
    ("values", "grid", "expected"),
    [
        ([0] * 999 + [1], "data", [0, 1]),  # rare, but a candidate
        ([0] * 999 + [1], "paper", [0, 1]),
        ([2, 3], "data", [2, 3]),
        # The largest round step that holds no more than 1 % of the people, and the ends of the data.
        (np.arange(437, 10437), "data", [437, *range(500, 10_351, 50), 10_400, 10_436]),
        (np.linspace(0, 1, 101), "data", [round(0.01 * i, 2) for i in range(101)]),
        (np.arange(0, 101), "paper", [1 + 5 * i for i in range(20)]),  # 5 % of 1 to 99 is 4.9
    ],
)
def test_candidates_of_common_columns(values: object, grid: str, expected: object) -> None:
    assert inferred(values, grid).candidates().tolist() == [float(one) for one in expected]  # type: ignore


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_the_paper_grid_has_twenty_steps_of_five_percent(values: list[float]) -> None:
    feature = inferred(values, "paper")
    low, high = np.percentile(values, (1, 99))
    if feature.kind is not Kind.NUMBER or high - low < 1e-6:
        return
    found = feature.candidates()
    assert len(found) == 21
    assert found[0] == low
    assert found[-1] <= high
    np.testing.assert_allclose(np.diff(found), (high - low) / 20, rtol=1e-6)


@pytest.mark.parametrize("grid", ["data", "paper"])
@pytest.mark.parametrize("value", [0, 1, 5, 5.3, -0.1])
def test_a_constant_column_has_one_candidate(value: float, grid: str) -> None:
    feature = inferred([value] * 5, grid)
    assert feature.candidates().tolist() == [value]
    assert inferred(np.full(3, value, dtype=np.float32)).candidates().tolist() == [np.float32(value)]
    assert value in Policy(features=(feature,)).within(x=(-10, 10))["x"].candidates()


@pytest.mark.parametrize("grid", ["data", "paper"])
@given(
    values=st.lists(st.integers(-1000, 1000), min_size=1, max_size=30),
    dtype=st.sampled_from(["int64", "int16", "float64", "float32"]),
)
def test_candidates_of_whole_columns_are_whole(values: list[int], dtype: str, grid: str) -> None:
    found = inferred(np.array(values, dtype=dtype), grid).candidates()
    assert len(found)
    assert (found == np.rint(found)).all()


@given(
    st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=1, max_size=30),
    st.sampled_from(["data", "paper"]),
)
def test_candidates_of_float32_columns_are_float32(values: list[float], grid: str) -> None:
    found = inferred(np.array(values, dtype=np.float32), grid).candidates()
    assert len(found)
    assert (found.astype(np.float32) == found).all()
    assert (np.diff(found) > 0).all()


def test_column_order_is_kept_and_numbered_columns_become_names() -> None:
    assert Policy.infer(pd.DataFrame([[1, 2], [3, 4]])).names == ("0", "1")
    assert Policy.infer(pd.DataFrame({"b": [1], "a": [2]})).names == ("b", "a")


TEXTS = ["own", "rent", None, "rent"]


@pytest.mark.parametrize(
    "column",
    [
        TEXTS,
        np.array(TEXTS, dtype=object),
        np.array(["own", "rent", np.nan, "rent"], dtype=object),
        pd.array(TEXTS, dtype="string"),
        pd.Categorical(TEXTS, categories=["own", "boat", "rent"]),
    ],
    ids=["inferred", "object", "nan", "string", "categorical"],
)
def test_categories_have_the_labels_of_the_frame_the_commonest_first(column: object) -> None:
    feature = inferred(column)
    assert feature.kind is Kind.CATEGORY
    assert feature.labels == ("rent", "own")
    assert feature.candidates().dtype == object
    assert feature.candidates().tolist() == ["rent", "own"]
    assert (feature.order, feature.dtype) == (None, np.dtype(float))


@given(
    st.lists(st.one_of(st.none(), st.integers(-50, 50)), min_size=1, max_size=30).filter(any),
    st.sampled_from(["data", "paper"]),
)
def test_missing_values_change_nothing_about_numbers(values: list[int | None], grid: str) -> None:
    known = [value for value in values if value is not None]
    whole = inferred(pd.array(known, dtype="Int64"), grid)
    assert inferred(pd.array(values, dtype="Int64"), grid) == whole
    assert whole.dtype == np.dtype("int64")
    floats = inferred(np.array(values, dtype=float), grid)
    assert floats == inferred(np.array(known, dtype=float), grid)
    assert (floats.kind, floats.low, floats.high) == (whole.kind, whole.low, whole.high)


@pytest.mark.parametrize(
    ("column", "dtype", "holds"),
    [
        ([1, 2], "int64", False),
        ([True, False], "bool", False),
        ([1.5, np.nan], "float64", True),
        (pd.array([1, None], dtype="Int64"), "int64", True),
        (pd.array([1.5, None], dtype="Float32"), "float32", True),
        (pd.array([True, None, False], dtype="boolean"), "bool", True),
        (["a", None], "float64", True),
    ],
)
def test_the_type_of_the_numbers_and_whether_it_holds_missing(
    column: object, dtype: str, holds: bool
) -> None:
    feature = inferred(column)
    assert (feature.dtype, feature.holds_missing) == (np.dtype(dtype), holds)


def test_labels_have_types_and_an_order_where_one_was_declared() -> None:
    assert [type(label) for label in inferred(np.array([True, 1, 1], dtype=object)).labels or ()] == [
        int,
        bool,
    ]
    column = pd.Categorical(["high", "low", "high"], categories=["low", "middle", "high"], ordered=True)
    assert inferred(column).labels == ("low", "high")
    assert inferred(column).order == ("low", "middle", "high")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"x": pd.to_timedelta([1], unit="D")}), r"'x' \(.+\).*Convert it"),
        (pd.DataFrame({"x": [1j]}), r"'x' \(.+\).*Convert it"),
        (pd.DataFrame({"x": [["a"]]}), r"'x' \(object\) holds cells that are not labels: .*unhashable"),
        (pd.DataFrame({"a": [1.0, np.nan, np.inf], "b": [1, 2, 3]}), r"infinite values in 'a' \(1\)"),
        (pd.DataFrame({"a": pd.array([None, None], dtype="Int64")}), "Every value is missing in 'a'"),
        (pd.DataFrame({"a": [np.nan], "b": [None], "c": [1]}), "Every value is missing in 'a', 'b'"),
        (pd.DataFrame({"a": pd.Series([], dtype=float)}), "no rows"),
        (pd.DataFrame(index=[0, 1]), "no columns"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one column called 'a'"),
        (pd.DataFrame({"id": [2**60, 2**60 + 1]}), r"'id'.*2\*\*53"),
        (pd.DataFrame({"a": [-1.7e308, 1.7e308]}), "Rescale"),
        (np.ones((2, 2)), "without names"),
    ],
)
def test_a_reference_that_cannot_be_read_says_why(frame: pd.DataFrame, message: str) -> None:
    before = frame.copy()
    with pytest.raises(InvalidReference, match=message):
        Policy.infer(frame)
    assert str(frame) == str(before)


def test_an_unknown_grid_lists_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"'data' or 'paper', got 'papr'. Did you mean 'paper'"):
        inferred([1, 2], "papr")
