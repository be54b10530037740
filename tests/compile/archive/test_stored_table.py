"""Any table of the supported types comes back as it was, to the last bit and type."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from p2ce.compile.archive.stored_arrays import read_array, write_array
from p2ce.compile.archive.stored_table import restore_table, write_table
from p2ce.errors import InvalidArgument
from tests.optional import needs

ROWS = 5
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

NULLABLE = {
    **{name: name.replace("int", "Int").replace("uI", "UI") for name in WHOLE},
    "float32": "Float32",
    "float64": "Float64",
    "boolean": "boolean",
}


def through_a_file(frame: pd.DataFrame, kind: str = "pandas") -> tuple[pd.DataFrame, str]:
    content, arrays = write_table(frame, kind)
    parts = {name: write_array(array) for name, array in arrays.items()}
    return restore_table(json.loads(json.dumps(content)), lambda name: read_array(parts[name]))


def assert_same(frame: pd.DataFrame, found: pd.DataFrame) -> None:
    assert_frame_equal(frame.reset_index(drop=True), found, check_exact=True)
    for place in range(frame.shape[1]):
        was, now = frame.iloc[:, place], found.iloc[:, place]
        assert was.dtype == now.dtype
        if was.dtype == object:  # where equal cells may differ in type, and None and NaN are distinct
            assert [(type(cell), repr(cell)) for cell in was] == [(type(cell), repr(cell)) for cell in now]
        elif isinstance(was.dtype, np.dtype):
            assert was.to_numpy().tobytes() == now.to_numpy().tobytes()


def lists(cells: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(cells, min_size=ROWS, max_size=ROWS)


def whole(dtype: str) -> st.SearchStrategy[int]:
    ends = np.iinfo(dtype)
    return st.integers(int(ends.min), int(ends.max))


texts = st.text(max_size=4)
any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=4)  # lone surrogates too
floats = st.floats(width=32)
scalars = st.one_of(
    st.none(),
    st.just(np.nan),
    st.just(pd.NA),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    any_text,
    st.builds(np.float32, floats),
    st.builds(np.int8, whole("int8")),
    st.tuples(st.integers(), texts),
)


@st.composite
def columns(draw: st.DrawFn) -> "pd.Series[Any]":
    kind = draw(
        st.sampled_from(["whole", "float", "bool", "nullable", "text", "category", "object", "arrow"])
    )
    if kind == "whole":
        dtype = draw(st.sampled_from(WHOLE))
        return pd.Series(draw(lists(whole(dtype))), dtype=dtype)
    if kind == "float":
        width = draw(st.sampled_from([16, 32, 64]))
        return pd.Series(draw(lists(st.floats(width=width))), dtype=f"float{width}")
    if kind == "bool":
        return pd.Series(draw(lists(st.booleans())), dtype="bool")
    if kind == "nullable":
        name = draw(st.sampled_from(list(NULLABLE)))
        cells: Any = st.floats(width=32, allow_nan=False)
        if "int" in name:
            cells = whole(name)
        elif name == "boolean":
            cells = st.booleans()
        return pd.Series(pd.array(draw(lists(st.none() | cells)), dtype=NULLABLE[name]))
    if kind == "arrow":
        needs("pyarrow")
        name, cells = draw(
            st.sampled_from(
                [("int16", whole("int16")), ("bool", st.booleans()), ("double", st.floats(allow_nan=False))]
            )
        )
        return pd.Series(draw(lists(st.none() | cells)), dtype=f"{name}[pyarrow]")
    if kind == "text":
        dtype = draw(st.sampled_from(["str", "string", pd.StringDtype("python"), pd.StringDtype("pyarrow")]))
        return pd.Series(draw(lists(st.none() | texts)), dtype=dtype)
    if kind == "object":
        cells = draw(lists(scalars))
        held = np.empty(ROWS, dtype=object)
        for place, cell in enumerate(cells):
            held[place] = cell
        return pd.Series(held, dtype=object)
    labels = draw(
        st.lists(st.integers(-9, 9), unique=True, min_size=1)
        | st.lists(texts, unique=True, min_size=1)
        | st.lists(st.floats(0, 1), unique=True, min_size=1)
    )
    places = draw(lists(st.integers(-1, len(labels) - 1)))
    dtype = pd.CategoricalDtype(labels, ordered=draw(st.booleans()))
    return pd.Series(pd.Categorical.from_codes(places, dtype=dtype))


@given(
    st.lists(columns(), min_size=1, max_size=4),
    st.sampled_from(["text", "whole", "mixed", "several"]),
    st.sampled_from(["pandas", "polars", "arrow", "dict"]),
)
def test_a_table_comes_back_as_it_was(made: list[Any], labels: str, kind: str) -> None:
    frame = pd.DataFrame(dict(enumerate(made)))
    count = len(made)
    if labels == "text":
        frame.columns = pd.Index(["<script>alert(1)</script>", "tamaño €", "", "a/../b"][:count], name="what")
    elif labels == "mixed":
        frame.columns = pd.Index([7, "a", 2.5, ("b", 1)][:count], dtype=object, tupleize_cols=False)
    elif labels == "several":
        frame.columns = pd.MultiIndex.from_tuples([("a", i) for i in range(count)], names=["x", None])
    found, found_kind = through_a_file(frame, kind)
    assert_same(frame, found)
    assert found.columns.equals(frame.columns)
    assert found.columns.names == frame.columns.names
    assert found_kind == kind


def test_a_label_that_nobody_has_stays_declared() -> None:
    frame = pd.DataFrame({"home": pd.Categorical(["own"], ["boat", "own", "rent"], ordered=True)})
    assert_same(frame, through_a_file(frame)[0])


def test_row_labels_are_left_behind() -> None:
    frame = pd.DataFrame({"age": [41, 23]}, index=["p1", "p2"])
    assert list(through_a_file(frame)[0].index) == [0, 1]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([pd.Timedelta(days=1)]),
        pd.Series([b"bytes"], dtype=object),
        pd.Series([object()], dtype=object),
        pd.Series(pd.Categorical([pd.Interval(0, 1)])),
    ],
)
def test_what_cannot_be_kept_is_rejected_by_name(column: "pd.Series[Any]") -> None:
    with pytest.raises(InvalidArgument, match=r"'opened'.*(text|numbers)"):
        write_table(pd.DataFrame({"opened": column}), "pandas")
