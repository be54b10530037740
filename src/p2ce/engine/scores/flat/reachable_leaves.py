"""Find the leaves that a box of the grid can reach, tree by tree."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.flat_arrays import FlatScores, Record, Records
from p2ce.engine.scores.flat.records import AWAY, INTERVAL, LEAF, TRAIL, TURN
from p2ce.engine.scores.flat.score_cells import Instance

ANY_CHANGES = 1 << 30


class Reached(NamedTuple):
    """The leaves that the last search found; their number is returned separately."""

    leaves: Records  # (room,) LEAF
    inside: Records  # (room * axes,) INTERVAL of the leaf within the box: leaf by leaf, listed axis by axis
    away: Records  # (room,) AWAY, or (0,) if not recorded


class Walk(NamedTuple):
    """Scratch of a walk down a tree."""

    path: Records  # (axes,) INTERVAL: the box, narrowed by the splits on the path
    turns: Records  # (depth,) TURN
    trail: Records  # (depth,) TRAIL
    away: Int32Array  # (axes + 1,) the axes that the path forces off the current value


def new_reached(room: int, axes: int, *, with_away: bool = False) -> Reached:
    return Reached(
        leaves=np.zeros(room, dtype=LEAF),
        inside=np.zeros(room * axes, dtype=INTERVAL),
        away=np.zeros(room if with_away else 0, dtype=AWAY),
    )


def new_walk(axes: int, deepest: int) -> Walk:
    return Walk(
        path=np.zeros(axes, dtype=INTERVAL),
        turns=np.zeros(deepest + 1, dtype=TURN),
        trail=np.zeros(deepest + 1, dtype=TRAIL),
        away=np.zeros(axes + 1, dtype=np.int32),
    )


@kernel
def narrow_path(
    walk: Walk,
    axis: int,
    cut: int,
    raised: int,
    span: Record,
    here: int,
    away: int,
    trail: int,
    changes_left: int,
) -> int:
    """Keep one side of a split on the path, and record how to undo this.

    Return the number of axes forced off the current value so far, or -1 for a dead end: more of them than
    ``changes_left``, or no candidate left on an axis that must change. Axes that must change do not count.
    """
    path = walk.path[axis]
    note = walk.trail[trail]
    note.axis = axis
    note.raised = raised
    was_here = path.low <= here <= path.high
    if raised:
        note.old = path.low
        path.low = cut
    else:
        note.old = path.high
        path.high = cut - 1
    if span.must:
        if path.low == here and path.high == here:
            return -1
    elif was_here and (here < path.low or here > path.high):
        walk.away[away] = axis
        if away == changes_left:
            return -1
        return away + 1
    return away


@kernel
def undo(walk: Walk, trail: int, back: int) -> None:
    """Undo all narrowing that was done after the trail had length ``back``."""
    while trail > back:
        trail -= 1
        note = walk.trail[trail]
        if note.raised:
            walk.path[note.axis].low = note.old
        else:
            walk.path[note.axis].high = note.old


@kernel
def start_walk(walk: Walk, spans: Records) -> None:
    """Reset the path to the whole box."""
    for a in range(spans.shape[0]):
        walk.path[a].low = spans[a].low
        walk.path[a].high = spans[a].high


@kernel
def first_apart(values: FloatArray, threshold: float, low: int, high: int, is_steady: bool) -> int:
    """Return the first of the candidates low … high on another side of a split than the lowest, or high + 1.

    If values are steady, none is apart if the last is not.
    """
    left = values[low] <= threshold
    if is_steady and (values[high] <= threshold) == left:
        return high + 1
    at = low + 1
    while at <= high and (values[at] <= threshold) == left:
        at += 1
    return at


@kernel
def first_right(instance: Instance, looks_at: int, axis: int, threshold: float) -> int:
    """Return the first candidate of an axis above a threshold, by bisection among the instance's own ones."""
    low: int = instance.positions[axis].lowest
    high: int = instance.positions[axis].highest + 1
    while low < high:
        middle = (low + high) // 2
        if instance.seen[looks_at, axis, middle] <= threshold:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def descend(flat: FlatScores, instance: Instance, looks_at: int, walk: Walk, at: int) -> tuple[int, int, int]:
    """Follow the splits at which the whole box goes to one side.

    Return the node where this ends, the cut there (-1 at a leaf), and the number of nodes visited.
    """
    own = instance.own[looks_at]
    visited = 0
    while True:
        visited += 1
        node = flat.nodes[at]
        if node.right == at:
            return at, -1, visited
        axis = flat.line_of[node.feature]
        if axis < 0:
            at = at + 1 if own[node.feature] <= node.threshold else node.right
            continue
        if flat.details[at].below < 0:
            path = walk.path[flat.axes[axis]]
            values = instance.seen[looks_at, axis]
            cut = first_apart(values, node.threshold, path.low, path.high, flat.is_steady[axis])
            if cut <= path.high:
                return at, cut, visited
            at = at + 1 if values[path.low] <= node.threshold else node.right
            continue
        # The first candidate that goes right: above the instance if the instance goes left, else below it.
        if instance.positions[axis].is_own:
            cut = first_right(instance, looks_at, axis, node.threshold)
        elif own[node.feature] <= node.threshold:
            cut = flat.details[at].above + instance.positions[axis].shift
        else:
            cut = flat.details[at].below
        if walk.path[axis].high < cut:
            at = at + 1
        elif walk.path[axis].low >= cut:
            at = node.right
        else:
            return at, cut, visited


