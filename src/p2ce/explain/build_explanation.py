"""Turn verified arrays into the answer that people read."""

from functools import lru_cache
from typing import Any

import numpy as np

from p2ce.compilation.compiled_problem import Problem
from p2ce.compilation.encode import People
from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.explain.explain_batch import ON_FINEST, OPEN_ON_FINEST, Answers
from p2ce.explain.paper_methods import bound_of
from p2ce.result.certificate import FINEST, GIVEN, INFERRED, Certificate
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.explanation import Explanation
from p2ce.result.status import Status
from p2ce.scores.score import CompiledScore

# What certificates call the bounds of the paper's algorithms.
PAPER_BOUNDS = {"shap": "shap-paper", "tree": "tree leaves", "monotone": "additive", "none": "none"}


def build_explanation(
    problem: Problem, people: People, position: int, answers: Answers, at: int
) -> Explanation:
    """Build the answer for one person: row ``position`` of the caller's, entry ``at`` of the batch."""
    person = people.row(position, problem.names)
    points = range(int(answers.first[at]), int(answers.first[at + 1]))
    status = _status(problem, answers, at, len(points))
    seconds = answers.verify_seconds / len(answers.favourable)
    return Explanation(
        status=status,
        person=person,
        person_score=float(answers.own_scores[at]),
        person_prediction=_prediction(answers.own_predictions[at]),
        threshold=problem.threshold,
        margin=problem.margin,
        scale=problem.scale,
        models=len(problem.models),
        target=problem.target,
        counterfactuals=tuple(_counterfactual(problem, person, answers, point) for point in points),
        certificate=None if status is Status.ALREADY_FAVOURABLE else _certificate(problem, answers, at),
        objectives=problem.objective_names,
        dtypes=problem.dtype_names,
        categories=problem.categories,
        kind=people.kind,
        question=problem.question,
        elapsed=float(answers.search_seconds[at]) + seconds,
        timings={"search": float(answers.search_seconds[at]), "verification": seconds},
    )


def failed_explanation(problem: Problem, people: People, position: int, message: str) -> Explanation:
    """Build the entry of a person who could not be answered, with the reason."""
    return Explanation(
        status=Status.ERROR,
        person=people.row(position, problem.names),
        threshold=problem.threshold,
        margin=problem.margin,
        scale=problem.scale,
        models=len(problem.models),
        target=problem.target,
        objectives=problem.objective_names,
        dtypes=problem.dtype_names,
        categories=problem.categories,
        kind=people.kind,
        question=problem.question,
        message=message,
    )


def _status(problem: Problem, answers: Answers, at: int, points: int) -> Status:
    if answers.favourable[at]:
        return Status.ALREADY_FAVOURABLE
    if not answers.finished[at]:
        return Status.TIME_LIMIT
    if _unproven_because(problem, answers, at) is not None:
        return Status.HEURISTIC
    return Status.OPTIMAL if points else Status.NO_RECOURSE


def _unproven_because(problem: Problem, answers: Answers, at: int) -> str | None:
    """Say why a search that went to its end proves nothing; None where it does.

    An estimate that dropped nothing has left the search complete.
    """
    from p2ce.solver.workspace import ESTIMATE

    if problem.method is not None and problem.method.as_printed:
        return "misprint"
    if answers.counters[at, ESTIMATE] > 0:
        return "estimate"
    if not answers.trusted[at]:
        return "contradiction"  # bounds of a reading that the model itself contradicts
    return "doubt" if answers.gave_up[at] else None


def _counterfactual(problem: Problem, person: dict[str, Any], answers: Answers, point: int) -> Counterfactual:
    values = dict(person)
    changes, rounded = {}, {}
    for column in np.flatnonzero(answers.moved[point]).tolist():
        coding = problem.codebook.codings[column]
        after = coding.plain(float(answers.after[point, column]))
        changes[coding.name] = (person[coding.name], after)
        values[coding.name] = after
        if answers.told[point, column] != answers.after[point, column]:
            rounded[coding.name] = coding.plain(float(answers.told[point, column]))
    names = problem.objective_names
    plausibility = float(answers.plausibility[point])
    return Counterfactual(
        values=values,
        changes={name: changes[name] for name in values if name in changes},
        costs=dict(zip(names, answers.costs[point].tolist(), strict=True)),
        score=float(answers.scores[point]),
        prediction=_prediction(answers.predictions[point]),
        plausibility=None if np.isnan(plausibility) else plausibility,
        rounded=rounded,
        rounded_score=float(answers.told_scores[point]) if rounded else None,
        rounded_prediction=_prediction(answers.told_predictions[point]) if rounded else None,
    )


