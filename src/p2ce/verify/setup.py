"""Put together everything that does not depend on the person: models, detector, costs, grid, scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray, Int32Array
from p2ce.compiled.score import CompiledScore, seen_as_given
from p2ce.errors import InvalidActions
from p2ce.grid.base_grid import BaseGrid, grid_of
from p2ce.models.reading import LEAD, ReadModel
from p2ce.objectives.base import FittedObjective
from p2ce.plausibility.reading import ReadDetector
from p2ce.problem.actions import ActionSet
from p2ce.search.methods import Method

if TYPE_CHECKING:
    from p2ce.compiled.flat import ScoreLayout
    from p2ce.verify.estimate import Estimate


class Slots(NamedTuple):
    """Where the compiled scores lie in the layout; None for a score that is computed outside."""

    models: tuple[int | None, ...]
    detector: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setup:
    """A question without its person."""

    names: tuple[str, ...]  # the model's columns in its order
    labels: "pd.Index[Any]"  # the same as the caller's frame labels them
    dtypes: dict[str, np.dtype[Any]]
    model: ReadModel
    others: tuple[ReadModel, ...] = ()  # further models that have to accept as well
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
    estimate: "Estimate | None" = None  # prunes without proof, where asked for

    @property
    def models(self) -> tuple[ReadModel, ...]:
        """All models that have to accept."""
        return self.model, *self.others

    @property
    def family(self) -> str:
        """What the models are read as."""
        return " and ".join(model.family for model in self.models)

    @property
    def judges(self) -> ReadDetector | None:
        """The detector, where the method asks for plausible points."""
        return self.detector if self.method.plausible else None

    @property
    def slots(self) -> Slots:
        """Where each score lies in the layout."""
        return slots_of(self.models, self.judges)

    @property
    def in_waves(self) -> bool:
        """Whether some score is computed outside the compiled loop, or an estimate prunes."""
        slots = self.slots
        outside = self.judges is not None and slots.detector is None
        return outside or None in slots.models or self.estimate is not None

    @property
    def same_terms(self) -> bool:
        """Whether all models report on one scale and have to reach one threshold."""
        return len({(model.scale, model.threshold) for model in self.models}) == 1

    @property
    def threshold(self) -> float:
        """What the reported score has to reach."""
        return self.model.threshold if self.same_terms else 0.0

    @property
    def scale(self) -> str:
        """The scale of the reported score."""
        return self.model.scale if self.same_terms else LEAD

    def reported(self, scores: FloatArray) -> FloatArray:
        """Join the scores (models, n) of several models: the lowest, or the least room above thresholds."""
        if not self.same_terms:
            scores = scores - np.array([[model.threshold] for model in self.models])
        lowest: FloatArray = scores.min(axis=0)
        return lowest

    def name_of(self, number: int) -> str:
        """Name a model in messages: by its number where there are several."""
        return "model" if not self.others else f"model number {number + 1}"

    def columns_of(self, model: ReadModel | ReadDetector) -> list[int]:
        """Give the places of a model's or detector's columns among those of the first model."""
        return [self.names.index(name) for name in model.columns]

    @property
    def objective_names(self) -> tuple[str, ...]:
        """What the objectives are called, in the order asked for."""
        return tuple(objective.name for objective in self.objectives)

    def with_actions(self, actions: ActionSet) -> "Setup":
        """Ask the same question over another action set."""
        check_actions(actions, self.names)
        grid = grid_of(actions, columns=self.names)
        return replace(self, actions=actions, grid=grid, layout=layout_of(self, grid))

    def with_models(self, models: Sequence[ReadModel]) -> "Setup":
        """Ask the same question of another reading of the models."""
        changed = replace(self, model=models[0], others=tuple(models[1:]))
        return replace(changed, layout=layout_of(changed, self.grid))


def slots_of(models: Sequence[ReadModel], detector: ReadDetector | None) -> Slots:
    """Number the compiled scores: a model first, the detector behind it, then the other models.

    The compiled search scores the second one densely where it fails often, which a detector does.
    """
    compiled = [i for i, model in enumerate(models) if isinstance(model.score, CompiledScore)]
    has_detector = detector is not None and detector.score is not None
    detector_slot = min(len(compiled), 1) if has_detector else None
    slots: list[int | None] = [None] * len(models)
    for place, i in enumerate(compiled):
        slots[i] = place if place == 0 else place + int(has_detector)
    return Slots(models=tuple(slots), detector=detector_slot)


def layout_of(setup: Setup, grid: BaseGrid) -> "ScoreLayout":
    """Compile the scores of a setup for a grid."""
    return lay_out_scores(setup.models, setup.judges, grid, setup.names)


def lay_out_scores(
    models: Sequence[ReadModel], detector: ReadDetector | None, grid: BaseGrid, names: Sequence[str]
) -> "ScoreLayout":
    """Compile the scores that can be compiled, in the order of their slots."""
    from p2ce.compiled.flat import flatten_scores

    slots = slots_of(models, detector)
    placed: dict[int, CompiledScore] = {}
    for slot, model in zip(slots.models, models, strict=True):
        if slot is not None:
            assert isinstance(model.score, CompiledScore)
            placed[slot] = in_columns_of(model.score, model.columns, names)
    if slots.detector is not None:
        assert detector is not None
        assert detector.score is not None
        placed[slots.detector] = in_columns_of(detector.score, detector.columns, names)
    scores = [placed[slot] for slot in sorted(placed)]
    # Columns that cannot change are filled with zeros: their values never reach a comparison here.
    return flatten_scores(scores, grid, np.zeros(len(names)))


def in_columns_of(score: CompiledScore, own: Sequence[str], names: Sequence[str]) -> CompiledScore:
    """Renumber a score's columns as the first model numbers them."""
    if tuple(own) == tuple(names):
        return score
    place = {name: column for column, name in enumerate(names)}
    columns = np.array([place[name] for name in own], dtype=np.int32)
    forest, weights = score.forest, score.weights
    if forest is not None:
        forest = replace(forest, feature=np.append(columns, np.int32(-1))[forest.feature])
    if weights is not None:
        weights = np.zeros(len(names))
        weights[columns] = score.weights
    see = score.see if score.see is seen_as_given else seen_through(score.see, columns)
    return replace(score, column_count=len(names), forest=forest, weights=weights, see=see)


def seen_through(
    see: Callable[[FloatArray], FloatArray], columns: Int32Array
) -> Callable[[FloatArray], FloatArray]:
    """Show a score its own columns, in its own order, among all columns."""

    def seen(rows: FloatArray) -> FloatArray:
        shown = np.array(rows, dtype=np.float64)
        shown[:, columns] = see(np.ascontiguousarray(rows[:, columns]))
        return shown

    return seen


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
    """Tell for which people (n, d) the readings are proven: a linear model's rounding grows with x."""
    largest = np.maximum(np.abs(values), _largest_candidates(setup))
    inside = np.ones(len(values), dtype=np.bool_)
    for model in setup.models:
        if model.reach is not None:
            inside &= (largest[:, setup.columns_of(model)] <= model.reach).all(axis=1)
    return inside


def needed_reach(setup: Setup, values: FloatArray) -> FloatArray:
    """Give the magnitudes (d,) that the models have to be read for, with room to spare."""
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