@kernel
def take_side(
    flat: FlatScores,
    instance: Instance,
    looks_at: int,
    walk: Walk,
    spans: Records,
    at: int,
    cut: int,
    raised: int,
    turns: int,
    trail: int,
    away: int,
    changes_left: int,
) -> tuple[int, int]:
    """Take one side of a split, the right one if ``raised``, and record the other for later.

    Along a chain's axis, the sides may alternate. So the candidates below the cut are taken first, and the
    others come back to the same split. Return the next node, and the number of axes off the current value, or
    -1 for a dead end.
    """
    node = flat.nodes[at]
    line = flat.line_of[node.feature]
    axis = flat.axes[line]
    turn = walk.turns[turns]
    if flat.details[at].below < 0:
        raised = 0
        lowest = instance.seen[looks_at, line, walk.path[axis].low]
        taken = at + 1 if lowest <= node.threshold else node.right
        turn.node = at
    else:
        taken = node.right if raised else at + 1
        turn.node = at + 1 if raised else node.right
    turn.axis = axis
    turn.cut = cut
    turn.raised = 1 - raised
    turn.trail = trail
    turn.away = away
    away = narrow_path(
        walk, axis, cut, raised, spans[axis], instance.positions[axis].here, away, trail, changes_left
    )
    return taken, away


@kernel
def take_turn(
    instance: Instance, walk: Walk, turns: int, spans: Records, trail: int, changes_left: int
) -> int:
    """Take a recorded side; return the number of axes off the current value, or -1 for a dead end."""
    turn = walk.turns[turns]
    undo(walk, trail, turn.trail)
    here = instance.positions[turn.axis].here
    return narrow_path(
        walk, turn.axis, turn.cut, turn.raised, spans[turn.axis], here, turn.away, turn.trail, changes_left
    )


