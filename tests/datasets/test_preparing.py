"""Raw tables become the published columns, in whichever types they arrive."""

import pandas as pd
import pytest

from p2ce.datasets.dataset import FACTS
from p2ce.datasets.preparing import as_csv, prepare_table
from tests.datasets.raw_tables import GERMAN_RAW, PREPARED, RAW


@pytest.mark.parametrize("name", FACTS)
def test_people_come_out_as_reckoned_by_hand(name: str) -> None:
    made = prepare_table(name, RAW[name])
    assert {column: values.tolist() for column, values in made.items()} == PREPARED[name]
    assert list(made.columns) == list(PREPARED[name])


@pytest.mark.parametrize("name", FACTS)
def test_the_types_of_the_raw_table_do_not_matter(name: str) -> None:
    """Parsers give labels as text, categories or numbers, and whole numbers as integers or floats."""
    raw = RAW[name]
    numbers = [column for column, dtype in raw.dtypes.items() if dtype.kind in "iuf"]
    labels = [column for column in raw.columns if column not in numbers]
    expected = as_csv(prepare_table(name, raw))
    other = raw.astype(dict.fromkeys(labels, "category")).astype(dict.fromkeys(numbers, float))
    assert as_csv(prepare_table(name, other)) == expected
    if name == "taiwan":
        assert as_csv(prepare_table(name, raw.astype(float))) == expected
        assert as_csv(prepare_table(name, raw.astype(int).astype("category"))) == expected


@pytest.mark.parametrize("name", FACTS)
def test_the_order_of_columns_and_the_labels_of_rows_do_not_matter(name: str) -> None:
    raw = RAW[name]
    other = raw[raw.columns[::-1]].set_axis(range(100, 100 + len(raw)))
    assert as_csv(prepare_table(name, other)) == as_csv(prepare_table(name, raw))


@pytest.mark.parametrize("name", FACTS)
def test_the_facts_name_columns_that_there_are(name: str) -> None:
    facts, columns = FACTS[name], set(PREPARED[name])
    assert {facts.target, *facts.categories, *facts.immutable} <= columns
    assert facts.target not in facts.immutable


def test_a_label_that_is_missing_is_none_of_those_asked_for() -> None:
    """OpenML's own clients read the label "none" as a gap."""
    gaps = GERMAN_RAW.replace({"other_parties": {"none": None}, "own_telephone": {"none": None}})
    assert as_csv(prepare_table("german", gaps)) == as_csv(prepare_table("german", GERMAN_RAW))


def test_lines_end_alike_on_every_system() -> None:
    assert as_csv(pd.DataFrame({"a": [1], "b": ["x"]})) == b"a,b\n1,x\n"
