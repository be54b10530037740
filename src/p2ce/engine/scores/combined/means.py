"""Means and differences of numbers; those of forests become one forest, which the kernel searches."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.combined.combination import Combination, Ends, joined, minus
from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.score import FlatScore
from p2ce.engine.scores.trees.assemble import largest_leaves
from p2ce.engine.scores.trees.forest import Forest

_GRAIN = 24  # leaf values that are multiples of 2**-24 add up without rounding


def mean_of(
    numbers: Sequence[Combination], *, weights: Sequence[float] | None = None, unit: float = 2.0**-53
) -> Combination:
    """Return the mean of numbers, added in any order and divided once by the sum of the weights.

    ``unit`` is the rounding unit in which the library adds. Shares on a coarse grid, such as votes, add up
    exactly in any order.
    """
    count = len(numbers)
    scale = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    whole = float(scale.sum())
    flat = _single_forests(numbers)
    if flat is not None and (scale == 1.0).all() and _add_exactly(numbers, flat):
        part = replace(flat[0], forest=joined_forests([_forest(one) for one in flat]))

        def exactly(values: FloatArray) -> Ends:
            mean = values[:, 0] / count
            return mean, mean

        return Combination(parts=(part,), reported=exactly, slope=1.0 / count, error=0.0)
    # The library's products, its sum and its quotient, and the sum of the weights.
    rounding = summation_error(count + 4, 1.0, unit=unit) + summation_error(count + 4, 1.0)
    if flat is not None:
        return _one_forest(numbers, flat, scale / whole, rounding)

    def reported(values: FloatArray) -> Ends:
        terms = values * scale
        mean = terms.sum(axis=1) / whole
        # Ours is rounded too.
        error = 2.0 * rounding * np.abs(terms).sum(axis=1) / whole
        return np.nextafter(mean - error, -np.inf), np.nextafter(mean + error, np.inf)

    return joined(numbers, reported)


def difference_of(number: Combination, other: Combination) -> Combination:
    """Return one number minus another; only the sign is that of the two numbers as the library reports them.

    The difference of two different floats is never zero, so the sign is exact. Sums on a coarse grid that
    differ still differ after their division by the same count.
    """
    both = (number, minus(other))
    flat = _single_forests(both)
    if flat is None:
        return joined(both, _sum_of_two)
    exact = number.error == other.error == 0.0 and number.slope == other.slope
    if exact and _same_splits(flat) and (_forest(flat[0]).tree_count == 1 or _are_coarse(flat)):
        return _one_forest(both, flat, None, 0.0)
    return _one_forest(both, flat, np.ones(2), summation_error(2, 1.0))


def joined_forests(forests: Sequence[Forest]) -> Forest:
    """Join the trees of several forests, one after another."""
    shifts = np.cumsum([0, *(len(one.feature) for one in forests[:-1])]).tolist()
    pairs = list(zip(forests, shifts, strict=True))
    return Forest(
        root=np.concatenate([one.root + shift for one, shift in pairs]).astype(np.int32),
        feature=np.concatenate([one.feature for one in forests]),
        threshold=np.concatenate([one.threshold for one in forests]),
        right=np.concatenate([np.where(one.right < 0, -1, one.right + shift) for one, shift in pairs]).astype(
            np.int32
        ),
        value=np.concatenate([one.value for one in forests]),
    )


def _one_forest(
    numbers: Sequence[Combination],
    flat: Sequence[FlatScore],
    scale: FloatArray | None,
    rounding: float,
) -> Combination:
    """Add numbers of forests, times ``scale``, as one forest. ``rounding`` is that of the library's sum.

    Without a scale, the values of the forests are added, which is exact.
    """
    factors = [1.0] * len(flat)
    if scale is not None:
        factors = [float(by * (one.slope or 0.0)) for by, one in zip(scale, numbers, strict=True)]
    offset = float(sum(by * one.offset for by, one in zip(factors, flat, strict=True)))
    scaled = [
        replace(_forest(one), value=by * _forest(one).value) for by, one in zip(factors, flat, strict=True)
    ]
    sizes = [
        abs(by) * abs(one.offset) + float(largest_leaves(forest).sum())
        for by, one, forest in zip(factors, flat, scaled, strict=True)
    ]
    if _same_splits(flat):
        forest = replace(scaled[0], value=np.sum([one.value for one in scaled], axis=0))
    else:
        forest = joined_forests(scaled)
    # Ours: each leaf is scaled and perhaps added to others, then all trees are added, on both sides of the
    # comparison with the sum in real numbers.
    ours = summation_error(forest.tree_count + len(numbers) + 6, sum(sizes))
    error = 0.0
    if scale is not None:
        theirs = sum(float(by) * one.error for by, one in zip(scale, numbers, strict=True))
        error = theirs + rounding * (sum(sizes) + theirs) + 2.0 * ours
    part = replace(flat[0], offset=offset, forest=forest)

    def reported(values: FloatArray) -> Ends:
        value = values[:, 0]
        if error == 0.0:
            return value, value
        return np.nextafter(value - error, -np.inf), np.nextafter(value + error, np.inf)

    return Combination(parts=(part,), reported=reported, slope=1.0, error=error)


def _single_forests(numbers: Sequence[Combination]) -> list[FlatScore] | None:
    """Return the forests of which the numbers are multiples, if all see their inputs in the same way."""
    found = []
    for number in numbers:
        part = number.parts[0]
        alike = isinstance(part, FlatScore) and part.forest is not None and number.slope is not None
        if not alike or len(number.parts) > 1 or not np.isfinite(number.error):
            return None
        assert isinstance(part, FlatScore)
        found.append(part)
    return found if all(part.see is found[0].see for part in found) else None


def _forest(part: FlatScore) -> Forest:
    assert part.forest is not None, "only forests are joined"
    return part.forest


def _same_splits(flat: Sequence[FlatScore]) -> bool:
    first = _forest(flat[0])
    return all(
        np.array_equal(getattr(first, name), getattr(_forest(one), name))
        for one in flat[1:]
        for name in ("root", "feature", "threshold", "right")
    )


def _add_exactly(numbers: Sequence[Combination], flat: Sequence[FlatScore]) -> bool:
    """Return whether the numbers are sums of leaves, and no order of adding all of them rounds."""
    return all(number.slope == 1.0 and number.error == 0.0 for number in numbers) and _are_coarse(flat)


def _are_coarse(flat: Sequence[FlatScore]) -> bool:
    """Return whether all leaves are on a coarse grid, so that no sum of them is rounded."""
    leaves = np.concatenate([_forest(one).value for one in flat])
    grains = np.ldexp(leaves, _GRAIN)
    trees = sum(_forest(one).tree_count for one in flat)
    return (
        all(one.offset == 0.0 for one in flat)
        and bool((grains == np.rint(grains)).all())
        and trees * float(np.abs(leaves).max(initial=0.0)) < 2.0**_GRAIN
    )


def _sum_of_two(values: FloatArray) -> Ends:
    added = values[:, 0] + values[:, 1]
    return added, added
