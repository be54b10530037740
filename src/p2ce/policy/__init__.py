"""What the user states: features and how each may change, rules between them, and the file that holds both.

`features/` has kinds, ranges and candidate values, `inference/` what is inferred from data. `rules/` has what
relates several features. `file/` reads, writes and checks policy files.

What is taken for granted. `Policy.infer` is kinds, ranges and candidates, and what a decent policy would say:
protected, history and time columns by one list of names, one-hot groups, identifiers, codes, and relations
that hold in all of the data, which are proposed and not in force. A given policy takes nothing for granted.
`Review` says what a policy rests on: inferred, stated or reviewed.
"""

from p2ce.policy.features.display import Display
from p2ce.policy.features.feature import Direction, FeaturePolicy, Kind
from p2ce.policy.policy import Policy, Review

__all__ = ["Direction", "Display", "FeaturePolicy", "Kind", "Policy", "Review"]
