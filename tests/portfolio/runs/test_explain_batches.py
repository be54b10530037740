"""Arrow batches of rows give batches of results: the schema is known before anything is explained."""

from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pytest

from p2ce import Explanation
from p2ce.errors import InvalidArgument
from p2ce.explainer import Explainer
from p2ce.portfolio import explain_batches, result_schema
from tests.portfolio.small import booster, explainer, people

COUNT = 60
TABLES = ["people", "options"]


def batches(size: int = 25) -> list[pa.RecordBatch]:
    return pa.Table.from_pandas(people(COUNT), preserve_index=False).to_batches(max_chunksize=size)


@pytest.fixture
def saved(credit: Explainer, tmp_path: Path) -> Path:
    credit.save(tmp_path / "credit.p2ce")
    return tmp_path / "credit.p2ce"


@pytest.mark.parametrize("size", [1, 25, COUNT])
def test_rows_are_explained_as_by_explain_many(credit: Explainer, size: int) -> None:
    expected = list(credit.explain_many(people(COUNT).drop(columns=["id", "sex"])))
    run = partial(explain_batches, explainer=credit, id_column="id")
    found = pa.Table.from_batches(run(batches(size), keep=["sex"]))
    assert found["id"].to_pylist() == people(COUNT)["id"].tolist()
    assert found["sex"].to_pylist() == people(COUNT)["sex"].tolist()
    assert [Explanation.from_json(text) for text in found["explanation"].to_pylist()] == expected
    options = pa.Table.from_batches(run(batches(size), table="options"))
    costs = [option.costs["mean_distance"] for one in expected for option in one]
    assert options["mean_distance"].to_pylist() == costs


@pytest.mark.parametrize("table", TABLES)
def test_the_schema_is_known_before(credit: Explainer, table: Any) -> None:
    given = {"explainer": credit, "id_column": "id", "table": table}
    schema = result_schema(batches()[0].schema, **given)
    accepted = people(COUNT)[credit.scores(people(COUNT).drop(columns=["id", "sex"])) >= 0.5]
    for rows in (people(COUNT), accepted, accepted.head(0)):
        some = pa.Table.from_pandas(rows, schema=batches()[0].schema)
        assert all(batch.schema == schema for batch in explain_batches(some.to_batches(), **given))


def test_without_an_id_column_ids_are_places(credit: Explainer) -> None:
    found = pa.Table.from_batches(explain_batches(batches(), explainer=credit))
    assert found["id"].to_pylist() == list(range(COUNT))


def test_a_process_loads_a_file_once_and_again_when_it_changes(saved: Path) -> None:
    calls = []

    def load_model() -> Any:
        calls.append(1)
        return booster()

    for _ in range(3):
        found = pa.Table.from_batches(explain_batches(batches(), explainer=saved, load_model=load_model))
        result_schema(batches()[0].schema, explainer=str(saved), load_model=load_model)
    assert (len(found), len(calls)) == (COUNT, 1)
    explainer(max_changes=1).save(saved)
    again = pa.Table.from_batches(explain_batches(batches(), explainer=saved, load_model=load_model))
    assert len(calls) == 2
    assert max(again["best_changes"].drop_null().to_pylist()) == 1


@pytest.mark.parametrize("table", TABLES)
def test_dask_runs_it_in_its_partitions(saved: Path, table: str) -> None:
    """The recipe of the documentation."""
    frame = dd.from_pandas(people(COUNT), npartitions=3)
    given = {"explainer": saved, "load_model": booster, "id_column": "id", "table": table}
    schema = result_schema(pa.Schema.from_pandas(frame._meta, preserve_index=False), **given)

    def explained(part: pd.DataFrame) -> pd.DataFrame:
        rows = pa.Table.from_pandas(part, preserve_index=False).to_batches()
        found = pa.Table.from_batches(explain_batches(rows, **given), schema)
        return found.to_pandas(types_mapper=pd.ArrowDtype)

    meta = schema.empty_table().to_pandas(types_mapper=pd.ArrowDtype)
    lazy = frame.clear_divisions().map_partitions(explained, meta=meta)
    with dask.config.set(scheduler="threads", num_workers=2):
        computed = lazy.compute()
        pd.testing.assert_series_equal(computed.dtypes, lazy._meta.dtypes)
    expected = pa.Table.from_batches(explain_batches(batches(), **given))
    assert pa.Table.from_pandas(computed, schema=schema, preserve_index=False).equals(expected)


def test_wrong_arguments_are_named(credit: Explainer, saved: Path) -> None:
    first = batches()[:1]

    def rejected(rows: list[pa.RecordBatch], says: str, **given: Any) -> None:
        with pytest.raises(InvalidArgument, match=says):
            list(explain_batches(rows, **{"explainer": credit, **given}))

    rejected([first[0].drop_columns(["Income"])], "The batch has no column 'Income', which the model needs")
    rejected(first, "'sexx', is not a column of the batch. Did you mean 'sex'", keep=["sexx"])
    rejected(first, "'idd' is not a column", id_column="idd")
    rejected(first, "'people' or 'options'", table="results")
    rejected(first, "Pass load_model=", explainer=saved)
    rejected(first, "does not exist", explainer=saved.parent / "none.p2ce", load_model=booster)
