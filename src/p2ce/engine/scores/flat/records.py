"""The records that the kernels read and write: few arrays of records compile faster than many arrays."""

import numpy as np

# What a walk down a tree reads: sixteen bytes, so a whole forest stays in the cache. A leaf is its own right
# child, and no value is <= its threshold NaN. So a walk that continues at a leaf stays there.
NODE = np.dtype(
    [
        ("threshold", np.float64),  # rows whose seen value is <= threshold go left, to the next node
        ("feature", np.int32),  # the column of the split
        ("right", np.int32),  # the node for the other rows
    ]
)

# The other data of a node.
DETAIL = np.dtype(
    [
        ("value", np.float64),  # what a leaf adds, as the library stores it
        ("top", np.int32),  # the most that any leaf below adds, in whole ticks; at a leaf, its own value
        # how many of the axis's candidates in ``BaseGrid.down`` go left; -1 at a split by a member of a
        # chain, where each instance has its own candidates
        ("below", np.int16),
        ("above", np.int16),  # how many of those in ``BaseGrid.up`` go left
    ]
)

TREE = np.dtype([("root", np.int32), ("depth", np.int32)])  # depth: the most splits on a path to a leaf

SCORE = np.dtype(
    [
        ("first_tree", np.int64),
        ("last_tree", np.int64),  # one past the end
        ("looks_at", np.int64),  # the number of its view of the values
        ("table", np.int64),  # the number of its additive table, -1 for none
        ("offset", np.float64),
        ("accept_from", np.float64),
        ("reject_below", np.float64),
    ]
)

# The position of an instance on an axis.
POSITION = np.dtype(
    [
        ("here", np.int32),  # index of the current value
        ("shift", np.int32),  # what to add to an index in ``BaseGrid.up`` to get the index for the instance
        ("lowest", np.int32),
        ("highest", np.int32),
        ("is_own", np.int32),  # 1 if the instance has personal candidates, so cuts are searched among them
    ]
)

# The cost of a candidate, and the least cost of moving at least as far.
PRICE = np.dtype([("cost", np.float64), ("envelope", np.float64)])

# A score's thresholds for an instance: on totals in ticks, and on values added in the library's own order.
LIMIT = np.dtype(
    [
        ("base", np.int64),  # the part that does not depend on the cell
        ("reject_below", np.int64),  # totals below this are certainly rejected
        ("accept_from", np.int64),  # totals from this on are certainly accepted
        ("value_reject_below", np.float64),
        ("value_accept_from", np.float64),
        ("tick", np.float64),  # a total of t ticks, with the base, is a value of at most (t + error) · tick
        ("error", np.float64),
    ]
)

# Sixteen bits: no axis has more candidates than that, and an instance's leaves then fit into the cache.
INTERVAL = np.dtype([("low", np.int16), ("high", np.int16)])

LEAF = np.dtype([("tree", np.int32), ("tick", np.int32)])

# The axes on which the current value is outside a leaf, at most three, and the rank of that set.
AWAY = np.dtype([("axes", np.int32, (3,)), ("count", np.int32), ("group", np.int32)])

# A leaf in the order of its group: how much more its tree adds there than at the current point.
LIFT = np.dtype([("tree", np.int32), ("gain", np.int32)])

# A side of a split that was not taken yet, and how to undo the narrowing since.
TURN = np.dtype(
    [
        ("node", np.int32),
        ("axis", np.int32),
        ("cut", np.int32),
        ("raised", np.int32),  # 1 for the right side of the cut, 0 for the left
        ("trail", np.int32),
        ("away", np.int32),
    ]
)
TRAIL = np.dtype([("axis", np.int32), ("old", np.int32), ("raised", np.int32)])

# The candidates of a box on an axis; `must` is 1 if the current value is excluded.
SPAN = np.dtype([("low", np.int32), ("high", np.int32), ("must", np.int32), ("unused", np.int32)])

# An open box in the queue: its key in the best-first order, and its slot in the store.
SLOT = np.dtype([("key", np.float64), ("slot", np.int32), ("free", np.int32)])

# A cell that the model accepts, waiting for the other scores.
CANDIDATE = np.dtype([("cell", np.int64), ("tick", np.int64), ("key", np.int64), ("order", np.int64)])