def _prediction(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _certificate(problem: Problem, answers: Answers, at: int) -> Certificate:
    from p2ce.solver.workspace import ATTRIBUTED, BEATEN, BOXES, ESTIMATE, RULE, SCORED, TOO_MANY

    counters = answers.counters[at].tolist()
    names = problem.objective_names
    finished = bool(answers.finished[at])
    models, detector = _dropped_by_bounds(problem, counters)
    because = _unproven_because(problem, answers, at)
    estimate = problem.estimate if because == "estimate" else None
    by_shap = problem.method is not None and bound_of(problem) == "shap"
    source = problem.attributions if by_shap and because is not None else estimate
    return Certificate(
        proven=finished and because is None,
        unproven_because=because,
        method=problem.method_name,
        model_family=problem.family,
        detector_family=None if problem.judges is None else problem.judges.family,
        bound=describe_bound(problem),
        cells=count_cells(tuple(sorted(answers.choices[at].tolist())), problem.max_changes),
        axes=int((answers.choices[at] > 0).sum()),
        grid=_grid(problem, answers, at),
        finest_open=bool(answers.grid[at] == OPEN_ON_FINEST),
        max_changes=problem.max_changes,
        ties=problem.keep_ties,
        boxes=counters[BOXES],
        scored=counters[SCORED],
        attributed=counters[ATTRIBUTED],
        pruned={
            "dominated": counters[BEATEN],
            "too many changes": counters[TOO_MANY],
            "model bound": models,
            "plausibility bound": detector,
            **({"rules": counters[RULE]} if problem.rules else {}),
            **({"estimate": counters[ESTIMATE]} if problem.estimate or by_shap else {}),
        },
        rules=tuple(rule.rule.text() for rule in problem.rules if not rule.asks),
        checked_rules=tuple(rule.rule.text() for rule in problem.rules if rule.asks),
        verified=int(answers.verified[at]),
        discrepancies=int(answers.discrepancies[at]),
        miss_rate=None if estimate is None else estimate.miss_rate,
        sample_size=None if estimate is None else estimate.sample_size,
        explainer=None if source is None else source.attributor.explainer_name,
        residual=None if estimate is None else estimate.residual,
        open_boxes=int(answers.open_boxes[at]),
        open_costs=None if finished else dict(zip(names, answers.open_costs[at].tolist(), strict=True)),
    )


def _grid(problem: Problem, answers: Answers, at: int) -> str:
    """Name the grid that an answer speaks of."""
    if answers.grid[at] == ON_FINEST:
        return FINEST
    chosen = any(feature.is_inferred and not feature.fixed for feature in problem.actions.features)
    return INFERRED if chosen else GIVEN


def _dropped_by_bounds(problem: Problem, counters: list[int]) -> tuple[int, int]:
    """Count the boxes that bounds of models and of the detector removed."""
    from p2ce.solver.workspace import BOUND, FOREIGN

    slot = problem.slots.detector
    detector = 0 if slot is None else counters[BOUND + slot]
    return sum(counters[BOUND:]) - detector + counters[FOREIGN], detector


def describe_bound(problem: Problem) -> str:
    """Say by what boxes were dropped, model by model."""
    if problem.method is not None:
        return PAPER_BOUNDS[bound_of(problem)]
    if not problem.use_bounds:
        return "none"
    if problem.estimate is not None:
        return "shap"
    return ", ".join(dict.fromkeys(_bound_of(model) for model in problem.models))


def _bound_of(model: ModelAdapter) -> str:
    if model.score is None:
        return "complete"  # all cells that nothing beats are asked about
    if not isinstance(model.score, CompiledScore):
        return model.score.bound_name
    return "additive" if model.score.forest is None else "tree leaves"


@lru_cache(maxsize=4096)
def count_cells(choices: tuple[int, ...], max_changes: int | None) -> int:
    """Count the points with at least one and at most so many changes: sums of products of alternatives."""
    most = len(choices) if max_changes is None else min(max_changes, len(choices))
    ways = [1] + [0] * most
    for alternatives in choices:
        for size in range(most, 0, -1):
            ways[size] += ways[size - 1] * alternatives
    return sum(ways[1:])
