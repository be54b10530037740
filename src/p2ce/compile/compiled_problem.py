"""The compiled problem in three records: what is stated, what is parsed, and what is laid out for the search.

Each is complete when it exists, and knows everything that the one before knows. None holds an instance. A
function takes the smallest record that it needs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.compile.grouped_features import chains_of
from p2ce.compile.linked_levels import levels_of
from p2ce.compile.own_plausibility import IGNORE, OfToday
from p2ce.compile.refine_grid import Detail, Refinement
from p2ce.compile.report_points import SettledReport
from p2ce.compile.requirements import Origin, Requirement
from p2ce.compile.rule_scores import CompiledRule, columns_to_miss
from p2ce.engine.grid.base_grid import BaseGrid, OneWay
from p2ce.engine.grid.grouped_axis import Chain, ChainLevels, Compound
from p2ce.engine.scores.black_box_score import BlackBoxScore
from p2ce.engine.scores.score import Bound, FlatScore, Score
from p2ce.engine.solver.settings import Settings, make_settings
from p2ce.models.decisions.adapter import LEAD, Adapter
from p2ce.models.estimates.attributions import Attributions
from p2ce.models.estimates.calibration import FittedEstimate
from p2ce.objectives import Objective
from p2ce.objectives.objective import FittedObjective
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.inference.relations import Relation
from p2ce.policy.policy import Policy
from p2ce.result.columns import Categories
from p2ce.result.problem_record import ProblemRecord
from p2ce.result.target import shown_end
from p2ce.tables.codebook import MISSING, Codebook

if TYPE_CHECKING:
    from p2ce.compile.own_ranges import RowLimits
    from p2ce.engine.scores.flat.flat_arrays import ScoreLayout


EXACT: Final = "exact"  # the name of this project's own search in certificates


class PaperMethod(Protocol):
    """The settings of the paper's algorithms (`p2ce.paper`) that compiling a problem needs."""

    @property
    def name(self) -> str:
        """The name of the algorithm in certificates."""
        ...

    @property
    def plausible(self) -> bool:
        """Whether counterfactuals must be plausible."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class StatedProblem:
    """What the caller states, with every default settled."""

    target: Any
    outcome: str  # what the target means in texts; "" if nothing shows it
    margin: float  # as passed; thresholds and ends already include it
    policy: Policy
    wanted: tuple[Objective, ...]
    max_changes: int | None
    method: PaperMethod | None  # one of the paper's algorithms; None for the exact solver
    keep_ties: bool
    refines: bool  # whether values between inferred candidates, close to the front, are tried
    use_bounds: bool
    plausibility_of_today: OfToday  # whether it is enough to be as plausible as the instance
    prices_plausibility: bool  # whether a second search drops the requirement of plausibility

    @cached_property
    def method_name(self) -> str:
        """The name of the method."""
        return EXACT if self.method is None else self.method.name

    @cached_property
    def associated(self) -> dict[str, FeaturePolicy]:
        """The features that go with the favourable outcome in one direction."""
        return {feature.name: feature for feature in self.policy.features if feature.association}

    @cached_property
    def grid_is_inferred(self) -> bool:
        """Whether the data chose the candidates of some feature."""
        return any(feature.is_inferred and not feature.fixed for feature in self.policy.features)


@dataclass(frozen=True, kw_only=True, eq=False)
class ParsedProblem(StatedProblem):
    """What was learnt from the models, the detector and the reference, in terms of codes."""

    names: tuple[str, ...]  # the model's columns in its order
    labels: "pd.Index[Any]"  # the same columns, with the labels of the caller's frame
    dtype_names: dict[str, str]  # repeated in every explanation
    categories: dict[str, Categories]  # likewise
    codebook: Codebook  # how each column is coded
    nullable: frozenset[str]  # the columns in which the models are also parsed for missing values
    model: Adapter
    others: tuple[Adapter, ...]  # further models that must accept too
    detector: Adapter | None
    objectives: tuple[FittedObjective, ...]
    rules: tuple[CompiledRule, ...]
    relations: tuple[Relation, ...]  # relations that hold in the whole reference, but are not in force
    compounds: tuple[Compound, ...]  # one-hot groups
    refinement: Refinement | None  # what refines inferred candidates; None if nothing does
    report: SettledReport | None = None  # how scores are shown in points

    @cached_property
    def models(self) -> tuple[Adapter, ...]:
        """All models that must accept."""
        return self.model, *self.others

    @cached_property
    def family(self) -> str:
        """The families of the models."""
        return " and ".join(model.family for model in self.models)

    @cached_property
    def required_detector(self) -> Adapter | None:
        """The detector, if the method requires plausible counterfactuals."""
        return self.detector if self.method is None or self.method.plausible else None

    @cached_property
    def own_plausibility_counts(self) -> bool:
        """Whether a counterfactual may be as implausible as its instance; never in the paper's algorithms."""
        is_strict = self.plausibility_of_today == IGNORE or self.method is not None
        return self.required_detector is not None and not is_strict

    @cached_property
    def detector_gap(self) -> float:
        """How far apart two compiled scores must be for the detector itself to order them in the same way.

        This is the width of its error band. Rounding moves scores at the threshold by half of the width, and
        it moves two scores anywhere by at most the full width. Twice the width is used. It is 0 if the score
        is the detector.
        """
        detector = self.required_detector
        if detector is None or detector.score is None or detector.is_its_score:
            return 0.0
        width = detector.score.accept_from - detector.score.reject_below
        return max(2.0 * width, float(np.finfo(np.float64).tiny))

    @cached_property
    def features(self) -> tuple[FeaturePolicy, ...]:
        """The policy of each column, in the model's order."""
        return tuple(self.policy[name] for name in self.names)

    @cached_property
    def rounded_columns(self) -> tuple[int, ...]:
        """The columns whose displayed values are rounded."""
        numbers = [not feature.is_category for feature in self.features]
        rounds = [feature.display.decimals is not None for feature in self.features]
        return tuple(np.flatnonzero(np.logical_and(numbers, rounds)).tolist())

    @cached_property
    def special_codes(self) -> dict[int, tuple[float, ...]]:
        """The special values, by column."""
        return {column: one.special for column, one in enumerate(self.features) if one.special}

    @cached_property
    def parsed_for_missing(self) -> bool:
        """Whether the models are parsed for missing values in all columns that may go missing."""
        return columns_to_miss(self.policy) <= self.nullable

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """The chains of linked features."""
        return chains_of(self.policy, self.names)

    @cached_property
    def groups(self) -> tuple[Compound | Chain, ...]:
        """All grouped features, in the order of their columns, which follow the user's."""
        return *self.compounds, *self.chains

    @cached_property
    def objective_names(self) -> tuple[str, ...]:
        """The names of the objectives, in their order."""
        return tuple(objective.name for objective in self.objectives)

    @cached_property
    def _same_terms(self) -> bool:
        """Whether all models report on the same scale and must reach the same threshold, as displayed."""
        return len({(model.scale, shown_end(model.threshold)) for model in self.models}) == 1

    @cached_property
    def score_tolerance(self) -> float:
        """By how much a black box may score a row differently from call to call, as the user states it."""
        return max(model.score_tolerance for model in self.models)

    @cached_property
    def threshold(self) -> float:
        """The threshold that the joint score must reach; with ``at_most``, minus the limit."""
        return max(model.threshold for model in self.models) if self._same_terms else 0.0

    @cached_property
    def negated(self) -> bool:
        """Whether the joint score is minus what is reported, which must be at most so much."""
        return self._same_terms and self.model.negated

    @cached_property
    def direction(self) -> float:
        """What joint scores are multiplied by for explanations: -1 with ``at_most``, else 1."""
        return -1.0 if self.negated else 1.0

    @cached_property
    def at_least(self) -> float | None:
        """What the reported score must be at least; None if it must be at most so much."""
        return None if self.negated else self.threshold

    @cached_property
    def at_most(self) -> float | None:
        """What the reported score must be at most; None if it must be at least so much."""
        return -self.threshold if self.negated else None

    @cached_property
    def scale(self) -> str:
        """The scale of the reported score."""
        return self.model.scale if self._same_terms else LEAD

    def joint(self, scores: FloatArray) -> FloatArray:
        """Join the scores (models, n) of several models: the lowest, or the least lead on a threshold."""
        if not self._same_terms:
            scores = scores - np.array([[model.threshold] for model in self.models])
        lowest: FloatArray = scores.min(axis=0)
        return lowest

    def name_of(self, number: int) -> str:
        """Return the name of a model in messages: with its number if there are several."""
        return "model" if not self.others else f"model number {number + 1}"

    def columns_of(self, model: Adapter) -> list[int]:
        """Return the positions of a model's or detector's columns among those of the first model."""
        place = {name: at for at, name in enumerate(self.names)}
        return [place[name] for name in model.columns]

    def frame(self, rows: FloatArray) -> pd.DataFrame:
        """Return rows (n, d) as a frame with the caller's column labels and types."""
        return self.codebook.decode(rows, self.labels)

    @cached_property
    def limits_changes(self) -> bool:
        """Whether a feature has a limit relative to each instance's current value."""
        return any(feature.change is not None for feature in self.features)

    @cached_property
    def needs_refining(self) -> bool:
        """Whether values between inferred candidates may be better: not if all thresholds are candidates."""
        return self.refines and any(
            not column.models_are_steps for column in (self.refinement or {}).values()
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem(ParsedProblem):
    """A problem that is laid out for the search: its scores, and the candidates on every axis."""

    record: ProblemRecord  # part of every explanation
    # (few, columns) rows of the reference that the models accept, and the seconds for evaluating a row: a
    # search under a time limit begins with them.
    accepted: FloatArray
    row_seconds: float
    # The scores that a counterfactual must reach, in the order of evaluation; flat ones as in the layout.
    requirements: tuple[Requirement, ...]
    detail: Detail  # how fine the grid is where candidates were inferred
    searched: Policy  # the policy with these candidates
    one_way: Mapping[str, OneWay]  # its candidates for one direction only
    grid: BaseGrid
    layout: "ScoreLayout"
    is_personal: bool = False  # laid out for one instance, whose one-hot group is at a level that only it has
    estimate: FittedEstimate | None = None  # prunes without proof
    attributions: Attributions | None = None  # for the paper's algorithms

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What every explanation states about its problem, by the fields of `Explanation`."""
        return {
            "at_least": self.at_least,
            "at_most": self.at_most,
            "margin": self.margin,
            "scale": self.scale,
            "models": len(self.models),
            "target": self.target,
            "objectives": self.objective_names,
            "dtypes": self.dtype_names,
            "categories": self.categories,
            "problem": self.record,
        }

    @cached_property
    def flat_scores(self) -> tuple[FlatScore | None, ...]:
        """The form of each required score that the kernel evaluates; None if it is evaluated outside."""
        return tuple(one.score.flat for one in self.requirements)

    @cached_property
    def forest_of_model(self) -> tuple[int | None, ...]:
        """The number of the forest that alone is a model's score; None for any other model."""
        return tuple(
            numbers[0] if len(numbers) == 1 and _is_flat_forest(self.requirements[numbers[0]].score) else None
            for numbers in self.model_scores
        )

    @cached_property
    def bounds_of_models(self) -> tuple[Bound, ...]:
        """The bounds of the models' scores, without repetition."""
        found = [Bound.COMPLETE if model.score is None else model.score.bound for model in self.models]
        return tuple(dict.fromkeys(found))

    @cached_property
    def calls_user_code(self) -> bool:
        """Whether a black-box model, detector or rule is called during the search."""
        return any(isinstance(one.score, BlackBoxScore) for one in self.requirements)

    @cached_property
    def kernel_decides_alone(self) -> bool:
        """Whether the kernel alone evaluates every cell, and no estimate prunes."""
        return self.estimate is None and None not in self.flat_scores

    @cached_property
    def settings(self) -> Settings:
        """The settings of the solver."""
        return make_settings(
            max_changes=self.max_changes, keep_ties=self.keep_ties, use_bounds=self.use_bounds
        )

    @cached_property
    def model_scores(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of each model's requirements."""
        return tuple(
            tuple(place for place, one in enumerate(self.requirements) if one.model == number)
            for number in range(len(self.models))
        )

    @cached_property
    def flat_detector(self) -> int | None:
        """The number of the detector's score in the layout; None if it has none."""
        numbered = enumerate(self.requirements)
        flat = (number for number, one in numbered if one.origin is Origin.DETECTOR and one.score.flat)
        return next(flat, None)

    @cached_property
    def largest_candidates(self) -> FloatArray:
        """The largest magnitude of the candidates of each column: (d,)."""
        largest = np.zeros(len(self.names))
        for column, candidates in zip(self.grid.columns, self.grid.values, strict=True):
            if column < len(largest):
                largest[column] = magnitude(candidates).max(initial=0.0)
        for compound in self.compounds:
            largest[compound.members] = magnitude(compound.levels).max(axis=0)
        for member in {int(member) for chain in self.chains for member in chain.members}:
            # A follower stays within its own range.
            feature = self.searched[self.names[member]]
            candidates = feature.codes(self.codebook.codings[member])
            largest[member] = magnitude(np.append(candidates, feature.ends())).max(initial=0.0)
        return largest

    @cached_property
    def chain_axes(self) -> tuple[int, ...]:
        """The axis of each chain."""
        first = len(self.names) + len(self.compounds)
        return tuple(self.grid.columns.tolist().index(first + place) for place in range(len(self.chains)))

    def levels_of(self, values: FloatArray, limits: "RowLimits | None" = None) -> tuple[ChainLevels, ...]:
        """Return the levels of instances (n, d), inside their limits, in each chain of linked features."""
        return tuple(levels_of(chain, self.searched, self.codebook, values, limits) for chain in self.chains)


def _is_flat_forest(score: Score) -> bool:
    return score.flat is not None and score.flat.forest is not None


def parsed_part(problem: ParsedProblem) -> ParsedProblem:
    """Return what was stated and parsed of a problem, without its layout."""
    return ParsedProblem(**{field.name: getattr(problem, field.name) for field in fields(ParsedProblem)})


def magnitude(values: FloatArray) -> FloatArray:
    """Return the magnitudes of values; 0 for missing ones."""
    return np.where(values == MISSING, 0.0, np.abs(values))


def labels_of(reference: pd.DataFrame, names: Sequence[str]) -> "pd.Index[Any]":
    """Return the caller's own column labels in the model's order."""
    labels = {str(label): label for label in reference.columns}
    return pd.Index([labels[name] for name in names], tupleize_cols=False)


def without_special(
    special: Mapping[int, Sequence[float]], columns: Sequence[int], values: FloatArray
) -> FloatArray:
    """Replace special values by missing ones, as costs treat them: values (n, columns, …).

    A special code is not a number. So leaving it is a change of category, at any distance from the numbers.
    """
    if not special:
        return values
    shown = values.copy()
    for place, column in enumerate(columns):
        if column in special:
            shown[:, place][np.isin(shown[:, place], special[column])] = MISSING
    return shown
