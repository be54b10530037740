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
from p2ce.engine.scores.external import Boxes, some_boxes
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
BEST_TIGHTENING, BEST_CURVED_TIGHTENING = 0.35, 0.15


class PlacedBoxes(NamedTuple):
    """Boxes of instances, with the axes on which the current value is one of the candidates."""

    instance: IntArray  # (boxes,)
    boxes: Boxes
    free: BoolArray  # (boxes, axes) may also stay

    def part(self, chosen: IntArray) -> "PlacedBoxes":
        """Return some of the boxes."""
        return PlacedBoxes(self.instance[chosen], some_boxes(self.boxes, chosen), self.free[chosen])


class InputChanges(NamedTuple):
    """The data that the kernels need about how boxes may change the inputs."""

    seen: FloatArray
    first: IntArray
    plain: BoolArray
    position: Int32Array
    low: Int32Array
    high: Int32Array
    must: BoolArray
    free: BoolArray
    changes_left: IntArray
    instance: IntArray


class GainScratch(NamedTuple):
    """Scratch for the kernels."""

    best: FloatArray  # (MOST_COUNTED, width)
    gain: FloatArray  # (width,)
    trial: FloatArray  # (width,)


# Per hidden layer the ends of its pre-activations, (boxes, width).
Intervals: TypeAlias = list[tuple[FloatArray, FloatArray]]


def infeasible(network: "PreparedNetwork", instance: IntArray, boxes: Boxes) -> BoolArray:
    """Mark the boxes whose output provably stays below everything that the model may accept."""
    below = np.zeros(len(instance), dtype=np.bool_)
    for start in range(0, len(instance), INTERVALS_AT_ONCE):
        chunk = slice(start, start + INTERVALS_AT_ONCE)
        with np.errstate(all="ignore"):
            placed = placed_boxes(network, instance[chunk], some_boxes(boxes, chunk))
            below[chunk] = _rejected(network, placed)
    return below


def highest_output(network: "PreparedNetwork", instance: IntArray, boxes: Boxes) -> FloatArray:
    """Bound the library's output over boxes from above by the first two bounds: (boxes,)."""
    top = np.empty(len(instance))
    for start in range(0, len(instance), PASSES_AT_ONCE):
        chunk = slice(start, start + PASSES_AT_ONCE)
        with np.errstate(all="ignore"):
            placed = placed_boxes(network, instance[chunk], some_boxes(boxes, chunk))
            found, intervals = by_intervals(network, placed)
            if len(network.score.layers) > 1:
                found = np.fmin(found, by_lines(network, placed, intervals))
            margin = network.reach.margin[placed.instance]
            found = np.nextafter(found + margin, np.inf)
            top[chunk] = np.where(np.isfinite(found), found, np.inf)
    return top


def _rejected(network: "PreparedNetwork", placed: PlacedBoxes) -> BoolArray:
    top, intervals = by_intervals(network, placed)
    rejected = _below(network, placed.instance, top)
    if len(network.score.layers) == 1:
        return rejected
    bounded = np.isfinite(network.reach.margin[placed.instance])
    for chosen in _chunks(np.flatnonzero(~rejected & bounded), PASSES_AT_ONCE):
        part, known = placed.part(chosen), _chosen(intervals, chosen)
        top[chosen] = by_lines(network, part, known)
        rejected[chosen] = _below(network, part.instance, top[chosen])
    if len(network.score.layers) == 2:
        return rejected  # the only hidden layer's interval is exact already
    near = _is_near(network, placed.instance, top)
    for chosen in _chunks(np.flatnonzero(~rejected & bounded & near), _passes_at_once(network)):
        part, known = placed.part(chosen), _chosen(intervals, chosen)
        top[chosen] = by_lines(network, part, tighten(network, part, known))
        rejected[chosen] = _below(network, part.instance, top[chosen])
    return rejected


def _chunks(which: IntArray, step: int) -> Iterator[IntArray]:
    for start in range(0, len(which), step):
        yield which[start : start + step]


def _chosen(intervals: Intervals, chosen: IntArray) -> Intervals:
    return [(low[chosen], high[chosen]) for low, high in intervals]


def _is_near(network: "PreparedNetwork", instance: IntArray, top: FloatArray) -> BoolArray:
    """Return where the last stage has a chance; it costs as much as scoring a hundred cells.

    It moves the bound closer to the instance's own output by some factor. No proof rests on this.
    """
    own, reject_below = network.own_output[instance], network.score.reject_below
    curved = any(layer.is_curved for layer in network.score.layers)
    share = BEST_CURVED_TIGHTENING if curved else BEST_TIGHTENING
    return np.asarray(reject_below - own > share * (top - own))


