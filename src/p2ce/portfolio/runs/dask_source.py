"""Read people from a Dask DataFrame, partition by partition.

Dask computes the partitions one at a time, on the workers of the current client if there is one: first to
count, hash and check them, then for their shards. All people pass through this process.
"""

from collections.abc import Iterator
from typing import Any

from p2ce.base.visible import as_text, one_line
from p2ce.errors import InvalidArgument
from p2ce.portfolio.runs.people_columns import PeopleColumns
from p2ce.portfolio.runs.shard import Source
from p2ce.portfolio.runs.table_source import Part, arrow_table, open_parts, with_index
from p2ce.tables.kinds import package_of

FRAME = "The Dask DataFrame"


def is_dask_frame(source: object) -> bool:
    """Return whether this is a Dask DataFrame, without importing Dask."""
    return any(
        made_by.__name__ == "DataFrame" and package_of(made_by).startswith("dask")
        for made_by in type(source).__mro__
    )


def open_dask(frame: Any, columns: PeopleColumns, *, most_people: int) -> Source:
    """Open a Dask DataFrame. A named index holds the ids."""
    columns.require([as_text(name) for name in frame.columns], FRAME)
    partitions = frame[[name for name in frame.columns if as_text(name) in columns.needed]].to_delayed()
    by_index = columns.id_column is None and frame.index.name is not None
    if by_index:
        columns = with_index(columns, frame.index.name)

    def parts() -> Iterator[Part]:
        for number, partition in enumerate(partitions):
            name = f"partition {number}"
            yield Part(
                f"{FRAME}, {name}", name, arrow_table(_computed(partition), columns, by_index=by_index)
            )

    return open_parts(parts, columns, FRAME, most_people=most_people)


def _computed(partition: Any) -> Any:
    try:
        # Before the waiting shards: workers would run out of shards while this one is computed.
        return partition.compute(priority=1)
    except Exception as error:
        raise InvalidArgument(
            f"{FRAME} cannot be computed: {type(error).__name__}: {one_line(error)[:200]}. Try .compute()."
        ) from error
