"""A Dask DataFrame of people gives a Dask DataFrame of options: lazily, typed before anything is computed."""

import dask
import dask.dataframe as dd
import pandas as pd
import pytest
from dask.dataframe.utils import assert_eq

from p2ce.errors import InvalidArgument
from p2ce.explainer import Explainer
from p2ce.portfolio import explain_partitions
from tests.portfolio.small import explainer, people


@pytest.fixture(scope="module")
def credit() -> Explainer:
    return explainer()


@pytest.fixture(scope="module")
def frame() -> dd.DataFrame:
    return dd.from_pandas(people(90), npartitions=3)


def test_kept_categories_and_objects_that_nobody_names(credit: Explainer) -> None:
    frame = people(40)
    frame["branch"] = pd.Categorical(["north"] * 20 + [None] * 20)
    frame["notes"] = pd.Series([{1, 2}] * 40, dtype="object")  # which no table of Arrow holds
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        parts = dd.from_pandas(frame, npartitions=2)
        lazy = explain_partitions(credit, parts, table="people", index_column="id", keep=["branch"])
        found = lazy.compute()
        assert_eq(lazy, found, check_index=False)
    assert found["branch"].isna().sum() == 20
    assert found["branch"].dropna().eq("north").all()


@pytest.mark.parametrize("table", ["options", "people"])
def test_types_are_known_before_and_hold_after(credit: Explainer, frame: dd.DataFrame, table: str) -> None:
    lazy = explain_partitions(credit, frame, table=table, index_column="id", keep=["sex"])
    assert lazy.npartitions == 3
    with dask.config.set(scheduler="synchronous"):
        computed = lazy.compute()
        assert_eq(lazy, computed, check_index=False)
        parts = [lazy.partitions[place].compute() for place in range(3)]
    for part in (*parts, computed):
        pd.testing.assert_series_equal(part.dtypes, lazy._meta.dtypes)


def test_everybody_is_explained_as_by_explain_many(credit: Explainer, frame: dd.DataFrame) -> None:
    expected = credit.explain_many(people(90).drop(columns=["id", "sex"]))
    with dask.config.set(scheduler="threads", num_workers=2):
        persons, options = dask.compute(
            explain_partitions(credit, frame, table="people", keep=["sex"]),
            explain_partitions(credit, frame),
        )
    # Without an index column, people are named by the index.
    assert persons["person"].tolist() == list(range(90))
    assert persons["sex"].tolist() == people(90)["sex"].tolist()
    assert persons["status"].tolist() == [str(one.status) for one in expected]
    assert len(options) == sum(map(len, expected)) > 0
    costs = [option.costs["mean_distance"] for one in expected for option in one]
    assert options["mean_distance"].tolist() == costs


def test_a_partition_without_people_or_options_has_the_same_columns(credit: Explainer) -> None:
    accepted = people(90)[credit.scores(people(90).drop(columns=["id", "sex"])) >= 0.5]
    frame = dd.from_pandas(accepted, npartitions=2)
    nobody = frame[frame["Age"] > 1000]
    with dask.config.set(scheduler="synchronous"):
        for given, table in ((frame, "options"), (nobody, "options"), (nobody, "people")):
            lazy = explain_partitions(credit, given, table=table)
            found = lazy.compute()
            assert len(found) == 0
            pd.testing.assert_series_equal(found.dtypes, lazy._meta.dtypes)


def test_wrong_arguments_are_named(credit: Explainer, frame: dd.DataFrame) -> None:
    with pytest.raises(InvalidArgument, match=r"takes a Dask DataFrame, got DataFrame. Use explain_many"):
        explain_partitions(credit, people(3))
    with pytest.raises(InvalidArgument, match=r"no column 'Incme'|no column 'Income'"):
        explain_partitions(credit, frame.drop(columns=["Income"]))
    with pytest.raises(InvalidArgument, match=r"no column 'sexx'. Did you mean 'sex'"):
        explain_partitions(credit, frame, keep=["sexx"])
    with pytest.raises(InvalidArgument, match="'options' or 'people'"):
        explain_partitions(credit, frame, table="results")  # type: ignore[arg-type]
