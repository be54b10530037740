"""Hold the whole result for one person."""

import datetime
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, overload

import numpy as np
from msgspec import Meta

from p2ce.comparing import quanta
from p2ce.errors import InvalidArgument, nearest
from p2ce.limits import DEFAULT, Limits
from p2ce.result.categories import Categories
from p2ce.result.certificate import Certificate
from p2ce.result.counterfactual import Counterfactual, same_score
from p2ce.result.counterfactual_table import Layout, counterfactual_table
from p2ce.result.json_data import opened, parse_json, to_record
from p2ce.result.picks import Pick, pick
from p2ce.result.price_of_plausibility import PriceOfPlausibility
from p2ce.result.problem_record import ProblemRecord
from p2ce.result.rendered import Reports, rendered, written
from p2ce.result.status import Status
from p2ce.tables import TableKind, as_kind
from p2ce.tables.json_values import Checked, Number, Value, plain_fields
from p2ce.visible import echoed

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "p2ce.explanation/2"  # the number grows when old readers could misread the new form
Scale: TypeAlias = Literal[
    "probability",
    "decision",  # the value of the model's decision function
    # How far the wanted class is ahead of the best other, how far a prediction is inside the wanted range,
    # how far the last of several models is beyond its own threshold.
    "lead",
]
ErrorKind: TypeAlias = Literal[
    "row",  # the given row cannot be used
    "model",  # the user's model, detector, objective or predicate failed, or the process that runs it
    "fault",  # a mistake of p2ce
    "interrupted",  # it was not explained yet when the call was interrupted
]

if TYPE_CHECKING:
    Target: TypeAlias = Any
