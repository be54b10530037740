"""Compile the arguments that one call overrides: the policy, the objectives, or both."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from p2ce.base.visible import echoed
from p2ce.compile.compile_arguments import (
    Compiled,
    described_reference,
    fit_all,
    inferred_beside,
    relations_besides,
)
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.describe_problem import described_for, has_file_form
from p2ce.compile.directions import associated
from p2ce.compile.grouped_features import settle_groups
from p2ce.compile.refine_grid import refinement_of
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.objectives import Objective
from p2ce.policy.file.policy_document import read_document
from p2ce.policy.file.policy_file import parse_policy
from p2ce.policy.policy import Policy
from p2ce.policy.rules.predicate import Predicate
from p2ce.result.problem_record import ProblemRecord

OBJECTIVES = "objectives"  # the setting of a record that states the objectives of a call


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Override:
    """The policy and the objectives of a call, compiled as far as they depend on the reference."""

    given: Policy | None = None  # as passed to the call; None for the explainer's own
    objectives: tuple[Objective, ...] | None = None  # None for the explainer's own
    policy: Policy  # as settled
    parts: Mapping[str, Any]  # the resulting fields of the problem
    record: ProblemRecord  # as the explanations state it

    def of(self, problem: Problem) -> Problem:
        """Compile an explainer's problem with this override. An estimate holds only for its own problem."""
        changed = replace(problem, estimate=None, record=self.record, **self.parts)
        return changed if self.policy is problem.policy else changed.with_policy(self.policy)


def compile_override(
    known: Compiled,
    problem: Problem,
    *,
    policy: Policy | None,
    objectives: tuple[Objective, ...] | None,
    stated: str | None,
) -> tuple[Override, Problem]:
    """Compile another policy, other objectives or both. ``stated`` holds the objectives as text.

    Everything learnt from the reference that depends on them is learnt again, as by a new explainer.
    """
    settled = problem.policy
    parts: dict[str, Any] = {}
    if policy is not None:
        settled = settle_groups(policy, problem.codebook, known.reference, known.one_hot_groups)
        settled = associated(settled, problem.policy)
        parts["relations"] = relations_besides(settled, known.proposed_rules)
    other_codes = _special(settled) != _special(problem.policy)
    if objectives is not None or other_codes:
        codes = problem.codebook.encode(known.reference)
        described = described_reference(settled, problem.codebook, codes)
        parts["objectives"] = fit_all(known.objectives if objectives is None else objectives, described)
        if other_codes and problem.refinement is not None:
            inferred = inferred_beside(settled, known.reference, "data")
            parts["refinement"] = refinement_of(problem.models, problem.detector, described, inferred)
            parts["relations"] = relations_besides(settled, inferred.proposed_rules)
    assert problem.record is not None
    record = problem.record
    if stated is not None:
        record = replace(record, settings={**record.settings, OBJECTIVES: stated})
    override = Override(given=policy, objectives=objectives, policy=settled, parts=parts, record=record)
    compiled = override.of(problem)
    if policy is None:
        return override, compiled
    record = described_for(record, settled, compiled.searched)
    return replace(override, record=record), replace(compiled, record=record)


def _special(policy: Policy) -> dict[str, tuple[float, ...]]:
    return {feature.name: feature.special for feature in policy.features if feature.special}


def stated_policy(record: ProblemRecord) -> Policy:
    """Parse the policy that a record states. Raise if that would run code, or fails."""
    advice = (
        "Explain a person with that policy again, explain(row, policy=…): this explainer then remembers it."
    )
    if not has_file_form(record):
        raise InvalidArgument(
            "The policy of the explanation cannot be read from its record: it holds a Python function. "
            f"{advice}"
        )
    try:
        policy = parse_policy(read_document(record.policy)).policy()
    except P2CEError as error:
        raise InvalidArgument(
            f"The policy of the explanation cannot be read from its record: {error} {advice}"
        ) from error
    predicates = [rule for rule in (*policy.rules, *policy.proposed_rules) if isinstance(rule, Predicate)]
    if predicates:
        raise InvalidArgument(
            f"The policy of the explanation has the predicate {echoed(predicates[0].name)}, a Python "
            f"function, which is not run because a record names it. {advice}"
        )
    return policy
