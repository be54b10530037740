"""Define a shard: a part of a source that is sent, explained, written and checked as a whole."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


# The most rows in a shard. A lost shard is explained again, and its tables are held in memory.
MOST_ROWS = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shard:
    """Some rows of a source. It is sent to the process that explains them."""

    number: int  # from 0, in the order of the source
    where: str  # its name in messages: "people.parquet, rows 0 to 4095"
    first: int  # the position of its first row in the source, and the id if no column has ids
    rows: int
    # Called where the shard is explained, so it can be pickled.
    read: "Callable[[], pa.Table]"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowSource:
    """The rows to explain, shard by shard."""

    schema: "pa.Schema"  # the model's columns, the ids if a column has them, and the kept columns
    id_column: str | None  # None if the ids are the positions in the source
    hash: str  # SHA-256 of its content
    rows: int
    shards: Callable[[], Iterator[Shard]]  # yields one at a time, since some contain their rows


def packed(table: "pa.Table") -> bytes:
    """Write a table as the bytes that are sent with a shard."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def unpacked(content: bytes) -> "pa.Table":
    """Read a table that `packed` wrote."""
    import pyarrow as pa

    return pa.ipc.open_stream(content).read_all()


class RowHash:
    """The SHA-256 of rows, shard by shard: of names, types and cells in their order."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, table: "pa.Table") -> None:
        """Add the rows of a shard."""
        for name, column in zip(table.column_names, table.columns, strict=True):
            self._digest.update(json.dumps([name, str(column.type), len(column)]).encode())
            for part in _content(column):
                self._digest.update(part)

    def hexdigest(self) -> str:
        """Return the hash of all rows so far."""
        return self._digest.hexdigest()


def _content(column: "pa.ChunkedArray") -> Iterator[bytes]:
    """Write a column's cells as bytes that depend neither on memory layout nor on what lies under gaps."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        yield np.packbits(column.is_valid().to_numpy()).tobytes()
        column = column.drop_null()
    kind = column.type
    if pa.types.is_string(kind):
        yield pc.binary_length(column).to_numpy().tobytes()
        yield b"".join(column.cast(pa.binary()).to_pylist())
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        yield np.ascontiguousarray(column.to_numpy()).tobytes()
    else:
        yield repr(column.to_pylist()).encode("utf-8", "surrogatepass")
