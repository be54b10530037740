"""Do the parts of a network's arithmetic that whole-array calls would do slowly; see `network_people`."""

from p2ce.compiled.largest_gains import add_largest, forget_gains, keep_largest
from p2ce.jit import entry


@entry
def first_layer(base, weights, seen, position, owner, points, below, out):
    """Add the changes of cells (cells, axes) to their people's first layer: (cells, width) into ``out``.

    ``below`` is the slope below zero of the activation, or negative where another routine applies it.
    """
    width = base.shape[1]
    for cell in range(owner.shape[0]):
        p = owner[cell]
        row = out[cell]
        for j in range(width):
            row[j] = base[p, j]
        for axis in range(points.shape[1]):
            at, here = points[cell, axis], position[p, axis]
            if at != here:
                change = seen[p, axis, at] - seen[p, axis, here]
                for j in range(width):
                    row[j] += change * weights[axis, j]
        if below >= 0.0:
            for j in range(width):
                value = row[j]
                row[j] = value if value > 0.0 else below * value


@entry
def add_bias(values, bias, below):
    """Add a bias to values (cells, width) and, unless ``below`` is negative, bend them at zero."""
    for cell in range(values.shape[0]):
        row = values[cell]
        if below >= 0.0:
            for j in range(row.shape[0]):
                value = row[j] + bias[j]
                row[j] = value if value > 0.0 else below * value
        else:
            for j in range(row.shape[0]):
                row[j] += bias[j]


@entry
def first_interval(base, weights, low, high, free, limit, owner, best, gain, down, up):
    """Bound the first layer over boxes of changes ``low`` to ``high`` (boxes, axes): ``down`` and ``up``.

    Of the ``free`` axes, which may also stay as they are, at most ``limit`` (boxes,) may change: the largest
    gains count. ``best`` (room, width) and ``gain`` (width,) are scratch; where more
    than ``room`` may change all of them count, which is a bound as well.
    """
    width = base.shape[1]
    axes = weights.shape[0]
    for box in range(owner.shape[0]):
        open_axes = 0
        for axis in range(axes):
            if free[box, axis] and (low[box, axis] != 0.0 or high[box, axis] != 0.0):
                open_axes += 1
        left = limit[box]
        all_count = open_axes <= left or left > best.shape[0]
        for sign in (-1.0, 1.0):
            out = up[box] if sign > 0.0 else down[box]
            for j in range(width):
                out[j] = base[owner[box], j]
            if not all_count:
                forget_gains(best, left)
            for axis in range(axes):
                least, most = low[box, axis], high[box, axis]
                if least == 0.0 and most == 0.0:
                    continue
                if free[box, axis] and not all_count:
                    for j in range(width):
                        weight = sign * weights[axis, j]
                        gain[j] = max(weight * least, weight * most)
                    keep_largest(best, left, gain)
                else:
                    for j in range(width):
                        weight = sign * weights[axis, j]
                        out[j] += sign * max(weight * least, weight * most)
            if not all_count:
                add_largest(best, left, sign, out)


@entry
def relax(lines, upper_slope, upper_shift, lower_slope, lower_shift, offset, which, weight, constant, slack):
    """Replace activations by lines from above: coefficients of outputs become those of pre-activations.

    ``lines`` (boxes, width, rows) is changed in place. What does not depend on the input goes to ``constant``
    (boxes, rows): the lines' own shifts, and the coefficients times ``offset[which]`` (the bias, or a
    person's base). ``slack`` adds the magnitudes of the coefficients, times ``weight[which box]``.
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
def highest(slopes, low, high, free, limit, best, gain, constant):
    """Add the largest value of linear forms ``slopes`` (boxes, axes, rows) over boxes to ``constant``.

    ``best`` (room, rows) and ``gain`` (rows,) are scratch, as in `first_interval`.
    """
    boxes, axes, rows = slopes.shape
    for box in range(boxes):
        open_axes = 0
        for axis in range(axes):
            if free[box, axis] and (low[box, axis] != 0.0 or high[box, axis] != 0.0):
                open_axes += 1
        left = limit[box]
        all_count = open_axes <= left or left > best.shape[0]
        out = constant[box]
        if not all_count:
            forget_gains(best, left)
        for axis in range(axes):
            least, most = low[box, axis], high[box, axis]
            if least == 0.0 and most == 0.0:
                continue
            row = slopes[box, axis]
            if free[box, axis] and not all_count:
                for r in range(rows):
                    gain[r] = max(row[r] * least, row[r] * most)
                keep_largest(best, left, gain)
            else:
                for r in range(rows):
                    out[r] += max(row[r] * least, row[r] * most)
        if not all_count:
            add_largest(best, left, 1.0, out)
