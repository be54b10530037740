"""Tables of every kind are read without surprises, and results come back in the kind that came in."""

import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from datetime import date, time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidRow, MissingExtra
from p2ce.tables import KINDS, as_kind, as_pandas, as_row, kind_of
from tests.optional import LazyLibrary

pl, pa = LazyLibrary("polars"), LazyLibrary("pyarrow")

TEXT = pd.Series([""]).dtype  # str from pandas 3 on, objects before
FULL = {
    "whole": [1, 2, 3],
    "number": [0.5, 2.0, -1.0],
    "flag": [True, False, True],
    "text": ["a", "b", "a"],
}
GAPS = {"whole": [2**60 + 1, None, 3], "flag": [True, None, False], "text": ["a", None, ""]}


def polars_table(lazy: bool = False) -> Any:
    frame = pl.DataFrame(
        {
            "int": pl.Series([2**60 + 1, None, 3], dtype=pl.Int64),
            "small": pl.Series([1, 2, 3], dtype=pl.Int8),
            "positive": pl.Series([1, None, 3], dtype=pl.UInt16),
            "single": pl.Series([0.1, None, 3.0], dtype=pl.Float32),
            "double": [0.1, None, 3.0],
            "bool": [True, None, False],
            "flag": [True, True, False],
            "text": ["a", None, "b"],
            "open": pl.Series(["z", "a", None], dtype=pl.Categorical),
            "closed": pl.Series(["lo", None, "hi"], dtype=pl.Enum(["lo", "mid", "hi"])),
        }
    )
    return frame.lazy() if lazy else frame


def arrow_table() -> Any:
    labels = pa.array(["free", "own", "rent"])
    return pa.table(
        {
            "int": pa.array([2**60 + 1, None, 3], pa.int64()),
            "small": pa.array([1, 2, 3], pa.int8()),
            "positive": pa.array([1, None, 3], pa.uint16()),
            "single": pa.array([0.5, None, 3.0], pa.float32()),
            "double": pa.array([0.1, None, 3.0]),
            "bool": pa.array([True, None, False]),
            "flag": pa.array([True, True, False]),
            "text": pa.array(["a", None, "b"]),
            "open": pa.DictionaryArray.from_arrays(pa.array([2, None, 1], pa.int32()), labels),
            "ordered": pa.DictionaryArray.from_arrays(
                pa.array([0, 1, None], pa.int32()), labels, ordered=True
            ),
            "numbered": pa.DictionaryArray.from_arrays(
                pa.array([0, 1, None], pa.int32()), pa.array([10, 20])
            ),
        }
    )


def structured() -> "np.ndarray[Any, Any]":
    return np.array(
        [(41, 0.5, True, "own"), (23, 1.5, False, "rent")],
        dtype=[("Age", "i4"), ("Rate", "f4"), ("Flag", "?"), ("Housing", "U4")],
    )


TYPES = {
    "int": "Int64", "small": "int8", "positive": "UInt16", "single": "float32", "double": "float64",
    "bool": "boolean", "flag": "bool",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "make"), [("polars", polars_table), ("arrow", arrow_table)])
def test_types_are_those_that_say_the_same_and_tables_come_back_as_they_were(kind: str, make: Any) -> None:
    table = make()
    frame, came_as = as_pandas(table)
    assert came_as == kind
    assert {name: str(frame[name].dtype) for name in TYPES} == TYPES
    assert frame["text"].dtype == TEXT
    assert frame["int"].tolist()[0] == 2**60 + 1
    back = as_kind(frame, kind)
    assert back.schema == table.schema
    assert back.equals(table)


def test_categories_keep_their_labels_and_their_order() -> None:
    frame, _ = as_pandas(polars_table(lazy=True))
    assert frame["open"].dtype == pd.CategoricalDtype(pd.Index(["z", "a"], dtype=TEXT))
    labels = pd.Index(["lo", "mid", "hi"], dtype=TEXT)
    assert frame["closed"].dtype == pd.CategoricalDtype(labels, ordered=True)
    frame, _ = as_pandas(arrow_table())
    assert frame["open"].cat.categories.tolist() == ["free", "own", "rent"]
    assert frame["ordered"].cat.ordered
    assert frame["numbered"].cat.categories.tolist() == [10, 20]


def test_arrow_in_chunks_and_in_batches() -> None:
    # Chunks may have their own dictionaries.
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "b", None]).dictionary_encode()]
    frame, _ = as_pandas(
        pa.table({"x": pa.chunked_array(chunks), "n": pa.chunked_array([[1, 2], [3, None, 5]])})
    )
    assert frame["x"].tolist()[:4] == ["a", "b", "c", "b"]
    assert frame["x"].cat.categories.tolist() == ["a", "b", "c"]
    assert frame["n"].isna().tolist() == [False, False, False, True, False]
    batch = arrow_table().to_batches()[0]
    assert as_kind(*as_pandas(batch)).equals(arrow_table())


