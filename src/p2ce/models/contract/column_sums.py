"""A margin that is a sum of functions, each of one column."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.score import FlatScore, Score
from p2ce.models.decisions.adapter import PROBABILITY
from p2ce.models.decisions.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnSum:
    """One margin: ``offset`` plus what each column adds, for values of a magnitude up to ``reach``."""

    columns: tuple[str, ...]
    offset: float
    added: Callable[[FloatArray], FloatArray]  # rows (n, d) of values → what each column adds (n, d)
    reach: FloatArray  # (d,)
    largest_sum: float  # bounds the magnitudes of all numbers that are added for a row, together
    terms: int  # how many rounded products the library adds
    precision: float = 1e-9  # of what the library reports

    @property
    def count(self) -> int:
        """The number of margins."""
        return 1

    def band(self, _plus: int, _minus: int | None = None, /) -> float:
        """Bound how far the library's sum, in any order, can be from ours."""
        error = summation_error(self.terms + len(self.columns) + 3, self.largest_sum)
        return 3.0 * error  # the library's; ours of each column; ours over the columns

    def largest(self) -> float:
        """Bound the margin's magnitude."""
        return self.largest_sum

    def score(
        self, _plus: int, _minus: int | None = None, *, sign: float = 1.0, limits: tuple[float, float]
    ) -> FlatScore:
        """Return the sum, or minus the sum, as a score."""
        return FlatScore(
            name="model",
            column_count=len(self.columns),
            offset=sign * self.offset,
            weights=np.full(len(self.columns), sign),
            see=self.added,
            accept_from=limits[0],
            reject_below=limits[1],
        )

    def tolerance(self, decision: Decision, _: Score) -> float:
        """Return the precision, and for predicted numbers the rounding of their terms."""
        return self.precision + (0.0 if decision.scale == PROBABILITY else self.band(0))
