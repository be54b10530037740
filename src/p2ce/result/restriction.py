"""Hold a restriction on counterfactuals, and a violation of one, as data."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from p2ce.errors import InvalidArgument
from p2ce.result.rendered import rendered
from p2ce.result.rule_data import RuleData
from p2ce.tables.json_values import Count, Number, Value

RestrictionKind: TypeAlias = Literal[
    "changes",  # at most so many features change: most, and what was tried instead
    "fixed",  # the feature never changes
    "direction",  # the feature goes up or down only
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
    """One restriction; `kind` says which of the other fields are set.

    Where a relaxation puts something in its place, that is set as well: more changes (`instead`), or a wider
    range, which is as far as the data go. Without one, any value that the data distinguish is allowed.

    >>> str(Restriction(kind="range", feature="Income", low=0, high=500, wider_low=0, wider_high=900))
    'Income: from 0 to 500 (would be 0 to 900, as far as the data go)'
    """

    kind: RestrictionKind
    feature: str = ""  # "" where it is about several
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
                raise InvalidArgument(f"A restriction of the kind '{kind}' needs its {kind}. Pass {kind}=.")

    def __str__(self) -> str:
        return rendered("restriction_text", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A restriction that a proposal breaks, and how: a move of one feature, or too many changes."""

    restriction: Restriction
    before: Value = None
    after: Value = None
    changes: Count | None = None  # how many features change, where that is too many

    def __str__(self) -> str:
        return rendered("violation_line", self)
