"""Scores: functions of a row that must reach a threshold, and their flat form for the kernel."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from p2ce.base.arrays import FloatArray, Int8Array
from p2ce.base.visible import echoed
from p2ce.engine.scores.external import Placed, PreparedRows, PreparedScore, Verdicts, verdicts_at
from p2ce.engine.scores.trees.forest import Forest, leaves_reached
from p2ce.errors import InvalidModel


class Bound(Enum):
    """What prunes the boxes of the branch and bound, as written in certificates."""

    TREE_LEAVES = "tree leaves"
    LINEAR_LEAVES = "linear leaves"  # of trees whose leaves are lines
    ADDITIVE = "additive"
    NETWORK = "network"
    COMBINED = "combined"  # the bounds of several parts, combined
    COMPLETE = "complete"  # no bound: every cell that is not dominated is evaluated
    SHAP = "shap"  # a calibrated estimate, which proves nothing
    SHAP_PAPER = "shap-paper"  # the paper's estimate
    NONE = "none"  # only costs prune


class Score(Protocol):
    """A function of a row that must reach a threshold: a model, a detector, a rule, an estimate.

    The user's own object accepts every row with a value of at least ``accept_from``, and rejects every row
    with a value below ``reject_below``. In the error band between them, only that object can decide.
    """

    @property
    def name(self) -> str: ...

    @property
    def accept_from(self) -> float: ...

    @property
    def reject_below(self) -> float: ...

    @property
    def bound(self) -> Bound:
        """The kind of its upper bound of a box; `Bound.COMPLETE` if it has none."""
        ...

    @property
    def flat(self) -> "FlatScore | None":
        """The form that kernels evaluate and bound; None for a score evaluated outside, in batches."""
        ...

    def evaluate_rows(self, rows: FloatArray) -> Verdicts:
        """Evaluate rows (n, columns) of codes, each from scratch."""
        ...

    def prepare(self, placed: Placed) -> PreparedScore:
        """Prepare the score for a batch of instances on the grid."""
        ...


def seen_as_given(rows: FloatArray) -> FloatArray:
    """Return the rows unchanged: the model receives the user's values."""
    return rows


def seen_in_single(rows: FloatArray) -> FloatArray:
    """Return rows as a model sees them that casts to float32; a cast never reverses the order of values."""
    with np.errstate(over="ignore"):
        return np.asarray(rows, dtype=np.float64).astype(np.float32).astype(np.float64)


def require_ordered(name: str, accept_from: float, reject_below: float) -> None:
    """Raise if the certified thresholds of a score are not in order, or not numbers."""
    if not reject_below <= accept_from:
        raise InvalidModel(
            f"The score {echoed(name)} expects reject_below <= accept_from, got {reject_below} and "
            f"{accept_from}. Move both outwards by the error of the score, as `widened` does."
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spending:
    """How much the values of some columns spend of a budget, depending on the current values.

    ``of(column, values, current)`` prices values (n, w) of a column for instances at current (n, 1). Unlike
    weights, it depends on the current value, so a rule can restrict changes.
    """

    columns: tuple[int, ...]
    of: Callable[[int, FloatArray, FloatArray], FloatArray]

    def of_row(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Add up the spending of rows (n, d) in the slow and obvious way: (n,)."""
        total = np.zeros(len(after))
        for column in self.columns:
            total += self.of(column, after[:, column, None], before[:, column, None])[:, 0]
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatScore:
    """A score in its flat form: a sum over trees, weights or a budget.

    The score of a row is ``offset``, plus ``weights @ seen row`` or one leaf value per tree, added in float64
    and in that order; or minus what the row spends of a budget. ``see`` converts the user's values (n, d) to
    the inputs of trees and weights (n, d): the scaler of a pipeline, or the identity. It works column by
    column. For trees it must be non-decreasing in each column, so a split stays a cut. For weights it may be
    any function.

    The two thresholds are proven: only between them can the library's order or precision make a difference.
    ``reject_below <= accept_from`` holds; both may be infinite.

    A rule between features is a score too: minus what a row spends of a budget.
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
    # For weights: where the seen value of each column changes, if it is constant in between; None for a
    # column in which it is not. Candidates are placed next to these cuts, as next to those of trees.
    cuts: tuple[FloatArray | None, ...] | None = None

    def __post_init__(self) -> None:
        # Each score is of one kind. For trees, the kernel's integer units (ticks) have one scale for all
        # instances; for sums, they have one scale per instance.
        given = [name for name in ("forest", "weights", "spending") if getattr(self, name) is not None]
        if len(given) != 1:
            raise InvalidModel(
                f"The score {echoed(self.name)} expects one of forest, weights and spending, got "
                f"{' and '.join(given) or 'none'}. Return several scores for a model that adds several kinds."
            )
        require_ordered(self.name, self.accept_from, self.reject_below)
        if self.weights is not None and self.weights.shape != (self.column_count,):
            raise InvalidModel(
                f"The score {echoed(self.name)} expects {self.column_count} weights, one for each column, "
                f"got shape {self.weights.shape}. Give columns that the model does not use the weight 0."
            )
        if self.forest is not None and self.forest.feature.max() >= self.column_count:
            raise InvalidModel(
                f"A tree splits by feature {self.forest.feature.max()} (counted from 0), but the model has "
                f"only {self.column_count} features. The model is damaged; fit or save it again."
            )

    @property
    def bound(self) -> Bound:
        """The bound: reachable leaves for trees, largest terms for sums."""
        return Bound.ADDITIVE if self.forest is None else Bound.TREE_LEAVES

    @property
    def flat(self) -> "FlatScore":
        """The score itself: it is flat."""
        return self

    def evaluate_rows(self, rows: FloatArray) -> Verdicts:
        """Evaluate rows in the slow and obvious way; not for budgets, which also depend on the instance."""
        assert self.spending is None
        value = score_rows(self, rows)
        return Verdicts(self.verdicts(value), value)

    def verdicts(self, value: FloatArray) -> Int8Array:
        """Compare values (n,) with the certified thresholds."""
        return verdicts_at(value, self.accept_from, self.reject_below)

    def prepare(self, placed: Placed) -> PreparedScore:
        """Return the score for whole rows; `flat_arrays` is the kernel's form of all flat scores together."""
        return PreparedRows(evaluate_rows=self.evaluate_rows, placed=placed)


def score_rows(score: FlatScore, rows: FloatArray) -> FloatArray:
    """Add offset, weights and leaves in the order that `FlatScore` promises: (n, d) → (n,).

    This is the slow and obvious way: the twin that tests compare every fast routine with.
    """
    seen = score.see(np.asarray(rows, dtype=np.float64))
    total = np.full(len(seen), score.offset, dtype=np.float64)
    if score.weights is not None:
        for column, weight in enumerate(score.weights):
            total = total + weight * seen[:, column]
    if score.forest is not None:
        reached = leaves_reached(score.forest, seen)
        for tree in range(score.forest.tree_count):
            total = total + score.forest.value[reached[:, tree]]
    return total
