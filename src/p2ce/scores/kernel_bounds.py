"""Prove that a kernel machine refuses every cell of a box: ranges of the kernel, then lines instead of it.

Two bounds of the decision value over a box, the second tried only on the boxes that the first left open:

1. *Ranges*: for every support vector the range of its argument z over the box (of the axes that may stay, at
   most ``changes_left`` count, for every vector the ones that move it most), hence that of φ(z); the largest
   φ counts where the weight is positive, the smallest where it is negative.
2. *Lines*: over those ranges φ is replaced by a line above it where the weight is positive, by one below it
   where it is negative. Σ weight·(slope·z + offset) is a sum over the axes, since every z is one: a
   quadratic function of each column's change for rbf, a linear one for poly. Its largest value over the
   candidates is found exactly, axis by axis. Other than ranges, it lets no column be near to one vector
   and at the same time far from its neighbour.

Why this holds in floating point. Ranges are computed like cells, and widened by twice `argument_error`. φ and
its lines are proven for the floats that the ends are (`kernel_curves`). What remains are sums: of
weight·offset over the vectors, of weight·slope·z over vectors and axes. The magnitudes of their terms add up
to Σ|weight·offset| + 8·Σ|weight·slope|·``Reach.size``, as a base and all changes come to no more than 5·size
(`kernel_rounding`), slopes being differences of sums. Every term meets fewer roundings than there are
vectors, columns and axes, plus a few; this is allowed for eight times over. At last comes the person's
margin, by which libsvm may differ from real numbers. Whatever is not a number proves nothing.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.scores.external import Boxes, some_boxes
from p2ce.scores.kernel_curves import FLOOR, largest, line_above, line_below, smallest
from p2ce.scores.kernel_machine import NUMBERS_AT_ONCE, RBF
from p2ce.scores.kernel_rounding import LEAST, argument_error
from p2ce.scores.network_rounding import DOUBLE, INFLATION, gamma

if TYPE_CHECKING:
    from p2ce.scores.kernel_people import KernelPeople

MOST_COUNTED = 6


class Ranges(NamedTuple):
    """The ends of every vector's argument over boxes: (boxes, vectors)."""

    low: FloatArray
    high: FloatArray

    def of(self, which: IntArray) -> "Ranges":
        return Ranges(self.low[which], self.high[which])


