"""Set how a search explores the grid: which box comes next, which boxes are leaves, what prunes."""

from typing import NamedTuple

# Boxes of up to this many cells are leaves of the kernel: 64 KB of 32-bit totals stay in the level-2 cache.
DENSE_CELLS = 16384
# Supports of up to this many changes are listed one by one, from leaves sorted by disagreement set.
LISTED_CHANGES = 3
# More changes than any grid has axes: no limit.
UNLIMITED = 1 << 20


class Settings(NamedTuple):
    """How the grid is explored."""

    max_changes: int
    keep_ties: bool  # keep every cell of a cost vector, and not only the first in the order of ties
    listed: int  # supports of at most this many changes come one by one; all larger ones as boxes, best first
    dense_cells: int  # boxes of at most this many cells are leaves; 0 leaves only single cells
    bounds: bool  # prune boxes by upper bounds of the scores


def make_settings(*, max_changes: int | None, keep_ties: bool, use_bounds: bool) -> Settings:
    """Set what a caller chooses; the rest is as it is fastest where the kernel evaluates the leaves."""
    most = UNLIMITED if max_changes is None else max_changes
    return Settings(
        max_changes=most,
        keep_ties=keep_ties,
        listed=min(LISTED_CHANGES, most),
        dense_cells=DENSE_CELLS,
        bounds=use_bounds,
    )