def _passes_at_once(network: "PreparedNetwork") -> int:
    largest = max(layer.weights.size for layer in network.score.layers)
    return max(1, min(PASSES_AT_ONCE, NUMBERS_AT_ONCE // (2 * largest)))


def _below(network: "PreparedNetwork", instance: IntArray, top: FloatArray) -> BoolArray:
    margin = network.reach.margin[instance]
    surely_below = np.nextafter(network.score.reject_below - margin, -np.inf)
    return np.asarray((top < surely_below) & np.isfinite(margin))


def placed_boxes(network: "PreparedNetwork", instance: IntArray, boxes: Boxes) -> PlacedBoxes:
    """Find on which axes of boxes the instances may stay, and how many of these may change."""
    instance = np.ascontiguousarray(instance, dtype=np.int64)
    here = network.position[instance]
    return PlacedBoxes(
        instance=instance,
        boxes=boxes._replace(changes_left=np.clip(boxes.changes_left, 0, here.shape[1]).astype(np.int64)),
        free=~boxes.must & (boxes.low <= here) & (here <= boxes.high),
    )


def by_intervals(network: "PreparedNetwork", placed: PlacedBoxes) -> tuple[FloatArray, Intervals]:
    """Bound the output by intervals, and return the intervals of the hidden layers too."""
    from p2ce.engine.scores.network.network_kernel import first_interval

    layers, sizes, instance = network.score.layers, network.reach.size, placed.instance
    axes = len(network.inputs)
    width = network.base.shape[1]
    low, high = np.empty((len(instance), width)), np.empty((len(instance), width))
    first_interval(network.base, network.weights, _input_changes(network, placed), _scratch(width), low, high)
    slack = interval_slack(layers[0], sizes[0][instance], axes)
    low -= slack
    high += slack
    intervals = []
    for before, layer, size in zip(layers, layers[1:], sizes[1:], strict=False):
        intervals.append((low, high))
        low, high = interval_through(before, low.copy(), high.copy())
        middle = (low + high) / 2.0 @ layer.weights + layer.bias
        around = ((high - low) / 2.0 @ layer.spread + interval_slack(layer, size[instance], axes)) * INFLATION
        low, high = middle - around, middle + around
    return high[:, 0], intervals


def by_lines(network: "PreparedNetwork", placed: PlacedBoxes, intervals: Intervals) -> FloatArray:
    """Bound the output by one backward pass."""
    layers = network.score.layers
    lines = [lines_around(layer, *interval) for layer, interval in zip(layers[:-1], intervals, strict=True)]
    return _highest(network, placed, lines, (1.0,))[:, 0]


def tighten(network: "PreparedNetwork", placed: PlacedBoxes, intervals: Intervals) -> Intervals:
    """Narrow the intervals of all hidden layers except the first, which is exact, by backward passes."""
    layers = network.score.layers
    known: Intervals = []
    lines: list[Lines] = []
    for position, (low, high) in enumerate(intervals):
        if position > 0:
            top = _highest(network, placed, lines, (1.0, -1.0))
            width = low.shape[1]
            low, high = np.fmax(low, -top[:, width:]), np.fmin(high, top[:, :width])
        known.append((low, high))
        lines.append(lines_around(layers[position], low, high))
    return known


def _highest(
    network: "PreparedNetwork", placed: PlacedBoxes, lines: list[Lines], signs: tuple[float, ...]
) -> FloatArray:
    """Bound the pre-activations of the layer after ``lines``, times each of the signs: (boxes, rows)."""
    from p2ce.engine.scores.network.network_kernel import highest, relax

    instance, sizes = placed.instance, network.reach.size
    layers = network.score.layers[: len(lines) + 1]
    boxes, share, last = len(instance), _share(network), layers[-1]
    slack = np.tile(sizes[len(lines)][instance] * share, (1, len(signs)))
    constant = np.tile(np.concatenate([sign * last.bias for sign in signs]), (boxes, 1))
    forms = np.tile(np.concatenate([sign * last.weights for sign in signs], axis=1), (boxes, 1, 1))
    rows = forms.shape[2]
    first_row = np.zeros(boxes, dtype=np.int64)
    for position in range(len(lines) - 1, -1, -1):
        layer = layers[position]
        offset, which = (network.base, instance) if position == 0 else (layer.bias[None, :], first_row)
        weight = (sizes[position][instance] + 1.0) * share + 1e-150
        relax(forms, *lines[position], offset, which, weight, constant, slack)
        weights = network.weights if position == 0 else layer.weights
        forms = (forms[:, :, 0] @ weights.T)[:, :, None] if rows == 1 else np.matmul(weights, forms)
    highest(np.ascontiguousarray(forms), _input_changes(network, placed), _scratch(rows), constant)
    top: FloatArray = constant + slack * INFLATION
    top[~np.isfinite(forms).all(axis=1)] = np.inf
    return top


def _input_changes(network: "PreparedNetwork", placed: PlacedBoxes) -> "InputChanges":
    return InputChanges(
        network.seen,
        network.first,
        network.plain,
        network.position,
        placed.boxes.low,
        placed.boxes.high,
        placed.boxes.must,
        placed.free,
        placed.boxes.changes_left,
        placed.instance,
    )


def _scratch(width: int) -> "GainScratch":
    return GainScratch(np.empty((MOST_COUNTED, width)), np.empty(width), np.empty(width))


def _share(network: "PreparedNetwork") -> float:
    """Bound the relative rounding of all operations of a pass on one coefficient."""
    steps = sum(layer.steps + layer.weights.shape[1] for layer in network.score.layers)
    return 16.0 * gamma(steps + len(network.inputs) + 16, DOUBLE)
