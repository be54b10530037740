"""Read people from a table in memory: pandas, polars, Arrow, or any other kind that `explain_many` takes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from p2ce.errors import InvalidArgument
from p2ce.portfolio.arrow_cells import arrow_column_of
from p2ce.portfolio.packed_people import PeopleHash, packed, unpacked
from p2ce.portfolio.people_columns import PeopleColumns, same_types, shard_table
from p2ce.portfolio.shard import Shard, Source
from p2ce.portfolio.unique_keys import WITHOUT_KEY, UniqueKeys
from p2ce.tables import as_pandas, kind_of
from p2ce.visible import as_text, echoed

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    # Makes the parts of a source anew, each with its name; "" for one that is the whole.
    Parts: TypeAlias = Callable[[], Iterable[tuple[str, pa.Table]]]

TABLE = "The table"
NEW_INDEX = "Or call people by their place: frame.reset_index(drop=True)"


def open_table(source: Any, columns: PeopleColumns, *, most_people: int) -> Source:
    """Open a table; an index of pandas that is more than places is the key."""
    import pandas as pd

    table = _as_arrow(source, columns)
    todo = WITHOUT_KEY
    if table is None:
        frame, _ = as_pandas(source, error=InvalidArgument)
        columns.require([as_text(name) for name in frame.columns], TABLE)
        places = isinstance(frame.index, pd.RangeIndex) and frame.index.equals(pd.RangeIndex(len(frame)))
        by_index = columns.key is None and not places
        if by_index:
            if frame.index.nlevels > 1:
                raise InvalidArgument(
                    f"{TABLE} has an index of {frame.index.nlevels} levels. Name the column that tells "
                    "people apart as the index column, after frame.reset_index()."
                )
            columns, todo = with_index(columns, frame.index.name), NEW_INDEX
        table = arrow_table(frame, columns, by_index=by_index)
    return open_parts(lambda: [("", table)], columns, TABLE, todo=todo, most_people=most_people)


def _as_arrow(source: Any, columns: PeopleColumns) -> "pa.Table | None":
    """Take the needed columns of polars and Arrow, which copies few of them; None for other kinds."""
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
    """Make an index of this name the key, as a column whose name no other has."""
    name = "index" if index is None else as_text(index)
    while name in columns.needed:
        name += "_"
    return replace(columns, key=name)


def arrow_table(frame: "pd.DataFrame", columns: PeopleColumns, *, by_index: bool) -> "pa.Table":
    """Turn the needed columns of a pandas frame into Arrow; the key is its index if so said."""
    import pyarrow as pa

    own = {as_text(name): frame.iloc[:, place] for place, name in enumerate(frame.columns)}
    if by_index:
        assert columns.key is not None
        own[columns.key] = frame.index.to_series()
    return pa.table([arrow_column_of(own[name]) for name in columns.needed], names=columns.needed)


def open_parts(
    parts: "Parts", columns: PeopleColumns, what: str, *, todo: str = WITHOUT_KEY, most_people: int
) -> Source:
    """Open tables that follow each other: count, hash and check their people."""
    schema: pa.Schema | None = None
    content, people = PeopleHash(), 0
    keys = UniqueKeys(f"The index column {echoed(columns.key)}", todo)
    for name, table in parts():
        if not table.num_rows:
            continue
        part = _joined(what, name)
        own = columns.schema(table.schema, part)
        schema = own if schema is None else same_types(schema, own, part, "those before")
        for _, some in _slices(table, own, most_people):
            content.add(some)
            if columns.key is not None:
                keys.add(some.column(columns.key))
        people += table.num_rows
    if schema is None:
        raise InvalidArgument(f"{what} has columns but no rows. Give at least one person.")
    if columns.key is not None:
        keys.require_unique(partial(_keys, parts, schema, columns.key, most_people))
    return Source(
        schema=schema,
        key=columns.key,
        hash=content.hexdigest(),
        people=people,
        shards=partial(_shards, parts, schema, most_people),
    )


def _joined(*names: str) -> str:
    return ", ".join(filter(None, names))


def _slices(table: "pa.Table", schema: "pa.Schema", most_people: int) -> "Iterator[tuple[int, pa.Table]]":
    """Cut a table into parts of so many people, in the types of a shard, with the first row of each."""
    for row in range(0, table.num_rows, most_people):
        yield row, shard_table(table.slice(row, most_people), schema, TABLE)


def _keys(parts: "Parts", schema: "pa.Schema", key: str, most_people: int) -> "Iterator[pa.ChunkedArray]":
    for _, table in parts():
        for _, some in _slices(table, schema, most_people):
            yield some.column(key)


def _shards(parts: "Parts", schema: "pa.Schema", most_people: int) -> Iterator[Shard]:
    number = first = 0
    for name, table in parts():
        for row, some in _slices(table, schema, most_people):
            rows = some.num_rows
            where = _joined(name, f"rows {row} to {row + rows - 1}")
            read = partial(unpacked, packed(some))
            yield Shard(number=number, where=where, first=first, rows=rows, read=read)
            number, first = number + 1, first + rows
