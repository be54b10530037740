"""Define a shard: a part of a source that is explained, written and checked as a whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

# The most people in a shard. A lost shard is explained again, and its tables are held in memory.
MOST_PEOPLE = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shard:
    """Some people of a source. It is sent to the process that explains them."""

    number: int  # from 0, in the order of the source
    where: str  # its name in messages: "people.parquet, rows 0 to 4095"
    first: int  # the position of its first person in the source, and the id if no column has ids
    rows: int
    # Called where the shard is explained, so it can be pickled.
    read: "Callable[[], pa.Table]"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """The people to explain, shard by shard."""

    schema: "pa.Schema"  # the model's columns, the ids if a column has them, and the kept columns
    id_column: str | None  # None if the ids are the positions in the source
    hash: str  # SHA-256 of its content
    people: int
    shards: Callable[[], Iterator[Shard]]  # yields one at a time, since some contain their people