def test_structured_arrays() -> None:
    frame, kind = as_pandas(structured())
    assert kind == "numpy"
    assert [str(frame[name].dtype) for name in ("Age", "Rate", "Flag")] == ["int32", "float32", "bool"]
    assert frame["Housing"].dtype == TEXT
    back = as_kind(frame, kind)
    assert back.dtype == structured().dtype
    assert (back == structured()).all()


def test_an_array_with_names() -> None:
    frame, kind = as_pandas((np.array([[1.0, 2.0], [3.0, np.nan]], dtype=np.float32), ["a", "b"]))
    assert kind == "numpy"
    assert list(frame.columns) == ["a", "b"]
    assert frame["b"].dtype == np.float32
    assert as_kind(frame, kind).dtype.names == ("a", "b")
    mixed, _ = as_pandas((np.array([[1, "x"], [2, "y"]], dtype=object), ["n", "t"]))
    assert [mixed["n"].dtype, mixed["t"].dtype] == [np.dtype("int64"), TEXT]


@pytest.mark.parametrize("table", [FULL, GAPS])
def test_plain_tables_come_back_as_they_were(table: dict[str, list[Any]]) -> None:
    records = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    for given_table in (table, records):
        back = as_kind(*as_pandas(given_table))
        assert back == given_table
        flat = back.values() if isinstance(back, dict) else [list(row.values()) for row in back]
        assert all(type(cell) in (int, float, bool, str, type(None)) for cells in flat for cell in cells)


def test_plain_types() -> None:
    frame, _ = as_pandas(GAPS)
    assert [str(frame["whole"].dtype), str(frame["flag"].dtype)] == ["Int64", "boolean"]
    others, _ = as_pandas(
        {
            "mixed": [1, 2.5, None],
            "labels": ["a", 1, True],
            "huge": [2**70, 1, 2],
            "array": np.array([1, 2, 3], dtype=np.int16),
            "series": pd.Series(["x", "y", "x"], dtype="category", index=[5, 6, 7]),
            "polars": pl.Series(["lo", "hi", None], dtype=pl.Enum(["lo", "hi"])),
            "arrow": pa.array([1, None, 3]),
            "scalars": [np.int8(1), np.int8(2), np.int8(3)],
            "nothing": [None, None, None],
            "gaps": [np.nan, np.nan, np.nan],
        }
    )
    assert {name: str(dtype) for name, dtype in others.dtypes.items()} == {
        "mixed": "float64", "labels": "object", "huge": "float64", "array": "int16",
        "series": "category", "polars": "category", "arrow": "Int64", "scalars": "int64", "nothing": "object",
        "gaps": "float64",
    }  # fmt: skip
    assert others["labels"].tolist() == ["a", 1, True]
    assert list(others.index) == [0, 1, 2]


whole = st.integers(-(2**63), 2**63 - 1)
cells = st.sampled_from([whole, st.booleans(), st.text()]).flatmap(
    lambda kind: st.lists(kind | st.none(), min_size=3, max_size=3)
)


@given(st.dictionaries(st.text(min_size=1), cells, min_size=1, max_size=4))
def test_every_kind_gives_back_what_it_got(table: dict[str, list[Any]]) -> None:
    frame, _ = as_pandas(table)
    for kind in ("polars", "arrow", "dict", "records"):
        again, came_as = as_pandas(as_kind(frame, kind))
        assert came_as == kind
        assert as_kind(again, "dict") == table


def test_a_frame_of_pandas_is_itself() -> None:
    frame = pd.DataFrame({"Age": [41]})
    assert as_pandas(frame) == (frame, "pandas")
    assert as_kind(frame, "pandas") is frame

    class Own(pd.DataFrame):
        pass

    assert kind_of(Own({"Age": [41]})) == "pandas"


def test_what_pandas_alone_can_hold_still_comes_out() -> None:
    frame = pd.DataFrame(
        {
            "numbered": pd.Series([1, 2], dtype="category"),
            "mixed": pd.Series(["a", 1], dtype="object"),
            "pairs": pd.Series([("a", 1), None], dtype="object"),
            "when": pd.Series([date(2024, 5, 1), None], dtype="object"),
            "Float64": pd.Series([0.5, None], dtype="Float64"),
        }
    )
    written = as_kind(frame, "polars")
    assert written["numbered"].to_list() == [1, 2]
    assert written["mixed"].to_list() == ["a", 1]
    assert written["Float64"].to_list() == [0.5, None]
    assert as_kind(frame, "arrow")["mixed"].to_pylist() == ["a", "1"]
    assert as_kind(frame, "arrow")["Float64"].to_pylist() == [0.5, None]
    assert as_kind(frame, "numpy")["pairs"].tolist() == [("a", 1), None]
    assert as_kind(pd.DataFrame({"n": pd.Series([1, None], dtype="Int64")}), "numpy")["n"].dtype.kind == "f"


