"""Bound flat parts of a combined score over many boxes, compiled."""

from typing import NamedTuple

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.grid.cost_kernel import sort_ascending
from p2ce.engine.kernels.jit import entry, kernel
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, FlatScores, Records
from p2ce.engine.scores.flat.reachable_leaves import Walk, highest_total
from p2ce.engine.scores.flat.score_cells import Instance, instance_of

NEVER_ENOUGH = -(1 << 61)  # a walk never stops early, since it never falls short of this


class BoundScratch(NamedTuple):
    """Scratch of a bound."""

    spans: Records  # (axes,) SPAN
    few: IntArray  # (axes,)
    walk: Walk


@kernel
def highest_sum(instance: Instance, table: int, spans: Records, changes_left: int, few: IntArray) -> int:
    """Add up the largest term of every axis, where at most ``changes_left`` axes leave a current value that
    they may keep."""
    total = 0
    waiting = 0
    for a in range(spans.shape[0]):
        span = spans[a]
        here = instance.positions[a].here
        own = instance.gains[table, a, here]
        may_stay = span.must == 0 and span.low <= here <= span.high
        best = own if may_stay else -(1 << 40)  # far below any other term, if no candidate is left
        for i in range(span.low, span.high + 1):
            if i != here and instance.gains[table, a, i] > best:
                best = instance.gains[table, a, i]
        if may_stay:
            total += own
            few[waiting] = best - own
            waiting += 1
        else:
            total += best
    sort_ascending(few, waiting)
    for r in range(max(0, waiting - changes_left), waiting):
        total += few[r]
    return total


@entry
def highest_parts(
    flat: FlatScores,
    instances: FlatInstances,
    owner: IntArray,
    low: Int32Array,
    high: Int32Array,
    must: BoolArray,
    changes_left: IntArray,
    scratch: BoundScratch,
    out: FloatArray,
) -> None:
    """Write an upper bound of the value of every score over every box, (boxes, scores).

    ``owner`` (boxes,) holds the instance of each box. Ticks are converted to values by the tick of the score,
    and rounded up by all that rounding to ticks, and adding in float64, can have lost.
    """
    spans = scratch.spans
    for b in range(owner.shape[0]):
        instance = instance_of(instances, owner[b])
        for a in range(spans.shape[0]):
            spans[a].low = low[b, a]
            spans[a].high = high[b, a]
            spans[a].must = 1 if must[b, a] else 0
        for s in range(flat.scores.shape[0]):
            if flat.scores[s].table >= 0:
                top = highest_sum(instance, flat.scores[s].table, spans, changes_left[b], scratch.few)
            else:
                top, _ = highest_total(flat, s, instance, spans, changes_left[b], scratch.walk, NEVER_ENOUGH)
            limit = instance.thresholds[s]
            out[b, s] = (limit.base + top + limit.error) * limit.tick
