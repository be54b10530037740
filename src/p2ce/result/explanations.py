"""Define the explanations of many people, in the order of the input."""

import json
import operator
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, cast, overload

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument
from p2ce.result.certificate import Status
from p2ce.result.counterfactual import Counterfactual, Layout, counterfactual_table, own_name
from p2ce.result.explanation import Explanation, StoredExplanation
from p2ce.result.json_data import parse_json, to_record
from p2ce.result.problem_record import ProblemRecord
from p2ce.result.relaxations import StoredRelaxations
from p2ce.result.rendered import Reports, rendered, write_report
from p2ce.tables import TableKind, as_kind
from p2ce.tables.json_values import Count, Value, to_plain

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "p2ce.explanations/2"


class Explanations(Reports, Sequence[Explanation]):
    """The explanations of many people: one `Explanation` per person, in order.

    `many[0]`, `many[1:3]`, `many[[0, 2]]` and `many[mask]` select by position, `many.loc["L-0002"]` by id.
    The ids are the index labels of the table that was explained.

    Args:
        explanations: One explanation per person.
        ids: The id of each person, in the same order. The default is the positions, from 0.

    >>> from p2ce.result import Explanation, Status
    >>> one, other = (
    ...     Explanation(status=Status.ERROR, person={}, at_least=0.5, target=1, objectives=(), dtypes={},
    ...                 message=message)
    ...     for message in ("no income", "no age")
    ... )
    >>> many = Explanations([one, other], ids=["ann", "bob"])
    >>> many[0].message, many.loc["bob"].message, many.statuses[Status.ERROR]
    ('no income', 'no age', 2)
    """

    __slots__ = ("_build", "_built", "_kind", "_layout", "_positions", "ids")

    def __init__(self, explanations: Iterable[Explanation] = (), *, ids: Iterable[Any] | None = None) -> None:
        if isinstance(explanations, Explanation):  # type: ignore[unreachable]
            raise InvalidArgument(
                "Explanations() expects a list of Explanation, got a single one. "
                "Pass Explanations([explanation])."
            )
        built = list(explanations)
        for entry in built:
            if not isinstance(entry, Explanation):
                raise InvalidArgument(
                    f"Explanations() expects a list of Explanation, got one with {echoed(entry)} in it."
                )
            if entry.unlisted:
                raise InvalidArgument(
                    f"Explanations() compares people by all their options, but one entry leaves "
                    f"{echoed(entry.unlisted)} of them unlisted. Pass what more() returns without n=."
                )
        self._built: list[Explanation | None] = [*built]
        self._build: Callable[[int], Explanation] | None = None
        self._layout = Layout(dtypes={})  # the columns of an empty table
        self._kind: TableKind = built[0]._kind if built else "pandas"  # of the tables that are returned
        self._set_ids(ids)

    @classmethod
    def _lazy(
        cls,
        count: int,
        build: Callable[[int], Explanation],
        *,
        ids: Iterable[Any] | None = None,
        layout: Layout | None = None,
        kind: TableKind = "pandas",
    ) -> "Explanations":
        """Return explanations that are each built once, when first accessed."""
        made = cls()
        made._built, made._build, made._kind = [None] * count, build, kind
        made._layout = layout or made._layout
        made._set_ids(ids)
        return made

    def _set_ids(self, ids: Iterable[Any] | None) -> None:
        self.ids: tuple[Any, ...] = tuple(range(len(self._built)) if ids is None else ids)
        self._positions: dict[Any, list[int]] | None = None  # by id, once needed
        if len(self.ids) != len(self._built):
            raise InvalidArgument(
                f"Explanations() expects one id per person: {len(self._built)} people, {len(self.ids)} ids."
            )

    def __len__(self) -> int:
        return len(self._built)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: "slice | Iterable[Any]") -> "Explanations": ...
    def __getitem__(self, index: "int | slice | Iterable[Any]") -> "Explanation | Explanations":
        """Return the explanation at a position, or those of a slice, a list of positions or a mask."""
        if isinstance(index, slice):
            return self._take(range(len(self))[index])
        if not isinstance(index, bool) and hasattr(index, "__index__") and not getattr(index, "ndim", 0):
            return self._at(operator.index(cast(SupportsIndex, index)))
        wanted = _listed(index)
        if wanted is not None and is_mask(wanted):
            return self._take(self._masked(index, wanted))
        if wanted is not None and all(isinstance(one, int) and not isinstance(one, bool) for one in wanted):
            return self._take([self._place(one) for one in wanted])
        raise InvalidArgument(
            "explanations[…] expects a position, a slice, a list of positions or a mask of bools, got "
            f"{echoed(index)}. Use explanations.loc[…] to select by id."
        )

    @property
    def loc(self) -> "ById":
        """Select by id, as pandas does.

        One id returns its `Explanation`. A list of ids, a mask of bools or a slice of ids returns
        `Explanations`. A slice includes its end. An id that is unknown, or that several people share, is an
        error.
        """
        return ById(self)

    def __contains__(self, entry: object) -> bool:
        return super().__contains__(_an_explanation(entry))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the position of an explanation."""
        return super().index(_an_explanation(value), start, len(self) if stop is None else stop)

    def count(self, value: Any) -> int:
        """Return how often an explanation occurs. Use `statuses` to count people by status."""
        return super().count(_an_explanation(value))

    def _place(self, position: int) -> int:
        """Return a position as counted from the start; negative positions count from the end."""
        try:
            return range(len(self))[position]
        except IndexError:
            raise NoSuchPosition(
                f"explanations[{position}] is out of range: there are {len(self)} people. "
                f"Use explanations.loc[{position}] to select by id."
            ) from None

    def _at(self, position: int) -> Explanation:
        position = self._place(position)
        entry = self._built[position]
        if entry is None:
            assert self._build is not None  # `_lazy` sets it
            entry = self._built[position] = self._build(position)
        return entry

    def _take(self, positions: Sequence[int]) -> "Explanations":
        # Built by the original, so nothing is built twice.
        return Explanations._lazy(
            len(positions),
            lambda i: self._at(positions[i]),
            ids=[self.ids[position] for position in positions],
            layout=self._layout,
            kind=self._kind,
        )

    def _masked(self, given: Any, mask: Sequence[bool]) -> list[int]:
        """Return the positions that a mask selects. A pandas Series is aligned by its index, as in pandas."""
        index: Any = getattr(given, "index", None)
        if hasattr(index, "tolist") and type(index).__name__ != "RangeIndex":
            mask = _in_order_of(self.ids, index.tolist(), mask)
        if len(mask) != len(self):
            raise InvalidArgument(
                f"A mask expects one bool per person: {len(self)} people, {len(mask)} bools. "
                "Build it from a column of explanations.summary()."
            )
        return [position for position, chosen in enumerate(mask) if chosen]

    def _position(self, wanted: Any) -> int:
        """Return the position of the only person with this id."""
        if self._positions is None:
            self._positions = {}
            for position, one in enumerate(self.ids):
                if isinstance(one, Hashable):
                    self._positions.setdefault(one, []).append(position)
        found = self._positions.get(wanted, []) if isinstance(wanted, Hashable) else []
        if not found:
            raise InvalidArgument(
                f"There is no explanation with the id {echoed(wanted)}. "
                + (f"The ids are {listed(self.ids, most=5)}." if self.ids else "There are no people.")
            )
        if len(found) > 1:
            raise InvalidArgument(
                f"{len(found)} people have the id {echoed(wanted)}, at positions {listed(found, most=5)}. "
                f"Select one by position, such as explanations[{found[0]}], or pass unique ids."
            )
        return found[0]

    def rejected(self) -> "Explanations":
        """Return the explanations of rejected people, with or without options.

        People who are ACCEPTED, or whose status is ERROR, are left out.
        """
        others = (Status.ACCEPTED, Status.ERROR)
        return self[[entry.status not in others for entry in self]]

    def without_recourse(self) -> "Explanations":
        """Return the explanations with NO_RECOURSE, where it is proven that no allowed change is enough.

        Explanations with TIME_LIMIT or HEURISTIC are left out even if they have no option: one may exist.
        """
        return self[[entry.status is Status.NO_RECOURSE for entry in self]]

    def __iter__(self) -> Iterator[Explanation]:
        return (self._at(i) for i in range(len(self)))

    @property
    def statuses(self) -> Counter[Status]:
        """The number of people with each status."""
        return Counter(entry.status for entry in self)

    @overload
    def to_frame(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def to_frame(self, *, kind: str | None = None) -> Any: ...
    def to_frame(self, *, kind: str | None = None) -> Any:
        """Return a row per option of every person, as `Explanation.to_frame` does for one.

        The first column, `id`, is the person's id. Then come the columns of `Explanation.to_frame`, the
        person's `status`, and `as_of` if any explanation states a date. People without an option have no row
        here. `summary` lists all people.

        Args:
            kind: The kind of table, as in `Explanation.to_frame`. The default is the kind in which the people
                were passed.
        """
        import pandas as pd

        options: list[Counterfactual] = []
        owners: list[int] = []
        for position, entry in enumerate(self):
            options += entry.counterfactuals
            owners += [position] * len(entry)
        # The entry of an unusable row may have neither columns nor objectives, so take the fullest entry.
        model = max(self, key=lambda entry: (len(entry) > 0, len(entry.dtypes)), default=None)
        layout = self._layout if model is None else model._layout
        if any(entry.person_prediction is not None for entry in self):
            layout = replace(layout, predictions=True)
        if any(entry.points is not None for entry in self):
            layout = replace(layout, points=True)
        frame = counterfactual_table(options, layout)
        frame.insert(0, own_name("id", frame.columns), self._id_index().take(owners))
        frame[own_name("status", frame.columns)] = pd.Series(
            [self[i].status.value for i in owners], dtype="object"
        )
        days = self._days()
        if any(days):
            frame[own_name("as_of", frame.columns)] = pd.Series([days[i] for i in owners], dtype="object")
        return as_kind(frame, kind or self._kind)

    @overload
    def summary(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def summary(self, *, kind: str | None = None) -> Any: ...
    def summary(self, *, kind: str | None = None) -> Any:
        """Return a row per person.

        The columns are `id`, `status`, `none_because` (why there is no option), `options` (their number),
        `score`, `error` (the kind of failure) and `message` (its text). If predictions are known, a column
        `prediction` follows the score. If any explanation states a date, a column `as_of` comes last.

        Args:
            kind: The kind of table, as in `Explanation.to_frame`. The default is the kind in which the people
                were passed.
        """
        import pandas as pd

        predictions = [entry.person_prediction for entry in self]
        predicted = any(one is not None for one in predictions)
        points = [None if entry.points is None else entry.points.person for entry in self]
        reports = any(entry.points is not None for entry in self)
        days = self._days()
        data = {
            "id": self._id_index(),
            "status": pd.Series([entry.status.value for entry in self], dtype="object"),
            "none_because": pd.Series(
                [None if entry.certificate is None else entry.certificate.none_because for entry in self],
                dtype="object",
            ),
            "options": pd.Series([len(entry) for entry in self], dtype="int64"),
            "score": pd.Series([entry.person_score for entry in self], dtype="float64"),
            **({"points": pd.Series(points, dtype="float64")} if reports else {}),
            **({"prediction": pd.Series(predictions, dtype="float64")} if predicted else {}),
            "error": pd.Series([entry.error for entry in self], dtype="object"),
            "message": pd.Series([entry.message for entry in self], dtype="object"),
            **({"as_of": pd.Series(days, dtype="object")} if any(days) else {}),
        }
        return as_kind(pd.DataFrame(data), kind or self._kind)

    def _days(self) -> list[str | None]:
        return [None if entry.as_of is None else entry.as_of.isoformat() for entry in self]

    def _id_index(self) -> "pd.Index[Any]":
        import pandas as pd

        ids: pd.Index[Any] = pd.Index(list(self.ids), tupleize_cols=False)
        return ids

    def to_dict(self, *, times: bool = False) -> dict[str, Any]:
        """Return the explanations as JSON-ready data.

        Ids that JSON cannot hold, such as dates, become text. People share their problem, so each problem is
        written once.

        Args:
            times: Whether to include the timings, which differ from run to run. The default is False.
        """
        problems: dict[int, tuple[int, ProblemRecord]] = {}  # by identity: place in the list, and the problem
        places = [
            None
            if entry.problem is None
            else problems.setdefault(id(entry.problem), (len(problems), entry.problem))[0]
            for entry in self
        ]
        return {
            "format": FORMAT,
            "ids": to_plain(self.ids),
            "problems": [problem.to_dict() for _, problem in problems.values()],
            "problem_of": places,
            "people": [entry.to_dict(times=times, problem=False) for entry in self],
        }

    def to_json(self, path: str | os.PathLike[str] | None = None, *, times: bool = False) -> str:
        """Return the explanations as JSON text, for `from_json`.

        Args:
            path: A file to write the text to as well. Optional.
            times: Whether to include the timings, which differ from run to run. The default is False.
        """
        return write_report(json.dumps(self.to_dict(times=times), allow_nan=False), path, "The explanations")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Explanations":
        """Build explanations from what `to_dict` returned.

        Data that `to_dict` cannot have returned raise `InvalidArgument`, which names the invalid entry.

        Args:
            data: What `to_dict` returned.
            limits: The largest data that are accepted.
        """
        who = f"{cls.__name__}.from_dict()"
        stored = to_record(data, StoredExplanations, who, limits, form=FORMAT)
        return cls(stored.opened(f"{who}: "), ids=stored.ids)

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "Explanations":
        """Parse the JSON text of `to_json` or ``p2ce explain --out people.json``, treated as untrusted.

        Args:
            text: The JSON text.
            limits: The largest text that is accepted.
        """
        return cls.from_dict(parse_json(text, f"{cls.__name__}.from_json()", limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Explanations)
            and to_plain(self.ids) == to_plain(other.ids)
            and list(self) == list(other)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # The builder is often a closure, which cannot be pickled. What it builds can be pickled.
        return (_unpickled, (list(self), self.ids, self._layout, self._kind))

    def __repr__(self) -> str:
        return f"<Explanations of {self._people()}>"  # short, since it must not build all explanations

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in sorted(self.statuses.items()))
        return f"{self._people()}: {counts}" if len(self) else self._people()

    def _people(self) -> str:
        return "1 person" if len(self) == 1 else f"{len(self)} people"

    def _repr_html_(self) -> str:
        return rendered("explanations_html", self)


def _unpickled(
    entries: list[Explanation], ids: tuple[Any, ...], layout: Layout, kind: TableKind
) -> Explanations:
    return Explanations._lazy(len(entries), entries.__getitem__, ids=ids, layout=layout, kind=kind)


class NoSuchPosition(InvalidArgument, IndexError):
    """A position that is out of range."""


def _an_explanation(entry: object) -> Explanation:
    if not isinstance(entry, Explanation):
        raise InvalidArgument(
            f"Explanations hold Explanation objects, got {echoed(entry)}. Look for an id in "
            "explanations.ids, and for a status in explanations.statuses."
        )
    return entry


class ById:
    """The selector `explanations.loc[…]`, which selects explanations by id."""

    __slots__ = ("_many",)

    def __init__(self, many: Explanations) -> None:
        self._many = many

    def __getitem__(self, wanted: Any) -> Any:
        """Return the explanation of an id, or the explanations of several ids, a mask or a slice."""
        many = self._many
        if isinstance(wanted, slice):
            if wanted.step is not None and wanted.step < 1:
                raise InvalidArgument(
                    f"A slice of ids expects a step of 1 or more, got {wanted.step}. Reverse the result: "
                    "explanations.loc[first:last][::-1]."
                )
            first = None if wanted.start is None else many._position(wanted.start)
            last = None if wanted.stop is None else many._position(wanted.stop) + 1
            return many[first : last : wanted.step]
        several = None if isinstance(wanted, tuple) else _listed(wanted)  # a tuple is an id of several levels
        if several is None:
            return many._at(many._position(wanted))
        if is_mask(several):
            return many._take(many._masked(wanted, several))
        return many._take([many._position(one) for one in several])


def _in_order_of(ids: tuple[Any, ...], labels: list[Any], mask: Sequence[bool]) -> Sequence[bool]:
    """Put a mask with index labels into the order of the ids."""
    if labels == list(ids):
        return mask
    chosen = dict(zip(labels, mask, strict=True))
    if len(chosen) != len(labels) or chosen.keys() != {one for one in ids if isinstance(one, Hashable)}:
        raise InvalidArgument(
            "The index of a mask must hold the id of each person exactly once. Build the mask from "
            "explanations.summary(), or from the rows that were explained."
        )
    return [chosen[one] for one in ids]


def _listed(index: Any) -> list[Any] | None:
    """Return a list, an array, an index or a column as a list of plain values; None for other types."""
    if hasattr(index, "tolist") and getattr(index, "ndim", 0) == 1:
        plain: list[Any] = index.tolist()
        return plain
    if hasattr(index, "to_list"):  # a column of polars
        return list(index.to_list())
    if not isinstance(index, list | tuple | range):
        return None
    return [one.item() if hasattr(one, "item") and not getattr(one, "ndim", 0) else one for one in index]


def is_mask(values: Sequence[Any]) -> bool:
    """Return whether the values are a mask: one bool per person.

    >>> is_mask([True, False]), is_mask([1, 0]), is_mask([])
    (True, False, False)
    """
    return bool(values) and all(isinstance(one, bool) for one in values)


def shared_objectives(entries: Iterable[Explanation]) -> tuple[str, ...]:
    """List the objectives shared by all people with options, or else those of the first other person."""
    found: tuple[str, ...] = ()
    some: tuple[str, ...] | None = None
    for entry in entries:
        found = found or entry.objectives
        if len(entry):
            some = entry.objectives if some is None else tuple(one for one in some if one in entry.objectives)
    return found if some is None else some


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExplanations:
    """Explanations of many people as stored in JSON. Those of one explainer share its problem."""

    format: Literal["p2ce.explanations/2"]
    ids: tuple[Value, ...]
    problems: tuple[ProblemRecord, ...] = ()
    problem_of: tuple[Count | None, ...]  # the position of each person's problem in `problems`
    people: tuple[StoredExplanation, ...]
    relaxations: StoredRelaxations | None = (
        None  # written by the command line for a single person without an option
    )

    def opened(self, place: str) -> list[Explanation]:
        """Return the explanations, each with its problem."""
        if len(self.problem_of) != len(self.people):
            raise InvalidArgument(f"{place}problem_of must have an entry for each of the people.")
        ordered: dict[int, ProblemRecord] = {}  # people share these
        people = []
        for number, (stored, at) in enumerate(zip(self.people, self.problem_of, strict=True)):
            problem = stored.problem
            if at is not None:
                if at >= len(self.problems):
                    raise InvalidArgument(f"{place}problem_of[{number}] is {at}, which is not a problem.")
                problem = ordered.setdefault(at, self.problems[at]._in_order(stored.columns))
            people.append(replace(stored.opened(f"{place}people[{number}]."), problem=problem))
        return people
