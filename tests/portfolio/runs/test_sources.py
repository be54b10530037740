"""Every source of the same people gives the same people, in order, however they are cut into shards."""

import gzip
import pickle
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from p2ce.errors import InvalidArgument
from p2ce.portfolio.runs.shard import RowSource
from p2ce.portfolio.runs.sources import open_source
from p2ce.tables.codebook import codebook_of
from p2ce.tables.encode import encode_table
from tests.optional import LazyLibrary

pl = LazyLibrary("polars")

PEOPLE = 500
NAMES = ["age", "income", "job", "flag", "home", "years"]


def make_people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": [f"{number:05}" for number in rng.permutation(PEOPLE)],
            "age": rng.integers(18, 80, PEOPLE),
            "income": np.where(rng.random(PEOPLE) < 0.1, np.nan, rng.normal(size=PEOPLE).round(3)),
            "job": pd.Series(rng.choice(["cook", "clerk", 'a, "b"\nc'], PEOPLE)).astype("category"),
            "flag": rng.random(PEOPLE) < 0.5,
            "unused": 1,
            "home": pd.Series(rng.choice(["own", "rent"], PEOPLE), dtype="str"),
            "years": pd.array(rng.integers(0, 9, PEOPLE), dtype="Int64"),
            "sex": rng.choice(["f", "m"], PEOPLE),
        }
    )
    frame.loc[::7, "years"] = pd.NA
    frame.loc[::11, "home"] = None
    return frame


FRAME = make_people()
REFERENCE = FRAME[NAMES]


def opened(source: Any, *, most_rows: int = 200, **arguments: Any) -> RowSource:
    arguments = {"id_column": "id", "keep": ["sex"], "reference": REFERENCE, **arguments}
    return open_source(source, NAMES, most_rows=most_rows, **arguments)


def people_of(source: RowSource) -> pa.Table:
    """Read all shards as other processes do, and check what they say of themselves."""
    tables, first = [], 0
    for number, shard in enumerate(source.shards()):
        sent = pickle.loads(pickle.dumps(shard))
        table = sent.read()
        assert (sent.number, sent.first, sent.rows) == (number, first, len(table))
        assert sent.where
        tables.append(table)
        first += len(table)
    assert first == source.rows
    return pa.concat_tables(tables)


def parquet(folder: Path, frame: pd.DataFrame, **arguments: Any) -> Path:
    frame.to_parquet(folder / "people.parquet", **arguments)
    return folder / "people.parquet"


def parquet_folder(folder: Path, frame: pd.DataFrame) -> Path:
    for number, (begin, end) in enumerate(pairwise((0, 3, 130, PEOPLE))):
        place = folder / "parts" / f"year={number}" / "part.parquet"
        place.parent.mkdir(parents=True)
        frame[begin:end].to_parquet(place, index=False)
    (folder / "parts" / "_SUCCESS").touch()
    (folder / "parts" / ".part.crc").write_bytes(b"x")
    return folder / "parts"


def csv(folder: Path, frame: pd.DataFrame, **arguments: Any) -> Path:
    frame.to_csv(folder / "people.csv", index=False, **arguments)
    return folder / "people.csv"


def csv_folder(folder: Path, frame: pd.DataFrame) -> Path:
    (folder / "parts").mkdir()
    frame[:77].to_csv(folder / "parts" / "a.tsv", index=False, sep="\t")
    with gzip.open(folder / "parts" / "b.csv.gz", "wt", encoding="utf-8") as file:
        frame[77:].to_csv(file, index=False)
    return folder / "parts"


def older_types(folder: Path, frame: pd.DataFrame) -> Path:
    """The same people in types that other programs write."""
    table = pa.Table.from_pandas(frame).cast(
        pa.schema(
            [
                ("id", pa.large_string()),
                ("age", pa.int64()),
                ("income", pa.float64()),
                ("job", pa.string()),
                ("flag", pa.bool_()),
                ("unused", pa.int64()),
                ("home", pa.string()),
                ("years", pa.int64()),
                ("sex", pa.large_string()),
            ]
        )
    )
    table = table.set_column(6, "home", table.column("home").dictionary_encode())
    pq.write_table(table, folder / "other.parquet", row_group_size=100)
    return folder / "other.parquet"


SOURCES: dict[str, Callable[[Path, pd.DataFrame], Any]] = {
    "Parquet": parquet,
    "Parquet of small groups": lambda folder, frame: parquet(folder, frame, row_group_size=1),
    "Parquet of other types": older_types,
    "Parquet folder": parquet_folder,
    "CSV": csv,
    "CSV folder": csv_folder,
    "CSV of semicolons": lambda folder, frame: csv(folder, frame, sep=";"),
    "pandas": lambda _, frame: frame,
    "polars": lambda _, frame: pl.from_pandas(frame),
    "lazy polars": lambda _, frame: pl.from_pandas(frame).lazy(),
    "Arrow": lambda _, frame: pa.Table.from_pandas(frame),
    "Arrow in batches": lambda _, frame: pa.Table.from_batches(
        pa.Table.from_pandas(frame).to_batches(max_chunksize=9)
    ),
    "dict": lambda _, frame: frame.to_dict("list"),
    "Dask": lambda _, frame: dd.from_pandas(frame, npartitions=3, sort=False),
}


