"""Fill the cost tables of many people in one compiled pass."""

import math

import numpy as np

from p2ce.arrays import FloatArray, Int32Array, IntArray
from p2ce.jit import entry


@entry
def fill_ticks(
    cost: FloatArray,  # (n, m, width)
    lowest: Int32Array,  # (n, m)
    highest: Int32Array,  # (n, m)
    position: Int32Array,  # (n, m)
    objective: int,
    by_max: bool,
    scale_bits: int,
    smallest_scale: float,
    steps: IntArray,  # (n, M, m, width) written
    envelope: IntArray,  # (n, M, m, width) written
    tick: FloatArray,  # (n, M) written; infinite where the costs leave float64
) -> None:
    """Write one objective's ticks, their envelope and the value of a tick; see ``tabulate``.

    It takes all objectives' arrays, whole: a slice of them is of another type for one person than for many,
    and would be compiled twice.
    """
    people, axes, width = cost.shape
    for person in range(people):
        total = 0.0
        for axis in range(axes):
            largest = 0.0
            for index in range(lowest[person, axis], highest[person, axis] + 1):
                largest = max(largest, cost[person, axis, index])
            total = max(total, largest) if by_max else total + largest
        if not math.isfinite(total):
            tick[person, objective] = np.inf
            continue
        scale = 1.0
        if total > 0.0:
            fraction, exponent = math.frexp(total)
            if fraction == 0.5:
                exponent -= 1
            scale = max(math.ldexp(1.0, exponent), smallest_scale)
        tick[person, objective] = math.ldexp(scale, -scale_bits)
        factor = math.ldexp(1.0 / scale, scale_bits)
        for axis in range(axes):
            low, high = lowest[person, axis], highest[person, axis]
            here = position[person, axis]
            for index in range(width):
                inside = low <= index <= high
                ticks = np.int64(np.rint(cost[person, axis, index] * factor)) if inside else np.int64(0)
                steps[person, objective, axis, index] = ticks
                envelope[person, objective, axis, index] = ticks
            # From both ends towards the person, so that each entry has seen all that lies farther away.
            for index in range(high - 1, here, -1):
                ahead = envelope[person, objective, axis, index + 1]
                if ahead < envelope[person, objective, axis, index]:
                    envelope[person, objective, axis, index] = ahead
            for index in range(low + 1, here):
                behind = envelope[person, objective, axis, index - 1]
                if behind < envelope[person, objective, axis, index]:
                    envelope[person, objective, axis, index] = behind
            envelope[person, objective, axis, here] = 0
