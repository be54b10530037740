"""Compile the arguments that one call overrides: the policy, the objectives, or both."""

from dataclasses import dataclass, replace

from p2ce.base.visible import echoed
from p2ce.compile.compile_arguments import (
    Compiled,
    described_reference,
    fit_all,
    inferred_beside,
    relations_besides,
)
from p2ce.compile.compiled_problem import ParsedProblem, Problem, parsed_part
from p2ce.compile.describe_problem import described_for, has_file_form
from p2ce.compile.grouped_features import settle_groups
from p2ce.compile.ignored_columns import without_ignored
from p2ce.compile.lay_out import SearchSpace, lay_out_again, search_space, with_policy
from p2ce.compile.refine_grid import refinement_of
from p2ce.compile.settle_target import associated
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.objectives import Objective
from p2ce.objectives.objective_names import is_data, same_objectives
from p2ce.policy.file.policy_document import read_document
from p2ce.policy.file.policy_file import parse_policy
from p2ce.policy.policy import Policy
from p2ce.policy.rules.predicate import Predicate
from p2ce.result.problem_record import ProblemRecord

OBJECTIVES = "objectives"  # the setting of a record that states the objectives of a call


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Override:
    """The policy and the objectives of a call, compiled as far as the limit of changes does not matter."""

    given: Policy | None  # as passed to the call; None for the explainer's own
    objectives: tuple[Objective, ...] | None  # None for the explainer's own
    parsed: ParsedProblem
    space: SearchSpace
    record: ProblemRecord  # as the explanations state it

    @property
    def policy(self) -> Policy:
        """The policy as settled."""
        return self.parsed.policy

    @property
    def holds_functions(self) -> bool:
        """Whether it holds functions of the caller, which texts do not distinguish."""
        return not (has_file_form(self.record) and all(map(is_data, self.objectives or ())))

    def is_stated_by(self, record: ProblemRecord) -> bool:
        """Return whether the texts of a record state it."""
        return self.record.hashes.get("policy") == record.hashes.get("policy") and (
            self.record.settings.get(OBJECTIVES) == record.settings.get(OBJECTIVES)
        )

    def agrees(self, other: "Override") -> bool:
        """Return whether another one has an equal policy and equal objectives."""
        return self.policy == other.policy and same_wanted(self.objectives, other.objectives)


def same_wanted(some: tuple[Objective, ...] | None, others: tuple[Objective, ...] | None) -> bool:
    """Return whether two calls want the same objectives; None for the explainer's own."""
    return some is others or (some is not None and others is not None and same_objectives(some, others))


def no_override(problem: Problem) -> Override:
    """Return what a call has that overrides nothing."""
    space = SearchSpace(problem.requirements, problem.detail, problem.searched, problem.one_way)
    return Override(given=None, objectives=None, parsed=problem, space=space, record=problem.record)


def compile_override(
    known: Compiled,
    problem: Problem,
    *,
    policy: Policy | None,
    objectives: tuple[Objective, ...] | None,
    stated: str | None,
) -> Override:
    """Compile another policy, other objectives or both. ``stated`` holds the objectives as text.

    Everything learnt from the reference that depends on them is learnt again, as by a new explainer.
    """
    parsed, record = parsed_part(problem), problem.record
    if policy is not None:
        used = without_ignored(policy, known.ignored)
        settled = settle_groups(used, problem.codebook, known.reference, known.one_hot_groups)
        settled = associated(settled, problem.policy)
        parsed = with_policy(parsed, settled)
        parsed = replace(parsed, relations=relations_besides(settled, known.proposed_rules))
    other_codes = _special(parsed.policy) != _special(problem.policy)
    if objectives is not None or other_codes:
        codes = problem.codebook.encode(known.reference)
        described = described_reference(parsed.policy, problem.codebook, codes)
        wanted = problem.wanted if objectives is None else objectives
        parsed = replace(parsed, wanted=wanted, objectives=fit_all(wanted, described))
        if other_codes and problem.refinement is not None:
            inferred = inferred_beside(parsed.policy, known.reference, "data")
            parsed = replace(
                parsed,
                refinement=refinement_of(problem.models, problem.detector, described, inferred),
                relations=relations_besides(parsed.policy, inferred.proposed_rules),
            )
    space = search_space(parsed)
    if stated is not None:
        record = replace(record, settings={**record.settings, OBJECTIVES: stated})
    if policy is not None:
        record = described_for(record, parsed.policy, space.policy)
    return Override(given=policy, objectives=objectives, parsed=parsed, space=space, record=record)


def overridden(problem: Problem, override: Override, max_changes: int | None) -> Problem:
    """Lay out an explainer's problem as a call overrides it. An estimate holds only for its own problem."""
    parsed = replace(parsed_part(override.parsed), max_changes=max_changes)
    return lay_out_again(problem, parsed, space=override.space, record=override.record)


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
