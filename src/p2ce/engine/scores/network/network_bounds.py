"""Prove that a network rejects every cell of a box: by intervals, then by lines in place of activations.

There are three bounds of the output over a box. Each is tried only on the boxes that the previous one left
open:

1. *Intervals*. The first layer is exact: for every neuron, at most ``changes_left`` of the axes that may stay
   count, those that move it most. An axis with several inputs is bounded candidate by candidate. Later layers
   are middle ± radius.
2. *One backward pass*. A line above or below each activation replaces it, depending on the sign of its
   coefficient, with the intervals just found. The rest is linear in the changes (CROWN-IBP).
3. *Backward passes for every layer*, which first tighten the intervals of the hidden layers (CROWN).

Why this holds in floating point: intervals are widened by `interval_slack`, and lines are proven for their
actual floats (`network_lines`). A pass claims: output ≤ coefficients · layer + constant. Each of its steps
replaces the computed coefficients by others, and loses only the rounding. The loss is at most γ·|coefficient|
times the magnitude of what the coefficient multiplies, which `Reach.size` bounds over the instance's whole
grid. `relax` adds this up as slack: |coefficient| · _share · (size + 1). Here γ covers all additions of all
layers together. A factor of 16 covers about a dozen roundings: slope, shift, bias, matrix product, folded
weights; and for the first layer the base, the differences of inputs, and the final sum. Finally, the
instance's margin is added, by which the library may differ from the network in real numbers. A value that is
not a number proves nothing.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.scores.external import Boxes
from p2ce.engine.scores.network.network_lines import Lines, lines_around
from p2ce.engine.scores.network.network_rounding import (
    DOUBLE,
    INFLATION,
    gamma,
    interval_slack,
    interval_through,
)

if TYPE_CHECKING:
    from p2ce.engine.scores.network.network_batch import PreparedNetwork

INTERVALS_AT_ONCE, PASSES_AT_ONCE = 256, 64
# A hidden layer's pass keeps (boxes, width, 2 · width) numbers.
NUMBERS_AT_ONCE = 400_000
MOST_COUNTED = 6
# Measured on trained networks: tightened intervals hardly ever shrink a bound to less than this share.
HOPE, CURVED_HOPE = 0.35, 0.15


class Region(NamedTuple):
    """Boxes with their owners, and with the axes on which the current value is one of the candidates."""

    owner: IntArray  # (boxes,)
    low: Int32Array  # (boxes, axes) first candidate
    high: Int32Array  # (boxes, axes) last candidate
    must: BoolArray  # (boxes, axes) the current value is excluded
    free: BoolArray  # (boxes, axes) may also stay
    limit: IntArray  # (boxes,) how many of the free axes may change at once

    def part(self, chosen: IntArray | slice) -> "Region":
        return Region(
            owner=self.owner[chosen],
            low=self.low[chosen],
            high=self.high[chosen],
            must=self.must[chosen],
            free=self.free[chosen],
            limit=self.limit[chosen],
        )


class Moves(NamedTuple):
    """The data that the kernels need about how boxes may change the inputs."""

    seen: FloatArray
    first: IntArray
    plain: BoolArray
    position: Int32Array
    low: Int32Array
    high: Int32Array
    must: BoolArray
    free: BoolArray
    limit: IntArray
    owner: IntArray


class Scratch(NamedTuple):
    """Scratch for the kernels."""

    best: FloatArray  # (MOST_COUNTED, width)
    gain: FloatArray  # (width,)
    trial: FloatArray  # (width,)


# Per hidden layer the ends of its pre-activations, (boxes, width).
Intervals: TypeAlias = list[tuple[FloatArray, FloatArray]]


def infeasible(people: "PreparedNetwork", owner: IntArray, boxes: Boxes) -> BoolArray:
    """Mark the boxes whose output provably stays below everything that the model may accept."""
    below = np.zeros(len(owner), dtype=np.bool_)
    for start in range(0, len(owner), INTERVALS_AT_ONCE):
        chunk = slice(start, start + INTERVALS_AT_ONCE)
        with np.errstate(all="ignore"):
            part = Boxes(boxes.low[chunk], boxes.high[chunk], boxes.must[chunk], boxes.changes_left[chunk])
            region = region_of(people, owner[chunk], part)
            below[chunk] = _rejected(people, region)
    return below


def _rejected(people: "PreparedNetwork", region: Region) -> BoolArray:
    top, intervals = by_intervals(people, region)
    rejected = _below(people, region.owner, top)
    if len(people.score.layers) == 1:
        return rejected
    bounded = np.isfinite(people.reach.margin[region.owner])
    for chosen in _chunks(np.flatnonzero(~rejected & bounded), PASSES_AT_ONCE):
        part, known = region.part(chosen), _chosen(intervals, chosen)
        top[chosen] = by_lines(people, part, known)
        rejected[chosen] = _below(people, part.owner, top[chosen])
    if len(people.score.layers) == 2:
        return rejected  # the only hidden layer's interval is exact already
    hoped = _is_near(people, region.owner, top)
    for chosen in _chunks(np.flatnonzero(~rejected & bounded & hoped), _passes_at_once(people)):
        part, known = region.part(chosen), _chosen(intervals, chosen)
        rejected[chosen] = _below(people, part.owner, by_lines(people, part, tighten(people, part, known)))
    return rejected


def _chunks(which: IntArray, step: int) -> Iterator[IntArray]:
    for start in range(0, len(which), step):
        yield which[start : start + step]


def _chosen(intervals: Intervals, chosen: IntArray) -> Intervals:
    return [(low[chosen], high[chosen]) for low, high in intervals]


def _is_near(people: "PreparedNetwork", owner: IntArray, top: FloatArray) -> BoolArray:
    """Return where the last stage has a chance; it costs as much as scoring a hundred cells.

    It moves the bound closer to the instance's own output by some factor. No proof rests on this.
    """
    own, reject_below = people.today[owner], people.score.reject_below
    curved = any(layer.is_curved for layer in people.score.layers)
    near: BoolArray = reject_below - own > (CURVED_HOPE if curved else HOPE) * (top - own)
    return near


def _passes_at_once(people: "PreparedNetwork") -> int:
    largest = max(layer.weights.size for layer in people.score.layers)
    return max(1, min(PASSES_AT_ONCE, NUMBERS_AT_ONCE // (2 * largest)))


def _below(people: "PreparedNetwork", owner: IntArray, top: FloatArray) -> BoolArray:
    margin = people.reach.margin[owner]
    below: BoolArray = (top < np.nextafter(people.score.reject_below - margin, -np.inf)) & np.isfinite(margin)
    return below


def region_of(people: "PreparedNetwork", owner: IntArray, boxes: Boxes) -> Region:
    """Return the region of boxes: on which axes instances may stay, and how many of these may change."""
    owner = np.ascontiguousarray(owner, dtype=np.int64)
    here = people.position[owner]
    return Region(
        owner=owner,
        low=boxes.low,
        high=boxes.high,
        must=boxes.must,
        free=~boxes.must & (boxes.low <= here) & (here <= boxes.high),
        limit=np.clip(boxes.changes_left, 0, here.shape[1]).astype(np.int64),
    )


def by_intervals(people: "PreparedNetwork", region: Region) -> tuple[FloatArray, Intervals]:
    """Bound the output by intervals, and return the intervals of the hidden layers too."""
    from p2ce.engine.scores.network.network_kernel import first_interval

    layers, sizes, owner = people.score.layers, people.reach.size, region.owner
    axes = len(people.inputs)
    width = people.base.shape[1]
    low, high = np.empty((len(owner), width)), np.empty((len(owner), width))
    first_interval(people.base, people.weights, _moves(people, region), _scratch(width), low, high)
    slack = interval_slack(layers[0], sizes[0][owner], axes)
    low -= slack
    high += slack
    intervals = []
    for before, layer, size in zip(layers, layers[1:], sizes[1:], strict=False):
        intervals.append((low, high))
        low, high = interval_through(before, low.copy(), high.copy())
        middle = (low + high) / 2.0 @ layer.weights + layer.bias
        around = ((high - low) / 2.0 @ layer.spread + interval_slack(layer, size[owner], axes)) * INFLATION
        low, high = middle - around, middle + around
    return high[:, 0], intervals


def by_lines(people: "PreparedNetwork", region: Region, intervals: Intervals) -> FloatArray:
    """Bound the output by one backward pass."""
    layers = people.score.layers
    lines = [lines_around(layer, *interval) for layer, interval in zip(layers[:-1], intervals, strict=True)]
    return _highest(people, region, lines, (1.0,))[:, 0]


def tighten(people: "PreparedNetwork", region: Region, intervals: Intervals) -> Intervals:
    """Narrow the intervals of all hidden layers except the first, which is exact, by backward passes."""
    layers = people.score.layers
    known: Intervals = []
    lines: list[Lines] = []
    for position, (low, high) in enumerate(intervals):
        if position > 0:
            top = _highest(people, region, lines, (1.0, -1.0))
            width = low.shape[1]
            low, high = np.fmax(low, -top[:, width:]), np.fmin(high, top[:, :width])
        known.append((low, high))
        lines.append(lines_around(layers[position], low, high))
    return known


def _highest(
    people: "PreparedNetwork", region: Region, lines: list[Lines], signs: tuple[float, ...]
) -> FloatArray:
    """Bound the pre-activations of the layer after ``lines``, times each of the signs: (boxes, rows)."""
    from p2ce.engine.scores.network.network_kernel import highest, relax

    owner, sizes = region.owner, people.reach.size
    layers = people.score.layers[: len(lines) + 1]
    boxes, share, last = len(owner), _share(people), layers[-1]
    slack = np.tile(sizes[len(lines)][owner] * share, (1, len(signs)))
    constant = np.tile(np.concatenate([sign * last.bias for sign in signs]), (boxes, 1))
    forms = np.tile(np.concatenate([sign * last.weights for sign in signs], axis=1), (boxes, 1, 1))
    rows = forms.shape[2]
    nobody = np.zeros(boxes, dtype=np.int64)
    for position in range(len(lines) - 1, -1, -1):
        layer = layers[position]
        offset, which = (people.base, owner) if position == 0 else (layer.bias[None, :], nobody)
        weight = (sizes[position][owner] + 1.0) * share + 1e-150
        relax(forms, *lines[position], offset, which, weight, constant, slack)
        weights = people.weights if position == 0 else layer.weights
        forms = (forms[:, :, 0] @ weights.T)[:, :, None] if rows == 1 else np.matmul(weights, forms)
    highest(np.ascontiguousarray(forms), _moves(people, region), _scratch(rows), constant)
    top: FloatArray = constant + slack * INFLATION
    top[~np.isfinite(forms).all(axis=1)] = np.inf
    return top


def _moves(people: "PreparedNetwork", region: Region) -> "Moves":
    return Moves(
        people.seen,
        people.first,
        people.plain,
        people.position,
        region.low,
        region.high,
        region.must,
        region.free,
        region.limit,
        region.owner,
    )


def _scratch(width: int) -> "Scratch":
    return Scratch(np.empty((MOST_COUNTED, width)), np.empty(width), np.empty(width))


def _share(people: "PreparedNetwork") -> float:
    """Bound the relative rounding of all operations of a pass on one coefficient."""
    steps = sum(layer.steps + layer.weights.shape[1] for layer in people.score.layers)
    return 16.0 * gamma(steps + len(people.inputs) + 16, DOUBLE)
