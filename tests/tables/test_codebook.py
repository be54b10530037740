"""Do codes say what the table said, and does the table come back as it was?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidReference
from p2ce.tables.codebook import ABOVE_MISSING, MISSING, codebook_of, coding_of
from tests.properties.amount import examples

LABELS = ["own", "rent", "free", "", "1", "nan", "missing"]
SCHOOL = ["none", "school", "college", "phd"]


def text(cells: list[Any]) -> pd.Series:
    """Return a column of objects, as pandas 2 makes of text."""
    return pd.Series(cells, dtype=object)


def of(dtype: str) -> Any:
    """Make columns of a type; None is a missing value."""
    gap = np.nan if dtype.startswith("float") else None
    return lambda cells: pd.Series([gap if cell is None else cell for cell in cells], dtype=dtype)


def category(labels: list[Any], *, ordered: bool = False) -> tuple[Any, st.SearchStrategy[Any]]:
    make = lambda cells: pd.Series(pd.Categorical(cells, categories=labels, ordered=ordered))  # noqa: E731
    return make, st.none() | st.sampled_from(labels)


# How a column of each kind is made of cells, and which cells it may hold.
WHOLE = st.integers(-100, 100)
FINITE = {"allow_nan": False, "allow_infinity": False}
KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "int64": (of("int64"), WHOLE),
    "int8": (of("int8"), WHOLE),
    "uint16": (of("uint16"), st.integers(0, 1000)),
    "bool": (of("bool"), st.booleans()),
    "float64": (of("float64"), st.none() | st.floats(**FINITE)),
    "float32": (of("float32"), st.none() | st.floats(**FINITE, width=32)),
    "Int64": (of("Int64"), st.none() | WHOLE),
    "Float32": (of("Float32"), st.none() | st.floats(-1e6, 1e6, width=32)),
    "boolean": (of("boolean"), st.none() | st.booleans()),
    "object": (text, st.none() | st.sampled_from(LABELS)),
    "object, numbers and bools": (text, st.none() | st.sampled_from([1, True, 0, False, 2.5, "1"])),
    "string": (of("string"), st.none() | st.sampled_from(LABELS)),
    "category": category(LABELS),
    "category of numbers": category([3, 1, 2]),
    "category of bools": category([False, True]),
    "ordered": category(SCHOOL, ordered=True),
}


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    """Draw a table of a few columns of any kinds, with gaps where the kind has them."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4))
    count = draw(st.integers(1, 8))
    columns = {}
    for place, kind in enumerate(kinds):
        make, cells = KINDS[kind]
        columns[f"{kind} {place}"] = make(draw(st.lists(cells, min_size=count, max_size=count)))
    return pd.DataFrame(columns)


@given(frames())
def test_a_table_comes_back_as_it_was(frame: pd.DataFrame) -> None:
    book = codebook_of(frame)
    codes = book.encode(frame)
    assert codes.shape == frame.shape
    assert codes.dtype == np.float64
    gone = frame.isna().to_numpy()
    assert (codes[gone] == MISSING).all()
    assert (codes[~gone] >= ABOVE_MISSING).all()
    pd.testing.assert_frame_equal(book.decode(codes, frame.columns), frame, check_exact=True)


@examples(40)
@given(frames(), st.integers(1, 100))
def test_many_rows_are_coded_as_few(frame: pd.DataFrame, times: int) -> None:
    """Long columns are coded label by label, short ones cell by cell."""
    book = codebook_of(frame)
    many = pd.concat([frame] * times, ignore_index=True).astype(frame.dtypes)
    codes = np.tile(book.encode(frame), (times, 1))
    np.testing.assert_array_equal(book.encode(many), codes)
    pd.testing.assert_frame_equal(book.decode(codes, frame.columns), many)
    assert book.encode_all(many)[1] is book


@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.parametrize(("label", "categories"), [(7, [1, 2, 7]), (True, [False, True]), ("c", ["a", "c"])])
def test_unknown_labels_keep_their_type_among_many_rows(
    label: Any, categories: list[Any], times: int
) -> None:
    known = [other for other in categories if other is not label]
    coding = coding_of(pd.Series(pd.Categorical(known * 2, categories=known)))
    people = pd.Series(pd.Categorical([label] * times, categories=categories))
    codes, wider = coding.encode_all(people)
    assert codes.tolist() == [float(len(known))] * times
    assert [(type(one), one) for one in wider.unseen] == [(type(label), label)]
    assert coding.unseen == ()


