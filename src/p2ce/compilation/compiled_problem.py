"""Compile everything that does not depend on the instance: models, detector, costs, grid, scores."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray
from p2ce.compilation.encode import has_unseen_categories
from p2ce.compilation.grouped_features import compounds_for, groups_of, has_links, limits_of
from p2ce.compilation.refine_grid import Detail, Refinement, one_way, refined
from p2ce.compilation.requirements import Requirement, Source, requirements_of
from p2ce.compilation.rule_scores import CompiledRule, columns_to_miss, resolve_rules
from p2ce.decisions.model_adapter import LEAD, ModelAdapter
from p2ce.detectors.detector_adapter import DetectorAdapter
from p2ce.estimates.attributions import Attributions
from p2ce.estimates.estimate import Estimate
from p2ce.grid.base_grid import BaseGrid, grid_of
from p2ce.grid.grouped_axis import Compound, widen
from p2ce.objectives.objective import FittedObjective
from p2ce.problem.actions import ActionSet
from p2ce.problem.method import EXACT, Mapocam
from p2ce.result.categories import Categories
from p2ce.result.outcome_text import shown_end
from p2ce.result.question import Question
from p2ce.scores.black_box_score import BlackBoxScore
from p2ce.scores.grouped_columns import onto_compounds
from p2ce.tables.codebook import MISSING, Codebook

if TYPE_CHECKING:
    from p2ce.scores.flat_arrays import ScoreLayout


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """A compiled problem: no instance is in it."""

    names: tuple[str, ...]  # the model's columns in its order
    labels: "pd.Index[Any]"  # the same as the caller's frame labels them
    codebook: Codebook  # how each column is coded
    nullable: frozenset[str]  # columns in which the models are parsed for missing values as well
    model: ModelAdapter
    others: tuple[ModelAdapter, ...] = ()  # further models that have to accept as well
    detector: DetectorAdapter | None
    objectives: tuple[FittedObjective, ...]
    actions: ActionSet
    rules: tuple[CompiledRule, ...]
    compounds: tuple[Compound, ...]  # columns that move together
    method: Mapocam | None  # one of the paper's algorithms; None for the exact solver
    max_changes: int | None
    keep_ties: bool
    use_bounds: bool
    target: Any
    margin: float = 0.0  # as given; thresholds and ends hold it already
    dtype_names: dict[str, str]  # as every explanation repeats them
    categories: dict[str, Categories]  # likewise
    question: Question | None = None  # as every explanation states it
    estimate: Estimate | None = None  # prunes without proof
    attributions: Attributions | None = None  # for the paper's algorithms
    refinement: Refinement | None = None  # what inferred candidates are refined by; None: by nothing
    finest: bool = False  # whether inferred candidates are all that can be told apart
    searched: ActionSet = field(default=None)  # type: ignore[assignment]  # actions as refined, by laid_out()
    grid: BaseGrid = field(default=None)  # type: ignore[assignment]  # by laid_out()
    layout: "ScoreLayout" = field(default=None)  # type: ignore[assignment]  # by laid_out()
    is_personal: bool = False  # made for one instance, whose linked features move like no other's
    # What a counterfactual must reach, in the order of evaluation; flat scores are numbered as in the layout.
    requirements: tuple[Requirement, ...] = ()
    _finest: "list[Problem | None]" = field(default_factory=list, init=False)  # made when first needed

    @property
    def shared(self) -> int:
        """How many of the compounds all instances share: one-hot groups, which come before an instance's links."""
        return sum(compound.is_category for compound in self.compounds)

    @property
    def models(self) -> tuple[ModelAdapter, ...]:
        """All models that have to accept."""
        return self.model, *self.others

    @property
    def family(self) -> str:
        """What the models are parsed as."""
        return " and ".join(model.family for model in self.models)

    @property
    def method_name(self) -> str:
        """What the method is called."""
        return EXACT if self.method is None else self.method.name

    @property
    def required_detector(self) -> DetectorAdapter | None:
        """The detector, where the method requires plausible counterfactuals."""
        return self.detector if self.method is None or self.method.plausible else None

    @property
    def calls_user_code(self) -> bool:
        """Whether a black-box model, detector or rule is called during the search."""
        return any(isinstance(one.score, BlackBoxScore) for one in self.requirements)

    @property
    def is_compiled(self) -> bool:
        """Whether the kernel alone evaluates every cell, and no estimate prunes."""
        return self.estimate is None and all(one.score.flat is not None for one in self.requirements)

    def numbers_of(self, source: Source, model: int | None = None) -> list[int]:
        """Give the numbers of the requirements of the detector, or of one model."""
        return [
            number
            for number, one in enumerate(self.requirements)
            if one.source is source and one.model == model
        ]

    @property
    def flat_detector(self) -> int | None:
        """The number of the detector's score in the layout; None where there is none."""
        return next(
            (
                number
                for number, one in enumerate(self.requirements)
                if one.source is Source.DETECTOR and one.score.flat is not None
            ),
            None,
        )

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
        """What the objectives are called, in the order given."""
        return tuple(objective.name for objective in self.objectives)

    def with_actions(self, actions: ActionSet) -> "Problem":
        """Compile the same problem over another action set."""
        changed = replace(
            self,
            actions=actions,
            rules=resolve_rules(actions, self.codebook),
            compounds=groups_of(actions, self.codebook),
        )
        return changed.laid_out()

    def with_limit(self, max_changes: int | None) -> "Problem":
        """Compile the same problem with another limit of changes; an estimate was made for this one only."""
        changed = replace(self, max_changes=max_changes, estimate=None)
        return changed.laid_out() if self.compounds else changed

    def for_instance(self, values: FloatArray) -> "Problem":
        """Compile the same problem for one instance (d,), whose linked features move from where it stands."""
        groups = self.compounds[: self.shared]
        compounds = compounds_for(self.searched, self.codebook, groups, values)
        personal = replace(self, compounds=compounds, is_personal=True)
        if all(own is shared for own, shared in zip(compounds, groups, strict=False)):
            return personal._on_grid()
        return personal.laid_out()

    def laid_out(self) -> "Problem":
        """Make the requirements and the grid anew."""
        listed = replace(self, requirements=requirements_of(self))
        return replace(listed, searched=listed._refined())._on_grid()

    def on_finest_grid(self) -> "Problem | None":
        """Compile the same problem on the finest grid; None where nothing was inferred, or it is this one."""
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
        return Detail.USUAL if self.is_compiled else Detail.THINNED

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
        """Compile the same problem with models and detector that were parsed again."""
        changed = replace(
            self, model=models[0], others=tuple(models[1:]), detector=detector, nullable=nullable
        )
        return changed.laid_out()

    def frame(self, rows: FloatArray) -> pd.DataFrame:
        """Write rows (n, d) as the caller would: a frame of the columns' own labels and types."""
        return self.codebook.decode(rows, self.labels)


