"""Read people from CSV and TSV files in blocks; where they are explained, cells get the reference's types."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.errors import InvalidArgument
from p2ce.limits import Limits
from p2ce.portfolio.arrow_cells import arrow_column_of, mixed_array
from p2ce.portfolio.packed_people import packed, unpacked
from p2ce.portfolio.people_columns import PeopleColumns, shard_type
from p2ce.portfolio.shard import Shard, Source
from p2ce.portfolio.source_files import SourceFile, hash_of_files
from p2ce.portfolio.unique_keys import UniqueKeys
from p2ce.tables.table_files import Table, text_blocks
from p2ce.tables.typed_columns import typed_people
from p2ce.visible import echoed

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ENOUGH = 10  # people from which on the beginning of a further file tells whether a column is wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class _CSVFiles:
    """Files of text, and how their cells are typed."""

    files: list[SourceFile]
    columns: PeopleColumns
    schema: "pa.Schema"
    reference: "Mapping[str, pd.Series[Any]]"  # no more of it than says what types and labels there are
    limits: Limits
    most_people: int

    def blocks(self, file: SourceFile) -> Iterator[Table]:
        """Read a file in blocks of at most as many people as a shard has."""
        return text_blocks(Path(file.path), file.what, rows=self.most_people, limits=self.limits)

    def keys(self) -> "Iterator[pa.ChunkedArray]":
        """Return all keys, block by block."""
        for file in self.files:
            for block in self.blocks(file):
                yield _texts(block, [str(self.columns.key)]).column(0)

    def shards(self) -> Iterator[Shard]:
        """Return the people, who travel as text."""
        number = first = 0
        for file in self.files:
            file.require_unchanged()
            row = 0
            for block in self.blocks(file):
                rows = len(block.frame)
                if not rows:
                    continue
                read = partial(
                    _typed,
                    packed(_texts(block, self.columns.needed)),
                    name=file.name,
                    decimal_comma=block.decimal_comma,
                    schema=self.schema,
                    reference=self.reference,
                )
                where = f"{file.name}, rows {row} to {row + rows - 1}"
                yield Shard(number=number, where=where, first=first, rows=rows, read=read)
                number, first, row = number + 1, first + rows, row + rows


def open_csv(
    files: list[SourceFile],
    columns: PeopleColumns,
    reference: "pd.DataFrame",
    *,
    limits: Limits,
    most_people: int,
) -> Source:
    """Read all files once: their rows, their keys, and whether their first cells fit the reference."""
    held = _CSVFiles(
        files=files,
        columns=columns,
        schema=_schema(columns, reference),
        reference={name: _types_only(reference[name]) for name in columns.names},
        limits=limits,
        most_people=most_people,
    )
    keys = UniqueKeys(f"The index column {echoed(columns.key)}")
    people = 0
    for file in files:
        for place, block in enumerate(held.blocks(file)):
            if not place:
                columns.require(block.columns, file.what)
                if not people or len(block.frame) >= ENOUGH:
                    typed_people(block, held.reference)
            if columns.key is not None:
                keys.add(_texts(block, [columns.key]).column(0))
            people += len(block.frame)
    if not people:
        raise InvalidArgument(f"{files[0].what} has columns but no rows. Give at least one person.")
    if columns.key is not None:
        keys.require_unique(held.keys)
    return Source(
        schema=held.schema, key=columns.key, hash=hash_of_files(files), people=people, shards=held.shards
    )


def _schema(columns: PeopleColumns, reference: "pd.DataFrame") -> "pa.Schema":
    """Return the model's columns the types of the reference; a key and what is kept stay text as written."""
    import pyarrow as pa

    types = {name: shard_type(arrow_column_of(reference[name]).type, of_model=True) for name in columns.names}
    return pa.schema([(name, types.get(name, pa.string())) for name in columns.needed])


def _types_only(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Reduce a column of the reference to what says how cells are typed: its type, or its labels."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(column):
        return column.head(0)
    return column.dropna().drop_duplicates()


def _texts(block: Table, names: list[str]) -> "pa.Table":
    import pyarrow as pa

    cells = [pa.array(block.frame[name], type=pa.string(), from_pandas=True) for name in names]
    return pa.table(cells, names=names)


def _typed(
    content: bytes,
    *,
    name: str,
    decimal_comma: bool,
    schema: "pa.Schema",
    reference: "Mapping[str, pd.Series[Any]]",
) -> "pa.Table":
    """Return a block's cells their types; a cell that cannot be read stays text, and its person fails."""
    import pandas as pd
    import pyarrow as pa

    texts = unpacked(content)
    cells = {one: pd.Series(texts.column(one).to_pylist(), dtype="object") for one in reference}
    block = Table(Path(name), pd.DataFrame(cells), is_text=True, decimal_comma=decimal_comma)
    people = typed_people(block, reference, strict=False)
    columns = [
        _in_type(people[field.name], field.type) if field.name in reference else texts.column(field.name)
        for field in schema
    ]
    return pa.table(columns, names=schema.names)


def _in_type(column: "pd.Series[Any]", kind: Any) -> "pa.ChunkedArray":
    """Return typed cells the reference's type in Arrow, or a union where a cell does not fit."""
    import pyarrow as pa

    found = arrow_column_of(column)
    try:
        return found.cast(kind)
    except pa.ArrowException:
        return pa.chunked_array([mixed_array(column.tolist())])
