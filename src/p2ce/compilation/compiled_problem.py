"""Put together everything that does not depend on the person: models, detector, costs, grid, scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.compilation.encode import has_unseen_categories
from p2ce.compilation.grouped_features import compounds_for, groups_of, has_links, limits_of
from p2ce.compilation.refine_grid import Detail, Refinement, one_way, refined
from p2ce.compilation.rule_scores import CheckedRule, columns_to_miss, read_rules
from p2ce.decisions.model_adapter import LEAD, ModelAdapter
from p2ce.detectors.detector_adapter import DetectorAdapter
from p2ce.grid.base_grid import BaseGrid, grid_of
from p2ce.grid.grouped_axis import Compound, narrow, widen
from p2ce.grid.placement import Placement, point_rows
from p2ce.objectives.objective import FittedObjective
from p2ce.paper.methods import EXACT, Mapocam
from p2ce.problem.actions import ActionSet
from p2ce.result.categories import Categories
from p2ce.result.outcome_text import shown_end
from p2ce.result.question import Question
from p2ce.scores.grouped_columns import onto_compounds
from p2ce.scores.score import CompiledScore, seen_as_given
from p2ce.tables.codebook import MISSING, Codebook

if TYPE_CHECKING:
    from p2ce.explain.fit_estimate import Estimate
    from p2ce.explain.paper_methods import Attributions
    from p2ce.scores.flat_arrays import ScoreLayout


class Slots(NamedTuple):
    """Where the compiled scores lie in the layout; None for a score that is computed outside."""

    models: tuple[tuple[int | None, ...], ...]  # for each model, of each of its scores
    detector: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """A question without its person."""

    names: tuple[str, ...]  # the model's columns in its order
    labels: "pd.Index[Any]"  # the same as the caller's frame labels them
    codebook: Codebook  # how each column is coded
    nullable: frozenset[str]  # columns in which the models are read for missing values as well
    model: ModelAdapter
    others: tuple[ModelAdapter, ...] = ()  # further models that have to accept as well
    detector: DetectorAdapter | None
    objectives: tuple[FittedObjective, ...]
    actions: ActionSet
    rules: tuple[CheckedRule, ...]
    compounds: tuple[Compound, ...]  # columns that move as one
    method: Mapocam | None  # one of the paper's algorithms; None for the exact search
    max_changes: int | None
    keep_ties: bool
    use_bounds: bool
    target: Any
    margin: float = 0.0  # that was asked for; thresholds and ends hold it already
    dtype_names: dict[str, str]  # as every answer repeats them
    categories: dict[str, Categories]  # likewise
    question: Question | None = None  # as every answer tells it
    estimate: "Estimate | None" = None  # prunes without proof, where asked for
    attributions: "Attributions | None" = None  # for the paper's algorithms
    refinement: Refinement | None = None  # what inferred candidates are refined by; None: by nothing
    finest: bool = False  # whether inferred candidates are all that can be told apart
    searched: ActionSet = field(default=None)  # type: ignore[assignment]  # actions as refined, by laid_out()
    grid: BaseGrid = field(default=None)  # type: ignore[assignment]  # by laid_out()
    layout: "ScoreLayout" = field(default=None)  # type: ignore[assignment]  # by laid_out()
    is_personal: bool = False  # made for one person, who alone moves like this
    scores: tuple[CompiledScore, ...] = ()  # all that are compiled, over everybody's columns
    _finest: "list[Problem | None]" = field(default_factory=list, init=False)  # made when first needed

    @property
    def shared(self) -> int:
        """How many of the compounds are everybody's: one-hot groups, which come before a person's links."""
        return sum(compound.is_category for compound in self.compounds)

    @property
    def models(self) -> tuple[ModelAdapter, ...]:
        """All models that have to accept."""
        return self.model, *self.others

    @property
    def family(self) -> str:
        """What the models are read as."""
        return " and ".join(model.family for model in self.models)

    @property
    def method_name(self) -> str:
        """What the search is called."""
        return EXACT if self.method is None else self.method.name

    @property
    def judges(self) -> DetectorAdapter | None:
        """The detector, where the method asks for plausible points."""
        return self.detector if self.method is None or self.method.plausible else None

    @property
    def slots(self) -> Slots:
        """Where each score lies in the layout."""
        return slots_of(self.models, self.judges)

    @property
    def asks(self) -> bool:
        """Whether a model, detector or rule can only be asked."""
        detector = self.judges is not None and self.slots.detector is None
        return detector or any(one.is_black_box for one in self.models) or any(one.asks for one in self.rules)

    @property
    def in_waves(self) -> bool:
        """Whether some score is computed outside the compiled loop, or an estimate prunes."""
        networks = any(None in places for places in self.slots.models)
        return self.asks or networks or self.estimate is not None

    @property
    def same_terms(self) -> bool:
        """Whether all models report on one scale and have to reach one threshold, as people write it."""
        return len({(model.scale, shown_end(model.threshold)) for model in self.models}) == 1

    @property
    def threshold(self) -> float:
        """What the reported score has to reach."""
        return max(model.threshold for model in self.models) if self.same_terms else 0.0

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

    def columns_of(self, model: ModelAdapter | DetectorAdapter) -> list[int]:
        """Give the places of a model's or detector's columns among those of the first model."""
        return [self.names.index(name) for name in model.columns]

    @property
    def objective_names(self) -> tuple[str, ...]:
        """What the objectives are called, in the order asked for."""
        return tuple(objective.name for objective in self.objectives)

    def with_actions(self, actions: ActionSet) -> "Problem":
        """Ask the same question over another action set."""
        changed = replace(
            self,
            actions=actions,
            rules=read_rules(actions, self.codebook),
            compounds=groups_of(actions, self.codebook),
        )
        return changed.laid_out()

    def with_limit(self, max_changes: int | None) -> "Problem":
        """Ask the same question with another limit of changes; an estimate was made for this one only."""
        changed = replace(self, max_changes=max_changes, estimate=None)
        return changed.laid_out() if self.compounds else changed

    def for_person(self, values: FloatArray) -> "Problem":
        """Ask the same question of one person (d,), whose features move as those of nobody else do."""
        groups = self.compounds[: self.shared]
        compounds = compounds_for(self.searched, self.codebook, groups, values)
        personal = replace(self, compounds=compounds, is_personal=True)
        if all(own is shared for own, shared in zip(compounds, groups, strict=False)):
            return personal._on_grid()
        return personal.laid_out()

    def laid_out(self) -> "Problem":
        """Make the scores and the grid anew."""
        return replace(self, scores=scores_of(self), searched=self._refined())._on_grid()

    def on_finest_grid(self) -> "Problem | None":
        """Ask the same question on the finest grid; None where nothing was inferred, or it is this one."""
        if self.finest or self.refinement is None:
            return None
        if not self._finest:
            finer = replace(self, finest=True, estimate=None).laid_out()
            same = finer.searched == self.searched
            self._finest.append(None if same else finer)
        return self._finest[0]

    @property
    def detail(self) -> Detail:
        """How fine the grid is where candidates were inferred."""
        if self.finest:
            return Detail.FINEST
        return Detail.THINNED if self.in_waves else Detail.USUAL

    def _refined(self) -> ActionSet:
        if self.refinement is None:
            return self.actions
        return refined(self.actions, self.refinement, self.detail)

    def _on_grid(self) -> "Problem":
        sides = {} if self.refinement is None else one_way(self.actions, self.refinement, self.detail)
        grid = grid_of(
            self.searched,
            columns=self.names,
            codebook=self.codebook,
            compounds=self.compounds,
            one_way=sides,
        )
        return replace(self, grid=grid, layout=layout_of(self, grid))

    def with_models(
        self, models: Sequence[ModelAdapter], *, detector: DetectorAdapter | None, nullable: frozenset[str]
    ) -> "Problem":
        """Ask the same question of another reading of the models and the detector."""
        changed = replace(
            self, model=models[0], others=tuple(models[1:]), detector=detector, nullable=nullable
        )
        return changed.laid_out()

    def frame(self, rows: FloatArray) -> pd.DataFrame:
        """Write rows (n, d) as the caller would: a frame of the columns' own labels and types."""
        return self.codebook.decode(rows, self.labels)

    def rows(
        self, values: FloatArray, placement: Placement, owner: IntArray, points: Int32Array
    ) -> FloatArray:
        """Write points of people (n, wide) as rows of the user's columns: (points, d)."""
        return narrow(point_rows(self.grid.columns, values, placement.values, owner, points), self.compounds)


