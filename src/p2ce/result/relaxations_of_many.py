"""Define the relaxations of many people, and which restrictions bind for how many of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument
from p2ce.result.counterfactual import own_name
from p2ce.result.relaxations import Relaxations, Restriction
from p2ce.result.rendered import rendered
from p2ce.tables import TableKind, as_kind

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingRestriction:
    """A restriction, and for how many people it keeps options away.

    If the search for a person did not finish in time, the person counts for the sets that were found, and not
    in `in_every`.
    """

    restriction: Restriction
    in_some: int  # people for whom it is in at least one minimal set
    alone: int  # people for whom lifting it alone is enough
    in_every: int  # people for whom it provably is in every minimal set


class RelaxationsOfMany(Mapping[Any, Relaxations]):
    """The relaxations of many people by id, in the order of the explanations.

    `Explainer.relaxations` returns it for `Explanations`. It is a mapping from the id of each person with
    NO_RECOURSE to their `Relaxations`.

    Args:
        relaxations: Id → relaxations.

    >>> pay = Restriction(kind="range", feature="Pay", low=0, high=40)
    >>> debt = Restriction(kind="direction", feature="Debt", direction="down")
    >>> from p2ce.result import Counterfactual, Relaxation
    >>> option = Counterfactual(values={}, changes={}, costs={}, score=0.6)
    >>> def why(*sets):
    ...     found = tuple(Relaxation(restrictions=s, counterfactual=option, proven=True) for s in sets)
    ...     return Relaxations(person={}, relaxations=found, considered=(pay, debt), complete=True)
    >>> many = RelaxationsOfMany({"ann": why((pay,)), "bob": why((pay, debt)), "eve": why()})
    >>> [(one.restriction.feature, one.in_some, one.alone, one.in_every) for one in many.binding]
    [('Pay', 2, 1, 2), ('Debt', 1, 0, 1)]
    >>> print(many)
    People without an option for whom limits were lifted: 3. Of these, people who then have an option: 2.
    - Pay: from 0 to 40 – binds for 2 of 3; lifting it alone is enough for 1
    - Debt: only downwards – binds for 1 of 3; lifting it alone is enough for 0
    """

    __slots__ = ("_found",)

    def __init__(self, relaxations: Mapping[Any, Relaxations]) -> None:
        for row_id, one in relaxations.items():
            if not isinstance(one, Relaxations):
                raise InvalidArgument(
                    f"RelaxationsOfMany() expects Relaxations by id, got {echoed(one)} for {echoed(row_id)}."
                )
        self._found: dict[Any, Relaxations] = dict(relaxations)

    def __getitem__(self, row_id: Any) -> Relaxations:
        try:
            return self._found[row_id]
        except KeyError:
            raise NoSuchId(
                f"There are no relaxations for the id {echoed(row_id)}. "
                + (
                    f"The ids are {listed(list(self._found), most=5)}."
                    if self._found
                    else "There are no people."
                )
            ) from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def binding(self) -> tuple[BindingRestriction, ...]:
        """The restrictions in any minimal set, those of most people first."""
        return binding_restrictions(self._found)

    @overload
    def summary(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def summary(self, *, kind: str | None = None) -> Any: ...
    def summary(self, *, kind: str | None = None) -> Any:
        """Return a row per restriction in any minimal set, those of most people first.

        The columns are `restriction`, `feature`, `in_some` (people for whom it is in a minimal set), `alone`
        (people for whom lifting it alone is enough), `in_every` (people for whom it provably is in every
        minimal set) and `people` (all people whose relaxations were sought).

        Args:
            kind: The kind of table, as in `Explanation.to_frame`. The default is the kind in which the people
                were passed.
        """
        import pandas as pd

        found = self.binding
        data = {
            "restriction": pd.Series([str(one.restriction) for one in found], dtype="object"),
            "feature": pd.Series([one.restriction.feature for one in found], dtype="object"),
            "in_some": pd.Series([one.in_some for one in found], dtype="int64"),
            "alone": pd.Series([one.alone for one in found], dtype="int64"),
            "in_every": pd.Series([one.in_every for one in found], dtype="int64"),
            "people": pd.Series([len(self)] * len(found), dtype="int64"),
        }
        return as_kind(pd.DataFrame(data), kind or self._kind)

    @overload
    def to_frame(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def to_frame(self, *, kind: str | None = None) -> Any: ...
    def to_frame(self, *, kind: str | None = None) -> Any:
        """Return a row per relaxation of every person: the `id`, then as `Relaxations.to_frame`.

        Args:
            kind: The kind of table, as in `Explanation.to_frame`. The default is the kind in which the people
                were passed.
        """
        import pandas as pd

        frames = [one.to_frame(kind="pandas") for one in self._found.values()]
        owners = [row_id for row_id, one in self._found.items() for _ in one]
        with_rows = [frame for frame in frames if len(frame)]
        frame = pd.concat(with_rows or frames[:1], ignore_index=True) if frames else pd.DataFrame()
        frame.insert(0, own_name("id", frame.columns), pd.Index(owners, tupleize_cols=False))
        return as_kind(frame, kind or self._kind)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data: the ids, and what `Relaxations.to_dict` returns for each person."""
        from p2ce.tables.json_values import to_plain

        return {
            "ids": to_plain(tuple(self._found)),
            "people": [one.to_dict() for one in self._found.values()],
        }

    @property
    def _kind(self) -> TableKind:
        return next((one._kind for one in self._found.values()), "pandas")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self._found == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<RelaxationsOfMany of {len(self)} {'person' if len(self) == 1 else 'people'}>"

    def __str__(self) -> str:
        return rendered("whys_text", self)


class NoSuchId(InvalidArgument, KeyError):
    """An id that no person has."""

    __str__ = InvalidArgument.__str__  # KeyError would quote the message


def binding_restrictions(found: Mapping[Any, Relaxations]) -> tuple[BindingRestriction, ...]:
    """Count for how many people each restriction is in a minimal set: alone, in some, in every set."""
    counts: dict[str, list[int]] = {}
    restrictions: dict[str, Restriction] = {}
    for why in found.values():
        sets = [{repr(one): one for one in relaxation.restrictions} for relaxation in why]
        for key, one in {key: one for some in sets for key, one in some.items()}.items():
            restrictions.setdefault(key, one)
            count = counts.setdefault(key, [0, 0, 0])
            count[0] += 1
            count[1] += any(len(some) == 1 and key in some for some in sets)
            count[2] += why.complete and all(key in some for some in sets)
    ranked = sorted(counts, key=lambda key: [-one for one in counts[key]])  # equal ones as they came
    return tuple(
        BindingRestriction(
            restriction=restrictions[key],
            in_some=counts[key][0],
            alone=counts[key][1],
            in_every=counts[key][2],
        )
        for key in ranked
    )
