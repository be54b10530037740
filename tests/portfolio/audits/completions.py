"""List every way in which open searches may end: the slow twin of `p2ce.portfolio.audits`.

A person is the least and the most that the cheapest option costs; `math.inf` is the most where none
was found, and there may be none. Nothing here uses the package.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from typing import TypeAlias

Person: TypeAlias = tuple[float, float]
FAR = 1e6  # a cost that stands for those without an end


def quantile(costs: Sequence[float], share: float) -> float:
    """Return the least cost that at least this share of people do not exceed."""
    ordered = sorted(costs)
    return next(cost for place, cost in enumerate(ordered, start=1) if place >= share * len(ordered))


def endings(person: Person, at: Sequence[float]) -> list[float | None]:
    """List what a person may end with: no option (None), the ends, and all values `at` in between."""
    low, high = person
    if low == high:
        return [low]
    inside = [value for value in at if low < value < high]
    return [low, *inside, high] if math.isfinite(high) else [low, *inside, FAR, None]


def completions(people: Sequence[Person]) -> Iterator[tuple[float | None, ...]]:
    """List completions: every open cost at its ends, and at and between the values of all others."""
    values = sorted({end for person in people for end in person if math.isfinite(end)})
    between = [(one + two) / 2 for one, two in pairwise(values)]
    yield from product(*(endings(person, [*values, *between]) for person in people))


def with_option(ends: Sequence[float | None]) -> list[float]:
    """Keep the costs of people who have an option."""
    return [cost for cost in ends if cost is not None]


def share_p_value(successes: int, size: int, all_successes: int, people: int) -> float:
    """Test a share by all subsets: how many have a share at least as far from that of the whole."""
    expected = size * all_successes
    far = abs(successes * people - expected)
    ways = (
        math.comb(all_successes, count) * math.comb(people - all_successes, size - count)
        for count in range(size + 1)
        if abs(count * people - expected) >= far
    )
    return sum(ways) / math.comb(people, size)


def median_p_value(mine: Sequence[float | None], others: Sequence[float | None]) -> float:
    """Test the median of those who have an option by all subsets of them."""
    some, everybody = with_option(mine), with_option([*mine, *others])
    whole = quantile(everybody, 0.5)
    far = abs(quantile(some, 0.5) - whole) * (1 - 1e-9)
    drawn = [abs(quantile(subset, 0.5) - whole) >= far for subset in combinations(everybody, len(some))]
    return sum(drawn) / len(drawn)


def burden(costs: Sequence[float | None], rejected: Sequence[bool]) -> float | None:
    """Multiply the rejection rate with the median; None where no one has an option."""
    some = with_option(costs)
    return sum(rejected) / len(rejected) * quantile(some, 0.5) if some else None


def burden_p_value(costs: Sequence[float | None], rejected: Sequence[bool], size: int) -> float:
    """Test the burden of the first `size` people by all subsets; those without one count as far away."""
    whole, found = burden(costs, rejected), burden(costs[:size], rejected[:size])
    assert whole is not None
    assert found is not None
    far, drawn = abs(found - whole) * (1 - 1e-9), []
    for subset in combinations(range(len(costs)), size):
        one = burden([costs[place] for place in subset], [rejected[place] for place in subset])
        drawn.append(one is None or abs(one - whole) >= far)
    return sum(drawn) / len(drawn)
