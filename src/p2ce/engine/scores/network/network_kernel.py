"""The parts of a network's arithmetic that would be slow as whole-array calls; see `network_batch`."""

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.kernels.jit import entry, kernel
from p2ce.engine.scores.network.network_bounds import GainScratch, InputChanges


@entry
def first_layer(
    base: FloatArray,
    weights: FloatArray,
    seen: FloatArray,
    first: IntArray,
    position: Int32Array,
    instance: IntArray,
    cells: Int32Array,
    below: float,
    out: FloatArray,
) -> None:
    """Add the changes of cells (cells, axes) to their instances' first layer: ``out`` (cells, width).

    ``first`` (axes + 1,) holds where the inputs of each axis begin among those that may change. ``below`` is
    the slope of the activation below zero; if it is negative, another routine applies the activation.
    """
    width = base.shape[1]
    for cell in range(instance.shape[0]):
        number = instance[cell]
        row = out[cell]
        for j in range(width):
            row[j] = base[number, j]
        for axis in range(cells.shape[1]):
            at, here = cells[cell, axis], position[number, axis]
            if at != here:
                for slot in range(first[axis], first[axis + 1]):
                    change = seen[number, slot, at] - seen[number, slot, here]
                    if change != 0.0:  # all but two of a group of one-hot inputs stay the same
                        for j in range(width):
                            row[j] += change * weights[slot, j]
        if below >= 0.0:
            for j in range(width):
                value = row[j]
                row[j] = value if value > 0.0 else below * value


@entry
def add_bias(values: FloatArray, bias: FloatArray, below: float) -> None:
    """Add a bias to values (cells, width); unless ``below`` is negative, multiply negative sums by it."""
    for cell in range(values.shape[0]):
        row = values[cell]
        if below >= 0.0:
            for j in range(row.shape[0]):
                value = row[j] + bias[j]
                row[j] = value if value > 0.0 else below * value
        else:
            for j in range(row.shape[0]):
                row[j] += bias[j]


@kernel
def first_and_last(values: FloatArray, begin: int, end: int, low: int, high: int) -> bool:
    """Return whether only the two ends of the candidates ``low`` to ``high`` count.

    That holds if at most one of the inputs ``begin`` to ``end`` - 1 differs between them, and is monotone.
    """
    moving = 0
    for slot in range(begin, end):
        rises = falls = False
        for at in range(low, high):
            if values[slot, at + 1] > values[slot, at]:
                rises = True
            elif values[slot, at + 1] < values[slot, at]:
                falls = True
        if rises and falls:
            return False
        if rises or falls:
            moving += 1
    return moving <= 1


@kernel
def best_change(
    rows: FloatArray,
    sign: float,
    values: FloatArray,
    begin: int,
    end: int,
    here: int,
    low: int,
    high: int,
    must: bool,
    free: bool,
    plain: bool,
    trial: FloatArray,
    gain: FloatArray,
) -> None:
    """Find the largest change of sums by moving along one axis; write (width,) to ``gain``.

    ``rows`` (inputs, width) holds what each unit of an input adds to the sums, times ``sign``. The inputs of
    the axis are ``begin`` to ``end`` - 1, with the values ``values`` (inputs, candidates). The candidates are
    ``low`` to ``high``. Staying at ``here`` counts if the axis is ``free``, and is excluded if it ``must``
    change. ``plain`` axes have one input, which never decreases. ``trial`` (width,) is scratch.
    """
    width = gain.shape[0]
    if plain:
        # The ends bound everything in between, including the current value if it lies there.
        least, most = values[begin, low] - values[begin, here], values[begin, high] - values[begin, here]
        for j in range(width):
            weight = sign * rows[begin, j]
            gain[j] = max(weight * least, weight * most)
        return
    for j in range(width):
        gain[j] = 0.0 if free else -np.inf
    if low == here and low < high:
        low += 1
    if high == here and low < high:
        high -= 1
    ends_only = first_and_last(values, begin, end, low, high)
    for at in range(low, high + 1):
        if at == here and (must or free):
            continue
        if ends_only and low < at < high:
            continue
        if not ends_only and at > low and at - 1 != here:
            same = True
            for slot in range(begin, end):
                if values[slot, at] != values[slot, at - 1]:
                    same = False
            if same:
                continue
        for j in range(width):
            trial[j] = 0.0
        for slot in range(begin, end):
            change = sign * (values[slot, at] - values[slot, here])
            if change != 0.0:
                for j in range(width):
                    trial[j] += change * rows[slot, j]
        for j in range(width):
            gain[j] = max(gain[j], trial[j])
    for j in range(width):
        if gain[j] == -np.inf:  # no candidate is left, so any claim about the box holds
            gain[j] = 0.0


@kernel
def stands_still(changes: InputChanges, box: int, axis: int) -> bool:
    """Return whether no candidate of an axis changes any input."""
    number = changes.instance[box]
    here = changes.position[number, axis]
    for slot in range(changes.first[axis], changes.first[axis + 1]):
        for at in range(changes.low[box, axis], changes.high[box, axis] + 1):
            if changes.seen[number, slot, at] != changes.seen[number, slot, here]:
                return False
    return True