def slots_of(models: Sequence[ModelAdapter], detector: DetectorAdapter | None) -> Slots:
    """Number the compiled scores: a model first, the detector behind it, then the other scores of models.

    The compiled search scores the second one densely where it fails often, which a detector does. Rules
    come behind all of them.
    """
    has_detector = detector is not None and detector.score is not None
    count = 0
    slots: list[tuple[int | None, ...]] = []
    for model in models:
        places: list[int | None] = []
        for score in model.scores:
            if not isinstance(score, CompiledScore):
                places.append(None)
                continue
            places.append(count if count == 0 else count + int(has_detector))
            count += 1
        slots.append(tuple(places))
    return Slots(models=tuple(slots), detector=min(count, 1) if has_detector else None)


def layout_of(problem: Problem, grid: BaseGrid) -> "ScoreLayout":
    """Compile the scores of a setup for a grid."""
    from p2ce.scores.flat_arrays import flatten_scores

    shared, own = problem.compounds[: problem.shared], problem.compounds[problem.shared :]
    scores = [onto_compounds(score, own) for score in problem.scores]
    scores += limits_of(
        problem.compounds, problem.actions, problem.codebook, grid.columns.tolist(), problem.max_changes
    )
    # Columns that cannot change are filled with zeros: their values never reach a comparison here.
    return flatten_scores(scores, grid, np.zeros(len(problem.names) + len(shared) + len(own)))


