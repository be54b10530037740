"""Pack people into the bytes that are sent with a shard, and hash them."""

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


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


class PeopleHash:
    """The SHA-256 of people, shard by shard: of names, types and cells in their order."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, table: "pa.Table") -> None:
        """Add the people of a shard."""
        for name, column in zip(table.column_names, table.columns, strict=True):
            self._digest.update(json.dumps([name, str(column.type), len(column)]).encode())
            for part in _content(column):
                self._digest.update(part)

    def hexdigest(self) -> str:
        """Return the hash of all people so far."""
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
