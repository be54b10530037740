"""Margins that are sums over trees."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from p2ce.engine.scores.error_bands import summation_error
from p2ce.engine.scores.score import FlatScore, Score
from p2ce.engine.scores.trees.assemble import assemble_forest, largest_leaves
from p2ce.engine.scores.trees.forest import NO_TREES, Forest
from p2ce.engine.scores.trees.tree_nodes import TreeNodes
from p2ce.models.decisions.adapter import LEAD, PROBABILITY
from p2ce.models.decisions.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestMargin:
    """One margin: ``offset`` plus a leaf of each tree of ``forest``."""

    forest: Forest
    offset: float = 0.0
    error: float = 0.0  # how far the library's rounded margin may be from this sum in real numbers
    band: float = 0.0  # how far it may be from this sum in float64, added in the order of the trees

    @property
    def largest(self) -> float:
        """Bound the margin's magnitude."""
        return abs(self.offset) + float(largest_leaves(self.forest).sum())


def forest_of(trees: list[TreeNodes]) -> Forest:
    """Assemble trees; a model may have no trees."""
    return assemble_forest(trees) if trees else NO_TREES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ForestMargins:
    """Margins over trees, each parsed when it is first needed."""

    columns: tuple[str, ...]
    count: int
    parse: Callable[[int], ForestMargin]
    precision: float  # the relative precision of what the library reports
    share_trees: bool = False  # leaves hold a number per class, so two margins are subtracted leaf by leaf
    reach: None = None
    _parsed: dict[int, ForestMargin] = field(default_factory=dict)

    def margin(self, place: int) -> ForestMargin:
        """Return one of the margins."""
        if place not in self._parsed:
            self._parsed[place] = self.parse(place)
        return self._parsed[place]

    def band(self, plus: int, minus: int | None = None) -> float:
        """Bound the rounding of the library's sum, or of both its sums and our sum over all trees."""
        target = self.margin(plus)
        if minus is None:
            return target.band
        other = self.margin(minus)
        trees = target.forest.tree_count + (0 if self.share_trees else other.forest.tree_count)
        return target.error + other.error + summation_error(trees + 3, target.largest + other.largest)

    def largest(self) -> float:
        """Bound the magnitudes of all margins."""
        return max(self.margin(place).largest for place in range(self.count))

    def score(
        self, plus: int, minus: int | None = None, *, sign: float = 1.0, limits: tuple[float, float]
    ) -> FlatScore:
        """Return a margin, or the difference of two, as one forest."""
        margin = self.margin(plus)
        forest, offset = margin.forest, margin.offset
        if minus is not None:
            other = self.margin(minus)
            subtract = leafwise_difference if self.share_trees else forest_difference
            forest, offset = subtract(forest, other.forest), offset - other.offset
        return FlatScore(
            name="model",
            column_count=len(self.columns),
            offset=sign * offset,
            forest=forest if sign > 0.0 else negated(forest),
            accept_from=limits[0],
            reject_below=limits[1],
        )

    def tolerance(self, decision: Decision, _: Score) -> float:
        """Return a tolerance for the precision of the reported value and the rounding of the margin."""
        margin = self.margin(decision.index if self.count > 1 else 0)
        if decision.scale == PROBABILITY:
            return self.precision + margin.band
        if decision.wanted is not None:
            # Either a lead is as large as the prediction, or the prediction lies within twice the range.
            return 4.0 * (self.precision + margin.band) * decision.wanted.largest
        if decision.scale == LEAD:
            return self.precision * max(1.0, self.largest())
        return self.precision * max(1.0, margin.largest) + margin.band


def forest_difference(plus: Forest, minus: Forest) -> Forest:
    """Join the trees of one forest with those of another, whose values are negated."""
    shift = len(plus.feature)
    return Forest(
        root=np.concatenate([plus.root, minus.root + np.int32(shift)]),
        feature=np.concatenate([plus.feature, minus.feature]),
        threshold=np.concatenate([plus.threshold, minus.threshold]),
        right=np.concatenate(
            [plus.right, np.where(minus.right < 0, -1, minus.right + shift).astype(np.int32)]
        ),
        value=np.concatenate([plus.value, -minus.value]),
    )


def leafwise_difference(plus: Forest, minus: Forest) -> Forest:
    """Subtract the values of two forests with the same trees."""
    return replace(plus, value=plus.value - minus.value)


def negated(forest: Forest) -> Forest:
    """Negate all leaf values of a forest."""
    return replace(forest, value=-forest.value)
