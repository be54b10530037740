"""For many sums at once, keep the largest gains: as many as axes may change together."""

from p2ce.engine.kernels.jit import kernel


@kernel
def forget_gains(best, left):
    """Reset ``best`` (room, width), which holds the ``left`` largest gains of each sum."""
    for k in range(left):
        for j in range(best.shape[1]):
            best[k, j] = 0.0


@kernel
def keep_largest(best, left, gain):
    """Insert the gains (width,) of one more axis; ``gain`` then holds the gains that were displaced."""
    for k in range(left):
        for j in range(best.shape[1]):
            known, new = best[k, j], gain[j]
            best[k, j] = max(known, new)
            gain[j] = min(known, new)


@kernel
def add_largest(best, left, sign, out):
    """Add the kept gains to the sums ``out`` (width,)."""
    for k in range(left):
        for j in range(best.shape[1]):
            out[j] += sign * best[k, j]
