"""Read people from a table in memory: pandas, polars, Arrow, or any other kind that `explain_many` takes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import as_text, echoed
from p2ce.errors import InvalidArgument
from p2ce.portfolio.runs.arrow_cells import arrow_column_of
from p2ce.portfolio.runs.packed_people import PeopleHash, packed, unpacked
from p2ce.portfolio.runs.people_columns import PeopleColumns, same_types, shard_table
from p2ce.portfolio.runs.shard import Shard, Source
from p2ce.portfolio.runs.unique_ids import WITHOUT_ID, UniqueIds
from p2ce.tables import as_pandas, kind_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


Parts: TypeAlias = Callable[[], "Iterable[Part]"]  # yields the parts of a source from the start
TABLE = "The table"
NEW_INDEX = "Or use the positions of the rows as ids: frame.reset_index(drop=True)"


def open_table(source: Any, columns: PeopleColumns, *, most_people: int) -> Source:
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
    return open_parts(lambda: [Part(TABLE, "", table)], columns, TABLE, todo=todo, most_people=most_people)


def _as_arrow(source: Any, columns: PeopleColumns) -> "pa.Table | None":
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


def with_index(columns: PeopleColumns, index: object) -> PeopleColumns:
    """Make an index of this name the id column, with a name that no other column has."""
    name = "index" if index is None else as_text(index)
    while name in columns.needed:
        name += "_"
    return replace(columns, id_column=name)


def arrow_table(frame: "pd.DataFrame", columns: PeopleColumns, *, by_index: bool) -> "pa.Table":
    """Turn the needed columns of a pandas frame into Arrow, with ``by_index`` its index as the ids."""
    import pyarrow as pa

    own = {as_text(name): frame.iloc[:, place] for place, name in enumerate(frame.columns)}
    if by_index:
        assert columns.id_column is not None
        own[columns.id_column] = frame.index.to_series()
    return pa.table([arrow_column_of(own[name]) for name in columns.needed], names=columns.needed)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of a source, in order."""

    what: str  # the start of a message about it
    name: str  # the name in its shards; "" for the whole source
    table: "pa.Table"


def open_parts(
    parts: "Parts",
    columns: PeopleColumns,
    what: str,
    *,
    schema: "pa.Schema | None" = None,
    todo: str = WITHOUT_ID,
    limits: Limits = DEFAULT,
    most_people: int,
) -> Source:
    """Open consecutive parts: count, hash and check their rows.

    Pass ``schema`` if the parts do not determine the types.
    """
    content, people, types, first = PeopleHash(), 0, schema, ""
    ids = UniqueIds(f"The id column {echoed(columns.id_column)}", todo)
    for part in parts():
        if not part.table.num_rows:
            continue
        own = schema or columns.schema(part.table.schema, part.what)
        first = first or echoed(part.name)
        types = own if types is None else same_types(types, own, part.what, first)
        for some in _slices(part, own, limits, most_people):
            content.add(some)
            if columns.id_column is not None:
                ids.add(some.column(columns.id_column))
        people += part.table.num_rows
    if types is None or not people:
        raise InvalidArgument(f"{what} has columns but no rows. It must have at least one person.")
    if columns.id_column is not None:
        ids.require_unique(partial(_ids, parts, types, columns.id_column, limits, most_people))
    return Source(
        schema=types,
        id_column=columns.id_column,
        hash=content.hexdigest(),
        people=people,
        shards=partial(_shards, parts, types, limits, most_people),
    )


def _slices(part: Part, schema: "pa.Schema", limits: Limits, most_people: int) -> "Iterator[pa.Table]":
    """Cut a part into slices of at most so many rows, in the types of a shard."""
    for row in range(0, part.table.num_rows, most_people):
        yield shard_table(part.table.slice(row, most_people), schema, part.what, limits)


def _ids(
    parts: "Parts", schema: "pa.Schema", column: str, limits: Limits, most_people: int
) -> "Iterator[pa.ChunkedArray]":
    for part in parts():
        for some in _slices(part, schema, limits, most_people):
            yield some.column(column)


def _shards(parts: "Parts", schema: "pa.Schema", limits: Limits, most_people: int) -> Iterator[Shard]:
    number = first = row = 0
    name = ""
    for part in parts():
        name, row = part.name, row if part.name == name else 0
        for some in _slices(part, schema, limits, most_people):
            rows = some.num_rows
            where = ", ".join(filter(None, (name, f"rows {row} to {row + rows - 1}")))
            read = partial(unpacked, packed(some))
            yield Shard(number=number, where=where, first=first, rows=rows, read=read)
            number, first, row = number + 1, first + rows, row + rows
