"""Drop restrictions of a problem besides model and grid: plausibility, rules, the limit of changes."""

from dataclasses import replace
from typing import Final
from weakref import WeakKeyDictionary

from p2ce.compile.compiled_problem import ParsedProblem, Problem, parsed_part
from p2ce.compile.lay_out import lay_out_again, with_policy
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.rule import Rule

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

    One-hot groups and links stay: they define the axes of the grid.
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
    return not isinstance(rule, Linked | OneHot)