else:

    class Target(metaclass=Checked):
        """A class, or the range (low, high) that a prediction must lie in."""

        _schema: ClassVar = {"title": "Target", "description": __doc__, "$ref": "#/$defs/Value"}

        @staticmethod
        def _decode(data: Any) -> Any:
            target = Value._decode(data)
            for end in target if isinstance(target, tuple) else ():
                if end is not None:
                    Number._decode(end)
            return target


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation(Reports):
    """Every counterfactual that was found for one person, how the search ended, and what was proven.

    It is a sequence of `Counterfactual`, ordered by the first objective, then the next.
    Times are not part of the result: two explanations that differ only in them are equal, and
    `to_dict` leaves them out by default. Neither are the kind of table in which people were given, and
    `problem`, which only text for readers needs: the same person in polars and in pandas has the same
    explanation. Nor is the work that it took, or how a library rounds scores in another batch: the rest of
    the batch does not change a person's explanation.

    >>> explanation = Explanation(
    ...     status=Status.ACCEPTED, person={"Age": 41}, person_score=0.8, threshold=0.5,
    ...     target=1, objectives=("changes",), dtypes={"Age": "int64"},
    ... )
    >>> len(explanation), Explanation.from_dict(explanation.to_dict()) == explanation
    (0, True)
    """

    status: Status
    person: dict[str, Value]  # the factual row, exactly as given
    person_score: Number | None = None  # None when the person could not be scored
    person_prediction: Number | None = (
        None  # what the model predicts for them, where the score does not say it
    )
    threshold: Number
    margin: Number = 0.0  # how far beyond what would do for the model every score has to be
    scale: Scale = "probability"
    models: Annotated[int, Meta(ge=1, le=2**31)] = 1  # how many have to accept; the score is the lowest
    target: Target  # a class; or (low, high), what a regressor's prediction must lie in
    counterfactuals: tuple[Counterfactual, ...] = ()
    certificate: Certificate | None = None
    # None where nothing has to be plausible, or where it was not requested and is not known anyway.
    price_of_plausibility: PriceOfPlausibility | None = None
    objectives: tuple[str, ...]
    dtypes: dict[str, str]  # the model's columns in its order, with the type each has in the user's frame
    categories: dict[str, Categories] = field(default_factory=dict)  # the labels of those that have any
    _kind: TableKind = "pandas"  # of table that `to_frame` returns: the one that the person came in
    error: ErrorKind | None = None  # what kind of failure it is, for ERROR
    message: str | None = None  # why there is no result, for ERROR
    as_of: datetime.date | None = None  # the day that it is about, as the caller states it
    problem: ProblemRecord | None = None  # how features are called, what they may do, and by what code
    elapsed: Number = 0.0  # seconds in all
    timings: dict[str, Number] = field(default_factory=dict)  # stage ("search", "verification") → seconds

    def __post_init__(self) -> None:
        """Number the counterfactuals 1 … n in their order: the option's id in every text, chart and table."""
        if any(option.number != number for number, option in enumerate(self.counterfactuals, start=1)):
            numbered = (
                replace(option, number=number) for number, option in enumerate(self.counterfactuals, start=1)
            )
            object.__setattr__(self, "counterfactuals", tuple(numbered))

    def __len__(self) -> int:
        return len(self.counterfactuals)

    def __iter__(self) -> Iterator[Counterfactual]:
        return iter(self.counterfactuals)

    @overload
    def __getitem__(self, index: int) -> Counterfactual: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Counterfactual, ...]: ...
    def __getitem__(self, index: int | slice) -> Counterfactual | tuple[Counterfactual, ...]:
        return self.counterfactuals[index]

    @overload
    def to_frame(self, *, kind: Literal["pandas"]) -> "pd.DataFrame": ...
    @overload
    def to_frame(self, *, kind: str | None = None) -> Any: ...
    def to_frame(self, *, kind: str | None = None) -> Any:
        """Return a row per option: its number, the model's columns, the objectives, score, plausibility.

        Model columns have the types of the user's own frame, categories all their labels, and an unseen
        label of the person behind them. Where a model column has the name of one of ours, ours gets a
        trailing underscore. A column `prediction` follows the score where the model predicts more than that.
        A column `flags` comes last where an option has any: "against_association: Income down".
        `kind` selects another kind of table: "pandas", "polars", "arrow", "numpy", "dict" or "records".
        """
        return as_kind(counterfactual_table(self.counterfactuals, self._layout), kind or self._kind)

    @property
    def _layout(self) -> Layout:
        """Which columns `to_frame` has."""
        return Layout(
            dtypes=self.dtypes,
            categories=self.categories,
            objectives=self.objectives,
            predictions=self.person_prediction is not None,
        )

    @property
    def is_proven(self) -> bool:
        """Whether the result is proven, rather than only found.

        True of OPTIMAL and NO_RECOURSE whose certificate says `proven`: every combination of the grid was
        scored or excluded by a certified bound, and your own model verified every option. True of ACCEPTED,
        which your own model decided. False of HEURISTIC, whatever miss rate its estimate states, of
        TIME_LIMIT, of ERROR, and where the certificate is missing.
        """
        if self.status is Status.ACCEPTED:
            return True
        claimed = self.status in (Status.OPTIMAL, Status.NO_RECOURSE)
        return claimed and self.certificate is not None and self.certificate.proven

    def best(self, objective: str) -> Counterfactual | None:
        """Return the option with the least cost in an objective; None if there are no options.

        Costs are compared as the search compares them. Of several with the same cost, the first one in the
        order of the front is returned.

        >>> options = tuple(
        ...     Counterfactual(values={"Income": new}, changes={"Income": (2000, new)},
        ...                    costs={"mean_distance": cost, "changes": 1.0}, score=0.6)
        ...     for new, cost in ((2500, 0.2), (2900, 0.3))
        ... )
        >>> explanation = Explanation(
        ...     status=Status.OPTIMAL, person={"Income": 2000}, person_score=0.4, threshold=0.5, target=1,
        ...     counterfactuals=options, objectives=("mean_distance", "changes"), dtypes={"Income": "int64"},
        ... )
        >>> explanation.best("changes").number
        1
        """
        if self.objectives and objective not in self.objectives:
            raise InvalidArgument(
                f"best() expects one of the objectives {list(self.objectives)}, got {echoed(objective)}. "
                f"{nearest(objective, self.objectives)}"
            )
        if not self.counterfactuals:
            return None
        costs = quanta(np.array([option.costs[objective] for option in self], dtype=np.float64))
        return self[int(costs.argmin())]

    def pick(self, count: int = 3) -> tuple[Pick, ...]:
        """Choose a few well-spread options, each with the reason for it.

        The one with the fewest changes is always among them. Then come the best in each objective, the
        balanced one (nearest to the best of everything at once) and whatever is least like those chosen; they
        are given in the front's order.
        """
        return pick(self, count)

    def to_dict(self, *, times: bool = False, problem: bool = True) -> dict[str, Any]:
        """Return the same content as JSON-ready data, the same to the byte for the same result of one kind.

        `times` adds the elapsed times, which differ from run to run; `problem` says whether the problem
        (names, policy, population, versions) goes along. `p2ce/result/explanation.schema.json` is its schema.
        """
        without = ("_kind", *(() if times else ("elapsed", "timings")), *(() if problem else ("problem",)))
        return {"format": FORMAT, "columns": list(self.dtypes), **plain_fields(self, without)}

    def to_json(self, path: str | os.PathLike[str] | None = None, *, times: bool = False) -> str:
        """Return `to_dict` as JSON text, which `from_json` parses. With a `path`, write it there as well."""
        return written(json.dumps(self.to_dict(times=times), allow_nan=False), path, "The explanation")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Explanation":
        """Undo `to_dict`, also after JSON that did not keep the order of keys.

        Data that `to_dict` cannot have written raise an `InvalidArgument` that names the place.
        """
        who = f"{cls.__name__}.from_dict()"
        return to_record(data, StoredExplanation, who, limits, form=FORMAT).opened(f"{who}: ")

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "Explanation":
        """Parse what `to_json` wrote, without trusting it."""
        return cls.from_dict(parse_json(text, f"{cls.__name__}.from_json()", limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Explanation):
            return False
        # On the JSON form, so that a missing value (NaN) in the person equals itself.
        apart = ("counterfactuals", "certificate", "_kind", "problem", "elapsed", "timings")
        mine, theirs = (plain_fields(one, apart) for one in (self, other))
        return (
            all(
                same_score(mine.pop(name), theirs.pop(name)) for name in ("person_score", "person_prediction")
            )
            and bool(mine == theirs)
            and list(self.dtypes) == list(other.dtypes)
            and self.counterfactuals == other.counterfactuals
            and self.certificate == other.certificate
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Explanation {self.status}: {len(self)} counterfactual{'s' * (len(self) != 1)}>"

    def __str__(self) -> str:
        return rendered("explanation_text", self)

    def _repr_html_(self) -> str:
        return rendered("explanation_html", self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StoredExplanation(Explanation):
    """An explanation as JSON holds it: with its format, and with the order of the columns."""

    format: Literal["p2ce.explanation/2"]
    columns: tuple[str, ...]

    def opened(self, place: str) -> Explanation:
        """Return the explanation, with everything in the order of columns and objectives."""
        options = (
            option._in_order(self.columns, self.objectives, f"{place}counterfactuals[{number}]")
            for number, option in enumerate(self.counterfactuals)
        )
        problem = None if self.problem is None else self.problem._in_order(self.columns)
        return opened(self, Explanation, place, counterfactuals=tuple(options), problem=problem)
