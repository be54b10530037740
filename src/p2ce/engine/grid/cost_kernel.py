"""Fill the cost tables of many instances in one compiled pass."""

import math

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import entry, kernel

# A share is 1 / scale, which would be infinite for a smaller scale.
SMALLEST_SCALE = 2.0**-1000


@kernel
def sort_ascending(values: FloatArray | IntArray, count: int) -> None:
    """Sort the first ``count`` values in place by insertion; there are at most as many as axes."""
    for i in range(1, count):
        moving = values[i]
        j = i
        while j > 0 and values[j - 1] > moving:
            values[j] = values[j - 1]
            j -= 1
        values[j] = moving


@entry
def fill_costs(
    cost: FloatArray,  # (n, m, width)
    lowest: Int32Array,  # (n, m)
    highest: Int32Array,  # (n, m)
    position: Int32Array,  # (n, m)
    objective: int,
    by_max: bool,
    middle: FloatArray,  # (m,) scratch
    steps: FloatArray,  # (n, M, m, width) written
    envelope: FloatArray,  # (n, M, m, width) written
    shares: FloatArray,  # (n, M) written; NaN where the costs overflow float64
) -> None:
    """Write one objective's costs, their envelope and its share; see ``CostTables``.

    The arrays hold all objectives: a slice would have a different type for one instance than for many, and
    the kernel would be compiled twice.
    """
    instances, axes, width = cost.shape
    for instance in range(instances):
        total = 0.0
        moving = 0
        for axis in range(axes):
            low, high = lowest[instance, axis], highest[instance, axis]
            here = position[instance, axis]
            largest = 0.0
            for index in range(width):
                # Adding zero turns -0.0 into 0.0: the bits of -0.0 do not compare as a small number.
                price = cost[instance, axis, index] + 0.0 if low <= index <= high else 0.0
                largest = max(largest, price)
                steps[instance, objective, axis, index] = price
                envelope[instance, objective, axis, index] = price
            # From both ends towards the instance, so each entry includes all entries farther away.
            for index in range(high - 1, here, -1):
                ahead = envelope[instance, objective, axis, index + 1]
                if ahead < envelope[instance, objective, axis, index]:
                    envelope[instance, objective, axis, index] = ahead
            for index in range(low + 1, here):
                behind = envelope[instance, objective, axis, index - 1]
                if behind < envelope[instance, objective, axis, index]:
                    envelope[instance, objective, axis, index] = behind
            envelope[instance, objective, axis, here] = 0.0
            total = max(total, largest) if by_max else total + largest
            if low < high:
                # Halfway to either end, since one distant candidate says nothing about the others.
                right = envelope[instance, objective, axis, (here + high + 1) // 2]
                middle[moving] = max(right, envelope[instance, objective, axis, (low + here) // 2])
                moving += 1
        # Doubled, since a sum in another order may round to slightly more.
        if not math.isfinite(2.0 * total):
            shares[instance, objective] = np.nan
            continue
        scale = total
        if moving > 0:
            # The median of the axes, since one axis with only distant candidates says nothing either.
            sort_ascending(middle, moving)
            usual = middle[moving // 2] if middle[moving // 2] > 0.0 else middle[moving - 1]
            if usual > 0.0:
                scale = min(usual if by_max else usual * moving, total)
        shares[instance, objective] = 1.0 / max(scale, SMALLEST_SCALE) if scale > 0.0 else 1.0
