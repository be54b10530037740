"""Read the rows of a Parquet file in batches of some thousands, with memory for one batch."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from p2ce.base.limits import Limits, require_within
from p2ce.base.visible import one_line
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.portfolio.runs.people_columns import PeopleColumns, shard_type
from p2ce.portfolio.runs.source_files import SourceFile

if TYPE_CHECKING:
    import pyarrow as pa

BUFFER = 1 << 20  # bytes of a column that are read at once
BATCH = 8192  # rows that are decoded at once
# Up to this size, a text column of a row group is read as a dictionary, so that the size of its texts is
# known before they are expanded: a few bytes may stand for gigabytes.
LARGEST_LIST = 4 << 20


def parquet_tables(
    file: SourceFile, columns: PeopleColumns, limits: Limits, *, most_people: int
) -> "Iterator[pa.Table]":
    """Check the footer of a file, then yield its rows in tables of ``most_people`` rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _damage_in_one_line(file.what):
        metadata = pq.read_metadata(file.path)
        schema = metadata.schema.to_arrow_schema()
        groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
        require_within(limits, "table_columns", len(schema), f"{file.what} has {len(schema):,} columns")
        columns.require(schema.names, file.what)
        sizes = [_bytes_of(group, columns.needed) for group in groups]
        for place, (group, size) in enumerate(zip(groups, sizes, strict=True)):
            at_once = sum(size.values()) * min(1, BATCH / max(1, group.num_rows))
            require_within(limits, "table_bytes", at_once, f"{file.what}, row group {place}, is too large")
        lists = [
            name
            for name in columns.needed
            if pa.types.is_string(shard_type(schema.field(name).type, of_model=False))
            and all(size.get(name, 0) <= LARGEST_LIST for size in sizes)
        ]
        opened = pq.ParquetFile(
            file.path, metadata=metadata, buffer_size=BUFFER, pre_buffer=False, read_dictionary=lists
        )
        with opened:
            batches = opened.iter_batches(batch_size=BATCH, columns=columns.needed, use_threads=False)
            for table in _tables(batches, most_people):
                table.validate(full=True)  # also checks that texts are valid UTF-8
                yield table


def _bytes_of(group: Any, names: list[str]) -> dict[str, int]:
    """Return the decompressed bytes of a row group's columns, by name."""
    parts = (group.column(place) for place in range(group.num_columns))
    sizes = {part.path_in_schema: part.total_uncompressed_size for part in parts}
    return {name: size for name, size in sizes.items() if name in names}


def _tables(batches: "Iterator[pa.RecordBatch]", size: int) -> "Iterator[pa.Table]":
    """Regroup batches, which end with their row groups, into tables of equal size except the last."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= size:
            table = pa.Table.from_batches(held)
            whole = rows - rows % size
            for start in range(0, whole, size):
                yield table.slice(start, size)
            held, rows = table.slice(whole).to_batches(), rows - whole
    if rows:
        yield pa.Table.from_batches(held)


@contextmanager
def _damage_in_one_line(what: str) -> Iterator[None]:
    try:
        yield
    except P2CEError:
        raise
    except PermissionError as error:
        raise InvalidArgument(f"{what} cannot be read: no permission.") from error
    except Exception as error:  # pyarrow raises several kinds
        why = one_line(error)[:200].rstrip(".")
        raise InvalidArgument(f"{what} is damaged or incomplete: {why}. Write it again.") from error
