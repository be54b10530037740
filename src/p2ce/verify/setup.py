"""Put together everything that does not depend on the person: model, detector, costs, grid, scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray
from p2ce.compiled.score import CompiledScore
from p2ce.errors import InvalidActions
from p2ce.grid.base_grid import BaseGrid, grid_of
from p2ce.models.reading import ReadModel
from p2ce.objectives.base import FittedObjective
from p2ce.plausibility.reading import ReadDetector
from p2ce.problem.actions import ActionSet
from p2ce.search.methods import Method

if TYPE_CHECKING:
    from p2ce.compiled.flat import ScoreLayout


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setup:
    """A question without its person."""

    names: tuple[str, ...]  # the model's columns in its order
    labels: "pd.Index[Any]"  # the same as the caller's frame labels them
    dtypes: dict[str, np.dtype[Any]]
    model: ReadModel
    detector: ReadDetector | None
    objectives: tuple[FittedObjective, ...]
    actions: ActionSet
    grid: BaseGrid
    layout: "ScoreLayout"
    method: Method
    max_changes: int | None
    keep_ties: bool
    use_bounds: bool
    target: Any
    dtype_names: dict[str, str]  # as every answer repeats them

    @property
    def objective_names(self) -> tuple[str, ...]:
        """What the objectives are called, in the order asked for."""
        return tuple(objective.name for objective in self.objectives)

    def with_actions(self, actions: ActionSet) -> "Setup":
        """Ask the same question over another action set."""
        check_actions(actions, self.names)
        grid = grid_of(actions, columns=self.names)
        return replace(self, actions=actions, grid=grid, layout=layout_of(self, grid))

    def with_model(self, model: ReadModel) -> "Setup":
        """Ask the same question of another reading of the model."""
        changed = replace(self, model=model)
        return replace(changed, layout=layout_of(changed, self.grid))


def layout_of(setup: Setup, grid: BaseGrid) -> "ScoreLayout":
    """Compile the scores of a setup for a grid."""
    return lay_out_scores(setup.model, setup.detector, setup.method, grid, setup.names)


def lay_out_scores(
    model: ReadModel,
    detector: ReadDetector | None,
    method: Method,
    grid: BaseGrid,
    names: Sequence[str],
) -> "ScoreLayout":
    """Compile the model's score and, where the method asks for plausible points, the detector's."""
    from p2ce.compiled.flat import flatten_scores

    scores = [model.score]
    if detector is not None and method.plausible:
        scores.append(in_columns_of(detector.score, detector.columns, names))
    # Columns that cannot change are filled with zeros: their values never reach a comparison here.
    return flatten_scores(scores, grid, np.zeros(len(names)))


def in_columns_of(score: CompiledScore, own: Sequence[str], names: Sequence[str]) -> CompiledScore:
    """Renumber a detector's columns as the model numbers them."""
    if tuple(own) == tuple(names):
        return score
    position = {name: place for place, name in enumerate(names)}
    assert score.forest is not None, "detectors are forests"
    forest = score.forest
    renumber = np.array([*(position[name] for name in own), -1], dtype=np.int32)
    return replace(score, column_count=len(names), forest=replace(forest, feature=renumber[forest.feature]))


def check_actions(actions: object, names: Sequence[str]) -> None:
    """Refuse an action set that does not speak of the model's columns."""
    if not isinstance(actions, ActionSet):
        raise InvalidActions(
            f"actions must be an ActionSet, got {type(actions).__name__}. Start from p2ce.ActionSet.infer(X)."
        )
    missing = [name for name in names if name not in actions.names]
    extra = [name for name in actions.names if name not in names]
    if missing or extra:
        what = f"lacks {missing[0]!r}" if missing else f"has {extra[0]!r}, which the model does not"
        raise InvalidActions(
            f"The action set and the model have different columns: it {what}. "
            "Infer it from the frame that the model was fitted on."
        )


def within_reach(setup: Setup, values: FloatArray) -> BoolArray:
    """Tell for which people (n, d) the model's reading is proven: a linear model's rounding grows with x."""
    if setup.model.reach is None:
        return np.ones(len(values), dtype=np.bool_)
    inside: BoolArray = np.maximum(np.abs(values), _largest_candidates(setup)) <= setup.model.reach
    return np.asarray(inside.all(axis=1))


def needed_reach(setup: Setup, values: FloatArray) -> FloatArray:
    """Give the magnitudes (d,) that the model has to be read for, with room to spare."""
    largest = np.maximum(np.abs(values).max(axis=0, initial=0.0), _largest_candidates(setup))
    return np.asarray(4.0 * np.maximum(largest, 1.0))


def _largest_candidates(setup: Setup) -> FloatArray:
    largest = np.zeros(len(setup.names))
    for column, candidates in zip(setup.grid.columns, setup.grid.values, strict=True):
        largest[column] = np.abs(candidates).max(initial=0.0)
    return largest


def labels_of(reference: pd.DataFrame, names: Sequence[str]) -> "pd.Index[Any]":
    """Give the caller's own column labels in the model's order."""
    labels = {str(label): label for label in reference.columns}
    return pd.Index([labels[name] for name in names], tupleize_cols=False)
