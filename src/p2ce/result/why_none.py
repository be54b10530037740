"""Hold the minimal sets of restrictions to relax for a person without an option."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from p2ce.limits import DEFAULT, Limits
from p2ce.result.categories import Categories
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.counterfactual_table import Layout, counterfactual_table, own_name
from p2ce.result.number_text import readable_cost
from p2ce.result.overview import changes_in_brief
from p2ce.result.plain import Value, plain_values
from p2ce.result.untrusted_json import Entry, entry_of, read_json, require_format
from p2ce.tables import KINDS, as_kind
from p2ce.visible import visible_lines

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "p2ce.why_none/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxation:
    """A smallest set of restrictions without which there is an option, and the cheapest such option."""

    restrictions: tuple[str, ...]  # what has to be given up, in words
    kinds: tuple[str, ...]  # of each: "changes", "direction", "range", "rule", "plausibility", …
    counterfactual: Counterfactual
    proven: bool  # nothing cheaper exists without these restrictions, and no part of the set is enough

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data."""
        return {
            "restrictions": list(self.restrictions),
            "kinds": list(self.kinds),
            "counterfactual": self.counterfactual.to_dict(),
            "proven": bool(self.proven),
        }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        columns: tuple[str, ...] = (),
        objectives: tuple[str, ...] = (),
        limits: Limits = DEFAULT,
    ) -> "Relaxation":
        """Undo `to_dict`."""
        return cls._read(entry_of(data, cls, limits), columns=columns, objectives=objectives)

    @classmethod
    def _read(cls, entry: Entry, columns: tuple[str, ...], objectives: tuple[str, ...]) -> "Relaxation":
        return cls(
            restrictions=entry["restrictions"].texts(),
            kinds=entry["kinds"].texts(),
            counterfactual=Counterfactual._read(entry["counterfactual"], columns, objectives),
            proven=entry["proven"].flag(),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WhyNone:
    """Why a person has no option: the smallest sets of restrictions whose removal gives one.

    Only what `considered` lists was tried. A set in `undecided` was not settled in time: relaxing it
    may or may not give an option. `complete` says that every set of what was considered is settled, up to
    all of it together, so that the relaxations are all there are on the grids that were tried.

    >>> option = Counterfactual(
    ...     values={"Age": 41, "Income": 42_000}, changes={"Income": (30_000, 42_000)},
    ...     costs={"changes": 1.0}, score=0.53,
    ... )
    >>> why = WhyNone(
    ...     person={"Age": 41, "Income": 30_000},
    ...     relaxations=(Relaxation(restrictions=("Income stays within 25,000 to 40,000",), kinds=("range",),
    ...                       counterfactual=option, proven=True),),
    ...     considered=("Income stays within 25,000 to 40,000", "at most 1 change"), complete=True,
    ... )
    >>> print(why)
    1 minimal set of restrictions to relax, of 2 considered:
    1. without "Income stays within 25,000 to 40,000":
       Income: 30,000 → 42,000 (changes 1)
    Complete on the grids tried: every option needs one of these sets relaxed, and no smaller one.
    """

    person: dict[str, Value]
    relaxations: tuple[Relaxation, ...] = ()
    undecided: tuple[tuple[str, ...], ...] = ()  # sets of restrictions not settled in time
    considered: tuple[str, ...] = ()  # the finite list of restrictions that might be relaxed
    complete: bool
    objectives: tuple[str, ...] = ()
    dtypes: dict[str, str] = field(default_factory=dict)
    categories: dict[str, Categories] = field(default_factory=dict)
    kind: str = "pandas"  # of table that `to_frame` returns
    elapsed: float = 0.0  # seconds; no part of the result

    def __len__(self) -> int:
        return len(self.relaxations)

    def __iter__(self) -> Iterator[Relaxation]:
        return iter(self.relaxations)

    @overload
    def to_frame(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def to_frame(self, *, kind: str | None = None) -> Any: ...
    def to_frame(self, *, kind: str | None = None) -> Any:
        """Give a row per relaxation: restrictions, their kinds, proven, then as `Explanation.to_frame`."""
        import pandas as pd

        options = [relaxation.counterfactual for relaxation in self.relaxations]
        frame = counterfactual_table(
            options, Layout(dtypes=self.dtypes, categories=self.categories, objectives=self.objectives)
        )
        ours: dict[str, pd.Series[Any]] = {
            "restrictions": pd.Series(
                ["; ".join(one.restrictions) for one in self.relaxations], dtype="object"
            ),
            "kinds": pd.Series(["; ".join(one.kinds) for one in self.relaxations], dtype="object"),
            "proven": pd.Series([one.proven for one in self.relaxations], dtype="bool"),
        }
        for place, (name, column) in enumerate(ours.items()):
            frame.insert(place, own_name(name, frame.columns), column)
        return as_kind(frame, kind or self.kind)

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data, without the time that it took."""
        return {
            "format": FORMAT,
            "columns": list(self.dtypes),
            "dtypes": dict(self.dtypes),
            "categories": {name: labels.to_dict() for name, labels in self.categories.items()},
            "kind": self.kind,
            "objectives": list(self.objectives),
            "person": plain_values(self.person),
            "relaxations": [relaxation.to_dict() for relaxation in self.relaxations],
            "undecided": [list(restrictions) for restrictions in self.undecided],
            "considered": list(self.considered),
            "complete": bool(self.complete),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "WhyNone":
        """Undo `to_dict`, also after JSON that did not keep the order of keys."""
        entry = entry_of(data, cls, limits)
        require_format(entry, cls, FORMAT)
        columns, objectives = entry["columns"].names(), entry["objectives"].names()
        return cls(
            person=entry["person"].values(columns),
            relaxations=tuple(
                Relaxation._read(one, columns=columns, objectives=objectives)
                for one in entry["relaxations"].each()
            ),
            undecided=tuple(restrictions.texts() for restrictions in entry["undecided"].each()),
            considered=entry["considered"].texts(),
            complete=entry["complete"].flag(),
            objectives=objectives,
            dtypes={name: entry["dtypes"][name].text() for name in columns},
            categories=entry["categories"].read_all(Categories._read),
            kind=entry["kind"].word(KINDS),
        )

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "WhyNone":
        """Read what ``json.dumps(why.to_dict())`` wrote, without trusting it."""
        return cls.from_dict(read_json(text, cls, limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        # On the JSON form, so that a missing value (NaN) in the person equals itself.
        return isinstance(other, WhyNone) and (
            {**self.to_dict(), "kind": None} == {**other.to_dict(), "kind": None}
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        lines = [_headline(self)]
        for number, relaxation in enumerate(self.relaxations, start=1):
            lines += _lines_of(relaxation, number, self.dtypes)
        lines += [f"Not settled in time: without {_quoted(names)}." for names in self.undecided]
        return visible_lines([*lines, _closing(self)])


def _headline(why: WhyNone) -> str:
    considered = f"{len(why.considered):,} considered"
    if not len(why):
        return f"No relaxation gives an option, of {considered}."
    sets = f"{len(why)} minimal set{'s' * (len(why) != 1)}"
    return f"{sets} of restrictions to relax, of {considered}:"


def _lines_of(relaxation: Relaxation, number: int, dtypes: dict[str, str]) -> list[str]:
    option = relaxation.counterfactual
    costs = ", ".join(f"{name} {readable_cost(cost)}" for name, cost in option.costs.items())
    unsure = "" if relaxation.proven else "; not proven to be smallest and cheapest"
    return [
        f"{number}. without {_quoted(relaxation.restrictions)}:",
        f"   {changes_in_brief(option, dtypes)} ({costs}{unsure})",
    ]


def _quoted(restrictions: tuple[str, ...]) -> str:
    return " and ".join(f'"{one}"' for one in restrictions)


def _closing(why: WhyNone) -> str:
    if not why.complete:
        return (
            "The list is not complete: relaxing other sets of what was considered may give an option as well."
        )
    if not len(why):
        return "Proven: with all of them relaxed together, there is still no option on the grids tried."
    return "Complete on the grids tried: every option needs one of these sets relaxed, and no smaller one."
