"""Hold the problem behind an explanation: features, constraints, population, settings and versions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from p2ce.errors import InvalidArgument
from p2ce.limits import DEFAULT, Limits
from p2ce.problem.candidates import Candidates
from p2ce.problem.display import AS_IT_IS, Display
from p2ce.problem.review import INFERRED, Basis
from p2ce.result.distribution import Distribution
from p2ce.result.json_data import in_order, to_record
from p2ce.result.rule_data import RuleData
from p2ce.tables.json_values import Count, Value, plain_fields
from p2ce.visible import echoed

FeatureKind: TypeAlias = Literal["binary", "whole", "number", "category"]
Moves: TypeAlias = Literal[
    "up",
    "down",
    "either",
    "along",  # with another feature only
    "fixed",
    "protected",  # fixed for good: no advice may name it
]
ALONG: Moves = "along"
FIXED: Moves = "fixed"
PROTECTED: Moves = "protected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What a reader has to know of one column of the model."""

    name: str
    kind: FeatureKind = "number"
    moves: Moves = "either"
    group: str = ""  # of 0/1 columns that are the levels of one category: what that is called
    candidates: Candidates | None = None  # the values that it may take; None if it may not change
    display: Display = field(default_factory=lambda: AS_IT_IS)
    distribution: Distribution | None = None  # of the reference population

    @property
    def may_change(self) -> bool:
        """Whether advice may name it as something to change."""
        return self.moves not in (FIXED, PROTECTED)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProblemRecord:
    """The problem, as far as readers have to know it; shared by all explanations of one explainer.

    It is not part of the result: two explanations are equal whatever the features are called.

    >>> problem = ProblemRecord(features={"Age": Feature(name="Age", kind="whole", moves="fixed")})
    >>> ProblemRecord.from_dict(problem.to_dict()).features["Age"].may_change
    False
    """

    features: dict[str, Feature] = field(default_factory=dict)  # by column, in the model's order
    rules: tuple[RuleData, ...] = ()  # between features
    policy: str = ""  # that applied, as YAML; "" where nothing is known of it
    basis: Basis = "stated"  # of the policy: "inferred" makes texts for applicants drafts
    reviewed_by: str = ""  # who reviewed the policy, "" for nobody
    reviewed_on: str = ""  # when, as year-month-day
    people: Count = 0  # in the reference population
    versions: dict[str, str] = field(default_factory=dict)  # library → version
    hashes: dict[str, str] = field(default_factory=dict)  # "model", "reference", "policy" → SHA-256
    settings: dict[str, Value] = field(default_factory=dict)  # "seed", "contamination", …: plain values

    @property
    def is_draft(self) -> bool:
        """Whether nobody has stated or reviewed yet what applicants can change."""
        return self.basis == INFERRED

    def to_dict(self) -> dict[str, Any]:
        """Return the same content as JSON-ready data."""
        return plain_fields(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "ProblemRecord":
        """Undo `to_dict`."""
        return to_record(data, cls, "ProblemRecord.from_dict()", limits)

    def _in_order(self, columns: Iterable[str]) -> "ProblemRecord":
        """Put the features into the order of the model's columns."""
        known = [name for name in columns if name in self.features]
        return replace(self, features=in_order(self.features, known, "features"))

    def __post_init__(self) -> None:
        """Reject features under the name of another."""
        for name, feature in self.features.items():
            if feature.name != name:
                raise InvalidArgument(
                    f"A problem lists {echoed(feature.name)} under {echoed(name)}. Use its name."
                )
