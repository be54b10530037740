"""Hold a part of a source that is explained, written and checked as a whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

# People in a shard at most: a shard that is lost is explained again, and its tables lie in memory.
MOST_PEOPLE = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shard:
    """Some people of a source; it travels to the process that explains them."""

    number: int  # from 0, in the order of the source
    where: str  # what messages call it: "people.parquet, rows 0 to 4095"
    first: int  # the place of its first person in the source: the id of that person where no column has ids
    rows: int
    # It travels, so it can be pickled; it is called where the shard is explained.
    read: "Callable[[], pa.Table]"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """People to be explained, shard by shard."""

    schema: "pa.Schema"  # the model's columns, the ids if a column has them, and columns that are kept
    id_column: str | None  # None where the ids are the places in the source
    hash: str  # SHA-256 of what it holds
    people: int
    shards: Callable[[], Iterator[Shard]]  # made one by one, since some carry their people with them
