"""Read people from Parquet files, row group by row group, with the memory of one shard."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from p2ce.errors import InvalidArgument, P2CEError
from p2ce.limits import Limits, require_within
from p2ce.portfolio.people_columns import PeopleColumns, same_types, shard_table
from p2ce.portfolio.shard import Shard, Source
from p2ce.portfolio.source_files import SourceFile, hash_of_files
from p2ce.portfolio.unique_keys import UniqueKeys
from p2ce.visible import echoed, one_line

if TYPE_CHECKING:
    import pyarrow as pa

# Where there are many row groups, those with fewer people are joined: each shard is two files and a task.
MANY_GROUPS, FEWEST_PEOPLE = 256, 128
BUFFER = 1 << 20  # bytes of a column that are read at once
BATCH = 8192  # people that are decoded at once
# Bytes of a column of texts in a row group up to which it is read as places in a list of its texts, so that
# their size is known before they are written out: a few bytes may stand for gigabytes.
LARGEST_LIST = 4 << 20
KEYS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class _Footer:
    """What is known of a file before its people are read."""

    file: SourceFile
    groups: tuple[int, ...]  # rows of each row group


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rows of one row group, or of several that follow each other in a file."""

    file: SourceFile
    groups: range
    start: int  # rows of the groups before it
    rows: int

    @property
    def where(self) -> str:
        """How messages call it: "people.parquet, row group 3"."""
        name = f"{self.file.name}, {self.groups_name}"
        return f"{name}, rows {self.start} to {self.start + self.rows - 1}" if self.start else name

    @property
    def groups_name(self) -> str:
        """Name the row groups alone."""
        first, last = self.groups[0], self.groups[-1]
        return f"row groups {first} to {last}" if last > first else f"row group {first}"


def open_parquet(
    files: list[SourceFile], columns: PeopleColumns, *, limits: Limits, most_people: int
) -> Source:
    """Check the footer of every file, then the keys."""
    import pyarrow.parquet as pq

    footers: list[_Footer] = []
    schema: pa.Schema | None = None
    for file in files:
        with _damage_in_one_line(file.what), pq.ParquetFile(file.path) as opened:
            metadata, given = opened.metadata, opened.schema_arrow
            groups = tuple(metadata.row_group(place).num_rows for place in range(metadata.num_row_groups))
            for place, rows in enumerate(groups):
                size = sum(_bytes_of(metadata.row_group(place), columns.needed).values())
                at_once = size * min(1, BATCH / max(1, rows))
                require_within(
                    limits, "table_bytes", at_once, f"{file.what}, row group {place}, is too large"
                )
        require_within(limits, "table_columns", len(given), f"{file.what} has {len(given):,} columns")
        columns.require(given.names, file.what)
        own = columns.schema(given, file.what)
        schema = own if schema is None else same_types(schema, own, file.what, echoed(files[0].name))
        footers.append(_Footer(file, groups))
    assert schema is not None
    people = sum(sum(footer.groups) for footer in footers)
    if not people:
        raise InvalidArgument(f"{files[0].what} has columns but no rows. Give at least one person.")
    if columns.key is not None:
        keys = UniqueKeys(f"The index column {echoed(columns.key)}")
        for block in _keys(footers, columns.key, schema, limits):
            keys.add(block)
        keys.require_unique(partial(_keys, footers, columns.key, schema, limits))
    return Source(
        schema=schema,
        key=columns.key,
        hash=hash_of_files(files),
        people=people,
        shards=partial(_shards, footers, schema, limits, most_people),
    )


def _bytes_of(group: Any, names: list[str]) -> dict[str, int]:
    """Return the bytes of a row group's columns after decompression, by name."""
    parts = (group.column(place) for place in range(group.num_columns))
    sizes = {part.path_in_schema: part.total_uncompressed_size for part in parts}
    return {name: size for name, size in sizes.items() if name in names}


def _keys(
    footers: list[_Footer], key: str, schema: "pa.Schema", limits: Limits
) -> "Iterator[pa.ChunkedArray]":
    import pyarrow as pa

    alone = pa.schema([schema.field(key)])
    for footer in footers:
        groups, rows = range(len(footer.groups)), sum(footer.groups)
        for start in range(0, rows, KEYS_AT_ONCE):
            piece = _Piece(footer.file, groups, start, min(KEYS_AT_ONCE, rows - start))
            yield _read([piece], alone, limits).column(0)
    _close()


def _shards(footers: list[_Footer], schema: "pa.Schema", limits: Limits, most_people: int) -> Iterator[Shard]:
    first = 0
    for number, pieces in enumerate(_plan(footers, most_people)):
        rows = sum(piece.rows for piece in pieces)
        where = pieces[0].where if len(pieces) == 1 else f"{pieces[0].where} and on to {pieces[-1].where}"
        read = partial(_read, pieces, schema, limits)
        yield Shard(number=number, where=where, first=first, rows=rows, read=read)
        first += rows


