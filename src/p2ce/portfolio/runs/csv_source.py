"""Read the rows of a CSV or TSV file in blocks, with the types of the reference."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.base.limits import Limits
from p2ce.portfolio.runs.arrow_cells import arrow_column_of, mixed_array
from p2ce.portfolio.runs.people_columns import PeopleColumns, shard_type
from p2ce.portfolio.runs.source_files import SourceFile
from p2ce.tables.table_files import text_blocks
from p2ce.tables.typed_columns import typed_people

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ENOUGH = 10  # the first block of a later file needs this many rows to show that a column is wrong


def csv_schema(columns: PeopleColumns, reference: "pd.DataFrame") -> "pa.Schema":
    """Return the reference's types for the model's columns. Ids and kept columns stay text."""
    import pyarrow as pa

    types = {name: shard_type(arrow_column_of(reference[name]).type, of_model=True) for name in columns.names}
    return pa.schema([(name, types.get(name, pa.string())) for name in columns.needed])


def csv_tables(
    file: SourceFile,
    columns: PeopleColumns,
    limits: Limits,
    *,
    most_people: int,
    reference: "Mapping[str, pd.Series[Any]]",
    schema: "pa.Schema",
    is_first: bool,
) -> "Iterator[pa.Table]":
    """Yield the rows of a file in tables. A cell that cannot be parsed stays text, and only its row fails."""
    import pyarrow as pa

    blocks = text_blocks(Path(file.path), file.what, rows=most_people, limits=limits)
    for place, block in enumerate(blocks):
        if not place:
            columns.require(block.columns, file.what)
        # If most cells in the first block of a column cannot be parsed, the column is wrong.
        strict = not place and (is_first or len(block.frame) >= ENOUGH)
        people = typed_people(block, reference, strict=strict)
        cells = [
            _in_type(people[field.name], field.type)
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