@pytest.fixture(scope="module")
def expected() -> pa.Table:
    return people_of(opened(FRAME, most_rows=PEOPLE))


@pytest.mark.parametrize("most_rows", [33, 4096])
@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_people_are_the_same(
    tmp_path: Path, expected: pa.Table, make: Callable[[Path, pd.DataFrame], Any], most_rows: int
) -> None:
    source = opened(make(tmp_path, FRAME), most_rows=most_rows)
    found = people_of(source)
    assert found.schema == source.schema == expected.schema
    assert found.column_names == [*NAMES, "id", "sex"]
    assert found.to_pylist() == expected.to_pylist()
    assert max(shard.rows for shard in source.shards()) <= most_rows
    assert source.id_column == "id"


def test_the_columns_are_what_explain_many_takes(tmp_path: Path) -> None:
    """The same codes and the same messages as the frame itself gives."""
    book = codebook_of(REFERENCE)
    direct = encode_table(REFERENCE, book)
    for make in (parquet, csv):
        found = encode_table(people_of(opened(make(tmp_path, FRAME))).select(NAMES), book)
        assert (found.values == direct.values).all()
        assert found.problems == direct.problems == {}


def test_the_hash_is_the_same_for_the_same_rows_of_the_same_types(tmp_path: Path) -> None:
    kinds = [kind for kind in SOURCES if kind != "Dask" and "folder" not in kind]  # which are cut elsewhere
    assert len({opened(SOURCES[kind](tmp_path, FRAME)).hash for kind in kinds}) == 1


@pytest.mark.parametrize("kind", ["Parquet folder", "CSV folder", "pandas", "Dask"])
def test_the_hash_is_of_what_the_source_holds(tmp_path: Path, kind: str) -> None:
    changed = FRAME.assign(income=np.where(np.arange(PEOPLE) == 400, 9.5, FRAME["income"]))
    swapped = FRAME.iloc[[*range(PEOPLE - 2), PEOPLE - 1, PEOPLE - 2]].reset_index(drop=True)
    hashes = []
    for number, frame in enumerate((FRAME, FRAME.copy(), changed, swapped)):
        folder = tmp_path / str(number)
        folder.mkdir()
        hashes.append(opened(SOURCES[kind](folder, frame)).hash)
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_files_are_cut_into_shards_whatever_their_row_groups(tmp_path: Path) -> None:
    for group in (1, 70, 500):
        shards = opened(parquet(tmp_path, FRAME, row_group_size=group)).shards()
        assert [(shard.where, shard.rows) for shard in shards] == [
            ("people.parquet, rows 0 to 199", 200),
            ("people.parquet, rows 200 to 399", 200),
            ("people.parquet, rows 400 to 499", 100),
        ]
    assert [shard.where for shard in opened(csv_folder(tmp_path, FRAME)).shards()] == [
        "a.tsv, rows 0 to 76",
        "b.csv.gz, rows 0 to 199",
        "b.csv.gz, rows 200 to 399",
        "b.csv.gz, rows 400 to 422",
    ]


def test_a_large_row_group_is_read_in_little_memory(tmp_path: Path) -> None:
    held = pa.total_allocated_bytes()
    numbers = pd.DataFrame({name: [0.5] for name in NAMES})
    peaks = []
    for people in (150_000, 450_000):
        rng = np.random.default_rng(0)
        columns = {name: pa.array(rng.normal(size=people)) for name in NAMES}
        path = tmp_path / f"{people}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=people, use_dictionary=False)
        del columns
        source = opened(path, most_rows=4096, id_column=None, keep=(), reference=numbers)
        peak = 0
        for shard in source.shards():
            table = shard.read()
            peak = max(peak, pa.total_allocated_bytes() - held)
            del table
        peaks.append(peak)
    assert peaks[1] < 1.2 * peaks[0]


def test_without_an_id_column_there_are_no_ids(tmp_path: Path) -> None:
    for source in (parquet(tmp_path, FRAME), csv(tmp_path, FRAME), FRAME, pl.from_pandas(FRAME)):
        found = opened(source, id_column=None, keep=())
        assert found.id_column is None
        assert found.schema.names == NAMES


def test_an_index_of_pandas_holds_the_ids() -> None:
    by_id = opened(FRAME.set_index("id"), id_column=None)
    assert (by_id.id_column, by_id.schema.field("id").type) == ("id", pa.string())
    assert people_of(by_id).equals(people_of(opened(FRAME)))
    some = opened(FRAME[100:200], id_column=None)
    assert some.id_column == "index"
    assert people_of(some).column("index").to_pylist() == list(range(100, 200))
    named = opened(FRAME[100:200].rename_axis("age"), id_column=None)
    assert named.id_column == "age_"
    frame = dd.from_pandas(FRAME.set_index("id"), npartitions=2, sort=False)
    assert people_of(opened(frame, id_column=None)).equals(people_of(by_id))
    frame = dd.from_pandas(FRAME.set_index("age", drop=False), npartitions=2, sort=False)
    with pytest.raises(InvalidArgument, match="'age_' contains"):
        opened(frame, id_column=None)