def _plan(footers: list[_Footer], most_people: int) -> Iterator[list[_Piece]]:
    """Cut row groups that are too large, and join many that are very small, also across files."""
    many = sum(len(footer.groups) for footer in footers) > MANY_GROUPS
    fewest = min(FEWEST_PEOPLE, most_people) if many else 0
    joined: list[_Piece] = []
    for footer in footers:
        for group, rows in enumerate(footer.groups):
            small = 0 < rows < fewest
            if joined and rows and (not small or sum(piece.rows for piece in joined) + rows > most_people):
                yield joined
                joined = []
            if small:
                joined = _with_group(joined, footer.file, group, rows)
                continue
            for start in range(0, rows, most_people):
                yield [_Piece(footer.file, range(group, group + 1), start, min(most_people, rows - start))]
    if joined:
        yield joined


def _with_group(joined: list[_Piece], file: SourceFile, group: int, rows: int) -> list[_Piece]:
    if joined and joined[-1].file is file:
        last = joined[-1]
        return [*joined[:-1], _Piece(file, range(last.groups.start, group + 1), 0, last.rows + rows)]
    return [*joined, _Piece(file, range(group, group + 1), 0, rows)]


def _read(pieces: list[_Piece], schema: "pa.Schema", limits: Limits) -> "pa.Table":
    import pyarrow as pa

    tables = []
    for piece in pieces:
        what = f"{piece.file.what}, {piece.groups_name},"
        with _damage_in_one_line(what):
            table = _opened_file(piece.file, schema).take(piece)
            table.validate(full=True)  # also that texts are text
            tables.append(shard_table(table, schema, what, limits))
    return pa.concat_tables(tables)


class _OpenedFile:
    """Decodes row groups forwards, a batch at a time: a part of a large group costs no more than the part.

    A part that lies before the last one begins the group anew.
    """

    def __init__(self, file: SourceFile, schema: "pa.Schema", identity: tuple[object, ...]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(file.path)
        groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
        sizes = [_bytes_of(group, schema.names) for group in groups]
        lists = [
            field.name
            for field in schema
            if pa.types.is_string(field.type)
            and all(size.get(field.name, 0) <= LARGEST_LIST for size in sizes)
        ]
        self.identity = identity
        self._names = schema.names
        self._file = pq.ParquetFile(
            file.path, metadata=metadata, buffer_size=BUFFER, pre_buffer=False, read_dictionary=lists
        )
        self._groups = range(0)  # those that are being decoded
        self._batches: Iterator[Any] = iter(())
        self._batch: Any = None
        self._start = 0  # of the batch, in the groups

    def take(self, piece: _Piece) -> "pa.Table":
        """Decode a piece."""
        import pyarrow as pa

        if piece.groups != self._groups or piece.start < self._start:
            self._groups, self._batch, self._start = piece.groups, None, 0
            self._batches = self._file.iter_batches(
                row_groups=list(piece.groups), columns=self._names, batch_size=BATCH, use_threads=False
            )
        parts, start, rows = [], piece.start, piece.rows
        while rows:
            held = 0 if self._batch is None else self._batch.num_rows
            if self._start + held <= start:
                self._start += held
                self._batch = next(self._batches)
                continue
            part = self._batch.slice(start - self._start, rows)
            parts.append(part)
            start, rows = start + part.num_rows, rows - part.num_rows
        return pa.Table.from_batches(parts)

    def close(self) -> None:
        """Close the file."""
        self._batches = iter(())
        self._file.close()


_last = threading.local()  # what a thread read last, as its `file`


def _opened_file(file: SourceFile, schema: "pa.Schema") -> _OpenedFile:
    """Open a file, unless it is the one that was read last."""
    state = file.require_unchanged()
    identity = (file.path, state.st_ino, state.st_mtime_ns, tuple(schema.names))
    last: _OpenedFile | None = getattr(_last, "file", None)
    if last is None or last.identity != identity:
        _close()
        last = _last.file = _OpenedFile(file, schema, identity)
    return last


def _close() -> None:
    """Close what was read last."""
    last: _OpenedFile | None = getattr(_last, "file", None)
    _last.file = None
    if last is not None:
        last.close()


@contextmanager
def _damage_in_one_line(what: str) -> Iterator[None]:
    try:
        yield
    except P2CEError:
        raise
    except PermissionError as error:
        raise InvalidArgument(f"{what} cannot be read: no permission.") from error
    except Exception as error:  # pyarrow's own kinds; a group that ends early is a StopIteration
        _close()  # nothing follows the damage
        why = one_line(error)[:200] or "it ends early"
        raise InvalidArgument(
            f"{what} is damaged or half-written: {why.rstrip('.')}. Write it again."
        ) from error
