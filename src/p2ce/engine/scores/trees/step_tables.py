"""Write a table of numbers over stretches of one or more columns as a tree."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.scores.trees.assemble import MOST_NODES
from p2ce.engine.scores.trees.tree_nodes import TreeBuilder, TreeNodes
from p2ce.errors import UnsupportedModel


class Stretches(NamedTuple):
    """Which entry of a table each value of a column has, along the number line.

    ``entries[i]`` applies up to and including ``ends[i]``, the last one beyond. A missing value is minus
    infinity, so it belongs to the first stretch.
    """

    ends: FloatArray  # (k,) ascending
    entries: IntArray  # (k + 1,)

    def entries_of(self, values: FloatArray) -> IntArray:
        """Return the entry of each value (n,), in the slow and obvious way."""
        return self.entries[np.searchsorted(self.ends, values, side="left")]


def tree_of_table(columns: Sequence[int], stretches: Sequence[Stretches], table: FloatArray) -> TreeNodes:
    """Write ``table``, with one dimension for each of the columns, as a tree.

    Stretches between which the table does not change are joined. The splits of the first column come first,
    each half as deep as possible.
    """
    ends = []
    for dimension, (cuts, entries) in enumerate(stretches):
        table = np.take(table, entries, axis=dimension)
        rows = np.moveaxis(table, dimension, 0).reshape(len(entries), -1)
        changes = np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1))
        table = np.take(table, np.append(changes, len(entries) - 1), axis=dimension)
        ends.append(cuts[changes])
    if 2 * table.size > MOST_NODES:
        raise UnsupportedModel(
            f"A term of this model has {table.size:,} entries, and a tree of it more than {MOST_NODES:,} "
            "nodes. Fit it with fewer bins to have it supported natively."
        )
    built = TreeBuilder()

    def grow(dimension: int, first: int, last: int, part: FloatArray) -> int:
        """Write the entries ``first`` to ``last`` of a dimension; ``part`` lacks the earlier dimensions."""
        if dimension == len(ends):
            return built.leaf(float(part))
        if first == last:
            below = part[first]
            return grow(dimension + 1, 0, below.shape[0] - 1 if below.ndim else 0, below)
        middle = (first + last) // 2
        node = built.split(columns[dimension], float(ends[dimension][middle]))
        built.left[node] = grow(dimension, first, middle, part)
        built.right[node] = grow(dimension, middle + 1, last, part)
        return node

    grow(0, 0, table.shape[0] - 1, table)
    return built.tree()
