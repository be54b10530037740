"""Hold margins that are weighted sums of the columns."""

from dataclasses import dataclass

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.decisions.decision import Decision
from p2ce.decisions.model_adapter import DECISION, PROBABILITY
from p2ce.scores.error_bands import summation_error
from p2ce.scores.score import FlatScore, Score

# Of a margin that is farther behind the largest one, softmax makes 0, or less than any threshold it is used
# for; so rounding counts only up to here.
_FARTHEST = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedSums:
    """Weighted sums of columns; bands cover every order and fusing of the library's dot products."""

    columns: tuple[str, ...]
    weights: FloatArray  # (sums, d)
    intercepts: FloatArray  # (sums,)
    reach: FloatArray  # (d,) the largest magnitude of a value
    single: bool = False  # the library adds in float32

    @property
    def count(self) -> int:
        """How many sums there are."""
        return len(self.weights)

    @property
    def precision(self) -> float:
        """The precision of what the library reports."""
        return 1e-4 if self.single else 1e-9

    def band(self, plus: int, minus: int | None = None) -> float:
        """Bound how far one library sum, or two subtracted, and any float64 sum of ours can be apart."""
        places = (plus,) if minus is None else (plus, minus)
        terms = len(self.columns) + 2 + len(places)  # products are rounded before they are added
        magnitude = sum(self._largest(place) for place in places)
        ours = summation_error(terms, magnitude)
        theirs = summation_error(terms, magnitude, unit=2.0**-24) if self.single else ours
        # Ours twice: the solver may reach a sum by adding changes to a base instead of from scratch.
        return theirs + 2.0 * ours

    def largest(self) -> float:
        """Bound the sums, as far as softmax tells them apart."""
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
        """Allow for the precision; far from zero a decision value carries the rounding of its large terms."""
        if decision.scale == PROBABILITY:
            return self.precision
        if self.count == 1 or decision.scale == DECISION:
            return self.precision + self.band(decision.index if self.count > 1 else 0)
        others = [place for place in range(self.count) if place != decision.index]
        return self.precision + max(self.band(decision.index, other) for other in others)
