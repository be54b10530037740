"""Read rows from a table in memory, of any kind that `explain_many` takes, or from a Dask DataFrame."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import as_text, echoed, one_line
from p2ce.errors import InvalidArgument
from p2ce.portfolio.runs.shard import RowHash, RowSource, Shard, packed, unpacked
from p2ce.portfolio.runs.source_columns import SourceColumns, arrow_column_of, same_types, shard_table
from p2ce.tables import as_pandas, kind_of
from p2ce.tables.kinds import package_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


WITHOUT_ID = "Or leave out the id column: the positions of the rows are then the ids."
SourceParts: TypeAlias = Callable[[], "Iterable[SourcePart]"]  # yields the parts of a source from the start
TABLE = "The table"
NEW_INDEX = "Or use the positions of the rows as ids: frame.reset_index(drop=True)"
FRAME = "The Dask DataFrame"


class UniqueIds:
    """Collect hashes of ids, block by block. If two hashes are equal, the ids are compared."""

    def __init__(self, what: str, todo: str = WITHOUT_ID) -> None:
        self._what, self._todo = what, todo  # the column in a sentence, and the end of a message
        self._hashes = bytearray()  # grows in place
        self._rows = 0

    def add(self, ids: "pa.ChunkedArray") -> None:
        """Add the ids of the next rows; raise if one is missing."""
        missing = ids.is_null(nan_is_null=True).to_numpy()
        if missing.any():
            row = self._rows + int(missing.argmax())
            raise InvalidArgument(
                f"{self._what} is empty in row {row:,} (counted from 0). Each person needs an id. "
                f"{self._todo}"
            )
        self._hashes += _hashes(ids).tobytes()
        self._rows += len(ids)

    def require_unique(self, again: "Callable[[], Iterable[pa.ChunkedArray]]") -> None:
        """Raise on the first duplicate id. ``again`` yields the same ids once more."""
        hashes = np.frombuffer(self._hashes, dtype=np.uint64)
        hashes.sort()
        twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        if not len(twice):
            return
        rows: dict[Any, int] = {}
        first = 0
        for ids in again():
            for place in np.flatnonzero(np.isin(_hashes(ids), twice)).tolist():
                one = ids[place].as_py()
                if one in rows:
                    raise InvalidArgument(
                        f"{self._what} contains {echoed(one)} twice, in rows {rows[one]:,} and "
                        f"{first + place:,} (counted from 0). Each id may occur only once. {self._todo}"
                    )
                rows[one] = first + place
            first += len(ids)


def _hashes(ids: "pa.ChunkedArray") -> npt.NDArray[np.uint64]:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(ids.type):
        ids = pc.add(ids.cast(pa.float64()), 0.0)  # -0.0 is the id 0.0
    whole = pa.types.is_integer(ids.type)
    cells = ids.to_numpy() if whole else ids.cast(pa.string()).to_numpy()
    return np.asarray(pd.util.hash_array(cells, categorize=False), dtype=np.uint64)


def open_table(source: Any, columns: SourceColumns, *, most_rows: int) -> RowSource:
    """Open a table. A pandas index that is not just positions holds the ids."""
    import pandas as pd

    table = _as_arrow(source, columns)
    todo = WITHOUT_ID
    if table is None:
        frame, _ = as_pandas(source, error=InvalidArgument)
        columns.require([as_text(name) for name in frame.columns], TABLE)
        places = isinstance(frame.index, pd.RangeIndex) and frame.index.equals(pd.RangeIndex(len(frame)))
        by_index = columns.id_column is None and not places
        if by_index:
            if frame.index.nlevels > 1:
                raise InvalidArgument(
                    f"{TABLE} has an index of {frame.index.nlevels} levels. Call frame.reset_index(), and "
                    "name the column with the ids instead."
                )
            columns, todo = with_index(columns, frame.index.name), NEW_INDEX
        table = arrow_table(frame, columns, by_index=by_index)
    return open_parts(lambda: [SourcePart(TABLE, "", table)], columns, TABLE, todo=todo, most_rows=most_rows)


def _as_arrow(source: Any, columns: SourceColumns) -> "pa.Table | None":
    """Take the needed columns of polars and Arrow with few copies; return None for other kinds."""
    import pyarrow as pa

    kind = kind_of(source)
    if kind == "polars":
        columns.require(source.collect_schema().names(), TABLE)
        some = source.select(columns.needed)
        return (some.collect() if hasattr(some, "collect") else some).to_arrow()
    if kind == "arrow":
        columns.require(source.schema.names, TABLE)
        whole = pa.Table.from_batches([source]) if isinstance(source, pa.RecordBatch) else source
        return whole.select(columns.needed)
    return None


def with_index(columns: SourceColumns, index: object) -> SourceColumns:
    """Make an index of this name the id column, with a name that no other column has."""
    name = "index" if index is None else as_text(index)
    while name in columns.needed:
        name += "_"
    return replace(columns, id_column=name)


def arrow_table(frame: "pd.DataFrame", columns: SourceColumns, *, by_index: bool) -> "pa.Table":
    """Turn the needed columns of a pandas frame into Arrow, with ``by_index`` its index as the ids."""
    import pyarrow as pa

    own = {as_text(name): frame.iloc[:, place] for place, name in enumerate(frame.columns)}
    if by_index:
        assert columns.id_column is not None
        own[columns.id_column] = frame.index.to_series()
    return pa.table([arrow_column_of(own[name]) for name in columns.needed], names=columns.needed)


@dataclass(frozen=True, slots=True, eq=False)
class SourcePart:
    """Some rows of a source, in order."""

    what: str  # the start of a message about it
    name: str  # the name in its shards; "" for the whole source
    table: "pa.Table"


def open_parts(
    parts: "SourceParts",
    columns: SourceColumns,
    what: str,
    *,
    schema: "pa.Schema | None" = None,
    todo: str = WITHOUT_ID,
    limits: Limits = DEFAULT,
    most_rows: int,
) -> RowSource:
    """Open consecutive parts: count, hash and check their rows.

    Pass ``schema`` if the parts do not determine the types.
    """
    content, rows, types, first = RowHash(), 0, schema, ""
    ids = UniqueIds(f"The id column {echoed(columns.id_column)}", todo)
    for part in parts():
        if not part.table.num_rows:
            continue
        own = schema or columns.schema(part.table.schema, part.what)
        first = first or echoed(part.name)
        types = own if types is None else same_types(types, own, part.what, first)
        for some in _slices(part, own, limits, most_rows):
            content.add(some)
            if columns.id_column is not None:
                ids.add(some.column(columns.id_column))
        rows += part.table.num_rows
    if types is None or not rows:
        raise InvalidArgument(f"{what} has columns but no rows. It must have at least one person.")
    if columns.id_column is not None:
        ids.require_unique(partial(_ids, parts, types, columns.id_column, limits, most_rows))
    return RowSource(
        schema=types,
        id_column=columns.id_column,
        hash=content.hexdigest(),
        rows=rows,
        shards=partial(_shards, parts, types, limits, most_rows),
    )


def _slices(part: SourcePart, schema: "pa.Schema", limits: Limits, most_rows: int) -> "Iterator[pa.Table]":
    """Cut a part into slices of at most so many rows, in the types of a shard."""
    for row in range(0, part.table.num_rows, most_rows):
        yield shard_table(part.table.slice(row, most_rows), schema, part.what, limits)


def _ids(
    parts: "SourceParts", schema: "pa.Schema", column: str, limits: Limits, most_rows: int
) -> "Iterator[pa.ChunkedArray]":
    for part in parts():
        for some in _slices(part, schema, limits, most_rows):
            yield some.column(column)


def _shards(parts: "SourceParts", schema: "pa.Schema", limits: Limits, most_rows: int) -> Iterator[Shard]:
    number = first = row = 0
    name = ""
    for part in parts():
        name, row = part.name, row if part.name == name else 0
        for some in _slices(part, schema, limits, most_rows):
            rows = some.num_rows
            where = ", ".join(filter(None, (name, f"rows {row} to {row + rows - 1}")))
            read = partial(unpacked, packed(some))
            yield Shard(number=number, where=where, first=first, rows=rows, read=read)
            number, first, row = number + 1, first + rows, row + rows


def is_dask_frame(source: object) -> bool:
    """Return whether this is a Dask DataFrame, without importing Dask."""
    return any(
        made_by.__name__ == "DataFrame" and package_of(made_by).startswith("dask")
        for made_by in type(source).__mro__
    )


def open_dask(frame: Any, columns: SourceColumns, *, most_rows: int) -> RowSource:
    """Open a Dask DataFrame. A named index holds the ids.

    Dask computes the partitions one at a time, on the workers of the current client if there is one: first to
    count, hash and check them, then for their shards. All rows pass through this process.
    """
    columns.require([as_text(name) for name in frame.columns], FRAME)
    partitions = frame[[name for name in frame.columns if as_text(name) in columns.needed]].to_delayed()
    by_index = columns.id_column is None and frame.index.name is not None
    if by_index:
        columns = with_index(columns, frame.index.name)

    def parts() -> Iterator[SourcePart]:
        for number, partition in enumerate(partitions):
            name = f"partition {number}"
            yield SourcePart(
                f"{FRAME}, {name}", name, arrow_table(_computed(partition), columns, by_index=by_index)
            )

    return open_parts(parts, columns, FRAME, most_rows=most_rows)


def _computed(partition: Any) -> Any:
    try:
        # Before the waiting shards: workers would run out of shards while this one is computed.
        return partition.compute(priority=1)
    except Exception as error:
        raise InvalidArgument(
            f"{FRAME} cannot be computed: {type(error).__name__}: {one_line(error)[:200]}. Try .compute()."
        ) from error
