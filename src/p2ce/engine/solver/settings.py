"""The settings of a search: which box comes next, which boxes are leaves, and what prunes."""

from typing import NamedTuple

# Boxes of up to this many cells are leaves of the kernel: 64 KB of 32-bit totals stay in the level-2 cache.
DENSE_CELLS = 16384
# Supports of up to this many changes are listed one by one, from leaves sorted by disagreement set.
LISTED_CHANGES = 3
# No limit: more changes than any grid has axes.
UNLIMITED = 1 << 20


class Settings(NamedTuple):
    """How the grid is explored."""

    max_changes: int
    keep_ties: bool  # keep all cells of equal cost, and not only the first in the order of ties
    listed: int  # supports with up to this many changes are listed one by one; larger ones are boxes
    dense_cells: int  # boxes of at most this many cells are leaves; 0 leaves only single cells
    bounds: bool  # prune boxes by upper bounds of the scores


def make_settings(*, max_changes: int | None, keep_ties: bool, use_bounds: bool) -> Settings:
    """Build settings from a caller's choices; the rest is fastest if the kernel evaluates the leaves."""
    most = UNLIMITED if max_changes is None else max_changes
    return Settings(
        max_changes=most,
        keep_ties=keep_ties,
        listed=min(LISTED_CHANGES, most),
        dense_cells=DENSE_CELLS,
        bounds=use_bounds,
    )
