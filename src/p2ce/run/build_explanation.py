"""Build explanations, as people read them, from the verified arrays of a batch."""

import datetime
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from p2ce.compile.arguments import BUDGETS
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.own_ranges import RowLimits
from p2ce.compile.paper_settings import AS_PRINTED
from p2ce.compile.row_limits import stating
from p2ce.engine.scores.score import Bound
from p2ce.objectives.objective import reported
from p2ce.policy.features.feature import Direction, FeaturePolicy
from p2ce.policy.inference.relations import Relation, broken_relations
from p2ce.result.certificate import FINEST, GIVEN, INFERRED, Certificate, Estimate, Status, Unproven
from p2ce.result.counterfactual import Counterfactual, Flag, admitted_by
from p2ce.result.explanation import Explanation
from p2ce.result.problem_record import ModelFacts
from p2ce.run.none_because import REASONS, UNKNOWN
from p2ce.run.paper.solve_by_paper import paper_bound, settings_of
from p2ce.run.price_plausibility import price_of
from p2ce.run.verified import Failure, Searched, SearchedGrid, Verified
from p2ce.tables.cells import is_missing
from p2ce.tables.encode import EncodedRows


def build_explanation(
    problem: Problem,
    rows: EncodedRows,
    position: int,
    verified: Verified,
    at: int,
    *,
    limits: RowLimits | None = None,
    as_of: datetime.date | None = None,
) -> Explanation:
    """Build the explanation of one instance: row ``position`` of the caller, entry ``at`` of the batch.

    ``limits`` are those that the caller states for each of the rows, and ``as_of`` is the date.
    """
    known = verified.outcomes
    row = rows.row(position, problem.names)
    found = np.flatnonzero(verified.found.instance == at).tolist()
    because = _unproven_because(problem, verified, at)
    if known.favourable[at]:
        status = Status.ACCEPTED
    elif not known.finished[at] or known.grid[at] == SearchedGrid.FINEST_OPEN:
        status = Status.TIME_LIMIT
    elif because is not None:
        status = Status.HEURISTIC
    else:
        status = Status.OPTIMAL if found else Status.NO_RECOURSE
    certificate = None if status is Status.ACCEPTED else _certificate(problem, verified, at, because)
    facts = dict(problem.facts)
    if limits is not None:
        facts["problem"] = stating(problem.record, problem, limits, position)
    solving, verifying = float(known.solve_seconds[at]), verified.verify_seconds / len(known.scores)
    score = problem.direction * float(known.scores[at])
    return Explanation(
        status=status,
        person=row,
        person_score=score,
        points=None if problem.report is None else problem.report.of_person(score),
        person_prediction=_number(known.predictions[at]),
        counterfactuals=tuple(
            _counterfactual(problem, row, verified, one, number) for number, one in enumerate(found, start=1)
        ),
        certificate=certificate,
        price_of_plausibility=None
        if known.without_plausibility[at] == Searched.NOT
        else price_of(problem, verified, at, proven=certificate is not None and certificate.proven),
        elapsed=solving + verifying,
        timings={"search": solving, "verification": verifying},
        as_of=as_of,
        _kind=rows.kind,
        **facts,
    )


def failed_explanation(
    problem: Problem,
    rows: EncodedRows,
    position: int,
    failure: Failure,
    *,
    as_of: datetime.date | None = None,
) -> Explanation:
    """Build the entry of an instance that could not be explained, with the reason."""
    return Explanation(
        status=Status.ERROR,
        person=rows.row(position, problem.names),
        points=None if problem.report is None else problem.report.of_person(None),
        error=failure.kind,
        message=failure.message,
        as_of=as_of,
        _kind=rows.kind,
        **problem.facts,
    )


def _unproven_because(problem: Problem, verified: Verified, at: int) -> Unproven | None:
    """Return why a search that ended proves nothing; None if it proves something.

    An estimate that pruned nothing leaves the search complete.
    """
    from p2ce.engine.solver.fronts import ESTIMATE

    known = verified.outcomes
    if problem.method is not None and settings_of(problem).errata == AS_PRINTED:
        return "misprint"
    if known.counters[at, ESTIMATE] > 0:
        return "estimate"
    if not known.trusted[at]:
        return "contradiction"  # bounds of scores that the model itself contradicts
    return "rounding" if known.gave_up[at] else None


