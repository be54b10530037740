"""Hold the minimal sets of restrictions to relax for a person without an option."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, overload

from p2ce.limits import DEFAULT, Limits
from p2ce.result.categories import Categories
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.counterfactual_table import Layout, counterfactual_table, own_name
from p2ce.result.json_data import opened, parse_json, to_record
from p2ce.result.rendered import rendered
from p2ce.result.restriction import Restriction
from p2ce.tables import TableKind, as_kind
from p2ce.tables.json_values import Number, Value, plain_fields

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "p2ce.relaxations/2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """A smallest set of restrictions without which there is an option, and the first such option."""

    restrictions: tuple[Restriction, ...]  # what has to be given up
    counterfactual: Counterfactual
    proven: bool  # nothing costs less without these restrictions, and no part of the set is enough


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relaxations:
    """Why a person has no option: the smallest sets of restrictions whose removal gives one.

    Only what `considered` lists was tried; features that are `fixed` were not. A set in `undecided` was not
    settled in time: relaxing it may or may not give an option. `complete` says that every set of what was
    considered is settled, up to all of it together, so that the relaxations are all there are on the grids
    that were tried.

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
    - Without the range "Pay: from 25,000 to 40,000": raise Pay from 30,000 to 42,000. (changes 1)
    Limits that were tried: the range of Pay; the direction of Debt.
    Not tried, since fixed: Age.
    This list is complete: with fewer limits lifted, there is no option among the values tried.
    """

    person: dict[str, Value]
    relaxations: tuple[Relaxation, ...] = ()
    undecided: tuple[tuple[Restriction, ...], ...] = ()  # sets of restrictions not settled in time
    considered: tuple[Restriction, ...] = ()  # the finite list of restrictions that might be relaxed
    fixed: tuple[str, ...] = ()  # features that never change, whatever is relaxed
    complete: bool
    objectives: tuple[str, ...] = ()
    dtypes: dict[str, str] = field(default_factory=dict)
    categories: dict[str, Categories] = field(default_factory=dict)
    _kind: TableKind = "pandas"  # of table that `to_frame` returns: the one that the person came in
    elapsed: Number = 0.0  # seconds; no part of the result

    def __len__(self) -> int:
        return len(self.relaxations)

    def __iter__(self) -> Iterator[Relaxation]:
        return iter(self.relaxations)

    @overload
    def to_frame(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def to_frame(self, *, kind: str | None = None) -> Any: ...
    def to_frame(self, *, kind: str | None = None) -> Any:
        """Return a row per relaxation: restrictions, proven, then as `Explanation.to_frame`."""
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
        """Return the same content as JSON-ready data, without the time that it took."""
        return {"format": FORMAT, "columns": list(self.dtypes), **plain_fields(self, ("elapsed", "_kind"))}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Relaxations":
        """Undo `to_dict`, also after JSON that did not keep the order of keys."""
        who = f"{cls.__name__}.from_dict()"
        return to_record(data, StoredRelaxations, who, limits, form=FORMAT).opened(f"{who}: ")

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "Relaxations":
        """Parse what ``json.dumps(why.to_dict())`` wrote, without trusting it."""
        return cls.from_dict(parse_json(text, f"{cls.__name__}.from_json()", limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        # On the JSON form, so that a missing value (NaN) in the person equals itself.
        return isinstance(other, Relaxations) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return rendered("why_text", self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredRelaxations(Relaxations):
    """The same as JSON holds it: with its format, and with the order of the columns."""

    format: Literal["p2ce.relaxations/2"]
    columns: tuple[str, ...]

    def opened(self, place: str) -> Relaxations:
        """Return it with everything in the order of columns and objectives."""
        places = (f"{place}relaxations[{number}].counterfactual" for number in range(len(self)))
        options = [
            one.counterfactual._in_order(self.columns, self.objectives, at)
            for one, at in zip(self, places, strict=True)
        ]
        relaxations = (replace(one, counterfactual=at) for one, at in zip(self, options, strict=True))
        return opened(self, Relaxations, place, relaxations=tuple(relaxations))