@given(frames())
def test_one_cell_at_a_time_says_the_same_in_plain_python(frame: pd.DataFrame) -> None:
    book = codebook_of(frame)
    codes = book.encode(frame)
    for place, coding in enumerate(book):
        for code, cell in zip(codes[:, place].tolist(), frame.iloc[:, place].tolist(), strict=True):
            plain = coding.plain(code)
            assert not isinstance(plain, np.generic)
            if code == MISSING:
                assert pd.isna(plain)
                continue
            assert plain == cell
            assert isinstance(plain, bool) == isinstance(cell, bool | np.bool_)
            assert coding.encode([plain]).tolist() == [code]


@given(st.lists(st.sampled_from("abcde") | st.none(), min_size=1), st.permutations("abcde"))
def test_what_labels_are_called_changes_no_code(cells: list[str | None], names: list[str]) -> None:
    other = dict(zip("abcde", names, strict=True))
    renamed = [None if cell is None else other[cell] for cell in cells]
    for make in (text, lambda given: pd.Series(pd.array(given, dtype="string"))):
        one, two = coding_of(make(cells)), coding_of(make(renamed))
        assert one.encode(make(cells)).tolist() == two.encode(make(renamed)).tolist()
    one, two = (
        coding_of(pd.Series(pd.Categorical(given, categories=order)))
        for given, order in ((cells, list("abcde")), (renamed, names))
    )
    assert one.encode(cells).tolist() == two.encode(renamed).tolist()


def test_the_commonest_label_comes_first_and_ties_go_by_appearance() -> None:
    coding = coding_of(text(["b", "a", "c", "c", None, "a"]))
    assert coding.labels == ("a", "c", "b")
    assert not coding.ordered
    declared = pd.Categorical(["b", "a", "c", "c"], categories=["d", "a", "b", "c"])
    assert coding_of(pd.Series(declared)).labels == ("c", "a", "b", "d")
    ordered = coding_of(pd.Series(pd.Categorical(["phd", "phd"], categories=SCHOOL, ordered=True)))
    assert (ordered.labels, ordered.ordered) == (tuple(SCHOOL), True)


@given(st.lists(st.sampled_from(["", "a", "b", "a ", "É"]) | st.none()))
def test_text_has_the_labels_that_objects_have(cells: list[str | None]) -> None:
    """Text is counted by pandas, which is quicker; cells of any kind are counted one by one."""
    as_objects = coding_of(pd.Series(cells, dtype=object)).labels
    for dtype in ("str", "string"):
        text = coding_of(pd.Series(cells, dtype=dtype))
        assert text.labels == as_objects
        assert all(type(label) is str for label in text.labels or ())


def test_unknown_labels_get_codes_behind_all_others_in_a_coding_of_their_own() -> None:
    coding = coding_of(text(["own", "rent"]))
    codes, wider = coding.encode_all(["boat", "own", None, "tent", "boat"])
    assert codes.tolist() == [2.0, 0.0, MISSING, 3.0, 2.0]
    assert wider.encode(["tent"]).tolist() == [3.0]
    assert wider.code_of("boat") == 2.0
    assert wider.plain(3.0) == "tent"
    assert wider.decode(np.array([2.0, MISSING, 1.0])).tolist()[::2] == ["boat", "rent"]
    assert wider.labels == ("own", "rent")  # what the reference has stays what it was
    assert wider.encode_all(["tent", "own"])[1] is wider


@pytest.mark.parametrize("make", [text, lambda cells: pd.Series(pd.Categorical(cells))])
def test_a_code_without_a_label_is_never_decoded(make: Any) -> None:
    coding = coding_of(make(["own", "rent"]))
    codes = coding.encode(["boat", "own", "tent"])
    assert codes.tolist() == [2.0, 0.0, 2.0]
    assert (coding.unseen, coding.code_of("boat")) == ((), None)
    with pytest.raises(IndexError):
        coding.decode(codes)
    with pytest.raises(IndexError):
        coding.plain(2.0)


