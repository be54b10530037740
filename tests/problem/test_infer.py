"""Does infer see kinds, ranges and steps as people would, and reject what it cannot read?"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument, InvalidReference, UnsupportedColumn
from p2ce.problem import ActionSet, FeatureActions, Kind


def inferred(values: object, grid: str = "data") -> FeatureActions:
    return ActionSet.infer(pd.DataFrame({"x": values}), grid=grid)["x"]  # type: ignore[arg-type]


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


def test_a_rare_binary_value_is_a_candidate() -> None:
    assert inferred([0] * 999 + [1]).candidates().tolist() == [0.0, 1.0]
    assert inferred([0] * 999 + [1], "paper").candidates().tolist() == [0.0, 1.0]


def test_candidates_lie_inside_the_percentiles() -> None:
    values = np.arange(437, 10437)
    found = inferred(values).candidates()
    low, high = np.percentile(values, (1, 99))
    assert found[0] >= low
    assert found[-1] <= high
    assert set(np.diff(found)) == {50.0}  # the largest round step that holds no more than 1 % of the people


def test_a_share_moves_in_hundredths_which_the_column_has() -> None:
    found = inferred(np.linspace(0, 1, 101)).candidates()
    assert found.tolist() == [round(0.01 * i, 2) for i in range(1, 100)]


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


def test_the_paper_grid_of_whole_columns_rounds_the_step_up() -> None:
    feature = inferred(np.arange(0, 101), "paper")  # 1 to 99, so that 5 % is 4.9
    assert feature.step == 5
    assert feature.candidates().tolist() == [1.0 + 5 * i for i in range(20)]


@pytest.mark.parametrize("grid", ["data", "paper"])
@pytest.mark.parametrize("value", [0, 1, 5, 5.3, -0.1])
def test_a_constant_column_has_one_candidate(value: float, grid: str) -> None:
    feature = inferred([value] * 5, grid)
    assert feature.candidates().tolist() == [value]
    assert value in ActionSet(features=(feature,)).within(x=(-10, 10))["x"].candidates()


def test_whole_columns_of_two_rows_keep_both_values() -> None:
    assert inferred([2, 3]).candidates().tolist() == [2.0, 3.0]


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
    assert ActionSet.infer(pd.DataFrame([[1, 2], [3, 4]])).names == ("0", "1")
    assert ActionSet.infer(pd.DataFrame({"b": [1], "a": [2]})).names == ("b", "a")


def test_the_frame_is_left_alone() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]})
    before = frame.copy(deep=True)
    ActionSet.infer(frame).within(a=(0, 9))
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("column", [pd.to_datetime(["2020-01-01", "2021-01-01"]), np.array([1j, 2j])])
def test_other_columns_are_named_with_their_dtype(column: object) -> None:
    frame = pd.DataFrame({"Age": [1, 2], "Since": column})
    with pytest.raises(UnsupportedColumn, match=r"'Since' \(.+\).*Turn it into one of these"):
        ActionSet.infer(frame)


def test_cells_that_are_no_labels_are_rejected() -> None:
    with pytest.raises(
        UnsupportedColumn, match=r"'x' \(object\) holds cells that are no labels: .*unhashable"
    ):
        inferred([["a"], ["b"]])


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


def test_ordered_categories_keep_their_order_and_know_all_of_it() -> None:
    column = pd.Categorical(["high", "low", "high"], categories=["low", "middle", "high"], ordered=True)
    feature = inferred(column)
    assert feature.labels == ("low", "high")
    assert feature.order == ("low", "middle", "high")


def test_labels_need_not_be_texts() -> None:
    assert inferred(np.array([1, 2, 2], dtype=object)).labels == (2, 1)
    labels = inferred(np.array([True, 1, 1], dtype=object)).labels
    assert labels is not None
    assert [type(label) for label in labels] == [int, bool]


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


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": [1.0, np.nan, np.inf], "b": [1, 2, 3]}), r"infinite values in 'a' \(1\)"),
        (pd.DataFrame({"a": pd.array([None, None], dtype="Int64")}), "Every value is missing in 'a'"),
        (pd.DataFrame({"a": [np.nan], "b": [None], "c": [1]}), "Every value is missing in 'a', 'b'"),
        (pd.DataFrame({"a": pd.Series([], dtype=float)}), "zero rows"),
        (pd.DataFrame(index=[0, 1]), "no columns"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one column called 'a'"),
        (pd.DataFrame({"id": [2**60, 2**60 + 1]}), r"'id'.*2\*\*53"),
        (pd.DataFrame({"a": [-1.7e308, 1.7e308]}), "Rescale"),
        (np.ones((2, 2)), "without names"),
    ],
)
def test_a_reference_that_cannot_be_read_says_why(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(InvalidReference, match=message):
        ActionSet.infer(frame)


def test_an_unknown_grid_lists_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"'data' or 'paper', not 'papr'. Did you mean 'paper'"):
        inferred([1, 2], "papr")


def test_a_column_of_one_value_has_one_candidate() -> None:
    for value in (0.3359375, 7.0, 1 / 3):
        for dtype in (np.float32, np.float64):
            feature = ActionSet.infer(pd.DataFrame({"x": np.full(3, value, dtype=dtype)}))["x"]
            assert feature.inferred == (float(dtype(value)),)
