"""The compiled problem: everything that does not depend on the instance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.compile.encode import has_unseen_categories
from p2ce.compile.grouped_features import compounds_for, groups_of, has_links, limits_of
from p2ce.compile.own_plausibility import COUNTS, IGNORE, OfToday
from p2ce.compile.refine_grid import Detail, Refinement, refined
from p2ce.compile.requirements import Origin, Requirement, decoded_by, requirements_of
from p2ce.compile.rule_scores import CompiledRule, columns_to_miss, compile_rules
from p2ce.engine.grid.base_grid import BaseGrid, OneWay, grid_of
from p2ce.engine.grid.grouped_axis import Compound, with_levels
from p2ce.engine.scores.black_box_score import BlackBoxScore
from p2ce.engine.scores.trees.grouped_columns import onto_compounds
from p2ce.engine.solver.settings import Settings, make_settings
from p2ce.models.decisions.adapter import LEAD, Adapter
from p2ce.models.estimates.attributions import Attributions
from p2ce.models.estimates.calibration import FittedEstimate
from p2ce.objectives.objective import FittedObjective
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.inference.relations import Relation
from p2ce.policy.policy import Policy
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.rule import Rule
from p2ce.result.columns import Categories
from p2ce.result.problem_record import ProblemRecord
from p2ce.result.target import shown_end
from p2ce.tables.codebook import MISSING, Codebook

if TYPE_CHECKING:
    from p2ce.engine.scores.flat.flat_arrays import ScoreLayout


EXACT: Final = "exact"  # the name of this project's own search in certificates
# What restricts counterfactuals, as named in certificates.
PLAUSIBILITY: Final = "plausibility"
RULES: Final = "rules"
MAX_CHANGES: Final = "max_changes"


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
class Problem:
    """A compiled problem, without any instance. Values that follow from its fields are computed once."""

    names: tuple[str, ...]  # the model's columns in its order
    labels: "pd.Index[Any]"  # the same columns, with the labels of the caller's frame
    codebook: Codebook  # how each column is coded
    nullable: frozenset[str]  # the columns in which the models are also parsed for missing values
    model: Adapter
    others: tuple[Adapter, ...] = ()  # further models that must accept too
    detector: Adapter | None
    objectives: tuple[FittedObjective, ...]
    policy: Policy
    rules: tuple[CompiledRule, ...]
    relations: tuple[Relation, ...] = ()  # relations that hold in the whole reference, but are not in force
    compounds: tuple[Compound, ...]  # grouped features
    method: PaperMethod | None  # one of the paper's algorithms; None for the exact solver
    max_changes: int | None
    keep_ties: bool
    refines: bool = False  # whether values between inferred candidates, close to the front, are tried
    prices_plausibility: bool = False  # whether a second search drops the requirement of plausibility
    use_bounds: bool
    target: Any
    plausibility_of_today: OfToday = COUNTS  # whether it is enough to be as plausible as the instance
    margin: float = 0.0  # as passed; thresholds and ends already include it
    dtype_names: dict[str, str]  # repeated in every explanation
    categories: dict[str, Categories]  # likewise
    record: ProblemRecord | None = None  # part of every explanation
    estimate: FittedEstimate | None = None  # prunes without proof
    attributions: Attributions | None = None  # for the paper's algorithms
    # (few, columns) rows of the reference that the models accept, and the seconds for evaluating a row: a
    # search under a time limit begins with them.
    accepted: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    row_seconds: float = 0.0
    refinement: Refinement | None = None  # what refines inferred candidates; None if nothing does
    finest: bool = False  # whether inferred candidates are all values that the scores distinguish
    searched: Policy = field(default=None)  # type: ignore[assignment]  # the refined policy, by laid_out()
    one_way: Mapping[str, OneWay] = field(default_factory=dict)  # its candidates for one direction only
    grid: BaseGrid = field(default=None)  # type: ignore[assignment]  # by laid_out()
    layout: "ScoreLayout" = field(default=None)  # type: ignore[assignment]  # by laid_out()
    is_personal: bool = False  # compiled for one instance, since its linked features move in their own way
    # The scores that a counterfactual must reach, in the order of evaluation; flat ones as in the layout.
    requirements: tuple[Requirement, ...] = ()

    @cached_property
    def shared(self) -> int:
        """The number of compounds that all instances share: one-hot groups, which come before links."""
        return sum(compound.is_category for compound in self.compounds)

    @cached_property
    def models(self) -> tuple[Adapter, ...]:
        """All models that must accept."""
        return self.model, *self.others

    @cached_property
    def family(self) -> str:
        """The families of the models."""
        return " and ".join(model.family for model in self.models)

    @cached_property
    def method_name(self) -> str:
        """The name of the method."""
        return EXACT if self.method is None else self.method.name

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
    def calls_user_code(self) -> bool:
        """Whether a black-box model, detector or rule is called during the search."""
        return any(isinstance(one.score, BlackBoxScore) for one in self.requirements)

    @cached_property
    def kernel_decides_alone(self) -> bool:
        """Whether the kernel alone evaluates every cell, and no estimate prunes."""
        return self.estimate is None and all(one.score.flat is not None for one in self.requirements)

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
    def largest_candidates(self) -> FloatArray:
        """The largest magnitude of the candidates of each column: (d,)."""
        largest = np.zeros(len(self.names))
        for column, candidates in zip(self.grid.columns, self.grid.values, strict=True):
            if column < len(largest):
                largest[column] = _magnitude(candidates).max(initial=0.0)
        for compound in self.compounds:
            largest[compound.members] = _magnitude(compound.levels).max(axis=0)
        return largest

    @cached_property
    def has_links(self) -> bool:
        """Whether a feature follows another by an amount that depends on the instance."""
        return has_links(self.policy)

    @cached_property
    def grid_is_inferred(self) -> bool:
        """Whether the data chose the candidates of some feature."""
        return any(feature.is_inferred and not feature.fixed for feature in self.policy.features)

    @cached_property
    def needs_refining(self) -> bool:
        """Whether values between inferred candidates may be better: not if all thresholds are candidates."""
        return self.refines and any(
            not column.models_are_trees for column in (self.refinement or {}).values()
        )

    @cached_property
    def same_terms(self) -> bool:
        """Whether all models report on the same scale and must reach the same threshold, as displayed."""
        return len({(model.scale, shown_end(model.threshold)) for model in self.models}) == 1

    @cached_property
    def threshold(self) -> float:
        """The threshold that the reported score must reach."""
        return max(model.threshold for model in self.models) if self.same_terms else 0.0

    @cached_property
    def scale(self) -> str:
        """The scale of the reported score."""
        return self.model.scale if self.same_terms else LEAD

    def reported(self, scores: FloatArray) -> FloatArray:
        """Join the scores (models, n) of several models: the lowest, or the least lead on a threshold."""
        if not self.same_terms:
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

    @cached_property
    def objective_names(self) -> tuple[str, ...]:
        """The names of the objectives, in their order."""
        return tuple(objective.name for objective in self.objectives)

    def with_policy(self, policy: Policy) -> "Problem":
        """Compile the same problem with another policy."""
        changed = replace(
            self,
            policy=policy,
            rules=compile_rules(policy, self.codebook),
            compounds=groups_of(policy, self.codebook),
        )
        return changed.laid_out()

    def with_limit(self, max_changes: int | None) -> "Problem":
        """Compile the same problem with another limit of changes, and drop the estimate for the old limit."""
        changed = replace(self, max_changes=max_changes, estimate=None)
        return changed.laid_out() if self.compounds else changed

    @cached_property
    def restrictions(self) -> frozenset[str]:
        """What restricts counterfactuals besides model and grid: `PLAUSIBILITY`, `RULES`, `MAX_CHANGES`."""
        # The number of axes would be wrong: linked features share one axis, and each may count.
        movable = sum(not feature.fixed for feature in self.features)
        limited = self.max_changes is not None and self.max_changes < movable
        holds = {
            PLAUSIBILITY: self.required_detector is not None,
            RULES: any(_may_be_dropped(rule) for rule in self.policy.rules),
            MAX_CHANGES: limited,
        }
        return frozenset(name for name, restricts in holds.items() if restricts)

    def without(self, dropped: frozenset[str]) -> "Problem":
        """Compile the same problem without some of its `restrictions`, once for all instances.

        One-hot groups and links stay: they define the axes of the grid.
        """
        if dropped not in self._relaxed:
            kept = self.policy
            for rule in self.policy.rules:
                if RULES in dropped and _may_be_dropped(rule):
                    kept = kept.without_rules(rule)
            changed = replace(
                self,
                detector=None if PLAUSIBILITY in dropped else self.detector,
                max_changes=None if MAX_CHANGES in dropped else self.max_changes,
                refines=False,  # it only matters whether any option exists
                estimate=None,
            )
            self._relaxed[dropped] = changed.with_policy(kept)
        return self._relaxed[dropped]

    @cached_property
    def _relaxed(self) -> "dict[frozenset[str], Problem]":
        return {}

    def for_instance(self, values: FloatArray) -> "Problem":
        """Compile the same problem for one instance (d,), whose linked features move from its own values."""
        groups = self.compounds[: self.shared]
        compounds = compounds_for(self.searched, self.codebook, groups, values)
        personal = replace(self, compounds=compounds, is_personal=True)
        if all(own is shared for own, shared in zip(compounds, groups, strict=False)):
            return personal._on_grid()
        return personal.laid_out()

    def laid_out(self) -> "Problem":
        """Build the requirements and the grid again."""
        listed = replace(self, requirements=requirements_of(self))
        if self.refinement is None:
            return replace(listed, searched=self.policy, one_way={})._on_grid()
        searched, one_way = refined(self.policy, self.refinement, listed.detail)
        return replace(listed, searched=searched, one_way=one_way)._on_grid()

    @cached_property
    def on_finest_grid(self) -> "Problem | None":
        """The same problem on the finest grid; None if nothing was inferred, or this is the finest grid."""
        if self.finest or self.refinement is None:
            return None
        finer = replace(self, finest=True, estimate=None).laid_out()
        return None if finer.searched == self.searched else finer

    @cached_property
    def detail(self) -> Detail:
        """How fine the grid is where candidates were inferred."""
        if self.finest:
            return Detail.FINEST
        # Rules and detectors never change which candidates exist.
        models = [one.score.flat for one in self.requirements if one.origin is Origin.MODEL]
        return Detail.THINNED if None in models else Detail.USUAL

    def _on_grid(self) -> "Problem":
        grid = grid_of(
            self.searched,
            columns=self.names,
            codebook=self.codebook,
            compounds=self.compounds,
            one_way=self.one_way,
        )
        return replace(self, grid=grid, layout=layout_of(self, grid))

    def with_models(
        self,
        models: Sequence[Adapter],
        *,
        codebook: Codebook,
        detector: Adapter | None,
        nullable: frozenset[str],
    ) -> "Problem":
        """Compile the same problem with newly parsed models and detector, and the codebook of the models."""
        changed = replace(
            self.with_codebook(codebook),
            model=models[0],
            others=tuple(models[1:]),
            detector=detector,
            nullable=nullable,
        )
        return changed.laid_out()

    def with_codebook(self, codebook: Codebook) -> "Problem":
        """Return the same problem for rows whose labels this codebook decodes."""
        if codebook is self.codebook:
            return self
        return replace(
            self,
            codebook=codebook,
            objectives=tuple(objective.with_codebook(codebook) for objective in self.objectives),
            requirements=decoded_by(self.requirements, codebook, self.labels),
        )

    def frame(self, rows: FloatArray) -> pd.DataFrame:
        """Return rows (n, d) as a frame with the caller's column labels and types."""
        return self.codebook.decode(rows, self.labels)


