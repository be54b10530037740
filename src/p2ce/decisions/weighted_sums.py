"""Margins that are weighted sums of the columns."""

from dataclasses import dataclass

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.decisions.decision import Decision
from p2ce.decisions.model_adapter import DECISION, PROBABILITY
from p2ce.scores.error_bands import summation_error
from p2ce.scores.score import FlatScore, Score

# Softmax maps a margin that is farther behind the largest one to 0, or to less than any threshold that it is
# used for. So rounding counts only up to here.
_FARTHEST = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedSums:
    """Weighted sums of columns; bands cover dot products of the library in any order, fused or not."""

    columns: tuple[str, ...]
    weights: FloatArray  # (sums, d)
    intercepts: FloatArray  # (sums,)
    reach: FloatArray  # (d,) the largest magnitude of a value
    single: bool = False  # whether the library adds in float32

    @property
    def count(self) -> int:
        """The number of sums."""
        return len(self.weights)

    @property
    def precision(self) -> float:
        """The precision of what the library reports."""
        return 1e-4 if self.single else 1e-9

    def band(self, plus: int, minus: int | None = None) -> float:
        """Bound how far one library sum, or a difference of two, can be from any of our float64 sums."""
        places = (plus,) if minus is None else (plus, minus)
        terms = len(self.columns) + 2 + len(places)  # products are rounded before they are added
        magnitude = sum(self._largest(place) for place in places)
        ours = summation_error(terms, magnitude)
        theirs = summation_error(terms, magnitude, unit=2.0**-24) if self.single else ours
        # Ours counts twice: the solver may compute a sum by adding changes to a base.
        return theirs + 2.0 * ours

    def largest(self) -> float:
        """Bound the sums, as far as softmax distinguishes them."""
        return min(_FARTHEST, max(map(self._largest, range(self.count))))

    def _largest(self, place: int) -> float:
        """Bound the magnitudes of all terms of a sum."""
        with np.errstate(over="ignore"):
            return float(abs(self.intercepts[place]) + np.abs(self.weights[place]) @ self.reach)

    def score(
        self, plus: int, minus: int | None = None, *, sign: float = 1.0, limits: tuple[float, float]
    ) -> FlatScore:
        """Return a sum, or the difference of two, as a score."""
        weights, offset = self.weights[plus], float(self.intercepts[plus])
        if minus is not None:
            weights, offset = weights - self.weights[minus], offset - float(self.intercepts[minus])
        return FlatScore(
            name="model",
            column_count=len(self.columns),
            offset=sign * offset,
            weights=sign * weights,
            accept_from=limits[0],
            reject_below=limits[1],
        )

    def tolerance(self, decision: Decision, _: Score) -> float:
        """Return the tolerance: the precision, and for decision values the rounding of their large terms."""
        if decision.scale == PROBABILITY:
            return self.precision
        if self.count == 1 or decision.scale == DECISION:
            return self.precision + self.band(decision.index if self.count > 1 else 0)
        others = [place for place in range(self.count) if place != decision.index]
        return self.precision + max(self.band(decision.index, other) for other in others)
