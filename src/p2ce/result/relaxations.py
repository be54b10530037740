"""Define restrictions on counterfactuals, their violations, and the minimal sets to relax."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from p2ce.base.limits import DEFAULT, Limits
from p2ce.errors import InvalidArgument
from p2ce.policy.features.describe_features import require_change
from p2ce.result.columns import Categories
from p2ce.result.counterfactual import Counterfactual, Layout, counterfactual_table, own_name
from p2ce.result.json_data import opened, parse_json, to_record
from p2ce.result.rendered import rendered
from p2ce.result.rule_data import RuleData
from p2ce.tables import TableKind, as_kind
from p2ce.tables.json_values import Count, Number, Value, plain_fields

if TYPE_CHECKING:
    import pandas as pd


RestrictionKind: TypeAlias = Literal[
    "changes",  # at most `most` features change; `instead` is the limit tried in a relaxation
    "fixed",  # the feature never changes
    "direction",  # the feature moves in one direction only
    "change",  # the feature stays close to today's value, as `within_change` says
    "range",  # the feature stays between low and high
    "values",  # the feature takes one of a list of values
    "step",  # the feature moves in steps
    "missing",  # a missing value stays missing
    "known",  # a known value stays known
    "special",  # a special value stays
    "rule",  # a rule between features
    "plausibility",  # the detector finds the counterfactual plausible
]
FORMAT = "p2ce.relaxations/2"


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
    within_change: tuple[Value, ...] = ()  # how far it may fall and rise, as in a policy file: (0, "+10%")
    values: tuple[Value, ...] = ()
    step: Number | None = None
    value: Value = None  # the special value
    rule: RuleData | None = None

    def __post_init__(self) -> None:
        for kind, needed in (("direction", self.direction), ("rule", self.rule)):
            if self.kind == kind and needed is None:
                raise InvalidArgument(f"A restriction of the kind '{kind}' needs a {kind}. Pass {kind}=.")
        if self.kind == "change" and not self.within_change:
            raise InvalidArgument("A restriction of the kind 'change' needs both ends. Pass within_change=.")
        require_change(self.within_change)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """A minimal set of restrictions whose removal yields an option, and the first such option."""

    restrictions: tuple[Restriction, ...]  # the restrictions to relax
    counterfactual: Counterfactual
    proven: bool  # no other option costs less without these restrictions, and no subset is enough


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relaxations:
    """Why a person has no option: the minimal sets of restrictions whose removal yields one.

    Only the restrictions in `considered` were tried. Features in `fixed` were not relaxed. The sets in
    `undecided` were not settled in time: relaxing one may or may not yield an option. `complete` says that
    every set of the considered restrictions is settled, so no relaxation is missing on the grids tried.

    >>> option = Counterfactual(
    ...     values={"Age": 41, "Pay": 42_000}, changes={"Pay": (30_000, 42_000)},
    ...     costs={"changes": 1.0}, score=0.53,
    ... )
    >>> pay = Restriction(kind="range", feature="Pay", low=25_000, high=40_000)
    >>> often = Restriction(kind="direction", feature="Debt", direction="down")
    >>> why = Relaxations(
    ...     person={"Age": 41, "Pay": 30_000},
    ...     relaxations=(Relaxation(restrictions=(pay,), counterfactual=option, proven=True),),
    ...     considered=(pay, often), fixed=("Age",), complete=True,
    ... )
    >>> print(why)
    There would be an option if some of our limits did not apply (limits tried: 2):
    - Without the limit "Pay: from 25,000 to 40,000": raise Pay from 30,000 to 42,000. (changes 1)
    Limits tried: the range (Pay); the direction (Debt).
    Not tried, because it is fixed: Age.
    This list is complete: if fewer limits are lifted, there is no option among the values tried.
    """

    person: dict[str, Value]
    relaxations: tuple[Relaxation, ...] = ()
    undecided: tuple[tuple[Restriction, ...], ...] = ()  # sets of restrictions not settled in time
    considered: tuple[Restriction, ...] = ()  # all restrictions that might be relaxed
    fixed: tuple[str, ...] = ()  # features that no relaxation changes
    complete: bool
    objectives: tuple[str, ...] = ()
    dtypes: dict[str, str] = field(default_factory=dict)
    categories: dict[str, Categories] = field(default_factory=dict)
    _kind: TableKind = "pandas"  # the kind of table that `to_frame` returns: that of the input
    elapsed: Number = 0.0  # seconds; equality ignores it

    def __len__(self) -> int:
        return len(self.relaxations)

    def __iter__(self) -> Iterator[Relaxation]:
        return iter(self.relaxations)

    @overload
    def to_frame(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def to_frame(self, *, kind: str | None = None) -> Any: ...
    def to_frame(self, *, kind: str | None = None) -> Any:
        """Return a row per relaxation.

        The columns are `restrictions` and `proven`, then those of `Explanation.to_frame` without the number.

        Args:
            kind: The kind of table, as in `Explanation.to_frame`. The default is the kind in which the person
                was passed.
        """
        import pandas as pd

        options = [relaxation.counterfactual for relaxation in self.relaxations]
        frame = counterfactual_table(
            options,
            Layout(
                dtypes=self.dtypes,
                categories=self.categories,
                objectives=self.objectives,
                numbered=False,
            ),
        )
        ours: dict[str, pd.Series[Any]] = {
            "restrictions": pd.Series(
                ["; ".join(map(str, one.restrictions)) for one in self.relaxations], dtype="object"
            ),
            "proven": pd.Series([one.proven for one in self.relaxations], dtype="bool"),
        }
        for place, (name, column) in enumerate(ours.items()):
            frame.insert(place, own_name(name, frame.columns), column)
        return as_kind(frame, kind or self._kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the relaxations as JSON-ready data, without the elapsed time."""
        return {"format": FORMAT, "columns": list(self.dtypes), **plain_fields(self, ("elapsed", "_kind"))}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Relaxations":
        """Build relaxations from what `to_dict` returned, even if JSON changed the order of the keys.

        Args:
            data: What `to_dict` returned.
            limits: The largest data that are accepted.
        """
        who = f"{cls.__name__}.from_dict()"
        return to_record(data, StoredRelaxations, who, limits, form=FORMAT).opened(f"{who}: ")

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "Relaxations":
        """Parse the JSON text of ``json.dumps(relaxations.to_dict())``, treated as untrusted.

        Args:
            text: The JSON text.
            limits: The largest text that is accepted.
        """
        return cls.from_dict(parse_json(text, f"{cls.__name__}.from_json()", limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        # Compare the JSON forms, in which a missing value (NaN) of the person equals itself.
        return isinstance(other, Relaxations) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return rendered("why_text", self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredRelaxations(Relaxations):
    """Relaxations as stored in JSON, with their format and the order of the columns."""

    format: Literal["p2ce.relaxations/2"]
    columns: tuple[str, ...]

    def opened(self, place: str) -> Relaxations:
        """Return the relaxations, in the order of columns and objectives."""
        places = (f"{place}relaxations[{number}].counterfactual" for number in range(len(self)))
        options = [
            one.counterfactual._in_order(self.columns, self.objectives, at)
            for one, at in zip(self, places, strict=True)
        ]
        relaxations = (replace(one, counterfactual=at) for one, at in zip(self, options, strict=True))
        return opened(self, Relaxations, place, relaxations=tuple(relaxations))
