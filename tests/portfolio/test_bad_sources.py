"""A source that cannot be read is rejected in one line, before anyone is explained; damage inside, alone."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from p2ce.base.limits import Limits
from p2ce.errors import InvalidArgument, LimitExceeded, P2CEError
from p2ce.portfolio.runs.shard import RowSource
from p2ce.portfolio.runs.sources import open_source
from tests.optional import LazyLibrary

pl = LazyLibrary("polars")

NAMES = ["age", "job"]
FRAME = pd.DataFrame({"id": range(300), "age": range(300), "job": ["cook", "clerk", "judge"] * 100})


def opened(source: Any, **arguments: Any) -> RowSource:
    return open_source(source, NAMES, **{"reference": FRAME[NAMES], **arguments})


def rejection(source: Any, **arguments: Any) -> str:
    with pytest.raises(P2CEError) as caught:
        opened(source, **arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def written(folder: Path, name: str, frame: pd.DataFrame) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    frame.to_csv(path, index=False) if ".csv" in name else frame.to_parquet(path, index=False)
    return path


def test_no_such_path(tmp_path: Path) -> None:
    written(tmp_path, "people.parquet", FRAME)
    assert "does not exist. Did you mean 'people.parquet'?" in rejection(tmp_path / "poeple.parquet")
    assert "There is no folder" in rejection(str(tmp_path / "none" / "people.parquet"))


def test_folders_without_tables(tmp_path: Path) -> None:
    assert "contains no table" in rejection(tmp_path)
    (tmp_path / "_SUCCESS").touch()
    assert "contains no table" in rejection(tmp_path)
    (tmp_path / "readme.md").write_text("# People", encoding="utf-8")
    assert "contains 'readme.md', which is not a table" in rejection(tmp_path)


def test_a_folder_of_two_kinds(tmp_path: Path) -> None:
    written(tmp_path, "a.parquet", FRAME)
    written(tmp_path, "b.csv", FRAME)
    assert "two kinds: 'a.parquet' (Parquet) and 'b.csv' (text)" in rejection(tmp_path)


@pytest.mark.parametrize("kept", [0, 4, 5, 100, 0.5, -9, -1])
def test_half_written_files(tmp_path: Path, kept: float) -> None:
    """Also as the second of a folder."""
    written(tmp_path, "a.parquet", FRAME)
    path = written(tmp_path, "b.parquet", FRAME)
    content = path.read_bytes()
    end = int(kept * len(content)) if kept == 0.5 else int(kept) if kept >= 0 else len(content) + int(kept)
    path.write_bytes(content[:end])
    for source in (path, tmp_path):
        message = rejection(source)
        assert "b.parquet'" in message
        assert "incomplete" in message if kept else "is empty. Was it written completely?" in message


def test_damaged_text(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"age,job\n1,cook\n" * 3000 + b"2,\xff\n")
    assert "is not text in UTF-8" in rejection(path)
    path.write_bytes(b"age,job\n" + b"1,cook\n" * 9000 + b"1,cook,3\n")
    assert "line 9002" in rejection(path)
    written(tmp_path, "people.csv.gz", FRAME)
    content = (tmp_path / "people.csv.gz").read_bytes()
    (tmp_path / "people.csv.gz").write_bytes(content[:-20])
    assert "is damaged" in rejection(tmp_path / "people.csv.gz")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything may be read")
def test_unreadable_files(tmp_path: Path) -> None:
    path = written(tmp_path, "people.parquet", FRAME)
    path.chmod(0)
    assert "cannot be read" in rejection(path)


@pytest.mark.parametrize(
    "make",
    [
        lambda folder, frame: written(folder, "people.parquet", frame),
        lambda folder, frame: written(folder, "people.csv", frame),
        lambda _, frame: frame,
        lambda _, frame: pl.from_pandas(frame),
        lambda _, frame: pa.Table.from_pandas(frame),
        lambda _, frame: dd.from_pandas(frame, npartitions=2, sort=False),
    ],
    ids=["Parquet", "CSV", "pandas", "polars", "Arrow", "Dask"],
)
class TestEverySource:
    def test_no_rows(self, tmp_path: Path, make: Callable[[Path, pd.DataFrame], Any]) -> None:
        assert "no rows" in rejection(make(tmp_path, FRAME[:0]))

    def test_missing_columns(self, tmp_path: Path, make: Callable[[Path, pd.DataFrame], Any]) -> None:
        source = make(tmp_path, FRAME.rename(columns={"age": "agee"}))
        assert "no column 'age', which the model needs. Did you mean 'agee'?" in rejection(source)
        source = make(tmp_path, FRAME)
        assert "id column 'idd' is not a column of" in rejection(source, id_column="idd")
        assert "to keep, 'sex', is not a column of" in rejection(source, keep=["sex"])

    def test_columns_in_two_roles(self, tmp_path: Path, make: Callable[[Path, pd.DataFrame], Any]) -> None:
        source = make(tmp_path, FRAME)
        assert "'age' is a column of the model" in rejection(source, id_column="age")
        assert opened(source, id_column="id", keep=["id", "age"]).schema.names == ["age", "job", "id"]

    def test_ids(self, tmp_path: Path, make: Callable[[Path, pd.DataFrame], Any]) -> None:
        ids = FRAME["id"].astype("object")
        ids[[7, 250, 299]] = [3, 90, 90]
        source = make(tmp_path, FRAME.assign(id=ids.astype("str")))
        assert "'id' contains '3' twice, in rows 3 and 7 " in rejection(source, id_column="id", most_rows=100)
        source = make(tmp_path, FRAME.assign(id=[None if row == 200 else row for row in range(300)]))
        assert "'id' is empty in row 200 " in rejection(source, id_column="id", most_rows=100)


def test_an_index_with_duplicates_or_levels() -> None:
    message = rejection(pd.concat([FRAME[:5], FRAME[:5]]))
    assert "contains 0 twice, in rows 0 and 5" in message
    assert "reset_index(drop=True)" in message
    assert "index of 2 levels" in rejection(FRAME.set_index(["id", "job"], drop=False))


def test_another_schema_in_the_second_file(tmp_path: Path) -> None:
    written(tmp_path, "a.parquet", FRAME)
    path = written(tmp_path, "b.parquet", FRAME.astype({"age": "float64"}))
    message = rejection(tmp_path)
    assert "b.parquet' has another schema: its column 'age' is double, but int64 in 'a.parquet'" in message
    written(tmp_path, "b.parquet", FRAME.drop(columns="age"))
    assert "b.parquet' has no column 'age'" in rejection(tmp_path)
    path.unlink()
    written(tmp_path, "b.csv", FRAME.drop(columns="age"))
    (tmp_path / "a.parquet").unlink()
    written(tmp_path, "a.csv", FRAME)
    assert "b.csv' has no column 'age'" in rejection(tmp_path)


def test_another_schema_in_the_second_partition() -> None:
    ages = [*range(150), *(float(age) for age in range(150, 300))]
    frame = dd.from_pandas(FRAME, npartitions=2, sort=False)
    mixed = frame.map_partitions(lambda part: part.assign(age=ages[part.index[0]]), meta=frame)
    message = rejection(mixed)
    assert (
        "The Dask DataFrame, partition 1 has another schema: its column 'age' is double, but int64" in message
    )
    failing = frame.map_partitions(lambda part: part.no_such_column, meta=frame)
    assert "The Dask DataFrame cannot be computed: AttributeError" in rejection(failing)


def test_a_column_without_values_has_no_type(tmp_path: Path) -> None:
    """Files of which one has a column of gaps only are one table."""
    written(tmp_path, "a.parquet", FRAME.assign(job=None))
    written(tmp_path, "b.parquet", FRAME)
    shards = list(opened(tmp_path).shards())
    assert shards[0].read().schema == shards[1].read().schema


def test_columns_that_no_model_takes(tmp_path: Path) -> None:
    path = written(tmp_path, "people.parquet", FRAME.assign(age=pd.date_range("2026-01-01", periods=300)))
    assert "in its column 'age', but the reference has numbers" in rejection(path)
    assert "got 'age' (list" in rejection(pa.Table.from_pandas(FRAME.assign(age=[[1]] * 300)))
    assert "contains list" in rejection(FRAME.assign(id=[[1]] * 300), id_column="id")
    assert "contains binary" in rejection(FRAME.assign(id=[b"1"] * 300), id_column="id")


def test_columns_of_another_kind(tmp_path: Path) -> None:
    """A million rows would fail one by one."""
    path = written(tmp_path, "people.parquet", FRAME.astype({"age": "str"}))
    assert "has string in its column 'age', but the reference has numbers" in rejection(path)
    assert "has int64 in its column 'job', but the reference has text" in rejection(FRAME.assign(job=3))
    written(tmp_path, "people.parquet", FRAME.assign(age=None, job=None))
    assert opened(path).rows == len(FRAME)


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    twice = pd.concat([FRAME, FRAME[["age"]]], axis=1)
    assert "more than one column called 'age'" in rejection(twice)
    path = tmp_path / "people.csv"
    twice.to_csv(path, index=False)
    assert "more than one column called 'age'" in rejection(path)


def test_a_column_of_other_cells(tmp_path: Path) -> None:
    """The first block tells whether it is the column that is wrong."""
    path = written(tmp_path, "people.csv", FRAME.assign(age="old"))
    assert "Column 'age' of people.csv holds 'old', where the reference has numbers" in rejection(path)
    path = written(tmp_path, "people.csv", FRAME.assign(job="J1"))
    assert "none of the labels of the reference" in rejection(path)
    path.unlink()
    written(tmp_path, "parts/a.csv", FRAME)
    written(tmp_path, "parts/b.csv", FRAME[:1].assign(age="old"))
    assert opened(tmp_path / "parts").rows == 301
    written(tmp_path, "parts/b.csv", FRAME.assign(age="old"))
    assert "Column 'age' of b.csv holds 'old'" in rejection(tmp_path / "parts")


def test_what_is_no_source() -> None:
    assert "got int" in rejection(3)
    assert "got ndarray" in rejection(np.zeros((3, 2)))


def test_damage_inside_a_file_is_found_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    FRAME.to_parquet(path, row_group_size=130, index=False, compression=None)
    group = pq.ParquetFile(path).metadata.row_group(1)
    offset = next(
        group.column(place).data_page_offset
        for place in range(group.num_columns)
        if group.column(place).path_in_schema == "age"
    )
    content = bytearray(path.read_bytes())
    content[offset : offset + 40] = b"\xff" * 40
    path.write_bytes(content)
    assert "people.parquet' is damaged or incomplete: " in rejection(path)


def test_text_that_is_none_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    FRAME.to_parquet(path, index=False, compression=None)
    path.write_bytes(path.read_bytes().replace(b"judge", b"j\xff\xfe\xffe"))
    assert "is damaged" in rejection(path)


@pytest.mark.parametrize("name", ["people.parquet", "people.csv"])
def test_a_file_that_changes_meanwhile(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, FRAME)
    source = opened(path, most_rows=200)
    content, state = path.read_bytes(), path.stat()
    shards = source.shards()
    next(shards)
    path.write_bytes(content)  # of the same size, and later
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1_000_000_000))
    with pytest.raises(InvalidArgument, match="has changed since the run began"):
        list(shards)
    with pytest.raises(InvalidArgument, match="has changed since the run began"):
        next(source.shards())
    path.unlink()
    with pytest.raises(InvalidArgument, match="can no longer be read"):
        next(source.shards())


def test_limits_are_those_of_a_shard(tmp_path: Path) -> None:
    """A file may be larger than a shard may; a cell that alone is too large is rejected."""
    limits = Limits(table_bytes=600_000, table_rows=5_000)
    text = written(tmp_path, "people.csv", pd.concat([FRAME] * 300))
    assert text.stat().st_size > 1_000_000
    assert opened(text, limits=limits).rows == 90_000
    text.write_text("age,job\n1," + "x" * 10**6, encoding="utf-8")
    with pytest.raises(LimitExceeded, match="table_bytes"):
        opened(text, limits=limits)
    path = tmp_path / "people.parquet"
    pd.DataFrame({"age": range(9000), "job": "x" * 1000}).to_parquet(path)
    with pytest.raises(LimitExceeded, match="table_bytes"):
        opened(path, limits=Limits(table_bytes=10**6), most_rows=9000)


def test_a_header_of_too_many_columns_is_rejected_before_they_are_made(tmp_path: Path) -> None:
    """Making a hundred thousand columns took a minute."""
    path = tmp_path / "people.csv"
    path.write_text(",".join(f"c{place}" for place in range(100_000)) + "\n", encoding="utf-8")
    assert "has 100,000 columns: the limit table_columns is 10,000" in rejection(path)
