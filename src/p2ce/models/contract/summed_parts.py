"""A margin that is a sum of trees and of functions of one column each."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.combined.combination import minus as minus_number
from p2ce.engine.scores.combined.combination import only, score_of, total
from p2ce.engine.scores.score import FlatScore, Score
from p2ce.engine.scores.trees.forest import Forest
from p2ce.models.decisions.adapter import PROBABILITY
from p2ce.models.decisions.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreesAndColumns:
    """One margin: ``offset``, plus a leaf of each tree, plus what each column adds.

    It holds for values of a magnitude up to ``reach``.
    """

    columns: tuple[str, ...]
    forest: Forest
    offset: float
    added: Callable[[FloatArray], FloatArray]  # rows (n, d) of values → what each column adds (n, d)
    reach: FloatArray  # (d,)
    largest_sum: float  # bounds the magnitudes of all numbers that are added for a row, together
    error: float  # bounds the rounding of any such sum
    precision: float = 1e-9  # of what the library reports

    @property
    def count(self) -> int:
        """The number of margins."""
        return 1

    def band(self, _plus: int, _minus: int | None = None, /) -> float:
        """Bound how far the library's sum, in any order, can be from ours."""
        return 2.0 * self.error

    def largest(self) -> float:
        """Bound the margin's magnitude."""
        return self.largest_sum

    def score(
        self, _plus: int, _minus: int | None = None, *, sign: float = 1.0, limits: tuple[float, float]
    ) -> Score:
        """Return the sum, or minus the sum, as a score of both parts."""
        # The thresholds of parts have no meaning.
        part = partial(FlatScore, column_count=len(self.columns), accept_from=np.inf, reject_below=-np.inf)
        trees = part(name="trees", offset=self.offset, forest=self.forest)
        sums = part(name="columns", weights=np.ones(len(self.columns)), see=self.added)
        number = total([only(trees), only(sums)])
        return score_of(
            number if sign > 0.0 else minus_number(number), accept_from=limits[0], reject_below=limits[1]
        )

    def tolerance(self, decision: Decision, _: Score) -> float:
        """Return the precision, and for predicted numbers the rounding of their terms."""
        return self.precision + (0.0 if decision.scale == PROBABILITY else 2.0 * self.error)
