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
    where: str  # what messages call it: "people.parquet, row group 3"
    first: int  # the place of its first person in the source: what people are called who have no key
    rows: int
    # It travels, so it can be pickled; it is called where the shard is explained.
    read: "Callable[[], pa.Table]"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """People to be explained, shard by shard."""

    schema: "pa.Schema"  # the model's columns, the key if there is one, and columns that are kept
    key: str | None  # the column that names people; None where the place in the source does
    hash: str  # SHA-256 of what it holds
    people: int
    shards: Callable[[], Iterator[Shard]]  # made one by one, since some carry their people with them