@kernel
def best_on_axis(
    rows: FloatArray, sign: float, changes: InputChanges, box: int, axis: int, scratch: GainScratch
) -> None:
    """Find the largest change of sums by moving along one axis of a box; see `best_change`."""
    number = changes.instance[box]
    best_change(
        rows,
        sign,
        changes.seen[number],
        changes.first[axis],
        changes.first[axis + 1],
        changes.position[number, axis],
        changes.low[box, axis],
        changes.high[box, axis],
        changes.must[box, axis],
        changes.free[box, axis],
        changes.plain[axis],
        scratch.trial,
        scratch.gain,
    )


@kernel
def forget_gains(best: FloatArray, left: int) -> None:
    """Reset ``best`` (room, width), which holds the ``left`` largest gains of each sum."""
    for k in range(left):
        for j in range(best.shape[1]):
            best[k, j] = 0.0


@kernel
def keep_largest(best: FloatArray, left: int, gain: FloatArray) -> None:
    """Insert the gains (width,) of one more axis; ``gain`` then holds the gains that were displaced."""
    for k in range(left):
        for j in range(best.shape[1]):
            known, new = best[k, j], gain[j]
            best[k, j] = max(known, new)
            gain[j] = min(known, new)


@kernel
def add_largest(best: FloatArray, left: int, sign: float, out: FloatArray) -> None:
    """Add the kept gains to the sums ``out`` (width,)."""
    for k in range(left):
        for j in range(best.shape[1]):
            out[j] += sign * best[k, j]


@kernel
def add_changes(
    rows: FloatArray, sign: float, changes: InputChanges, box: int, scratch: GainScratch, out: FloatArray
) -> None:
    """Add the largest changes of sums over a box to ``out`` (width,), times ``sign``.

    Of the axes that may also stay unchanged, at most ``changes_left`` may change, so only the largest gains
    count. If more of them may change than ``best`` has room for, all of them count, which is a bound too.
    """
    axes = changes.low.shape[1]
    open_axes = 0
    for axis in range(axes):
        if changes.free[box, axis] and changes.low[box, axis] < changes.high[box, axis]:
            open_axes += 1
    left = changes.changes_left[box]
    all_count = open_axes <= left or left > scratch.best.shape[0]
    if not all_count:
        forget_gains(scratch.best, left)
    for axis in range(axes):
        if stands_still(changes, box, axis):
            continue
        best_on_axis(rows, sign, changes, box, axis, scratch)
        if changes.free[box, axis] and not all_count:
            keep_largest(scratch.best, left, scratch.gain)
        else:
            for j in range(out.shape[0]):
                out[j] += sign * scratch.gain[j]
    if not all_count:
        add_largest(scratch.best, left, sign, out)


@entry
def first_interval(
    base: FloatArray,
    weights: FloatArray,
    changes: InputChanges,
    scratch: GainScratch,
    down: FloatArray,
    up: FloatArray,
) -> None:
    """Bound the first layer over boxes (boxes,): ``down`` and ``up`` (boxes, width).

    ``changes`` and ``scratch`` are those of `network_bounds`.
    """
    for box in range(changes.instance.shape[0]):
        for sign in (-1.0, 1.0):
            out = up[box] if sign > 0.0 else down[box]
            for j in range(base.shape[1]):
                out[j] = base[changes.instance[box], j]
            add_changes(weights, sign, changes, box, scratch, out)


@entry
def relax(
    lines: FloatArray,
    upper_slope: FloatArray,
    upper_shift: FloatArray,
    lower_slope: FloatArray,
    lower_shift: FloatArray,
    offset: FloatArray,
    which: IntArray,
    weight: FloatArray,
    constant: FloatArray,
    slack: FloatArray,
) -> None:
    """Replace activations by lines from above: coefficients of outputs become those of pre-activations.

    ``lines`` (boxes, width, rows) is changed in place. Terms that do not depend on the input are added to
    ``constant`` (boxes, rows): the shifts of the lines, and the coefficients times ``offset[which]`` (the
    bias, or an instance's base). The magnitudes of the coefficients, times ``weight`` of the box, are added
    to ``slack``.
    """
    boxes, width, rows = lines.shape
    for box in range(boxes):
        mine = offset[which[box]]
        for j in range(width):
            above, below = upper_slope[box, j], lower_slope[box, j]
            lift, drop = upper_shift[box, j], lower_shift[box, j]
            extra, per_unit = mine[j], weight[box, j]
            row = lines[box, j]
            fixed, lost = constant[box], slack[box]
            for r in range(rows):
                value = row[r]
                slope = above if value > 0.0 else below
                shift = lift if value > 0.0 else drop
                steep = value * slope
                row[r] = steep
                fixed[r] += value * shift + steep * extra
                lost[r] += abs(value) * per_unit


@entry
def highest(slopes: FloatArray, changes: InputChanges, scratch: GainScratch, constant: FloatArray) -> None:
    """Add the largest values of the linear forms ``slopes`` (boxes, inputs, rows) to ``constant``, by box."""
    for box in range(changes.instance.shape[0]):
        add_changes(slopes[box], 1.0, changes, box, scratch, constant[box])
