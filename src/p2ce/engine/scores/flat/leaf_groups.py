"""Sort an instance's reachable leaves by the features that must change to reach them."""

from math import comb
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import Int32Array, IntArray
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.flat_arrays import Records
from p2ce.engine.scores.flat.reachable_leaves import Reached, new_reached
from p2ce.engine.scores.flat.records import LIFT
from p2ce.engine.scores.flat.score_cells import Instance

# Leaves that need more changes are not grouped: larger supports are searched as boxes.
LARGEST_GROUP = 3


class LeafGroups(NamedTuple):
    """An instance's leaves, grouped by their disagreement sets."""

    reached: Reached
    order: Int32Array  # (room,) leaves, group by group
    start: IntArray  # (groups + 1,)
    lifts: Records  # (room,) LIFT, in that order
    own: IntArray  # (trees,) ticks at the current point


def new_groups(room: int, axes: int, largest: int, trees: int) -> LeafGroups:
    sets = sum(comb(axes, size) for size in range(largest + 1))
    return LeafGroups(
        reached=new_reached(room, axes, with_away=True),
        order=np.zeros(room, dtype=np.int32),
        start=np.zeros(sets + 1, dtype=np.int64),
        lifts=np.zeros(room, dtype=LIFT),
        own=np.zeros(trees, dtype=np.int64),
    )


@kernel
def rank_of(size: int, a: int, b: int, c: int, axes: int) -> int:
    """Return the number of a set of up to three axes a < b < c: empty, singles, pairs, triples, no gaps."""
    if size == 0:
        return 0
    if size == 1:
        return 1 + a
    if size == 2:
        return 1 + axes + b * (b - 1) // 2 + a
    pairs = axes * (axes - 1) // 2
    return 1 + axes + pairs + c * (c - 1) * (c - 2) // 6 + b * (b - 1) // 2 + a


@kernel
def sort_into_groups(groups: LeafGroups, count: int, axes: int) -> None:
    """Sort the ``count`` leaves just reached by their disagreement sets, with a counting sort."""
    start = groups.start
    for g in range(start.shape[0]):
        start[g] = 0
    for k in range(count):
        away = groups.reached.away[k]
        a = away.axes[0]
        b = away.axes[1]
        c = away.axes[2]
        if away.count >= 2 and a > b:
            a, b = b, a
        if away.count == 3:
            if b > c:
                b, c = c, b
            if a > b:
                a, b = b, a
        away.group = rank_of(away.count, a, b, c, axes)
        start[away.group + 1] += 1
    for g in range(1, start.shape[0]):
        start[g] += start[g - 1]
    # Filling moves every start to that of the next group; they are shifted back afterwards.
    for k in range(count):
        group = groups.reached.away[k].group
        groups.order[start[group]] = k
        start[group] += 1
    for g in range(start.shape[0] - 1, 0, -1):
        start[g] = start[g - 1]
    start[0] = 0
    # The first group holds the leaf of each tree that needs no change: the current point reaches it.
    for j in range(start[1]):
        leaf = groups.reached.leaves[groups.order[j]]
        groups.own[leaf.tree] = leaf.tick
    for j in range(count):
        leaf = groups.reached.leaves[groups.order[j]]
        groups.lifts[j].tree = leaf.tree
        groups.lifts[j].gain = leaf.tick - groups.own[leaf.tree]


@kernel
def rank_of_subset(axes: Int32Array, size: int, subset: int, total_axes: int) -> int:
    """Return the rank of those of the ``size`` listed axes whose bit is set in ``subset``."""
    n = 0
    a = 0
    b = 0
    c = 0
    for k in range(size):
        if subset & (1 << k):
            if n == 0:
                a = axes[k]
            elif n == 1:
                b = axes[k]
            else:
                c = axes[k]
            n += 1
    return rank_of(n, a, b, c, total_axes)


@kernel
def best_lift(
    groups: LeafGroups, axes: Int32Array, size: int, total_axes: int, best: IntArray
) -> tuple[int, int]:
    """Bound by how much changes of these axes can raise the forest's total above the current point's.

    Every tree adds at most its best leaf whose disagreement set lies inside the support, or stays. Return the
    bound and the number of leaves visited. ``best`` (trees,) is zero before and after the call.
    """
    total = 0
    visited = 0
    for subset in range(1, 1 << size):
        rank = rank_of_subset(axes, size, subset, total_axes)
        for j in range(groups.start[rank], groups.start[rank + 1]):
            lift = groups.lifts[j]
            if lift.gain > best[lift.tree]:
                total += lift.gain - best[lift.tree]
                best[lift.tree] = lift.gain
        visited += groups.start[rank + 1] - groups.start[rank]
    for subset in range(1, 1 << size):
        rank = rank_of_subset(axes, size, subset, total_axes)
        for j in range(groups.start[rank], groups.start[rank + 1]):
            best[groups.lifts[j].tree] = 0
    return total, visited


@kernel
def reach_support(
    groups: LeafGroups, instance: Instance, spans: Records, axes: Int32Array, size: int, out: Reached
) -> tuple[int, int]:
    """List the leaves that the box over exactly the ``size`` changed axes can reach.

    The result is the same as a walk of every tree, but only visits the few groups whose disagreement set lies
    inside the support: all other leaves need some further feature to change. Return the numbers of leaves
    found and visited.
    """
    found = 0
    visited = 0
    total_axes = spans.shape[0]
    for subset in range(1 << size):
        rank = rank_of_subset(axes, size, subset, total_axes)
        visited += groups.start[rank + 1] - groups.start[rank]
        for j in range(groups.start[rank], groups.start[rank + 1]):
            at = groups.order[j]
            reachable = True
            for k in range(size):
                axis = axes[k]
                inside = groups.reached.inside[at * total_axes + axis]
                low = max(inside.low, spans[axis].low)
                high = min(inside.high, spans[axis].high)
                # The current value itself is not a change.
                if low > high or (low == high and low == instance.positions[axis].here):
                    reachable = False
                    break
                out.inside[found * size + k].low = low
                out.inside[found * size + k].high = high
            if reachable:
                out.leaves[found] = groups.reached.leaves[at]
                found += 1
    return found, visited