def test_ids_stay_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    ids = [f"{number:021}" for number in range(PEOPLE)]
    FRAME.assign(id=ids).to_csv(path, index=False)
    assert people_of(opened(path)).column("id").to_pylist() == ids
    numbers = FRAME.assign(id=range(PEOPLE))
    assert opened(numbers).schema.field("id").type == pa.int64()


def test_cells_that_cannot_be_read_fail_alone(tmp_path: Path) -> None:
    """As the whole frame does: in CSV, and in a column of objects."""
    cells: list[Any] = FRAME["age"].tolist()
    cells[3], cells[5], cells[450] = "old", None, 41.5
    frame = FRAME.assign(age=pd.Series(cells, dtype="object"))
    frame.to_csv(tmp_path / "people.csv", index=False)
    book = codebook_of(REFERENCE)
    direct = encode_table(frame[NAMES], book)
    assert sorted(direct.problems) == [3, 450]
    for source in (frame, tmp_path / "people.csv"):
        shards = list(opened(source, most_rows=100).shards())
        problems: dict[int, str] = {}
        values = []
        for shard in shards:
            rows = encode_table(shard.read().select(NAMES), book)
            problems |= {shard.first + row: text for row, text in rows.problems.items()}
            values.append(rows.values)
        assert problems == direct.problems
        assert (np.concatenate(values) == direct.values).all()


def test_a_later_block_of_other_cells_is_no_error_of_the_column(tmp_path: Path) -> None:
    frame = FRAME.astype({"age": "object", "home": "object"})
    frame.loc[400:, "age"] = "old"
    frame.loc[400:, "home"] = "castle"
    frame.to_csv(tmp_path / "people.csv", index=False)
    book = codebook_of(REFERENCE)
    shards = list(opened(tmp_path / "people.csv", most_rows=100).shards())
    assert len(encode_table(shards[3].read().select(NAMES), book).problems) == 0
    assert len(encode_table(shards[4].read().select(NAMES), book).problems) == 100


def test_decimals_are_the_nearest_floats(tmp_path: Path) -> None:
    texts = ["0.1", "12345678901234.567", "-3.005", None]
    cells = pa.array([None if text is None else Decimal(text) for text in texts], type=pa.decimal128(20, 3))
    table = pa.Table.from_pandas(FRAME[:4]).set_column(2, "income", cells)
    pq.write_table(table, tmp_path / "people.parquet")
    found = people_of(opened(tmp_path / "people.parquet")).column("income").to_pylist()
    assert found == [None if text is None else float(text) for text in texts]
    frame = FRAME[:4].assign(income=pd.Series(cells.to_pylist(), dtype="object"))
    assert people_of(opened(frame)).column("income").to_pylist() == found


def test_numbers_where_the_model_has_others_are_taken(tmp_path: Path) -> None:
    frame = FRAME.assign(age=FRAME["age"].astype("float32"), years=FRAME["years"].astype("Float64"))
    frame.to_parquet(tmp_path / "people.parquet")
    found = encode_table(people_of(opened(tmp_path / "people.parquet")).select(NAMES), codebook_of(REFERENCE))
    assert (found.values == encode_table(REFERENCE, codebook_of(REFERENCE)).values).all()


def test_categories_may_be_numbers(tmp_path: Path) -> None:
    ages = pd.Categorical(FRAME["age"])
    FRAME.assign(age=ages).to_parquet(tmp_path / "people.parquet")
    for source in (tmp_path / "people.parquet", FRAME.assign(age=ages)):
        assert people_of(opened(source)).column("age").to_pylist() == FRAME["age"].tolist()


def test_columns_need_not_be_called_by_text() -> None:
    frame = FRAME[["age", "income"]].set_axis([0, 1], axis=1).iloc[::2]
    source = open_source(frame, ["0", "1"], reference=frame)
    assert people_of(source).column_names == ["0", "1", "index"]


def test_kept_columns_are_unchanged(tmp_path: Path) -> None:
    days = pd.date_range("2026-01-01", periods=PEOPLE)
    FRAME.assign(day=days, sex=pd.Categorical(FRAME["sex"])).to_parquet(tmp_path / "people.parquet")
    found = people_of(opened(tmp_path / "people.parquet", keep=["day", "sex"]))
    assert found.column("day").to_pandas().tolist() == days.tolist()
    assert found.column("sex").to_pylist() == FRAME["sex"].tolist()
    mixed = opened(FRAME.assign(sex=[1, "f"] * (PEOPLE // 2)))
    assert people_of(mixed).column("sex").to_pylist() == ["1", "f"] * (PEOPLE // 2)
