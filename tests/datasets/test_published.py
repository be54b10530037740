"""The loaded data sets have the published rows, shares, columns and types."""

import pandas as pd
import pytest

from p2ce import datasets
from tests.real_data import require_data

require_data()

# As UCI and the paper state them: rows, favourable outcomes, features, features that may change.
COUNTS = {
    "german": (1000, 700, 27, 20),
    "taiwan": (30000, 23364, 11, 10),
    "adult": (48842, 11687, 8, 6),
}
TARGETS = {"german": "GoodCustomer", "taiwan": "NoDefaultNextMonth", "adult": "income"}
IMMUTABLE: dict[str, set[str]] = {
    "german": {"Age", "OwnsHouse", "is_male", "JobClassIsSkilled", "Single", "ForeignWorker", "RentsHouse"},
    "taiwan": {"Age"},
    "adult": {"is_male", "age"},
}
IMMUTABLE_CATEGORIES: dict[str, set[str]] = {"german": set(), "taiwan": {"MARRIAGE"}, "adult": {"race"}}
LABELS: dict[str, dict[str, int]] = {
    "german": {"PurposeOfLoan": 10},
    "taiwan": {"EDUCATION": 7, "MARRIAGE": 4},
    "adult": {"occupation": 15, "relationship": 6, "race": 5},  # an unknown occupation is a label
}


@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_columns_and_types_are_the_published_ones(name: str) -> None:
    loaded = datasets.load(name)
    rows, favourable, features, mutable = COUNTS[name]
    assert (loaded.name, loaded.target.name, loaded.categories) == (name, TARGETS[name], ())
    assert loaded.data.shape == (rows, features)
    assert loaded.target.value_counts().to_dict() == {1: favourable, 0: rows - favourable}
    assert loaded.target.dtype == "int64"
    assert set(loaded.immutable) == IMMUTABLE[name]
    assert features - len(loaded.immutable) == mutable
    # Complete numbers in the original order.
    assert {dtype.kind for dtype in loaded.data.dtypes} == {"f" if name == "taiwan" else "i"}
    assert not loaded.data.isna().to_numpy().any()
    assert loaded.data.index.equals(pd.RangeIndex(rows))
    assert loaded.data.index.equals(loaded.target.index)
    assert loaded.target.name not in loaded.data.columns


@pytest.mark.parametrize("name", COUNTS)
def test_categories_are_added_and_nothing_else_changes(name: str) -> None:
    without, loaded = datasets.load(name), datasets.load(name, categories=True)
    labels = {column: len(loaded.data[column].cat.categories) for column in loaded.categories}
    assert labels == LABELS[name]
    assert set(loaded.immutable) == IMMUTABLE[name] | IMMUTABLE_CATEGORIES[name]
    assert not loaded.data.isna().to_numpy().any()
    pd.testing.assert_frame_equal(loaded.data.drop(columns=list(labels)), without.data)
    pd.testing.assert_series_equal(loaded.target, without.target)


def test_a_changed_frame_changes_no_other() -> None:
    first = datasets.load("german")
    first.data.iloc[:, :] = 0
    assert datasets.load("german").data["Age"].min() == 19
