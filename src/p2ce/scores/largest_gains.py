"""Keep the largest gains of axes that may change, as many as may change at once, for many sums at a time."""

from p2ce.jit import kernel


@kernel
def forget_gains(best, left):
    """Begin with nothing: ``best`` (room, width) holds the ``left`` largest gains of each of the sums."""
    for k in range(left):
        for j in range(best.shape[1]):
            best[k, j] = 0.0


@kernel
def keep_largest(best, left, gain):
    """Take in the gains (width,) of one more axis; ``gain`` is left with what falls out."""
    for k in range(left):
        for j in range(best.shape[1]):
            known, new = best[k, j], gain[j]
            best[k, j] = max(known, new)
            gain[j] = min(known, new)


@kernel
def add_largest(best, left, sign, out):
    """Add the gains that were kept to the sums ``out`` (width,)."""
    for k in range(left):
        for j in range(best.shape[1]):
            out[j] += sign * best[k, j]