def layout_of(problem: Problem, grid: BaseGrid) -> "ScoreLayout":
    """Flatten the scores of a problem for a grid."""
    from p2ce.scores.flat_arrays import flatten_scores

    shared, own = problem.compounds[: problem.shared], problem.compounds[problem.shared :]
    flat = [one.score.flat for one in problem.requirements]
    scores = [onto_compounds(score, own) for score in flat if score is not None]
    scores += limits_of(
        problem.compounds, problem.actions, problem.codebook, grid.columns.tolist(), problem.max_changes
    )
    # Columns that cannot change are filled with zeros: their values never reach a comparison here.
    return flatten_scores(scores, grid, np.zeros(len(problem.names) + len(shared) + len(own)))


def within_reach(problem: Problem, values: FloatArray) -> BoolArray:
    """Tell for which instances (n, d) the problem holds as it is; the others need one of their own."""
    return parsed_for(problem, values) & shaped_for(problem, values)


def parsed_for(problem: Problem, values: FloatArray) -> BoolArray:
    """Tell for which instances (n, d) the parsed scores are proven.

    A linear model's rounding grows with x, and missing-value behaviour is parsed only for the columns in
    which values may be missing.
    """
    # What may be made missing is missing in some candidates.
    inside = np.full(len(values), columns_to_miss(problem.actions) <= problem.nullable)
    missing = values == MISSING
    if missing.any():
        unknown = np.array([name not in problem.nullable for name in problem.names])
        inside &= ~(missing & unknown).any(axis=1)
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
    """Tell for which instances (n, d) the axes are made: links depend on the instance."""
    if has_links(problem.actions):
        return np.full(len(values), problem.is_personal)
    return np.asarray(~np.isnan(widen(values, problem.compounds)).any(axis=1))


def needed_reach(problem: Problem, values: FloatArray) -> FloatArray:
    """Give the magnitudes (d,) that the models have to be parsed for, with room to spare."""
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