@kernel
def reach_leaves(
    flat: FlatScores,
    s: int,
    instance: Instance,
    spans: Records,
    axes: Int32Array,
    size: int,
    changes_left: int,
    walk: Walk,
    out: Reached,
) -> tuple[int, int]:
    """List the leaves of score ``s`` that some point of the box falls into.

    The box allows the candidates in ``spans`` on every axis, except the current one where ``must`` is set. Of
    the other axes, at most ``changes_left`` may leave the current value: a leaf that needs more cannot be
    reached. Return the numbers of leaves found and of nodes visited.
    """
    score = flat.scores[s]
    found = 0
    visited = 0
    start_walk(walk, spans)
    for tree in range(score.first_tree, score.last_tree):
        at = flat.trees[tree].root
        turns = 0
        trail = 0
        away = 0
        while True:
            # Go down to a leaf, left first; a dead end makes ``away`` negative.
            while away >= 0:
                at, cut, more = descend(flat, instance, score.looks_at, walk, at)
                visited += more
                if cut < 0:
                    break
                at, away = take_side(
                    flat, instance, score.looks_at, walk, spans, at, cut, 0, turns, trail, away, changes_left
                )
                turns += 1
                trail += 1
            if away >= 0:
                leaf = out.leaves[found]
                leaf.tree = tree
                leaf.tick = flat.details[at].top
                if found < out.away.shape[0]:
                    out.away[found].count = away
                    for k in range(min(away, 3)):
                        out.away[found].axes[k] = walk.away[k]
                for k in range(size):
                    out.inside[found * size + k] = walk.path[axes[k]]
                found += 1
            # Go back to the latest right side that was not taken.
            away = -1
            while turns > 0 and away < 0:
                turns -= 1
                away = take_turn(instance, walk, turns, spans, trail, changes_left)
                trail = walk.turns[turns].trail + 1
                at = walk.turns[turns].node
            if away < 0:
                break
        undo(walk, trail, 0)
    return found, visited


@kernel
def highest_total(
    flat: FlatScores, s: int, instance: Instance, spans: Records, changes_left: int, walk: Walk, enough: int
) -> tuple[int, int]:
    """Add up the best reachable leaf of every tree: an upper bound of the forest's part, in ticks.

    The bound equals that from the leaves of `reach_leaves`, but only the promising branches of a tree are
    walked, best first. The search stops as soon as the sum can no longer reach ``enough``. The result is then
    below ``enough``, and still an upper bound. Return the bound and the number of nodes visited.
    """
    score = flat.scores[s]
    visited = 0
    start_walk(walk, spans)
    total = 0
    optimistic_rest = 0
    for tree in range(score.first_tree, score.last_tree):
        optimistic_rest += flat.details[flat.trees[tree].root].top
    for tree in range(score.first_tree, score.last_tree):
        at = flat.trees[tree].root
        optimistic_rest -= flat.details[at].top
        best = -(1 << 31)
        turns = 0
        trail = 0
        away = 0
        while True:
            while away >= 0:
                at, cut, more = descend(flat, instance, score.looks_at, walk, at)
                visited += more
                if cut < 0:
                    best = max(best, flat.details[at].top)
                    break
                if flat.details[at].top <= best:
                    break
                better_right = flat.details[flat.nodes[at].right].top > flat.details[at + 1].top
                side = 1 if better_right else 0
                at, away = take_side(
                    flat,
                    instance,
                    score.looks_at,
                    walk,
                    spans,
                    at,
                    cut,
                    side,
                    turns,
                    trail,
                    away,
                    changes_left,
                )
                turns += 1
                trail += 1
            # Go back to the latest recorded side that can still do better.
            away = -1
            while turns > 0 and away < 0:
                turns -= 1
                if flat.details[walk.turns[turns].node].top <= best:
                    continue
                away = take_turn(instance, walk, turns, spans, trail, changes_left)
                trail = walk.turns[turns].trail + 1
                at = walk.turns[turns].node
            if away < 0:
                break
        undo(walk, trail, 0)
        total += best
        if total + optimistic_rest < enough:
            return total + optimistic_rest, visited
    return total, visited


@kernel
def best_total(flat: FlatScores, s: int, reached: Reached, count: int, best: IntArray) -> int:
    """Add up the best reached leaf of every tree: an upper bound of the forest's part, in ticks."""
    score = flat.scores[s]
    for tree in range(score.first_tree, score.last_tree):
        best[tree] = -(2**31)
    for k in range(count):
        leaf = reached.leaves[k]
        if leaf.tick > best[leaf.tree]:
            best[leaf.tree] = leaf.tick
    total = 0
    for tree in range(score.first_tree, score.last_tree):
        # A tree without a reachable leaf proves that the box is empty; the sum is far below any threshold.
        total += best[tree]
    return total