def _counterfactual(
    problem: Problem, row: dict[str, Any], verified: Verified, at: int, number: int
) -> Counterfactual:
    found = verified.found
    values = dict(row)
    changes, rounded = {}, {}
    for column in np.flatnonzero(found.moved[at]).tolist():
        coding = problem.codebook.codings[column]
        after = coding.plain(float(found.rows[at, column]))
        changes[coding.name] = (row[coding.name], after)
        values[coding.name] = after
        if found.displayed[at, column] != found.rows[at, column]:
            rounded[coding.name] = coding.plain(float(found.displayed[at, column]))
    changes = {name: changes[name] for name in values if name in changes}
    score = problem.direction * float(found.scores[at])
    then = problem.direction * float(found.displayed_scores[at]) if rounded else None
    report = problem.report
    return Counterfactual(
        number=number,
        values=values,
        changes=changes,
        costs=dict(zip(problem.objective_names, found.costs[at].tolist(), strict=True)),
        score=score,
        points=None if report is None else report.points_of(score),
        prediction=_number(found.predictions[at]),
        plausibility=_number(found.plausibility[at]),
        admitted_by=None if problem.required_detector is None else admitted_by(float(found.plausibility[at])),
        rounded=rounded,
        rounded_score=then,
        rounded_points=None if report is None or then is None else report.points_of(then),
        rounded_prediction=_number(found.displayed_predictions[at]) if rounded else None,
        flags=flags_of(changes, values, problem.associated, problem.relations)
        if problem.associated or problem.relations
        else (),
    )


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _certificate(problem: Problem, verified: Verified, at: int, because: Unproven | None) -> Certificate:
    from p2ce.engine.solver.fronts import (
        ATTRIBUTED,
        BOUND,
        BOXES,
        DOMINATED,
        ESTIMATE,
        EXTERNAL,
        RULE,
        SCORED,
        TOO_MANY,
        UNDECIDED,
    )

    known = verified.outcomes
    counters = known.counters[at].tolist()
    finished = bool(known.finished[at])
    by_detector = 0 if problem.flat_detector is None else counters[BOUND + problem.flat_detector]
    bounds = bounds_of(problem)
    by_paper = Bound.SHAP_PAPER in bounds
    alternatives, reason = known.alternatives[at], int(known.none_because[at])
    detector, grid = problem.required_detector, known.grid[at]
    return Certificate(
        proven=finished and because is None and bool(grid != SearchedGrid.FINEST_OPEN),
        unproven_because=because,
        method=problem.method_name,
        model_family=problem.family,
        detector_family=None if detector is None else detector.family,
        plausibility_today=_number(known.plausibility[at]),
        none_because=None if reason == UNKNOWN or because is not None else REASONS[reason],
        bound=", ".join(bound.value for bound in bounds),
        cells=number_of_cells(tuple(sorted(alternatives.tolist())), problem.max_changes),
        axes=int((alternatives > 0).sum()),
        grid=FINEST if grid == SearchedGrid.FINEST else INFERRED if problem.grid_is_inferred else GIVEN,
        finest_open=bool(grid == SearchedGrid.FINEST_OPEN),
        refined=int(known.refined[at]),
        max_changes=problem.max_changes,
        ties=problem.keep_ties,
        boxes=counters[BOXES],
        scored=counters[SCORED],
        pruned={
            "dominated": counters[DOMINATED],
            "too many changes": counters[TOO_MANY],
            "model bound": sum(counters[BOUND:]) - by_detector + counters[EXTERNAL],
            "plausibility bound": by_detector,
            **({"rules": counters[RULE]} if problem.rules else {}),
            **({"estimate": counters[ESTIMATE]} if problem.estimate or by_paper else {}),
        },
        rules=tuple(rule.data for rule in problem.rules if not rule.is_predicate),
        checked_rules=tuple(rule.data for rule in problem.rules if rule.is_predicate),
        verified=int(known.verified[at]),
        discrepancies=int(known.discrepancies[at]),
        estimate=_estimate(problem, counters[ATTRIBUTED]) if by_paper or because == "estimate" else None,
        open_boxes=int(known.open_boxes[at]),
        open_costs=None if finished else _open_costs(problem, verified, at),
        score_tolerance=problem.score_tolerance,
        # A cell that verification did not confirm lies within the tolerance as well.
        undecided=counters[UNDECIDED] + int(known.discrepancies[at]) if problem.score_tolerance else None,
        stopped_by=None if known.stopped_by[at] < 0 else BUDGETS[known.stopped_by[at]],
        calls=None if known.spent[at, 0] < 0 else int(known.spent[at, 0]),
        rows=None if known.spent[at, 1] < 0 else int(known.spent[at, 1]),
    )


