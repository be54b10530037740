"""Decide where to cut a box in two."""

from p2ce.jit import kernel


@kernel
def choose_cut(flat, me, box, size, reached, count, best, votes):
    """Return the axis (by its place in the list) and the first candidate of the upper half.

    Each tree votes with its best leaf: a cut that leaves the leaf on one side lowers the other side's
    bound. The cut whose weaker side still loses most wins. Where no tree votes, the axis along which an
    additive score varies most is halved, or else the widest one.
    """
    table = flat.scores[0].table
    chosen = 0
    spread = -1
    for k in range(size):
        a = box.axes[k]
        span = box.spans[a]
        varies = span.high - span.low
        if table >= 0 and varies > 0:
            low = me.gains[table, a, span.low]
            high = low
            for i in range(span.low, span.high + 1):
                low = min(low, me.gains[table, a, i])
                high = max(high, me.gains[table, a, i])
            varies = 1 + high - low
        if varies > spread:
            spread = varies
            chosen = k
        for i in range(span.low, span.high + 2):
            votes[0, k, i] = 0
            votes[1, k, i] = 0
    lowest = 0
    for j in range(count):
        lowest = min(lowest, reached.leaves[j].tick)
    for j in range(count):
        leaf = reached.leaves[j]
        if leaf.tick != best[leaf.tree]:
            continue
        weight = leaf.tick - lowest
        for k in range(size):
            span = box.spans[box.axes[k]]
            inside = reached.inside[j * size + k]
            if inside.high < span.high:
                votes[0, k, inside.high + 1] += weight
            if inside.low > span.low:
                votes[1, k, inside.low] += weight
    span = box.spans[box.axes[chosen]]
    cut = (span.low + span.high + 1) // 2
    top = 0
    for k in range(size):
        span = box.spans[box.axes[k]]
        above = 0
        for i in range(span.low + 1, span.high + 1):
            above += votes[1, k, i]
        below = 0
        for i in range(span.low + 1, span.high + 1):
            # Cutting at i: `below` leaves end before it, `above` leaves begin at or after it.
            below += votes[0, k, i]
            loss = 4 * min(below, above) + max(below, above)
            if loss > top:
                top = loss
                chosen = k
                cut = i
            above -= votes[1, k, i]
    return chosen, cut
