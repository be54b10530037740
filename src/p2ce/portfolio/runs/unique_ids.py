"""Check that every person has a unique id, with eight bytes of memory per person."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument

if TYPE_CHECKING:
    import pyarrow as pa

WITHOUT_ID = "Or leave out the id column: the positions of the rows are then the ids."


class UniqueIds:
    """Collect hashes of ids, block by block. If two hashes are equal, the ids are compared."""

    def __init__(self, what: str, todo: str = WITHOUT_ID) -> None:
        self._what, self._todo = what, todo  # the column in a sentence, and the end of a message
        self._hashes = bytearray()  # grows in place
        self._people = 0

    def add(self, ids: "pa.ChunkedArray") -> None:
        """Add the ids of the next people; raise if one is missing."""
        missing = ids.is_null(nan_is_null=True).to_numpy()
        if missing.any():
            row = self._people + int(missing.argmax())
            raise InvalidArgument(
                f"{self._what} is empty in row {row:,} (counted from 0). Each person needs an id. "
                f"{self._todo}"
            )
        self._hashes += _hashes(ids).tobytes()
        self._people += len(ids)

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
