"""Hold the explanations of many people, in the order in which they were given."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

from p2ce.errors import InvalidArgument
from p2ce.limits import DEFAULT, Limits
from p2ce.result.categories import Categories
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.counterfactual_table import Layout, counterfactual_table, own_name
from p2ce.result.explanation import Explanation, StoredExplanation
from p2ce.result.json_data import parse_json, to_record
from p2ce.result.problem_record import ProblemRecord
from p2ce.result.relaxations import StoredRelaxations
from p2ce.result.rendered import rendered
from p2ce.result.status import Status
from p2ce.tables import TableKind, as_kind
from p2ce.tables.json_values import Count, Value, to_plain

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "p2ce.explanations/2"


class Explanations(Sequence[Explanation]):
    """One `Explanation` per person, in order; `labels` are the index labels of the caller's frame.

    Either the explanations themselves are given, or how many there are and how to build the i-th,
    which then happens when it is first looked at, and once.

    >>> from p2ce.result import Explanation, Status
    >>> def build(i):
    ...     return Explanation(status=Status.ERROR, person={}, threshold=0.5, target=1,
    ...                        objectives=(), dtypes={}, message=f"row {i} is empty")
    >>> many = Explanations(2, build, labels=["ann", "bob"])
    >>> many[1].message, many.statuses[Status.ERROR]
    ('row 1 is empty', 2)
    """

    __slots__ = ("_build", "_built", "_layout", "kind", "labels")

    def __init__(
        self,
        entries: Sequence[Explanation] | int,
        build: Callable[[int], Explanation] | None = None,
        labels: Sequence[Any] | None = None,
        dtypes: Mapping[str, str] | None = None,
        objectives: Sequence[str] = (),
        categories: Mapping[str, Categories] | None = None,
        kind: TableKind = "pandas",
    ) -> None:
        if isinstance(entries, int):
            if build is None and entries:
                raise InvalidArgument(
                    f"Explanations({entries}) needs to know how to build each. Give `build` as well."
                )
            self._built: list[Explanation | None] = [None] * entries
        else:
            self._built = list(entries)
        self._build = build
        # The columns of an empty table.
        self._layout = Layout(
            dtypes=dict(dtypes or {}), categories=dict(categories or {}), objectives=tuple(objectives)
        )
        self.kind = kind  # of table that `to_frame` and `summary` return
        self.labels: tuple[Any, ...] = tuple(range(len(self._built)) if labels is None else labels)
        if len(self.labels) != len(self._built):
            raise InvalidArgument(
                f"Explanations expects one label per person: {len(self._built)} people, "
                f"{len(self.labels)} labels."
            )

    def __len__(self) -> int:
        return len(self._built)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> "Explanations": ...
    def __getitem__(self, index: int | slice) -> "Explanation | Explanations":
        if isinstance(index, slice):
            chosen = range(len(self))[index]
            # Built through this one, so that nothing is built twice.
            return Explanations(len(chosen), lambda i: self[chosen[i]], self.labels[index], *self._rest())
        entry = self._built[index]
        if entry is None:
            position = range(len(self))[index]
            assert self._build is not None  # the constructor saw to it
            entry = self._built[position] = self._build(position)
        return entry

    def __iter__(self) -> Iterator[Explanation]:
        return (self[i] for i in range(len(self)))

    @property
    def statuses(self) -> Counter[Status]:
        """How many people ended with which status."""
        return Counter(entry.status for entry in self)

    @overload
    def to_frame(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def to_frame(self, *, kind: str | None = None) -> Any: ...
    def to_frame(self, *, kind: str | None = None) -> Any:
        """Return a row per counterfactual of every person, as `Explanation.to_frame` and whose it is.

        `person`, the first, is the person's index label; `status` is how their search ended. `as_of`, the
        day that the explanation is about, comes last, where any states one. People without an option have
        no row here: `summary` lists everyone. It is the kind of table in which the people were given, or
        the given `kind`.
        """
        import pandas as pd

        options: list[Counterfactual] = []
        owners: list[int] = []
        for position, entry in enumerate(self):
            options += entry.counterfactuals
            owners += [position] * len(entry)
        # An entry for a bad row may know neither columns nor objectives, so the fullest one speaks.
        model = max(self, key=lambda entry: (len(entry) > 0, len(entry.dtypes)), default=None)
        layout = self._layout if model is None else model.layout
        if any(entry.person_prediction is not None for entry in self):
            layout = replace(layout, predictions=True)
        frame = counterfactual_table(options, layout)
        labels = self._label_index().take(owners)
        frame.insert(0, own_name("person", frame.columns), labels)
        frame[own_name("status", frame.columns)] = pd.Series(
            [self[i].status.value for i in owners], dtype="object"
        )
        days = self._days()
        if any(days):
            frame[own_name("as_of", frame.columns)] = pd.Series([days[i] for i in owners], dtype="object")
        return as_kind(frame, kind or self.kind)

    @overload
    def summary(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def summary(self, *, kind: str | None = None) -> Any: ...
    def summary(self, *, kind: str | None = None) -> Any:
        """Return a row per person: label, status, why there is no option, number of options, score, message.

        What the model predicts today follows the score, where any prediction is known. The day that the
        explanation is about comes last, where any states one.
        """
        import pandas as pd

        predictions = [entry.person_prediction for entry in self]
        predicted = any(one is not None for one in predictions)
        days = self._days()
        data = {
            "person": self._label_index(),
            "status": pd.Series([entry.status.value for entry in self], dtype="object"),
            "none_because": pd.Series(
                [None if entry.certificate is None else entry.certificate.none_because for entry in self],
                dtype="object",
            ),
            "options": pd.Series([len(entry) for entry in self], dtype="int64"),
            "score": pd.Series([entry.person_score for entry in self], dtype="float64"),
            **({"prediction": pd.Series(predictions, dtype="float64")} if predicted else {}),
            "message": pd.Series([entry.message for entry in self], dtype="object"),
            **({"as_of": pd.Series(days, dtype="object")} if any(days) else {}),
        }
        return as_kind(pd.DataFrame(data), kind or self.kind)

    def _days(self) -> list[str | None]:
        return [None if entry.as_of is None else entry.as_of.isoformat() for entry in self]

    def _label_index(self) -> "pd.Index[Any]":
        import pandas as pd

        labels: pd.Index[Any] = pd.Index(list(self.labels), tupleize_cols=False)
        return labels

    def to_dict(self, *, times: bool = False) -> dict[str, Any]:
        """Return the same content as JSON-ready data; labels JSON cannot carry (dates, …) become text.

        Each problem is written once, since people have it in common.
        """
        questions: dict[
            int, tuple[int, ProblemRecord]
        ] = {}  # by identity: place in the list, and the problem
        places = [
            None
            if entry.problem is None
            else questions.setdefault(id(entry.problem), (len(questions), entry.problem))[0]
            for entry in self
        ]
        return {
            "format": FORMAT,
            "kind": self.kind,
            "labels": to_plain(self.labels),
            "questions": [problem.to_dict() for _, problem in questions.values()],
            "record_of": places,
            "people": [entry.to_dict(times=times, problem=False) for entry in self],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Explanations":
        """Undo `to_dict`. Data that it cannot have written raise `InvalidArgument`, which names the place."""
        who = f"{cls.__name__}.from_dict()"
        stored = to_record(data, StoredExplanations, who, limits, form=FORMAT)
        return cls(stored.opened(f"{who}: "), labels=stored.labels, kind=stored.kind)

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "Explanations":
        """Parse what ``p2ce explain --out people.json`` wrote, without trusting it."""
        return cls.from_dict(parse_json(text, f"{cls.__name__}.from_json()", limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Explanations)
            and to_plain(self.labels) == to_plain(other.labels)
            and list(self) == list(other)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # A builder is often a closure, which cannot be pickled; what it builds can.
        return (Explanations, (list(self), None, self.labels, *self._rest()))

    def _rest(self) -> tuple[Any, ...]:
        """Return the arguments that say how tables of these people look."""
        layout = self._layout
        return layout.dtypes, layout.objectives, layout.categories, self.kind

    def __repr__(self) -> str:
        return f"<Explanations of {self._people()}>"  # short: it must not build them all

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in sorted(self.statuses.items()))
        return f"{self._people()}: {counts}" if len(self) else self._people()

    def _people(self) -> str:
        return "1 person" if len(self) == 1 else f"{len(self)} people"

    def _repr_html_(self) -> str:
        return rendered("explanations_html", self)


def shared_objectives(entries: Iterable[Explanation]) -> tuple[str, ...]:
    """List the objectives that all people have who have an option; those of the others if nobody has."""
    found: tuple[str, ...] = ()
    some: tuple[str, ...] | None = None
    for entry in entries:
        found = found or entry.objectives
        if len(entry):
            some = entry.objectives if some is None else tuple(one for one in some if one in entry.objectives)
    return found if some is None else some


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExplanations:
    """Explanations of many people as JSON holds them; those of one explainer share its problem."""

    format: Literal["p2ce.explanations/2"]
    kind: TableKind = "pandas"
    labels: tuple[Value, ...]
    questions: tuple[ProblemRecord, ...] = ()
    record_of: tuple[Count | None, ...]  # the place of each person's problem
    people: tuple[StoredExplanation, ...]
    relaxations: StoredRelaxations | None = (
        None  # written by the command line, where one person has no option
    )

    def opened(self, place: str) -> list[Explanation]:
        """Return the explanations, each with its problem."""
        if len(self.record_of) != len(self.people):
            raise InvalidArgument(f"{place}record_of must have an entry for each of the people.")
        ordered: dict[int, ProblemRecord] = {}  # so that people share it
        people = []
        for number, (stored, at) in enumerate(zip(self.people, self.record_of, strict=True)):
            problem = stored.problem
            if at is not None:
                if at >= len(self.questions):
                    raise InvalidArgument(f"{place}record_of[{number}] is {at}, which is not a problem.")
                problem = ordered.setdefault(at, self.questions[at].in_order(stored.columns))
            people.append(replace(stored.opened(f"{place}people[{number}]."), problem=problem))
        return people
