"""Do the parts of a kernel machine's arithmetic that whole-array calls would do slowly."""

from p2ce.jit import entry
from p2ce.scores.largest_gains import add_largest, forget_gains, keep_largest

# When a value x becomes v, the argument of the rbf kernel changes by γ·(v − x)·(2s − v − x) for a vector's s,
# and that of the polynomial one by γ·(v − x)·s: `table` (axes, vectors) holds 2s for the one, else s.


@entry
def change_arguments(base, table, gamma, square, seen, position, owner, points, out):
    """Add the changes of cells (cells, axes) to their people's arguments: (cells, vectors) into ``out``.

    ``square`` tells the rbf kernel.
    """
    vectors = base.shape[1]
    for cell in range(owner.shape[0]):
        p = owner[cell]
        row = out[cell]
        for j in range(vectors):
            row[j] = base[p, j]
        for axis in range(points.shape[1]):
            at, here = points[cell, axis], position[p, axis]
            if at != here:
                after, before = seen[p, axis, at], seen[p, axis, here]
                factor = gamma * (after - before)
                both = after + before if square else 0.0
                line = table[axis]
                for j in range(vectors):
                    row[j] += factor * (line[j] - both)


@entry
def raise_rows(values, degree):
    """Raise values (cells, vectors) to a whole power, in place, by squaring."""
    for cell in range(values.shape[0]):
        row = values[cell]
        if degree == 3:
            for j in range(row.shape[0]):
                row[j] = row[j] * row[j] * row[j]
        elif degree == 2:
            for j in range(row.shape[0]):
                row[j] = row[j] * row[j]
        else:
            for j in range(row.shape[0]):
                square, result, left = row[j], 1.0, degree
                while left > 0:
                    if left % 2 == 1:
                        result *= square
                    square *= square
                    left //= 2
                row[j] = result


@entry
def argument_ranges(base, table, gamma, square, today, first, last, free, limit, owner, best, gain, down, up):
    """Bound the arguments over boxes of values ``first`` to ``last`` (boxes, axes): ``down`` and ``up``.

    ``today`` (boxes, axes) are the current values. Of the ``free`` axes, which may also stay as they are, at
    most ``limit`` (boxes,) may change: the largest gains count. ``best`` (room, vectors) and ``gain``
    (vectors,) are scratch; where more than ``room`` may change all of them count, which is a bound as well.
    """
    vectors = base.shape[1]
    axes = table.shape[0]
    for box in range(owner.shape[0]):
        open_axes = 0
        for axis in range(axes):
            here = today[box, axis]
            if free[box, axis] and (first[box, axis] != here or last[box, axis] != here):
                open_axes += 1
        left = limit[box]
        all_count = open_axes <= left or left > best.shape[0]
        for sign in (-1.0, 1.0):
            out = up[box] if sign > 0.0 else down[box]
            for j in range(vectors):
                out[j] = base[owner[box], j]
            if not all_count:
                forget_gains(best, left)
            for axis in range(axes):
                here, low, high = today[box, axis], first[box, axis], last[box, axis]
                if low == here and high == here:
                    continue
                line = table[axis]
                if square and sign > 0.0:
                    # Nearest to the vector: its own value, or the end before it.
                    for j in range(vectors):
                        value = min(max(0.5 * line[j], low), high)
                        gain[j] = gamma * (value - here) * (line[j] - (value + here))
                else:
                    one, other = sign * gamma * (low - here), sign * gamma * (high - here)
                    less, more = (low + here, high + here) if square else (0.0, 0.0)
                    for j in range(vectors):
                        gain[j] = max(one * (line[j] - less), other * (line[j] - more))
                if free[box, axis] and not all_count:
                    keep_largest(best, left, gain)
                else:
                    for j in range(vectors):
                        out[j] += sign * gain[j]
            if not all_count:
                add_largest(best, left, sign, out)


@entry
def highest_change(bow, slope, seen, position, low, high, must, limit, owner, gains, out):
    """Add to ``out`` (boxes,) the most that Σ δ·(bow·δ + slope) over the axes can be for changes δ in boxes.

    ``bow`` (boxes,), ``slope`` (boxes, axes); every candidate is tried. ``gains`` (axes,) is scratch.
    """
    for box in range(owner.shape[0]):
        p = owner[box]
        open_axes = 0
        for axis in range(slope.shape[1]):
            here = position[p, axis]
            today = seen[p, axis, here]
            free = not must[box, axis] and low[box, axis] <= here <= high[box, axis]
            most = 0.0 if free else -1e300
            for at in range(low[box, axis], high[box, axis] + 1):
                if at != here:
                    change = seen[p, axis, at] - today
                    value = change * (bow[box] * change + slope[box, axis])
                    # What is not a number stays: nothing is proven then.
                    if most == most and not value <= most:
                        most = value
            if free:
                gains[open_axes] = most
                open_axes += 1
            else:
                out[box] += most
        for _ in range(min(limit[box], open_axes)):
            best = 0
            for at in range(1, open_axes):
                if gains[best] == gains[best] and not gains[at] <= gains[best]:
                    best = at
            out[box] += gains[best]
            gains[best] = 0.0
