"""Open the rows to explain: files, folders, tables in memory, or a Dask DataFrame."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import as_text
from p2ce.errors import InvalidArgument
from p2ce.portfolio.runs.file_sources import (
    SourceFile,
    csv_schema,
    csv_tables,
    files_of,
    parquet_tables,
    types_only,
)
from p2ce.portfolio.runs.result_tables import require_arrow
from p2ce.portfolio.runs.shard import MOST_ROWS, RowSource
from p2ce.portfolio.runs.source_columns import SourceColumns
from p2ce.portfolio.runs.table_sources import SourcePart, is_dask_frame, open_dask, open_parts, open_table
from p2ce.tables import kind_of
from p2ce.tables.codebook import coding_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def open_source(
    source: Any,
    names: Sequence[str],
    *,
    id_column: str | None = None,
    keep: Sequence[str] = (),
    reference: "pd.DataFrame",
    limits: Limits = DEFAULT,
    most_rows: int = MOST_ROWS,
) -> RowSource:
    """Open a source of rows, and check as much of it as possible before the run.

    A source is the path of a Parquet or CSV file, of a folder of one kind of files, any table that
    `explain_many` takes, or a Dask DataFrame. Only the named columns are read.

    Args:
        source: the rows to explain.
        names: the model's columns.
        id_column: the column that holds unique ids. By default, the ids are the positions of the rows, the
            index of a pandas frame unless it is just positions, or the named index of a Dask DataFrame.
        keep: other columns to copy to the results.
        reference: the population. It determines the types of the model's columns, also of CSV cells.
        limits: the largest shard.
        most_rows: the most rows in a shard.
    """
    require_arrow()  # raises with installation instructions if it is missing
    reference = reference.set_axis([as_text(name) for name in reference.columns], axis=1)
    labels = {name: coding_of(reference[name]).labels for name in names}
    columns = SourceColumns(
        names=tuple(names),
        id_column=id_column,
        keep=tuple(keep),
        numbers=frozenset(name for name, held in labels.items() if held is None),
        labels=frozenset(
            name for name, held in labels.items() if held and all(isinstance(one, str) for one in held)
        ),
    )
    if isinstance(source, str | os.PathLike):
        kind, files = files_of(Path(os.fsdecode(source)))
        schema = None if kind == "parquet" else csv_schema(columns, reference)
        parts = partial(_file_parts, files, columns, reference, schema, limits, most_rows)
        return open_parts(parts, columns, files[0].what, schema=schema, limits=limits, most_rows=most_rows)
    if is_dask_frame(source):
        return open_dask(source, columns, most_rows=most_rows)
    if kind_of(source) is None:
        raise InvalidArgument(
            "A source of people must be the path of a Parquet or CSV file or folder, a pandas, polars or "
            f"Arrow table, or a Dask DataFrame; got {type(source).__name__}."
        )
    return open_table(source, columns, most_rows=most_rows)


def _file_parts(
    files: list[SourceFile],
    columns: SourceColumns,
    reference: "pd.DataFrame",
    schema: "pa.Schema | None",
    limits: Limits,
    most_rows: int,
) -> Iterator[SourcePart]:
    """Read files of one kind in order: CSV with the types of a schema, Parquet without a schema."""
    labels = {name: types_only(reference[name]) for name in columns.names}
    for file in files:
        file.require_unchanged()
        if schema is None:
            tables = parquet_tables(file, columns, limits, most_rows=most_rows)
        else:
            tables = csv_tables(
                file,
                columns,
                limits,
                most_rows=most_rows,
                reference=labels,
                schema=schema,
                is_first=file is files[0],
            )
        for table in tables:
            yield SourcePart(file.what, file.name, table)
        file.require_unchanged()
