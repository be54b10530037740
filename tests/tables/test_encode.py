"""Are people read as they were given, whatever they come in, and told what is wrong otherwise?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidRow
from p2ce.tables.codebook import MISSING, codebook_of
from p2ce.tables.encode import encode_row, encode_table, has_unseen_categories, unseen_labels

SCHOOL = ["none", "school", "phd"]
PEOPLE = pd.DataFrame(
    {
        "age": np.array([20, 30, 40], dtype=np.int8),
        "home": ["own", "own", "rent"],
        "income": [10.5, np.nan, 40.0],
        "school": pd.Categorical(["none", "phd", "phd"], categories=SCHOOL, ordered=True),
        "rooms": pd.array([1, None, 3], dtype="Int64"),
        "insured": [True, False, True],
        "rate": np.array([0.5, 0.25, 0.125], dtype=np.float32),
    },
    index=["p", "q", "r"],
)
BOOK = codebook_of(PEOPLE)
ROW = {"age": 30, "home": "rent", "income": 12.5, "school": "phd", "rooms": 2, "insured": True, "rate": 0.5}
CODES = [30.0, 1.0, 12.5, 2.0, 2.0, 1.0, 0.5]
CELLS: dict[str, list[Any]] = {
    "age": [20, 21, 127, None],
    "home": ["own", "rent", "boat", None],
    "income": [0.0, -3.25, 1e30, None],
    "school": ["none", "school", "phd", None],
    "rooms": [0, 7, None],
    "insured": [True, False, None],
    "rate": [0.5, 1.25, None],
}
ROWS = st.fixed_dictionaries({name: st.sampled_from(cells) for name, cells in CELLS.items()})


def typed(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Write rows as a frame of objects, which hold whatever is given."""
    return pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=object) for name in CELLS})


@given(ROWS)
def test_every_form_of_a_person_is_read_alike(row: dict[str, Any]) -> None:
    expected = encode_row(row, BOOK)
    in_order = [row[name] for name in CELLS]
    forms = [
        dict(reversed(row.items())),
        pd.Series(row, dtype=object),
        in_order,
        tuple(in_order),
        np.array(in_order, dtype=object),
        typed([row]),
        typed([row])[list(CELLS)[::-1]],
    ]
    for form in forms:
        found = encode_row(form, BOOK)
        np.testing.assert_array_equal(found.values, expected.values)
        assert found.row(0, BOOK.names) == row
    assert (expected.values[0] == MISSING).tolist() == [value is None for value in in_order]


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_many_are_read_as_each_alone(rows: list[dict[str, Any]]) -> None:
    found = encode_table(typed(rows), BOOK)
    assert len(found) == len(rows)
    assert not found.problems
    for position, row in enumerate(rows):
        np.testing.assert_array_equal(found.values[position], encode_row(row, BOOK).values[0])
        assert found.row(position, BOOK.names) == row


def test_values_come_as_codes_and_as_they_were_given() -> None:
    found = encode_row(ROW, BOOK)
    assert found.values.tolist() == [CODES]
    assert found.row(0, BOOK.names) == ROW
    table = encode_table(PEOPLE, BOOK)
    assert table.ids == ("p", "q", "r")
    np.testing.assert_array_equal(table.values, BOOK.encode(PEOPLE))
    assert table.row(1, BOOK.names)["rooms"] is None  # pandas' NA is no one else's


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("name", ["age", "home", "income", "school", "rooms", "insured", "rate"])
def test_a_value_may_be_missing_in_every_column(name: str, gap: Any) -> None:
    found = encode_row({**ROW, name: gap}, BOOK)
    assert found.values[0, BOOK.names.index(name)] == MISSING


WRONG = {
    "infinite": ({"income": np.inf}, r"'income' is infinite"),
    "infinite NumPy": ({"income": np.float64(-np.inf)}, r"'income' is infinite"),
    "words": (
        {"income": "plenty"},
        r"'income' holds 'plenty', which is not a number\. Write a plain number, such as 3190",
    ),
    "half a year": ({"age": 30.5}, r"'age' holds int8 in the reference, which cannot hold 30\.5 exactly"),
    "too many years": ({"age": 128}, r"int8 .* cannot hold 128"),
    "half a room": ({"rooms": 1.5}, r"'rooms' holds Int64"),
    "two trues": ({"insured": 2}, r"'insured' holds bool"),
    "no single": ({"rate": 0.1}, r"'rate' holds float32"),
    "too large": ({"income": 1e39}, r"'income', 1e\+39, is too large"),
    "a number for a label": (
        {"home": 3},
        r"'home' holds values such as 'own', 'rent' in the reference, but 3 here",
    ),
    "a list": ({"income": [1.0]}, r"'income' holds \[1\.0\], which is not a number"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read_is_named(name: str) -> None:
    changed, words = WRONG[name]
    with pytest.raises(InvalidRow, match=words):
        encode_row({**ROW, **changed}, BOOK)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("p", "got str. To explain one person of a table, pass X.loc['p']."),
        (3, "X.loc[3]."),
        (2.5, "got float."),
    ],
)
def test_an_id_is_not_a_row(row: Any, words: str) -> None:
    with pytest.raises(InvalidRow) as caught:
        encode_row(row, BOOK)
    assert str(caught.value).endswith(words)


def test_a_row_that_cannot_be_read_spoils_no_other() -> None:
    table = typed([ROW, {**ROW, "income": np.inf}, {**ROW, "home": 3, "age": 0.5}, ROW])
    found = encode_table(table, BOOK)
    assert sorted(found.problems) == [1, 2]
    assert "'income'" in found.problems[1]
    assert "'home'" in found.problems[2]  # the first of two
    assert found.values[[0, 3]].tolist() == [CODES, CODES]
    assert np.isfinite(found.values).all()


def test_a_label_that_the_reference_lacks_is_seen_from_the_first_on() -> None:
    rows = encode_table(pd.DataFrame([ROW, {**ROW, "home": "boat"}, {**ROW, "home": "tent"}]), BOOK)
    assert has_unseen_categories(rows.codebook, rows.values).tolist() == [False, True, True]
    assert unseen_labels(rows.codebook, rows.values) == "'home' holds 'boat', 'home' holds 'tent'"
    alone = encode_row({**ROW, "home": "boat"}, BOOK)
    assert has_unseen_categories(alone.codebook, alone.values).all()
