"""Define restrictions on counterfactuals, and violations of them, as data."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from p2ce.errors import InvalidArgument
from p2ce.result.rendered import rendered
from p2ce.result.rule_data import RuleData
from p2ce.tables.json_values import Count, Number, Value

RestrictionKind: TypeAlias = Literal[
    "changes",  # at most `most` features change; `instead` is the limit tried in a relaxation
    "fixed",  # the feature never changes
    "direction",  # the feature moves in one direction only
    "range",  # the feature stays between low and high
    "values",  # the feature takes one of a list of values
    "step",  # the feature moves in steps
    "missing",  # a missing value stays missing
    "known",  # a known value stays known
    "special",  # a special value stays
    "rule",  # a rule between features
    "plausibility",  # the detector finds the counterfactual plausible
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restriction:
    """A restriction on counterfactuals. `kind` says which of the other fields are set.

    If a relaxation replaces the restriction by a weaker one, that is set as well: `instead` is the larger
    limit of changes, and `wider_low` and `wider_high` are the range of the data. If it removes the
    restriction, any value that the data distinguish is allowed.

    >>> str(Restriction(kind="range", feature="Income", low=0, high=500, wider_low=0, wider_high=900))
    'Income: from 0 to 500 (if lifted: 0 to 900, as far as the data go)'
    """

    kind: RestrictionKind
    feature: str = ""  # "" if it is about several features
    most: Count | None = None
    instead: Count | None = None
    direction: Literal["up", "down"] | None = None
    low: Number | None = None
    high: Number | None = None
    wider_low: Number | None = None
    wider_high: Number | None = None
    values: tuple[Value, ...] = ()
    step: Number | None = None
    value: Value = None  # the special value
    rule: RuleData | None = None

    def __post_init__(self) -> None:
        for kind, needed in (("direction", self.direction), ("rule", self.rule)):
            if self.kind == kind and needed is None:
                raise InvalidArgument(f"A restriction of the kind '{kind}' needs a {kind}. Pass {kind}=.")

    def __str__(self) -> str:
        return rendered("restriction_in_words", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A restriction that a proposal violates, and how: by the move of one feature, or by too many changes."""

    restriction: Restriction
    before: Value = None
    after: Value = None
    changes: Count | None = None  # the number of changed features, if it is too large

    def __str__(self) -> str:
        return rendered("violation_line", self)