@pytest.mark.parametrize("kind", KINDS)
def test_empty_tables(kind: str) -> None:
    empty = as_kind(
        pd.DataFrame({"Age": pd.Series([], dtype="int64"), "Job": pd.Series([], dtype=TEXT)}), kind
    )
    if kind == "records":
        assert empty == []
        return
    frame, _ = as_pandas(empty)
    assert frame.shape == (0, 2)


def test_the_error_is_that_of_what_the_table_was_passed_for() -> None:
    with pytest.raises(InvalidRow, match=r"'when' \(it holds time"):
        as_pandas({"when": [time(9, 30)]}, error=InvalidRow)


PERSON = {"Age": 41, "Rate": 0.5, "Flag": True, "Housing": "own"}
Row = namedtuple("Row", PERSON)  # type: ignore[misc]


ROWS: dict[str, tuple[Callable[[], Any], str | None]] = {
    "polars": (lambda: pl.DataFrame([PERSON]), "polars"),
    "polars, lazy": (lambda: pl.DataFrame([PERSON]).lazy(), "polars"),
    "polars, a category": (
        lambda: pl.DataFrame([PERSON], schema_overrides={"Housing": pl.Categorical}),
        "polars",
    ),
    "Arrow table": (lambda: pa.Table.from_pylist([PERSON]), "arrow"),
    "Arrow batch": (lambda: pa.RecordBatch.from_pylist([PERSON]), "arrow"),
    "NumPy record": (lambda: structured()[0], "numpy"),
    "NumPy records": (lambda: structured()[:1], "numpy"),
    "records": (lambda: [PERSON], "records"),
    "columns": (lambda: {name: [value] for name, value in PERSON.items()}, "dict"),
    "dict": (lambda: PERSON, None),
    "named tuple": (lambda: Row(**PERSON), None),
    "row of itertuples": (lambda: next(pd.DataFrame([PERSON]).itertuples()), None),
}


@pytest.mark.parametrize(("row", "kind"), ROWS.values(), ids=ROWS)
def test_a_person_of_every_kind(row: Callable[[], Any], kind: str | None) -> None:
    person, came_as = as_row(row())
    assert person == PERSON
    assert came_as == kind
    assert [type(value) for value in person.values()] == [int, float, bool, str] or kind is None


def test_a_gap_in_a_person_is_a_value() -> None:
    row = pl.DataFrame({"n": [None], "f": [None]}, schema={"n": pl.Int64, "f": pl.Float64})
    person, _ = as_row(row)
    assert person["n"] is None
    assert np.isnan(person["f"])


@pytest.mark.parametrize("row", [pd.Series(PERSON), pd.DataFrame([PERSON])])
def test_pandas_people_stay_as_they_are(row: Any) -> None:
    assert as_row(row)[0] is row
    assert as_row(row)[1] == "pandas"


@pytest.mark.parametrize("row", [np.array([1.0, 2.0]), [1.0, 2.0], (1, 2), 7])
def test_what_goes_by_position_is_left_to_the_reader(row: Any) -> None:
    assert as_row(row)[0] is row
    assert as_row(row)[1] is None


def test_a_kind_that_is_not_installed_names_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtra, match=r"pip install polars. .*kind='pandas'"):
        as_kind(pd.DataFrame({"Age": [41]}), "polars")


def test_the_callers_data_is_not_shared_for_writing() -> None:
    table = {"Age": np.array([1, 2])}
    frame, _ = as_pandas(table)
    frame.loc[0, "Age"] = 9
    assert table["Age"].tolist() == [1, 2]
    frame, _ = as_pandas(arrow_table())
    frame.loc[0, "small"] = 9  # would raise if Arrow's own memory were behind it


def test_no_library_is_imported_for_plain_tables() -> None:
    code = (
        "import sys; from p2ce.tables import as_row, as_kind, as_pandas, kind_of;"
        "assert 'pandas' not in sys.modules; as_row({'Age': 1}); assert 'pandas' not in sys.modules;"
        "as_kind(as_pandas({'Age': [1, 2]})[0], 'records'); assert 'polars' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
