"""Read the rows of CSV, TSV and Parquet files: one file or a folder of one kind, block by block."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.base.files import named, require_file
from p2ce.base.limits import Limits, require_within
from p2ce.base.visible import echoed, one_line
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.portfolio.runs.source_columns import SourceColumns, arrow_column_of, mixed_array, shard_type
from p2ce.tables.table_files import FileKind, kind_of_file, text_blocks
from p2ce.tables.typed_columns import typed_rows

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


SOURCE = "The source"
TEXT_SUFFIXES = {".csv", ".tsv", ".tab", ".txt", ".gz"}
KIND_NAMES: dict[FileKind, str] = {"parquet": "Parquet", "text": "text"}
ENOUGH = 10  # the first block of a later file needs this many rows to show that a column is wrong
BUFFER = 1 << 20  # bytes of a column that are read at once
BATCH = 8192  # rows that are decoded at once
# Up to this size, a text column of a row group is read as a dictionary, so that the size of its texts is
# known before they are expanded: a few bytes may stand for gigabytes.
LARGEST_LIST = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of a source."""

    path: str  # absolute
    given: str  # as the caller wrote it
    name: str  # within the folder, for the names of shards
    size: int  # bytes
    changed: int  # when it was last written, in nanoseconds

    @property
    def what(self) -> str:
        """The start of a message about the file."""
        return named(SOURCE, Path(self.given))

    def require_unchanged(self) -> None:
        """Raise if the file has changed since it was listed."""
        try:
            state = os.stat(self.path)
        except OSError as error:
            raise InvalidArgument(
                f"{self.what} can no longer be read: {error.strerror}. Restore it, and run again."
            ) from error
        if (state.st_size, state.st_mtime_ns) != (self.size, self.changed):
            raise InvalidArgument(
                f"{self.what} has changed since the run began. Restore the file and run again, or use "
                "another folder for the results."
            )


def files_of(path: Path) -> tuple[FileKind, list[SourceFile]]:
    """List a file, or all files in a folder by name. Names that begin with . or _ are skipped."""
    if not path.is_dir():
        require_file(path, SOURCE)
        return kind_of_file(path, named(SOURCE, path)), [_file(path, path.parent)]
    what = f"{SOURCE} folder {echoed(str(path))}"
    paths = sorted(
        (Path(folder, name) for folder, _, names in os.walk(path) for name in names),
        key=lambda one: one.relative_to(path).as_posix(),
    )
    kinds: dict[FileKind, str] = {}
    files = []
    for one in paths:
        if any(part.startswith((".", "_")) for part in one.relative_to(path).parts):
            continue
        file = _file(require_file(one, SOURCE), path)
        kind = kind_of_file(one, file.what)
        if kind == "text" and one.suffix.lower() not in TEXT_SUFFIXES:
            raise InvalidArgument(
                f"{what} contains {echoed(file.name)}, which is not a table. Move it, or put an underscore "
                "before its name."
            )
        kinds.setdefault(kind, file.name)
        files.append(file)
    if not files:
        raise InvalidArgument(f"{what} contains no table. Use a folder of Parquet or CSV files.")
    if len(kinds) > 1:
        shown = " and ".join(f"{echoed(name)} ({KIND_NAMES[kind]})" for kind, name in kinds.items())
        raise InvalidArgument(f"{what} contains tables of two kinds: {shown}. Use a folder of one kind.")
    return next(iter(kinds)), files


def _file(path: Path, folder: Path) -> SourceFile:
    name, state = path.relative_to(folder).as_posix(), path.stat()
    return SourceFile(
        path=str(path.absolute()),
        given=str(path),
        name=name,
        size=state.st_size,
        changed=state.st_mtime_ns,
    )


def csv_schema(columns: SourceColumns, reference: "pd.DataFrame") -> "pa.Schema":
    """Return the reference's types for the model's columns. Ids and kept columns stay text."""
    import pyarrow as pa

    types = {name: shard_type(arrow_column_of(reference[name]).type, of_model=True) for name in columns.names}
    return pa.schema([(name, types.get(name, pa.string())) for name in columns.needed])


def csv_tables(
    file: SourceFile,
    columns: SourceColumns,
    limits: Limits,
    *,
    most_rows: int,
    reference: "Mapping[str, pd.Series[Any]]",
    schema: "pa.Schema",
    is_first: bool,
) -> "Iterator[pa.Table]":
    """Yield the rows of a file in tables. A cell that cannot be parsed stays text, and only its row fails."""
    import pyarrow as pa

    blocks = text_blocks(Path(file.path), file.what, rows=most_rows, limits=limits)
    for place, block in enumerate(blocks):
        if not place:
            columns.require(block.columns, file.what)
        # If most cells in the first block of a column cannot be parsed, the column is wrong.
        strict = not place and (is_first or len(block.frame) >= ENOUGH)
        typed = typed_rows(block, reference, strict=strict)
        cells = [
            _in_type(typed[field.name], field.type)
            if field.name in reference
            else pa.array(block.frame[field.name], type=pa.string(), from_pandas=True)
            for field in schema
        ]
        yield pa.table(cells, names=schema.names)


def types_only(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Reduce a column of the reference to what types cells: its type, or its labels."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(column):
        return column.head(0)
    return column.dropna().drop_duplicates()


def _in_type(column: "pd.Series[Any]", kind: Any) -> "pa.ChunkedArray":
    """Convert typed cells to the reference's Arrow type, or to a union if a cell does not fit."""
    import pyarrow as pa

    found = arrow_column_of(column)
    try:
        return found.cast(kind)
    except pa.ArrowException:
        return pa.chunked_array([mixed_array(column.tolist())])


def parquet_tables(
    file: SourceFile, columns: SourceColumns, limits: Limits, *, most_rows: int
) -> "Iterator[pa.Table]":
    """Check the footer of a file, then yield its rows in tables of ``most_rows`` rows."""
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
            for table in _tables(batches, most_rows):
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
