"""List the scores that a counterfactual must reach, in the order in which cells are evaluated."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.arrays import IntArray
from p2ce.engine.grid.grouped_axis import Compound
from p2ce.engine.scores.black_box_score import BlackBoxScore
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.flat.flat_arrays import SECOND
from p2ce.engine.scores.other_columns import in_columns_of, onto_columns
from p2ce.engine.scores.score import Score
from p2ce.engine.scores.trees.grouped_columns import onto_compounds
from p2ce.tables.codebook import Codebook

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.compile.compiled_problem import ParsedProblem


class Origin(Enum):
    """The origin of a score."""

    MODEL = "model"
    DETECTOR = "detector"
    RULE = "rule"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Requirement:
    """A score that every counterfactual must reach."""

    score: Score
    origin: Origin
    columns: IntArray  # the problem's columns, in the order of the score's
    model: int | None = None  # the number of the model that it belongs to
    # For a score outside the kernel: evaluates the cells inside its error band.
    decider: BlackBoxScore | None = None

    @property
    def is_recorded(self) -> bool:
        """Whether verification compares the values that the search has seen: those of a black box.

        A rule's function only returns yes or no.
        """
        return isinstance(self.score, BlackBoxScore) and self.origin is not Origin.RULE


def requirements_of(problem: "ParsedProblem") -> tuple[Requirement, ...]:
    """List the scores of models, detector and rules: first the flat ones, in the kernel's numbering.

    A flat detector is the SECOND, or the FIRST if no model is flat: if it rejects many cells, the kernel
    scores whole boxes with it. Budgets of rules come last. Outside the kernel, networks come first, since
    they are quick. Then come rules that are functions, then black-box models, and last a detector, which is
    only evaluated on cells that every model accepts.
    """
    models: list[Requirement] = []
    detectors: list[Requirement] = []
    budgets: list[Requirement] = []
    quick: list[Requirement] = []
    slow: list[Requirement] = []
    everything = np.arange(len(problem.names))
    frame = partial(problem.codebook.decode, labels=problem.labels)
    for number, model in enumerate(problem.models):
        own = black_box_model(problem, number)
        columns = np.array(problem.columns_of(model), dtype=np.int64)
        for score in model.scores:
            if score.flat is not None:
                compiled = in_columns_of(score.flat, model.columns, problem.names)
                models.append(
                    Requirement(score=compiled, origin=Origin.MODEL, columns=everything, model=number)
                )
            elif isinstance(score, CombinedScore):
                spread = score.with_parts(partial(onto_columns, columns=columns, count=len(problem.names)))
                quick.append(
                    Requirement(
                        score=spread, origin=Origin.MODEL, columns=everything, model=number, decider=own
                    )
                )
            else:
                # If several scores decide together, the whole model decides what one of them leaves open.
                quick.append(
                    Requirement(score=score, origin=Origin.MODEL, columns=columns, model=number, decider=own)
                )
        if model.is_black_box:
            slow.append(Requirement(score=own, origin=Origin.MODEL, columns=everything, model=number))
    detector = problem.required_detector
    if detector is not None and detector.score is not None:
        assert detector.score.flat is not None, "`with_checked_calls` rejects any other score"
        compiled = in_columns_of(detector.score.flat, detector.columns, problem.names)
        detectors.append(Requirement(score=compiled, origin=Origin.DETECTOR, columns=everything))
    elif detector is not None:
        assert not detector.is_its_score, "`with_checked_calls` rejects a detector without a score and a call"
        called = BlackBoxScore(
            name="detector",
            call=detector.evaluate,
            frame=frame,
            threshold=0.0,
            tolerance=detector.tolerance,
        )
        slow.append(Requirement(score=called, origin=Origin.DETECTOR, columns=everything))
    for rule in problem.rules:
        for budget in rule.scores(problem.names):
            budgets.append(Requirement(score=budget, origin=Origin.RULE, columns=everything))
        if rule.is_predicate:
            holds = BlackBoxScore(name="rule", call=rule.values_of_frame, frame=frame, threshold=0.5)
            quick.append(Requirement(score=holds, origin=Origin.RULE, columns=everything))
    flat = [*models[:SECOND], *detectors, *models[SECOND:], *budgets]
    return (*(_over_groups(one, problem.compounds) for one in flat), *quick, *slow)


def decoded_by(
    requirements: Sequence[Requirement], codebook: Codebook, labels: "pd.Index[Any]"
) -> tuple[Requirement, ...]:
    """Return the same requirements, whose calls see rows as decoded by another codebook."""
    frame = partial(codebook.decode, labels=labels)

    def decoded(score: Any) -> Any:
        return replace(score, frame=frame) if isinstance(score, BlackBoxScore) else score

    return tuple(replace(one, score=decoded(one.score), decider=decoded(one.decider)) for one in requirements)


def black_box_model(problem: "ParsedProblem", number: int) -> BlackBoxScore:
    """Return the black-box form of a model, whose calls decide inside the error bands of its scores."""
    model = problem.models[number]
    return BlackBoxScore(
        name=problem.name_of(number),
        call=model.evaluate,
        frame=partial(problem.codebook.decode, labels=problem.labels),
        threshold=model.threshold,
        tolerance=model.tolerance,
        undecided_from=model.threshold - 2.0 * model.score_tolerance if model.score_tolerance else np.inf,
    )


def _over_groups(requirement: Requirement, groups: Sequence[Compound]) -> Requirement:
    """Rewrite a flat score for the axes of one-hot groups."""
    if not groups:
        return requirement
    assert requirement.score.flat is not None
    return replace(requirement, score=onto_compounds(requirement.score.flat, groups))
