"""Test by permutation whether a group differs from the whole, with a correction for many comparisons.

The null hypothesis of each test: among the people that the metric is about, who belongs to the group has
nothing to do with the outcome. A group is then a random subset of its size, whose counts are hypergeometric
and the rank of whose median is beta-binomial: the permutation distribution itself is drawn, one number per
permutation, however many people there are.
"""

from collections.abc import Sequence

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.audits.cost_resampling import place_of, quantile_of
from p2ce.audits.metrics import HALF
from p2ce.comparing import EQUAL_DIGITS

EQUAL = 10.0**-EQUAL_DIGITS


def rate_p_value(
    successes: int, size: int, all_successes: int, people: int, permutations: int, rng: np.random.Generator
) -> float:
    """Test the share of a group against the share of the whole, on both sides."""
    drawn = rng.hypergeometric(all_successes, people - all_successes, size, permutations)
    expected = size * all_successes  # in whole numbers, so that equal distances are equal
    return p_value(np.abs(drawn * people - expected) >= abs(successes * people - expected))


def open_rate_p_value(
    mine: tuple[int, int],
    size: int,
    others: tuple[int, int],
    other_size: int,
    permutations: int,
    rng: np.random.Generator,
) -> float:
    """Test a share of which outcomes are open: the largest p-value of the ways in which these may turn out.

    `mine` and `others` are the least and the most successes, of the group and of everybody else. Where the
    two shares may be equal, nothing can be found.
    """
    if mine[0] * other_size <= others[1] * size and others[0] * size <= mine[1] * other_size:
        return 1.0
    # Counts are whole numbers, so that a case between the extreme ones may have a p-value that is larger by a
    # hundredth of itself: less than what permutations can tell.
    cases = sorted({(one, other) for one in mine for other in others})
    return max(
        rate_p_value(one, size, one + other, size + other_size, permutations, rng) for one, other in cases
    )


def median_p_value(
    mine: FloatArray, everybody: FloatArray, permutations: int, rng: np.random.Generator
) -> float:
    """Test the median cost of a group against that of the whole; both are ordered."""
    sizes = np.full(permutations, len(mine))
    middle = quantile_of(everybody, HALF)
    drawn = _subset_medians(everybody, sizes, rng)
    return p_value(_as_far(drawn - middle, quantile_of(mine, HALF) - middle))


def burden_p_value(
    mine: FloatArray,
    everybody: FloatArray,
    counts: tuple[int, int],
    all_counts: tuple[int, int],
    permutations: int,
    rng: np.random.Generator,
) -> float:
    """Test the rejection rate × median cost; counts are of people accepted, and rejected without recourse."""
    size = sum(counts) + len(mine)
    people = sum(all_counts) + len(everybody)
    drawn = rng.multivariate_hypergeometric([*all_counts, len(everybody)], size, permutations)
    some = drawn[:, 2] > 0
    medians = _subset_medians(everybody, np.maximum(drawn[:, 2], 1), rng)
    whole = (people - all_counts[0]) / people * quantile_of(everybody, HALF)
    found = (size - counts[0]) / size * quantile_of(mine, HALF)
    distances = (size - drawn[:, 0]) / size * medians - whole
    # A subset without any cost has no burden: it counts as far away, which favours the null hypothesis.
    return p_value(~some | _as_far(distances, found - whole))


def _as_far(drawn: FloatArray, found: float) -> BoolArray:
    """Return which distances are at least as large; those that only rounding tells apart are equal."""
    at_least: BoolArray = np.abs(drawn) >= abs(found) * (1.0 - EQUAL)
    return at_least


def p_value(as_far: BoolArray) -> float:
    """Give the share of permutations that are as far away; the data themselves count as one."""
    return float((1 + int(as_far.sum())) / (1 + len(as_far)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for many comparisons by Holm's method: it holds however these depend on each other.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values)[order] * (len(p_values) - np.arange(len(p_values)))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    found: list[float] = corrected.tolist()
    return found


def _subset_medians(ordered: FloatArray, sizes: IntArray, rng: np.random.Generator) -> FloatArray:
    """Draw the medians of random subsets: people below the j-th of a subset are beta-binomial."""
    places = place_of(HALF, sizes)
    shares = rng.beta(places, sizes - places + 1)
    medians: FloatArray = ordered[places + rng.binomial(len(ordered) - sizes, shares) - 1]
    return medians
