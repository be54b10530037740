"""A column comes back in its own type, with its categories and its missing values."""

from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.limits import DEFAULT
from p2ce.result import Categories
from p2ce.result.columns import column_types, made_column
from p2ce.result.json_data import to_record
from p2ce.tables.cells import plain_cells

COLUMNS = {
    "whole": pd.Series([1, 2, 3], dtype="int8"),
    "large": pd.Series([2**63 + 5, 0, 1], dtype="uint64"),
    "single": pd.Series([0.1, np.nan, 2.5], dtype="float32"),
    "double": pd.Series([0.1, np.nan, 2.5]),
    "bools": pd.Series([True, False, True]),
    "Int64": pd.Series([2**60 + 1, None, 3], dtype="Int64"),
    "UInt8": pd.Series([1, None, 3], dtype="UInt8"),
    "Float32": pd.Series([0.5, None, 3.0], dtype="Float32"),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "text": pd.Series(["a", None, "b"]),
    "string": pd.Series(["a", None, "b"], dtype="string"),
    "stored": pd.Series(["a", None, "b"], dtype="string[python]"),
    "objects": pd.Series(["a", None, 7], dtype="object"),
    "with NaN": pd.Series(["a", np.nan, True], dtype="object"),
    "category": pd.Series(["b", None, "a"], dtype=pd.CategoricalDtype(["c", "b", "a"])),
    "ordered": pd.Series(["lo", "hi", None], dtype=pd.CategoricalDtype(["lo", "mid", "hi"], ordered=True)),
    "numbered": pd.Series([3, None, 1], dtype=pd.CategoricalDtype([1, 2, 3])),
    "halves": pd.Series([0.5, None, 1.0], dtype=pd.CategoricalDtype([0.5, 1.0])),
    "flags": pd.Series([True, None, False], dtype=pd.CategoricalDtype([False, True])),
    "intervals": pd.Series(pd.cut([1.0, 5.0, np.nan], [0, 2, 9])),
    "dates": pd.Series([date(2024, 5, 1), None, date(2020, 1, 1)], dtype="category"),
    "pairs": pd.Series([("a", 1), None, ("b", 2)], dtype="category"),
    "old text": pd.Series(["a", "b", None], dtype=pd.CategoricalDtype(pd.Index(["a", "b"], dtype="object"))),
}
SURVIVE_JSON = [name for name in COLUMNS if name not in ("intervals", "dates")]


def values_of(column: "pd.Series") -> list:
    """Values as an explanation holds them; a column of objects keeps its own way to say missing."""
    return column.tolist() if column.dtype == "object" else plain_cells(column)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back_as_it_was(name: str) -> None:
    column = COLUMNS[name].rename(name)
    dtypes, categories = column_types(column.to_frame())
    back = made_column(values_of(column), dtypes[name], categories.get(name))
    pd.testing.assert_series_equal(back.rename(name), column)
    assert back.dtype == column.dtype


@pytest.mark.parametrize("name", COLUMNS)
def test_no_rows_keep_the_type(name: str) -> None:
    dtypes, categories = column_types(COLUMNS[name].to_frame(name))
    assert made_column([], dtypes[name], categories.get(name)).dtype == COLUMNS[name].dtype


@pytest.mark.parametrize("name", SURVIVE_JSON)
def test_categories_survive_json(name: str) -> None:
    _, categories = column_types(COLUMNS[name].to_frame(name))
    for labels in categories.values():
        back = to_record(labels.to_dict(), Categories, "categories", DEFAULT)
        assert back == labels
        assert [type(label) for label in back.labels] == [type(label) for label in labels.labels]


def test_labels_unknown_to_json_become_text_everywhere() -> None:
    _, categories = column_types(COLUMNS["dates"].to_frame("when"))
    back = to_record(categories["when"].to_dict(), Categories, "categories", DEFAULT)
    assert back.labels == ("2020-01-01", "2024-05-01")
    assert made_column(["2024-05-01"], "category", back).tolist() == ["2024-05-01"]


@given(st.lists(st.text(), unique=True), st.lists(st.text()), st.booleans())
def test_an_unseen_label_is_appended(labels: list[str], values: list[str], ordered: bool) -> None:
    column = made_column(values, "category", Categories(labels=tuple(labels), ordered=ordered))
    assert column.tolist() == values
    known = column.dtype.categories.tolist()
    assert known[: len(labels)] == labels
    assert set(known) == {*labels, *values}
    assert column.dtype.ordered == ordered


def test_an_unseen_label_of_another_type_still_fits() -> None:
    column = made_column([1, "none", None], "category", Categories(labels=(1, 2), dtype="int64"))
    assert column.dtype.categories.tolist() == [1, 2, "none"]
    assert column.isna().tolist() == [False, False, True]


def test_an_old_answer_without_labels_still_gives_a_category() -> None:
    assert made_column(["b", "a"], "category").cat.categories.tolist() == ["a", "b"]


def test_whole_numbers_with_a_gap_are_floats_as_pandas_has_them() -> None:
    column = made_column([1, float("nan")], "int64")
    assert str(column.dtype) == "float64"
    assert column.tolist()[0] == 1.0
    assert column.isna().tolist() == [False, True]
