"""Say what a compiled score is: a sum over trees and columns that must reach a threshold."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidModel
from p2ce.scores.forest import Forest


def seen_as_given(rows: FloatArray) -> FloatArray:
    """Hand the rows on unchanged: the model reads the user's values as they are."""
    return rows


def seen_in_single(rows: FloatArray) -> FloatArray:
    """Show rows to a model that casts them to float32; a cast never decreases."""
    with np.errstate(over="ignore"):
        return np.asarray(rows, dtype=np.float64).astype(np.float32).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spending:
    """What the values of some columns take out of a budget, for people who stand somewhere.

    ``of(column, values, current)`` prices values (n, w) of a column for people at current (n, 1). Unlike
    weights it may look at where the person stands, so that a rule can speak of changes.
    """

    columns: tuple[int, ...]
    of: Callable[[int, FloatArray, FloatArray], FloatArray]

    def of_row(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Add up what rows (n, d) spend, the slow and obvious way: (n,)."""
        total = np.zeros(len(after))
        for column in self.columns:
            total += self.of(column, after[:, column, None], before[:, column, None])[:, 0]
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledScore:
    """A score in the form that the search understands.

    The score of a row is ``offset``, plus either ``weights @ seen row`` or one leaf value per tree, added
    in float64 and in that order. ``see`` turns the user's values (n, d) into what the trees and
    weights look at (n, d): the scaler of a pipeline, or nothing. It works column by column. Under trees it
    is non-decreasing in each, so that a split stays a cut; under weights it may be any function.

    The two thresholds are the proven part. A row whose score is at least ``sure`` is accepted by the
    user's own model, one below ``maybe`` is refused by it; in between only the model itself knows,
    since the library adds in another order or precision. ``reject_below <= accept_from``; both may be infinite.

    A rule between features is a score as well: minus what a row spends of a budget.
    """

    name: str
    column_count: int
    offset: float = 0.0
    forest: Forest | None = None
    weights: FloatArray | None = None  # (d,)
    spending: Spending | None = None
    accept_from: float
    reject_below: float
    see: Callable[[FloatArray], FloatArray] = seen_as_given

    def __post_init__(self) -> None:
        # Ticks of trees are shared by all people, those of weights are each person's own.
        kinds = (self.forest, self.weights, self.spending)
        assert sum(kind is not None for kind in kinds) == 1, "a score has trees, or weights, or a budget"
        assert self.reject_below <= self.accept_from
        if self.forest is not None and self.forest.feature.max() >= self.column_count:
            raise InvalidModel(
                f"A tree splits by feature {self.forest.feature.max()}, counted from 0, and there are "
                f"{self.column_count}. The model is damaged; fit or save it again."
            )
