"""Turn pandas columns into Arrow. Cells of several types become a union, so each keeps its type."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from p2ce.base.visible import as_text
from p2ce.tables.cells import is_missing, plain_cells

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def arrow_column_of(column: "pd.Series[Any]") -> "pa.ChunkedArray":
    """Turn a pandas column into Arrow. A missing value becomes null."""
    import pyarrow as pa

    try:
        found = pa.array(column, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        found = mixed_array(plain_cells(column))
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])


def mixed_array(cells: Sequence[Any]) -> "pa.Array":
    """Build a union of cells with their types. A type that shards lack becomes text."""
    import pyarrow as pa

    kinds: dict[type, tuple[int, Any, list[Any]]] = {
        bool: (0, pa.bool_(), []),
        int: (1, pa.int64(), []),
        float: (2, pa.float64(), []),
        str: (3, pa.string(), []),
    }
    codes, places = [], []
    for cell in map(_of_these_types, cells):
        code, _, held = kinds[str if cell is None else type(cell)]
        codes.append(code)
        places.append(len(held))
        held.append(cell)
    children = [pa.array(held, type=kind) for _, kind, held in kinds.values()]
    types, offsets = pa.array(codes, type=pa.int8()), pa.array(places, type=pa.int32())
    return pa.UnionArray.from_dense(types, offsets, children, [kind.__name__ for kind in kinds])


def _of_these_types(cell: Any) -> bool | int | float | str | None:
    """Return a cell unchanged if shards have its type, else as a number or as text."""
    if is_missing(cell):
        return None
    if type(cell) in (bool, float, str) or (type(cell) is int and -(2**63) <= cell < 2**63):
        return cell  # type: ignore[no-any-return]
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return as_text(cell)
