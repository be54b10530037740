"""Margins over trees whose leaves are lines."""

from dataclasses import dataclass

from p2ce.base.arrays import FloatArray
from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.linear_trees.linear_forest import (
    LinearForest,
    LinearTreesScore,
    joined_trees,
    leaves_of,
    lines_of,
)
from p2ce.engine.scores.score import Score
from p2ce.models.decisions.adapter import PROBABILITY
from p2ce.models.decisions.decision import Decision

# Softmax maps a margin that is farther behind the largest one to 0, or to less than any threshold that it is
# used for. So rounding counts only up to here.
_FARTHEST = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearTreeMargins:
    """Sums over trees whose leaves are lines, for values of a magnitude up to ``reach``."""

    columns: tuple[str, ...]
    trees: tuple[LinearForest, ...]  # of each margin
    reach: FloatArray  # (d,)
    precision: float = 1e-9  # of what the library reports

    @property
    def count(self) -> int:
        """The number of margins."""
        return len(self.trees)

    @property
    def on_lines(self) -> frozenset[int]:
        """The columns that lines of leaves use."""
        return frozenset(
            column for trees in self.trees for line in trees.lines for column in line.columns.tolist()
        )

    def _error(self, places: tuple[int, ...]) -> float:
        """Bound the rounding of one sum over the trees of these margins."""
        terms = sum(self.trees[place].terms for place in places)
        return summation_error(2 * terms + 4, sum(self.trees[place].largest(self.reach) for place in places))

    def band(self, plus: int, minus: int | None = None) -> float:
        """Bound how far a sum of the library, or a difference of two, may be from ours."""
        return 2.0 * self._error((plus,) if minus is None else (plus, minus))

    def largest(self) -> float:
        """Bound the magnitudes of all margins, as far as softmax distinguishes them."""
        return min(_FARTHEST, max(trees.largest(self.reach) for trees in self.trees))

    def score(
        self, plus: int, minus: int | None = None, *, sign: float = 1.0, limits: tuple[float, float]
    ) -> Score:
        """Return a sum, or the difference of two, as a score."""
        trees = self.trees[plus]
        if minus is not None:
            trees = joined_trees([trees, self.trees[minus].negated()])
        trees = trees if sign > 0.0 else trees.negated()
        return LinearTreesScore(
            name="model",
            column_count=len(self.columns),
            trees=trees,
            lines=lines_of(trees),
            leaves=leaves_of(trees),
            error=self._error((plus,) if minus is None else (plus, minus)),
            accept_from=limits[0],
            reject_below=limits[1],
        )

    def tolerance(self, decision: Decision, _: Score) -> float:
        """Return a tolerance for the precision of the reported value and the rounding of the margin."""
        band = max(self.band(place) for place in range(self.count))
        if decision.scale == PROBABILITY:
            return self.precision + band
        if decision.wanted is not None:
            return 4.0 * (self.precision + band) * decision.wanted.largest
        return self.precision * max(1.0, self.largest()) + 2.0 * band
