"""Define the record of a problem: features, constraints, population, model, settings and versions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.policy.features.describe_features import Candidates
from p2ce.policy.features.display import AS_IT_IS, Display
from p2ce.policy.policy import INFERRED, Basis
from p2ce.result.json_data import in_order, to_record
from p2ce.result.rendered import rendered
from p2ce.result.rule_data import RuleData
from p2ce.tables.json_values import Count, Finite, Value, plain_fields

FeatureKind: TypeAlias = Literal["binary", "whole", "number", "category", "date"]
FeatureMoves: TypeAlias = Literal[
    "up",
    "down",
    "either",
    "along",  # only together with another feature
    "fixed",
    "protected",  # permanently fixed: no advice may name it
]
ALONG: FeatureMoves = "along"
FIXED: FeatureMoves = "fixed"
PROTECTED: FeatureMoves = "protected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Shares of the population: per bin for numbers, per label for categories and yes/no columns.

    If a column has extreme values, the first and the last bin include everything beyond the outer edges.

    >>> Distribution(edges=(0.0, 1000.0, 2000.0), shares=(0.7, 0.3)).other
    0.0
    """

    edges: tuple[Finite, ...] = ()  # one more than there are shares; empty if there are labels
    labels: tuple[Value, ...] = ()  # the most common ones, in that order; `other` covers the rest
    shares: tuple[Finite, ...] = ()
    other: Finite = 0.0  # the share of labels that are not listed
    missing: Finite = 0.0

    def __post_init__(self) -> None:
        """Reject shares that match neither the edges nor the labels."""
        if len(self.shares) != (len(self.edges) - 1 if self.edges else len(self.labels)):
            raise InvalidArgument(
                "A distribution needs a share for each label, or for each bin between two edges; got "
                f"{len(self.shares)} shares, {len(self.edges)} edges, {len(self.labels)} labels."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What readers need to know about one column of the model."""

    name: str
    kind: FeatureKind = "number"
    moves: FeatureMoves = "either"
    group: str = ""  # for a 0/1 column that is a level of a category: the name of the category
    candidates: Candidates | None = None  # the values that it may take; None if it may not change
    display: Display = field(default_factory=lambda: AS_IT_IS)
    distribution: Distribution | None = None  # of the reference population

    @property
    def may_change(self) -> bool:
        """Whether the feature may change."""
        return self.moves not in (FIXED, PROTECTED)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProblemRecord:
    """The problem that was solved, as far as readers need it. All explanations of an explainer share it.

    Equality of explanations ignores it.

    >>> problem = ProblemRecord(features={"Age": Feature(name="Age", kind="whole", moves="fixed")})
    >>> ProblemRecord.from_dict(problem.to_dict()).features["Age"].may_change
    False
    """

    features: dict[str, Feature] = field(default_factory=dict)  # by column, in the model's order
    outcome: str = ""  # what the target class means, such as "default"; "" if nothing shows it
    rules: tuple[RuleData, ...] = ()  # between features
    policy: str = ""  # the policy as YAML; "" if it is not known
    basis: Basis = "stated"  # of the policy; texts for applicants are drafts if it is "inferred"
    reviewed_by: str = ""  # who reviewed the policy; "" if no one did
    reviewed_on: str = ""  # the date of the review, as year-month-day
    people: Count = 0  # in the reference population
    versions: dict[str, str] = field(default_factory=dict)  # library → version
    hashes: dict[str, str] = field(default_factory=dict)  # "model", "reference", "policy" → SHA-256
    settings: dict[str, Value] = field(default_factory=dict)  # "seed", "contamination", …: plain values

    @property
    def is_draft(self) -> bool:
        """Whether the policy is only inferred: no person has stated or reviewed what may change."""
        return self.basis == INFERRED

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready data."""
        return plain_fields(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "ProblemRecord":
        """Build a record from what `to_dict` returned."""
        return to_record(data, cls, "ProblemRecord.from_dict()", limits)

    def _in_order(self, columns: Iterable[str]) -> "ProblemRecord":
        """Put the features into the order of the model's columns."""
        known = [name for name in columns if name in self.features]
        return replace(self, features=in_order(self.features, known, "features"))

    def __post_init__(self) -> None:
        """Reject features that are listed under another name."""
        for name, feature in self.features.items():
            if feature.name != name:
                raise InvalidArgument(
                    f"A problem lists the feature {echoed(feature.name)} under the name {echoed(name)}. "
                    "List it under its own name."
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """How a model is supported, how results are proven, and how large the grid is.

    `Explainer.describe` returns it.
    """

    family: str  # the model family that parsed the model
    bound: str  # what prunes boxes: "tree leaves", "additive", "network", "complete", …
    is_black_box: bool  # the model itself decides cells, in part or entirely
    black_box_because: str  # why it is not supported natively; "" if it is
    scale: str
    at_least: float | None
    at_most: float | None
    classes: tuple[Any, ...]
    target: Any
    columns: tuple[str, ...]
    detector: str | None
    objectives: tuple[str, ...]
    max_changes: int | None
    cells: int  # combinations of the grid that an instance can reach
    alternatives: dict[str, int]  # axis → number of other values
    rules: tuple[RuleData, ...]  # between features
    # Calls of black boxes by the constructor, and rows in them; None if all models are supported natively.
    calls: int | None = None
    rows: int | None = None

    def __str__(self) -> str:
        return rendered("facts_text", self)