def infeasible(people: "KernelPeople", owner: IntArray, boxes: Boxes) -> BoolArray:
    """Mark the boxes whose decision value is proven to stay below what the model may accept."""
    owner = np.ascontiguousarray(owner, dtype=np.int64)
    answer = np.zeros(len(owner), dtype=np.bool_)
    step = max(1, NUMBERS_AT_ONCE // max(1, len(people.weights)))
    for start in range(0, len(owner), step):
        some = np.arange(start, min(start + step, len(owner)))
        with np.errstate(all="ignore"):
            answer[some] = _refused(people, owner[some], some_boxes(boxes, some))
    return answer


def _refused(people: "KernelPeople", owner: IntArray, boxes: Boxes) -> BoolArray:
    ranges = argument_ranges(people, owner, boxes)
    refused = _below(people, owner, by_ranges(people, ranges))
    left = np.flatnonzero(~refused & np.isfinite(people.reach.margin[owner]))
    if len(left):
        top = by_lines(people, owner[left], some_boxes(boxes, left), ranges.of(left))
        refused[left] = _below(people, owner[left], top)
    return refused


def _below(people: "KernelPeople", owner: IntArray, top: FloatArray) -> BoolArray:
    margin = people.reach.margin[owner]
    answer: BoolArray = (top < np.nextafter(people.score.reject_below - margin, -np.inf)) & np.isfinite(
        margin
    )
    return answer


def argument_ranges(people: "KernelPeople", owner: IntArray, boxes: Boxes) -> Ranges:
    """Bound every vector's argument over boxes; candidates never decrease along an axis."""
    from p2ce.scores import kernel_arithmetic

    score, here = people.score, people.position[owner]
    who, axes = owner[:, None], np.arange(here.shape[1])[None, :]
    vectors = len(people.weights)
    low, high = np.empty((len(owner), vectors)), np.empty((len(owner), vectors))
    kernel_arithmetic.argument_ranges(
        people.base,
        people.table,
        score.gamma,
        score.kernel == RBF,
        people.seen[who, axes, here],
        people.seen[who, axes, boxes.low],
        people.seen[who, axes, boxes.high],
        ~boxes.must & (boxes.low <= here) & (here <= boxes.high),
        _limit(boxes),
        owner,
        np.empty((MOST_COUNTED, vectors)),
        np.empty(vectors),
        low,
        high,
    )
    slack = 2.0 * argument_error(score, people.reach.size[owner], len(people.columns))[:, None]
    low -= slack
    high += slack
    if score.kernel == RBF:
        np.minimum(high, 0.0, out=high)  # a distance is never negative
        np.minimum(low, high, out=low)
    return Ranges(low, high)


def _limit(boxes: Boxes) -> IntArray:
    return np.clip(boxes.changes_left, 0, boxes.low.shape[1]).astype(np.int64)


def by_ranges(people: "KernelPeople", ranges: Ranges) -> FloatArray:
    """Bound the decision value by the largest and smallest kernels: (boxes,)."""
    score, rising = people.score, people.rising
    above = largest(score.kernel, score.degree, ranges.low[:, :rising], ranges.high[:, :rising])
    below = smallest(score.kernel, score.degree, ranges.low[:, rising:], ranges.high[:, rising:])
    return _added_up(people, np.concatenate([above, below], axis=1))


def _added_up(people: "KernelPeople", terms: FloatArray) -> FloatArray:
    """Add up weight · term and the intercept, rounded upwards: (boxes, vectors) → (boxes,)."""
    intercept = people.score.intercept
    size = (np.abs(terms) @ np.abs(people.weights) + abs(intercept)) * INFLATION
    added: FloatArray = terms @ people.weights + intercept + (_share(people) * size + LEAST)
    return added


def _share(people: "KernelPeople") -> float:
    """Bound the relative rounding of everything that happens to one term of a sum, eight times over."""
    steps = len(people.weights) + people.score.column_count + len(people.columns) + 32
    return 8.0 * gamma(float(steps), DOUBLE)


def by_lines(people: "KernelPeople", owner: IntArray, boxes: Boxes, ranges: Ranges) -> FloatArray:
    """Bound the decision value by lines instead of the kernel's curve: (boxes,)."""
    from p2ce.scores.kernel_arithmetic import highest_change

    score, rising = people.score, people.rising
    above = line_above(score.kernel, score.degree, ranges.low[:, :rising], ranges.high[:, :rising])
    below = line_below(score.kernel, score.degree, ranges.low[:, rising:], ranges.high[:, rising:])
    slopes, offsets = (np.concatenate(parts, axis=1) for parts in zip(above, below, strict=True))
    steep = slopes * people.weights
    top: FloatArray = _added_up(people, offsets) + np.einsum("bv,bv->b", steep, people.base[owner])
    steepness = np.abs(steep).sum(axis=1) * INFLATION + FLOOR
    top += _share(people) * 8.0 * steepness * (people.reach.size[owner] + 1.0) + LEAST * steepness
    forms = score.gamma * (steep @ people.vectors)
    bow = np.zeros(len(owner))
    if score.kernel == RBF:
        # γ·(v − x)·(2s − v − x) = δ·(2γ·(s − x) − γ·δ), with δ = v − x.
        total = steep.sum(axis=1)
        forms = 2.0 * (forms - score.gamma * total[:, None] * people.own[owner][:, people.columns])
        bow = -score.gamma * total
    highest_change(
        bow,
        forms,
        people.seen,
        people.position,
        boxes.low,
        boxes.high,
        boxes.must,
        _limit(boxes),
        owner,
        np.empty(len(people.columns)),
        top,
    )
    return top