def _may_be_dropped(rule: Rule) -> bool:
    return not isinstance(rule, Linked | OneHot)


def layout_of(problem: Problem, grid: BaseGrid) -> "ScoreLayout":
    """Flatten the scores of a problem for a grid."""
    from p2ce.engine.scores.flat.flat_arrays import flatten_scores

    shared, own = problem.compounds[: problem.shared], problem.compounds[problem.shared :]
    flat = [one.score.flat for one in problem.requirements]
    scores = [onto_compounds(score, own) for score in flat if score is not None]
    scores += limits_of(
        problem.compounds, problem.policy, problem.codebook, grid.columns.tolist(), problem.max_changes
    )
    # Columns that cannot change are filled with zeros: nothing here compares their values.
    return flatten_scores(scores, grid, np.zeros(len(problem.names) + len(shared) + len(own)))


def within_reach(problem: Problem, values: FloatArray) -> BoolArray:
    """Return for which instances (n, d) the problem is valid; each of the others needs its own problem."""
    return parsed_for(problem, values) & shaped_for(problem, values)


def parsed_for(problem: Problem, values: FloatArray) -> BoolArray:
    """Return for which instances (n, d) the parsed scores are proven.

    The rounding of a linear model grows with its inputs, and missing-value behaviour is parsed only for the
    columns in which values may be missing.
    """
    if not problem.parsed_for_missing:
        return np.zeros(len(values), dtype=np.bool_)
    inside = np.ones(len(values), dtype=np.bool_)
    missing = values == MISSING
    if missing.any():
        unknown = np.array([name not in problem.nullable for name in problem.names])
        inside &= ~(missing & unknown).any(axis=1)
    if not all(model.knows_unseen_categories or model.score is None for model in problem.models):
        inside &= ~has_unseen_categories(problem.codebook, values)
    reaching = [model for model in problem.models if model.reach is not None]
    if reaching:
        largest = np.maximum(_magnitude(values), problem.largest_candidates)
        for model in reaching:
            inside &= (largest[:, problem.columns_of(model)] <= model.reach).all(axis=1)
    return inside


def shaped_for(problem: Problem, values: FloatArray) -> BoolArray:
    """Return for which instances (n, d) the axes are valid: links depend on the instance."""
    if problem.has_links:
        return np.full(len(values), problem.is_personal)
    if not problem.compounds:
        return np.ones(len(values), dtype=np.bool_)
    return np.asarray(~np.isnan(with_levels(values, problem.compounds)).any(axis=1))


def needed_reach(problem: Problem, values: FloatArray) -> FloatArray:
    """Return the magnitudes (d,) for which the models must be parsed, with a reserve."""
    largest = np.maximum(_magnitude(values).max(axis=0, initial=0.0), problem.largest_candidates)
    return np.asarray(4.0 * np.maximum(largest, 1.0))


def _magnitude(values: FloatArray) -> FloatArray:
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
