"""Write a long list of numbers as a few runs with equal steps, and expand runs to numbers."""

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from p2ce.policy.features.decimals import as_typed, multiples, shortest

NONE = Fraction(0)
SHORTEST = 3  # numbers in a run; fewer are written one by one
# Differences of doubles need no more digits, so none is rounded. Fractions would take ten times as long.
EXACT = Context(prec=1000, traps=[Inexact])


class Run(NamedTuple):
    """Numbers from ``first`` to ``last`` in equal steps. A single number has the step 0."""

    first: float
    last: float
    step: Fraction

    def numbers(self) -> list[float]:
        """Return all numbers of the run."""
        if not self.step:
            return [self.first]
        first = as_typed(self.first)
        count = (as_typed(self.last) - first) // self.step + 1
        return [float(number) for number in multiples(range(count), anchor=first, step=self.step)]


def runs_of(numbers: Sequence[float]) -> list[Run]:
    """Join ascending numbers into runs, which expand to exactly the same numbers.

    >>> [(run.first, run.last, float(run.step)) for run in runs_of([0.1, 0.2, 0.3, 1.0, 5.0, 10.0, 15.0])]
    [(0.1, 0.3, 0.1), (1.0, 1.0, 0.0), (5.0, 15.0, 5.0)]
    """
    with localcontext(EXACT):
        typed = [Decimal(shortest(number)) for number in numbers]
        steps = [after - before for before, after in pairwise(typed)]
    runs: list[Run] = []
    at = 0
    while at < len(numbers):
        end = at + 1
        while end + 1 < len(numbers) and steps[end] == steps[at]:
            end += 1
        # Steps are equal as decimals, so each number is the double nearest to its multiple of the step.
        if end - at + 1 >= SHORTEST and steps[at]:
            runs.append(Run(numbers[at], numbers[end], Fraction(steps[at])))
        else:
            end = at
            runs.append(Run(numbers[at], numbers[at], NONE))
        at = end + 1
    return runs


def numbers_in(runs: Iterable[Run]) -> tuple[float, ...]:
    """Expand runs to distinct ascending numbers."""
    return tuple(np.unique([number for run in runs for number in run.numbers()]).tolist())
