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
    by_max: bool,
    scale_bits: int,
    smallest_scale: float,
    steps: IntArray,  # (n, m, width) written
    envelope: IntArray,  # (n, m, width) written
    tick: FloatArray,  # (n,) written; infinite where the costs leave float64
) -> None:
    """Write one objective's ticks, their envelope and the value of a tick; see ``tabulate``."""
    people, axes, width = cost.shape
    for person in range(people):
        total = 0.0
        for axis in range(axes):
            largest = 0.0
            for index in range(lowest[person, axis], highest[person, axis] + 1):
                largest = max(largest, cost[person, axis, index])
            total = max(total, largest) if by_max else total + largest
        if not math.isfinite(total):
            tick[person] = np.inf
            continue
        scale = 1.0
        if total > 0.0:
            fraction, exponent = math.frexp(total)
            if fraction == 0.5:
                exponent -= 1
            scale = max(math.ldexp(1.0, exponent), smallest_scale)
        tick[person] = math.ldexp(scale, -scale_bits)
        factor = math.ldexp(1.0 / scale, scale_bits)
        for axis in range(axes):
            low, high = lowest[person, axis], highest[person, axis]
            here = position[person, axis]
            for index in range(width):
                inside = low <= index <= high
                ticks = np.int64(np.rint(cost[person, axis, index] * factor)) if inside else np.int64(0)
                steps[person, axis, index] = ticks
                envelope[person, axis, index] = ticks
            # From both ends towards the person, so that each entry has seen all that lies farther away.
            for index in range(high - 1, here, -1):
                ahead = envelope[person, axis, index + 1]
                if ahead < envelope[person, axis, index]:
                    envelope[person, axis, index] = ahead
            for index in range(low + 1, here):
                behind = envelope[person, axis, index - 1]
                if behind < envelope[person, axis, index]:
                    envelope[person, axis, index] = behind
            envelope[person, axis, here] = 0