def scores_of(problem: Problem) -> tuple[CompiledScore, ...]:
    """List the scores that can be compiled, in the order of their slots, and the rules behind them."""
    models, detector, slots, names = problem.models, problem.judges, problem.slots, problem.names
    placed: dict[int, CompiledScore] = {}
    for places, model in zip(slots.models, models, strict=True):
        for slot, score in zip(places, model.scores, strict=True):
            if slot is not None:
                assert isinstance(score, CompiledScore)
                placed[slot] = in_columns_of(score, model.columns, names)
    if slots.detector is not None:
        assert detector is not None
        assert detector.score is not None
        placed[slots.detector] = in_columns_of(detector.score, detector.columns, names)
    scores = [placed[slot] for slot in sorted(placed)]
    scores += [score for rule in problem.rules for score in rule.scores(names)]
    return tuple(onto_compounds(score, problem.compounds[: problem.shared]) for score in scores)


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


def within_reach(problem: Problem, values: FloatArray) -> BoolArray:
    """Tell for which people (n, d) the question holds as it is; the others need one of their own."""
    return read_for(problem, values) & shaped_for(problem, values)


def read_for(problem: Problem, values: FloatArray) -> BoolArray:
    """Tell for which people (n, d) the readings are proven.

    A linear model's rounding grows with x, and what a model makes of missing values is read only for the
    columns in which they may turn up.
    """
    # What may be made missing is missing in somebody's candidates.
    inside = np.full(len(values), columns_to_miss(problem.actions) <= problem.nullable)
    missing = values == MISSING
    if missing.any():
        unread = np.array([name not in problem.nullable for name in problem.names])
        inside &= ~(missing & unread).any(axis=1)
    if not all(model.knows_unseen_categories or model.score is None for model in problem.models):
        inside &= ~has_unseen_categories(problem.codebook, values)
    largest = None
    for model in problem.models:
        if model.reach is not None:
            if largest is None:
                largest = np.maximum(_magnitude(values), _largest_candidates(problem))
            inside &= (largest[:, problem.columns_of(model)] <= model.reach).all(axis=1)
    return inside


def shaped_for(problem: Problem, values: FloatArray) -> BoolArray:
    """Tell for which people (n, d) the axes are made: links depend on where a person stands."""
    if has_links(problem.actions):
        return np.full(len(values), problem.is_personal)
    return np.asarray(~np.isnan(widen(values, problem.compounds)).any(axis=1))


def needed_reach(problem: Problem, values: FloatArray) -> FloatArray:
    """Give the magnitudes (d,) that the models have to be read for, with room to spare."""
    largest = np.maximum(_magnitude(values).max(axis=0, initial=0.0), _largest_candidates(problem))
    return np.asarray(4.0 * np.maximum(largest, 1.0))


def _largest_candidates(problem: Problem) -> FloatArray:
    largest = np.zeros(len(problem.names))
    for column, candidates in zip(problem.grid.columns, problem.grid.values, strict=True):
        if column < len(largest):
            largest[column] = _magnitude(candidates).max(initial=0.0)
    for compound in problem.compounds:
        largest[compound.members] = _magnitude(compound.levels).max(axis=0)
    return largest


def _magnitude(values: FloatArray) -> FloatArray:
    return np.where(values == MISSING, 0.0, np.abs(values))


def labels_of(reference: pd.DataFrame, names: Sequence[str]) -> "pd.Index[Any]":
    """Give the caller's own column labels in the model's order."""
    labels = {str(label): label for label in reference.columns}
    return pd.Index([labels[name] for name in names], tupleize_cols=False)


def without_special(actions: ActionSet, names: Sequence[str], values: FloatArray) -> FloatArray:
    """Show special values as missing, which is how they count in costs: values (n, columns, …) of names.

    A code is no number: leaving it is a change of category, however far from the numbers it was written.
    """
    codes = {place: actions[name].special for place, name in enumerate(names) if name in actions.names}
    if not any(codes.values()):
        return values
    shown = values.copy()
    for place, special in codes.items():
        if special:
            shown[:, place][np.isin(shown[:, place], special)] = MISSING
    return shown