def test_nothing_of_a_codebook_can_be_written() -> None:
    frame = pd.DataFrame({"Job": ["cook", "clerk"], "Home": pd.Categorical(["own", "rent"])})
    book = codebook_of(frame)
    wider = book.with_labels({"Job": ["pilot", "cook"]})
    codes, widest = wider.encode_all(pd.DataFrame({"Job": ["smith"], "Home": ["boat"]}))
    assert [one.unseen for one in (*book, *wider, *widest)] == [
        (),
        (),
        ("pilot",),
        (),
        ("pilot", "smith"),
        ("boat",),
    ]
    assert widest.decode(codes, frame.columns).to_numpy().tolist() == [["smith", "boat"]]
    assert (wider["Home"], book.with_codings_of(wider)["Job"]) == (book["Home"], wider["Job"])
    for coding in widest:
        arrays = [part for part in vars(coding).values() if isinstance(part, np.ndarray)]
        assert not any(part.flags.writeable for part in arrays)
        assert not any(isinstance(part, list | set) for part in vars(coding).values())


def test_a_categorical_type_is_widened_only_for_who_needs_it() -> None:
    column = pd.Series(pd.Categorical(["own", "rent"], categories=["rent", "own", "free"]))
    coding = coding_of(column)
    codes, coding = coding.encode_all(["boat", "own"])
    assert coding.decode(codes[1:]).dtype == column.dtype
    wider = coding.decode(codes)
    assert wider.tolist() == ["boat", "own"]
    assert wider.categories.tolist() == ["rent", "own", "free", "boat"]


def test_true_is_not_one_but_one_is_one_point_zero() -> None:
    coding = coding_of(text([1, 1, True, "1"]))
    assert coding.labels == (1, True, "1")
    assert coding.encode([True, 1.0, np.int64(1), np.bool_(True), "1"]).tolist() == [1, 0, 0, 1, 2]


@pytest.mark.parametrize("gap", [None, np.nan])
def test_a_column_of_objects_says_missing_in_its_own_way(gap: Any) -> None:
    coding = coding_of(text(["own", gap, "rent"]))
    missing = coding.decode(np.array([0.0, MISSING])).tolist()[1]
    assert missing is gap or (missing != missing and gap != gap)
    assert coding.encode([None, np.nan, pd.NA, pd.NaT]).tolist() == [MISSING] * 4


@pytest.mark.parametrize("dtype", ["int64", "float64", "boolean"])
def test_what_a_column_of_numbers_cannot_hold_is_reported_apart_from_what_is_missing(dtype: str) -> None:
    coding = coding_of(pd.Series([0, 1], dtype=dtype))
    codes = coding.encode(["1", np.inf, -np.inf, 1j, [1], None, np.nan, pd.NA, True, 0])
    assert np.isnan(codes[:5]).all()
    assert codes[5:].tolist() == [MISSING, MISSING, MISSING, 1.0, 0.0]
    assert np.isnan(coding.encode(np.array([np.inf, -np.inf]))).all()
    assert coding.encode(np.array([np.nan])).tolist() == [MISSING]


def test_plain_types_without_gaps_say_so_and_become_floats_where_one_is_made() -> None:
    whole, nullable = coding_of(pd.Series([1, 2])), coding_of(pd.Series(pd.array([1, 2], dtype="Int64")))
    assert not whole.holds_missing
    assert not coding_of(pd.Series([True])).holds_missing
    assert nullable.holds_missing
    assert coding_of(pd.Series([1.5])).holds_missing
    assert coding_of(text(["own"])).holds_missing
    codes = np.array([1.0, MISSING])
    assert whole.decode(codes[:1]).dtype == np.int64
    np.testing.assert_array_equal(whole.decode(codes), [1.0, np.nan])
    assert nullable.decode(codes).tolist() == [1, pd.NA]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.period_range("2024-01", periods=1, freq="M"), name="When"),
        pd.Series([1j], name="When"),
        pd.Series(pd.to_timedelta([1], unit="D"), name="When"),
    ],
    ids=lambda column: str(column.dtype),
)
def test_what_is_neither_number_nor_category_is_rejected_by_name(column: pd.Series) -> None:
    with pytest.raises(InvalidReference, match=r"got 'When' \(.+\)\. Convert it"):
        coding_of(column)


def test_columns_are_found_by_name_in_any_order() -> None:
    frame = pd.DataFrame({"Age": [41, 23], "Job": ["cook", "clerk"], 3: [0.5, 1.5]})
    book = codebook_of(frame)
    assert book.names == ("Age", "Job", "3")
    assert book.is_category.tolist() == [False, True, False]
    mixed = frame[[3, "Job", "Age"]]
    np.testing.assert_array_equal(book.encode(mixed), book.encode(frame))
    some = book.of(["3", "Age"])
    np.testing.assert_array_equal(some.encode(frame), book.encode(frame)[:, [2, 0]])
    assert some["Age"] is book["Age"]
