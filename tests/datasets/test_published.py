"""The loaded data sets have the published rows, shares, columns and types."""

import pandas as pd
import pytest

from p2ce import datasets
from tests.real_data import require_data

require_data()

LOADERS = {
    "german": datasets.load_german,
    "taiwan": datasets.load_taiwan,
    "adult": datasets.load_adult,
}
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


@pytest.mark.parametrize("name", LOADERS)
def test_the_counts_columns_and_types_are_the_published_ones(name: str) -> None:
    data = LOADERS[name]()
    rows, favourable, features, mutable = COUNTS[name]
    assert (data.name, data.outcome.name, data.categories) == (name, TARGETS[name], ())
    assert data.features.shape == (rows, features)
    assert data.outcome.value_counts().to_dict() == {1: favourable, 0: rows - favourable}
    assert data.outcome.dtype == "int64"
    assert set(data.immutable) == IMMUTABLE[name]
    assert features - len(data.immutable) == mutable
    # Complete numbers in the original order.
    assert {dtype.kind for dtype in data.features.dtypes} == {"f" if name == "taiwan" else "i"}
    assert not data.features.isna().to_numpy().any()
    assert data.features.index.equals(pd.RangeIndex(rows))
    assert data.features.index.equals(data.outcome.index)
    assert data.outcome.name not in data.features.columns


@pytest.mark.parametrize("name", LOADERS)
def test_categories_are_added_and_nothing_else_changes(name: str) -> None:
    without, data = LOADERS[name](), datasets.load(name, categories=True)
    labels = {column: len(data.features[column].cat.categories) for column in data.categories}
    assert labels == LABELS[name]
    assert set(data.immutable) == IMMUTABLE[name] | IMMUTABLE_CATEGORIES[name]
    assert not data.features.isna().to_numpy().any()
    pd.testing.assert_frame_equal(data.features.drop(columns=list(labels)), without.features)
    pd.testing.assert_series_equal(data.outcome, without.outcome)


def test_whoever_changes_a_frame_changes_only_their_own() -> None:
    first = datasets.load_german()
    first.features.iloc[:, :] = 0
    assert datasets.load_german().features["Age"].min() == 19
