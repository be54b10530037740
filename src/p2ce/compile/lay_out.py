"""Lay a problem out for the search: its scores, and the candidates on its axes.

The same problem with another limit, policy or model, on the finest grid or for one instance is laid out anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.compiled_problem import ParsedProblem, Problem, parsed_part
from p2ce.compile.grouped_features import limits_of, one_hot_compounds, with_own_levels
from p2ce.compile.linked_levels import level_room, stretches
from p2ce.compile.refine_grid import Detail, refined
from p2ce.compile.requirements import Origin, Requirement, decoded_by, requirements_of
from p2ce.compile.rule_scores import compile_rules
from p2ce.engine.grid.base_grid import BaseGrid, OneWay, grid_of
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.estimates.attributions import Attributions
from p2ce.models.estimates.calibration import FittedEstimate
from p2ce.policy.policy import Policy
from p2ce.policy.rules.leave_out import LeaveOut
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.rule import Rule
from p2ce.result.problem_record import ProblemRecord
from p2ce.tables.codebook import Codebook

if TYPE_CHECKING:
    from p2ce.engine.scores.flat.flat_arrays import ChainLines, ScoreLayout


class SearchSpace(NamedTuple):
    """The scores that decide, and the candidates to choose from."""

    requirements: tuple[Requirement, ...]
    detail: Detail
    policy: Policy  # with all its candidates
    one_way: Mapping[str, OneWay]  # candidates for one direction only


def search_space(parsed: ParsedProblem, *, finest: bool = False) -> SearchSpace:
    """List the scores of a problem and its candidates; inferred ones are as fine as the scores allow."""
    requirements = requirements_of(parsed)
    # Rules and detectors never change which candidates exist.
    flat = [one.score.flat for one in requirements if one.origin is Origin.MODEL]
    detail = Detail.FINEST if finest else Detail.THINNED if None in flat else Detail.USUAL
    if parsed.refinement is None:
        return SearchSpace(requirements, detail, parsed.policy, {})
    return SearchSpace(requirements, detail, *refined(parsed.policy, parsed.refinement, detail))


def lay_out_problem(
    parsed: ParsedProblem,
    space: SearchSpace,
    *,
    record: ProblemRecord,
    accepted: FloatArray,
    row_seconds: float,
    is_personal: bool = False,
    estimate: FittedEstimate | None = None,
    attributions: Attributions | None = None,
    like: "ScoreLayout | None" = None,
) -> Problem:
    """Place the candidates on the axes of a grid, and flatten the scores for it. ``like`` is for speed."""
    grid = grid_of(
        space.policy,
        columns=parsed.names,
        codebook=parsed.codebook,
        compounds=parsed.compounds,
        chains={chain: level_room(chain, space.policy, parsed.codebook) for chain in parsed.chains},
        one_way=space.one_way,
    )
    chains = _chain_lines(parsed, space, grid)
    return Problem(
        **{field.name: getattr(parsed, field.name) for field in fields(ParsedProblem)},
        record=record,
        accepted=accepted,
        row_seconds=row_seconds,
        requirements=tuple(
            replace(one, score=one.score.laid_out(grid, parsed.compounds, chains))
            if isinstance(one.score, CombinedScore)
            else one
            for one in space.requirements
        ),
        detail=space.detail,
        searched=space.policy,
        one_way=space.one_way,
        grid=grid,
        layout=_flattened(parsed, space, grid, chains, like),
        is_personal=is_personal,
        estimate=estimate,
        attributions=attributions,
    )


def _chain_lines(parsed: ParsedProblem, space: SearchSpace, grid: BaseGrid) -> "list[ChainLines]":
    from p2ce.engine.scores.flat.flat_arrays import ChainLines

    axes, first = grid.columns.tolist(), len(parsed.names) + len(parsed.compounds)
    lines = []
    for place, chain in enumerate(parsed.chains):
        parts = stretches(chain, space.policy, parsed.codebook)
        lines.append(
            ChainLines(
                axis=axes.index(first + place), columns=chain.members, is_steady=parts == 1, stretches=parts
            )
        )
    return lines


def _flattened(
    parsed: ParsedProblem,
    space: SearchSpace,
    grid: BaseGrid,
    chains: "Sequence[ChainLines]",
    like: "ScoreLayout | None",
) -> "ScoreLayout":
    from p2ce.engine.scores.flat.flat_arrays import flatten_scores

    flat = [one.score.flat for one in space.requirements]
    scores = [score for score in flat if score is not None]
    axes, policy, codebook = grid.columns.tolist(), parsed.policy, parsed.codebook
    scores += limits_of(parsed.compounds, parsed.chains, policy, codebook, axes, parsed.max_changes)
    # Columns that cannot change are filled with zeros: nothing here compares their values.
    return flatten_scores(scores, grid, np.zeros(len(parsed.names) + len(parsed.compounds)), chains, like)


def lay_out_again(
    problem: Problem,
    parsed: ParsedProblem,
    *,
    space: SearchSpace | None = None,
    record: ProblemRecord | None = None,
    is_personal: bool | None = None,
    estimate: FittedEstimate | None = None,
) -> Problem:
    """Lay out what a problem becomes if something else is stated or parsed; its estimate is dropped."""
    return lay_out_problem(
        parsed,
        search_space(parsed, finest=problem.detail is Detail.FINEST) if space is None else space,
        record=problem.record if record is None else record,
        accepted=problem.accepted,
        row_seconds=problem.row_seconds,
        is_personal=problem.is_personal if is_personal is None else is_personal,
        estimate=estimate,
        attributions=problem.attributions,
        like=problem.layout,
    )


def with_policy(parsed: ParsedProblem, policy: Policy) -> ParsedProblem:
    """Return what is parsed under another policy."""
    return replace(
        parsed_part(parsed),
        policy=policy,
        rules=compile_rules(policy, parsed.codebook),
        compounds=one_hot_compounds(policy, parsed.codebook),
    )


def with_limit(problem: Problem, max_changes: int | None) -> Problem:
    """Return the same problem with another limit of changes, without the estimate for the old limit."""
    if not problem.groups:
        return replace(problem, max_changes=max_changes, estimate=None)
    return lay_out_again(problem, replace(parsed_part(problem), max_changes=max_changes))


def with_models(
    problem: Problem,
    models: Sequence[Adapter],
    *,
    codebook: Codebook,
    detector: Adapter | None,
    nullable: frozenset[str],
) -> Problem:
    """Return the same problem with newly parsed models and detector, and the codebook of the models."""
    problem = with_codebook(problem, codebook)
    parsed = replace(
        parsed_part(problem), model=models[0], others=tuple(models[1:]), detector=detector, nullable=nullable
    )
    return lay_out_again(problem, parsed, estimate=problem.estimate)


def with_codebook(problem: Problem, codebook: Codebook) -> Problem:
    """Return the same problem for rows whose labels this codebook decodes."""
    if codebook is problem.codebook:
        return problem
    return replace(
        problem,
        codebook=codebook,
        objectives=tuple(objective.with_codebook(codebook) for objective in problem.objectives),
        requirements=decoded_by(problem.requirements, codebook, problem.labels),
    )


def for_instance(problem: Problem, values: FloatArray) -> Problem:
    """Return the same problem for one instance (d,), whose one-hot groups may be at unusual levels."""
    parsed = replace(parsed_part(problem), compounds=with_own_levels(problem.compounds, values))
    space = SearchSpace(requirements_of(parsed), problem.detail, problem.searched, problem.one_way)
    return lay_out_again(problem, parsed, space=space, is_personal=True, estimate=problem.estimate)


_FINEST: "WeakKeyDictionary[Problem, Problem | None]" = WeakKeyDictionary()


def on_finest_grid(problem: Problem) -> Problem | None:
    """Return the same problem on the finest grid; None if nothing was inferred, or this is the finest grid.

    It is laid out once for all instances of the problem.
    """
    if problem.detail is Detail.FINEST or problem.refinement is None:
        return None
    if problem not in _FINEST:
        parsed = parsed_part(problem)
        space = search_space(parsed, finest=True)
        alike = space.policy == problem.searched
        _FINEST[problem] = None if alike else lay_out_again(problem, parsed, space=space)
    return _FINEST[problem]


# What restricts counterfactuals, as named in certificates.
PLAUSIBILITY: Final = "plausibility"
RULES: Final = "rules"
MAX_CHANGES: Final = "max_changes"


def restrictions_in_force(problem: ParsedProblem) -> frozenset[str]:
    """Return what restricts counterfactuals besides model and grid."""
    # The number of axes would be wrong: linked features share one axis, and each may count.
    movable = sum(not feature.fixed for feature in problem.features)
    limited = problem.max_changes is not None and problem.max_changes < movable
    holds = {
        PLAUSIBILITY: problem.required_detector is not None,
        RULES: any(_may_be_dropped(rule) for rule in problem.policy.rules),
        MAX_CHANGES: limited,
    }
    return frozenset(name for name, restricts in holds.items() if restricts)


_RELAXED: "WeakKeyDictionary[Problem, dict[frozenset[str], Problem]]" = WeakKeyDictionary()


def relaxed(problem: Problem, dropped: frozenset[str]) -> Problem:
    """Return the same problem without some of its restrictions. It is laid out once for all instances.

    One-hot groups and links stay: they define the axes of the grid. So does what `Explainer.more` leaves out.
    """
    known = _RELAXED.setdefault(problem, {})
    if dropped not in known:
        kept = problem.policy
        for rule in problem.policy.rules:
            if RULES in dropped and _may_be_dropped(rule):
                kept = kept.without_rules(rule)
        parsed = replace(
            parsed_part(problem),
            detector=None if PLAUSIBILITY in dropped else problem.detector,
            max_changes=None if MAX_CHANGES in dropped else problem.max_changes,
            refines=False,  # it only matters whether any option exists
        )
        known[dropped] = lay_out_again(problem, with_policy(parsed, kept))
    return known[dropped]


def _may_be_dropped(rule: Rule) -> bool:
    return not isinstance(rule, Linked | OneHot | LeaveOut)
