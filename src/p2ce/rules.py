"""Rules between features, for ``Policy.with_rules()``.

    from p2ce import rules

    policy = policy.with_rules(
        rules.linked("YearsAtCurrentJob", "Age"),          # one more year in the job is one more year of age
        rules.inequality("late_90d <= late_30d"),
        rules.implies({"Housing": "own"}, {"Rent": 0}),
    )

Every rule is enforced inside the search and checked again on the result. All rules except ``predicate`` also
prune the search. A rule is about the row after the changes. Only rules about "changes" look at today's row.
"""

from p2ce.policy.rules.column_list_rules import at_most_one_nonzero, change_at_most_one, together
from p2ce.policy.rules.conditions import CHANGES
from p2ce.policy.rules.implies import implies
from p2ce.policy.rules.inequality import inequality
from p2ce.policy.rules.leave_out import leave_out
from p2ce.policy.rules.linked import linked
from p2ce.policy.rules.one_hot import one_hot
from p2ce.policy.rules.predicate import predicate
from p2ce.policy.rules.rule import Rule
from p2ce.policy.rules.transitions import allow_only, forbid

__all__ = [
    "CHANGES",
    "Rule",
    "allow_only",
    "at_most_one_nonzero",
    "change_at_most_one",
    "forbid",
    "implies",
    "inequality",
    "leave_out",
    "linked",
    "one_hot",
    "predicate",
    "together",
]