def _estimate(problem: Problem, attributed: int) -> Estimate | None:
    """Describe the estimate that was used: the paper's if it ran, else ours."""
    if Bound.SHAP_PAPER in bounds_of(problem) and problem.attributions is not None:
        return Estimate(method=problem.attributions.attributor.explainer_name, attributed=attributed)
    estimate = problem.estimate
    if estimate is None:
        return None
    return Estimate(
        method=estimate.attributor.explainer_name,
        attributed=attributed,
        miss_rate=estimate.miss_rate,
        sample_size=estimate.sample_size,
        residual=estimate.residual,
    )


def _open_costs(problem: Problem, verified: Verified, at: int) -> dict[str, float]:
    """Return the least cost that a point in an open box may have, as reported."""
    costs = reported(problem.objectives, verified.outcomes.open_totals[[at]])[0]
    return dict(zip(problem.objective_names, costs.tolist(), strict=True))


def bounds_of(problem: Problem) -> tuple[Bound, ...]:
    """List what prunes boxes, model by model."""
    if problem.method is not None:
        return (paper_bound(problem),)
    if not problem.use_bounds:
        return (Bound.NONE,)
    if problem.estimate is not None:
        return (Bound.SHAP,)
    return problem.bounds_of_models


def describe_model(problem: Problem) -> ModelFacts:
    """Describe how the model is supported, what proves explanations, and how large the grid is."""
    # One candidate of each feature is the instance's current value.
    others = [max(int(length) - 1, 0) for length in problem.grid.lengths]
    return ModelFacts(
        family=problem.family,
        bound=", ".join(bound.value for bound in bounds_of(problem)),
        is_black_box=any(model.is_black_box for model in problem.models),
        black_box_because="; ".join(
            dict.fromkeys(model.black_box_because for model in problem.models if model.black_box_because)
        ),
        scale=problem.scale,
        at_least=problem.at_least,
        at_most=problem.at_most,
        classes=problem.model.classes,
        target=problem.target,
        columns=problem.names,
        detector=None if problem.required_detector is None else problem.required_detector.family,
        objectives=problem.objective_names,
        max_changes=problem.max_changes,
        cells=number_of_cells(tuple(sorted(others)), problem.max_changes),
        alternatives=dict(zip(problem.grid.names, others, strict=True)),
        rules=tuple(rule.data for rule in problem.rules),
    )


def flags_of(
    changes: Mapping[str, tuple[Any, Any]],
    values: Mapping[str, Any],
    associated: Mapping[str, FeaturePolicy],
    relations: Sequence[Relation] = (),
) -> tuple[Flag, ...]:
    """List the moves of a counterfactual that contradict the data, for a reviewer to check.

    ``changes`` holds each changed feature before and after, ``values`` the whole row after the changes.
    ``associated`` are the features with an association. ``relations`` hold in all of the data.
    """
    flags = []
    for name, (before, after) in changes.items():
        feature = associated.get(name)
        # A move from or to a missing or special value has no direction.
        if feature is None or any(is_missing(one) or one in feature.special for one in (before, after)):
            continue
        direction = Direction.UP if after > before else Direction.DOWN
        if direction != feature.association:
            flags.append(
                Flag(
                    kind="against_association",
                    feature=name,
                    direction="up" if direction is Direction.UP else "down",
                )
            )
    if relations:
        earlier = {**values, **{name: then for name, (then, _) in changes.items()}}
        for relation in broken_relations(relations, values):
            known = not any(is_missing(earlier[name]) for name in (relation.lower, relation.upper))
            if known and not broken_relations([relation], earlier):  # the instance does not break it
                flags.append(Flag(kind="breaks_relation", feature=relation.lower, other=relation.upper))
    return tuple(flags)


@lru_cache(maxsize=4096)
def number_of_cells(choices: tuple[int, ...], max_changes: int | None) -> int:
    """Count the cells with at least one and at most ``max_changes`` changes, by their alternatives."""
    most = len(choices) if max_changes is None else min(max_changes, len(choices))
    ways = [1] + [0] * most
    for alternatives in choices:
        for size in range(most, 0, -1):
            ways[size] += ways[size - 1] * alternatives
    return sum(ways[1:])
