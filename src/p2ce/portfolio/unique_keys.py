"""Check that every person has a key, and each a key of their own, in eight bytes per person."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from p2ce.errors import InvalidArgument
from p2ce.visible import echoed

if TYPE_CHECKING:
    import pyarrow as pa

WITHOUT_KEY = "Or leave the index column out, and people are called by their place."


class UniqueKeys:
    """Collects hashes of keys, block by block; where two are equal, the keys themselves are compared."""

    def __init__(self, what: str, todo: str = WITHOUT_KEY) -> None:
        self._what, self._todo = what, todo  # the column in a sentence, and the end of a message
        self._hashes = bytearray()  # which grows in place
        self._people = 0

    def add(self, keys: "pa.ChunkedArray") -> None:
        """Note the keys of the next people; raise if one is missing."""
        missing = keys.is_null(nan_is_null=True).to_numpy()
        if missing.any():
            row = self._people + int(missing.argmax())
            raise InvalidArgument(
                f"{self._what} is empty in row {row:,} (counted from 0). Give each person a key. {self._todo}"
            )
        self._hashes += _hashes(keys).tobytes()
        self._people += len(keys)

    def require_unique(self, again: "Callable[[], Iterable[pa.ChunkedArray]]") -> None:
        """Raise on the first key that two people have; ``again`` gives the same keys once more."""
        hashes = np.frombuffer(self._hashes, dtype=np.uint64)
        hashes.sort()
        twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        if not len(twice):
            return
        rows: dict[Any, int] = {}
        first = 0
        for keys in again():
            for place in np.flatnonzero(np.isin(_hashes(keys), twice)).tolist():
                key = keys[place].as_py()
                if key in rows:
                    raise InvalidArgument(
                        f"{self._what} holds {echoed(key)} twice, in rows {rows[key]:,} and "
                        f"{first + place:,} (counted from 0). Each person needs their own key. {self._todo}"
                    )
                rows[key] = first + place
            first += len(keys)


def _hashes(keys: "pa.ChunkedArray") -> npt.NDArray[np.uint64]:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(keys.type):
        keys = pc.add(keys.cast(pa.float64()), 0.0)  # -0.0 is the key 0.0
    whole = pa.types.is_integer(keys.type)
    cells = keys.to_numpy() if whole else keys.cast(pa.string()).to_numpy()
    return np.asarray(pd.util.hash_array(cells, categorize=False), dtype=np.uint64)
