"""Define the explanation of one person: all options, the status and the certificate."""

import datetime
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, overload

import numpy as np
from msgspec import Meta

from p2ce.base.any_of import FORM, AnyOf
from p2ce.base.comparing import quanta
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest
from p2ce.result.analysis import PriceOfPlausibility
from p2ce.result.certificate import Certificate, Status
from p2ce.result.columns import Categories
from p2ce.result.counterfactual import Counterfactual, Layout, counterfactual_table, same_score
from p2ce.result.json_data import opened, parse_json, to_record
from p2ce.result.picks import Pick, pick
from p2ce.result.points import PersonPoints
from p2ce.result.problem_record import ProblemRecord
from p2ce.result.rendered import Reports, rendered, write_report
from p2ce.tables import TableKind, as_kind
from p2ce.tables.json_values import Checked, Count, Number, Value, plain_fields

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "p2ce.explanation/2"  # the number grows when older programs could misread the new form
ScoreScale: TypeAlias = Literal[
    "probability",
    "decision",  # the value of the model's decision function
    # How far the target class is ahead of the best other class, how far a prediction is inside the wanted
    # range, or by how much the worst of several models exceeds its own threshold.
    "lead",
]
ErrorKind: TypeAlias = Literal[
    "row",  # the row cannot be used
    "model",  # the user's model, detector, objective or predicate failed, or the process that ran it
    "fault",  # a bug in p2ce
    "interrupted",  # the call was interrupted before the row was explained
]

if TYPE_CHECKING:
    Target: TypeAlias = Any
else:

    class Target(metaclass=Checked):
        """A class, several classes (any of which is wanted), or the range (low, high) of a prediction."""

        _schema: ClassVar = {
            "title": "Target",
            "description": __doc__,
            "anyOf": [
                {"$ref": "#/$defs/Value"},
                {
                    "type": "object",
                    "properties": {
                        FORM: {"type": "array", "items": {"$ref": "#/$defs/Value"}, "minItems": 2}
                    },
                    "required": [FORM],
                    "additionalProperties": False,
                },
            ],
        }

        @staticmethod
        def _decode(data: Any) -> Any:
            if isinstance(data, dict) and data.keys() == {FORM} and isinstance(data[FORM], list | tuple):
                return AnyOf(tuple(map(Value._decode, data[FORM])))
            target = Value._decode(data)
            for end in target if isinstance(target, tuple) else ():
                if end is not None:
                    Number._decode(end)
            return target


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation(Reports):
    """All options of one person, how the search ended, and what was proven.

    An explanation is a sequence of `Counterfactual`, ordered by the first objective, then by the next.

    `unlisted` counts further options that were found and are not in the sequence. What is proven is about all
    of them. It is 0, unless `Explainer.more` got n=.

    Equality ignores timings, `problem`, the type of the input table, the work done, and score differences
    that come from rounding in another batch. So the other people in a batch do not change an explanation.

    >>> explanation = Explanation(
    ...     status=Status.ACCEPTED, person={"Age": 41}, person_score=0.8, at_least=0.5,
    ...     target=1, objectives=("changes",), dtypes={"Age": "int64"},
    ... )
    >>> len(explanation), Explanation.from_dict(explanation.to_dict()) == explanation
    (0, True)
    """

    status: Status
    person: dict[str, Value]  # the factual row, exactly as passed
    person_score: Number | None = None  # None if the person could not be scored
    person_prediction: Number | None = (
        None  # what the model predicts for the person; None if the score itself is the prediction
    )
    at_least: Number | None = None  # what the score must be at least, with the margin; or else:
    at_most: Number | None = None  # what it must be at most
    points: PersonPoints | None = None  # the same in points, if the explainer reports points
    margin: Number = 0.0  # how far inside its limit every score has to be
    scale: ScoreScale = "probability"
    models: Annotated[int, Meta(ge=1, le=2**31)] = 1  # how many have to accept; the score is the lowest
    target: Target  # a class, or the range (low, high) for a regressor's prediction
    counterfactuals: tuple[Counterfactual, ...] = ()
    unlisted: Count = 0  # further options that were found, and that `Explainer.more` with n= does not list
    certificate: Certificate | None = None
    # None if plausibility is not required, or if the price was neither requested nor known anyway.
    price_of_plausibility: PriceOfPlausibility | None = None
    objectives: tuple[str, ...]
    dtypes: dict[str, str]  # the model's columns in order, with their types in the user's table
    categories: dict[str, Categories] = field(default_factory=dict)  # the labels of categorical columns
    _kind: TableKind = "pandas"  # the kind of table that `to_frame` returns: that of the input
    error: ErrorKind | None = None  # the kind of failure, for ERROR
    message: str | None = None  # why there is no result, for ERROR
    as_of: datetime.date | None = None  # the date of the data and the decision, as the caller stated it
    problem: ProblemRecord | None = None  # features, policy, settings and versions
    elapsed: Number = 0.0  # total seconds
    timings: dict[str, Number] = field(default_factory=dict)  # stage ("search", "verification") → seconds

    def __post_init__(self) -> None:
        """Number the counterfactuals 1 … n in order, as every text, chart and table refers to them."""
        if (self.at_least is None) == (self.at_most is None):
            raise InvalidArgument(
                f"An explanation states what its score must be, at_least or at_most; got "
                f"at_least={echoed(self.at_least)}, at_most={echoed(self.at_most)}. Pass one of them."
            )
        if self.unlisted and not self.counterfactuals:
            raise InvalidArgument(
                f"An explanation with {echoed(self.unlisted)} options that are not listed must list others. "
                "Pass some options, or unlisted=0."
            )
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
        """Return a row per option: its number, the model's columns, the objectives, score and plausibility.

        Model columns have the types of the user's own table. Categorical columns keep all their labels, with
        an unseen label of the person at the end. If a model column already has one of our names, our column
        gets a trailing underscore. If the explainer reports points, a column `points` follows the score. If
        the score is not the prediction itself, a column `prediction` comes next. If an option has flags, a
        column `flags` comes last, such as "against_association: Income down".

        Args:
            kind: The kind of table: "pandas", "polars", "arrow", "numpy", "dict" or "records". The default is
                the kind in which the person was passed.
        """
        return as_kind(counterfactual_table(self.counterfactuals, self._layout), kind or self._kind)

    @property
    def _layout(self) -> Layout:
        """The columns of `to_frame`."""
        return Layout(
            dtypes=self.dtypes,
            categories=self.categories,
            objectives=self.objectives,
            predictions=self.person_prediction is not None,
            points=self.points is not None,
        )

    @property
    def is_proven(self) -> bool:
        """Whether the result is proven.

        True for OPTIMAL and NO_RECOURSE if the certificate says `proven`: every combination of the grid was
        scored or excluded by a certified bound, and your own model verified every option. True for ACCEPTED,
        since your own model decided it. False for HEURISTIC (even with a calibrated estimate), TIME_LIMIT and
        ERROR, and if there is no certificate.
        """
        if self.status is Status.ACCEPTED:
            return True
        claimed = self.status in (Status.OPTIMAL, Status.NO_RECOURSE)
        return claimed and self.certificate is not None and self.certificate.proven

    def best(self, objective: str) -> Counterfactual | None:
        """Return the listed option with the lowest cost in an objective, or None if there are no options.

        Costs that agree to about nine digits are equal, as in the search. Of several options with the same
        cost, the first one is returned.

        Args:
            objective: The name of an objective of this explanation.

        >>> options = tuple(
        ...     Counterfactual(values={"Income": new}, changes={"Income": (2000, new)},
        ...                    costs={"mean_distance": cost, "changes": 1.0}, score=0.6)
        ...     for new, cost in ((2500, 0.2), (2900, 0.3))
        ... )
        >>> explanation = Explanation(
        ...     status=Status.OPTIMAL, person={"Income": 2000}, person_score=0.4, at_least=0.5, target=1,
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

    def pick(self, count: int = 3, *, weights: Mapping[str, float] | None = None) -> tuple[Pick, ...]:
        """Choose a few options that differ well, each with the reason for the choice.

        The option with the fewest changes is always among them. Then come the best option in each objective,
        the balanced option, and the options farthest from those already chosen. They are returned in the
        order of the explanation.

        With ``weights``, the options with the lowest weighted sum of costs are chosen instead, and returned
        with the lowest sum first. Each objective is scaled to its range over the options, from 0 to 1.

        Args:
            count: The number of options. The default is 3.
            weights: Objective → how much it matters, 0 or more. An objective that is not named counts 0.
        """
        return pick(self, count, weights)

    def to_dict(self, *, times: bool = False, problem: bool = True) -> dict[str, Any]:
        """Return the explanation as JSON-ready data.

        Equal results give equal data, to the byte. `p2ce/result/explanation.schema.json` is the schema.

        Args:
            times: Whether to include the timings, which differ from run to run. The default is False.
            problem: Whether to include the problem (features, policy, population, versions). The default is
                True.
        """
        without = ("_kind", *(() if times else ("elapsed", "timings")), *(() if problem else ("problem",)))
        return {"format": FORMAT, "columns": list(self.dtypes), **plain_fields(self, without)}

    def to_json(self, path: str | os.PathLike[str] | None = None, *, times: bool = False) -> str:
        """Return the explanation as JSON text, for `from_json`.

        Args:
            path: A file to write the text to as well. Optional.
            times: Whether to include the timings, which differ from run to run. The default is False.
        """
        return write_report(json.dumps(self.to_dict(times=times), allow_nan=False), path, "The explanation")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Explanation":
        """Build an explanation from what `to_dict` returned, even if JSON changed the order of the keys.

        Data that `to_dict` cannot have returned raise `InvalidArgument`, which names the invalid entry.

        Args:
            data: What `to_dict` returned.
            limits: The largest data that are accepted.
        """
        who = f"{cls.__name__}.from_dict()"
        return to_record(data, StoredExplanation, who, limits, form=FORMAT).opened(f"{who}: ")

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "Explanation":
        """Parse the JSON text of `to_json`. The text is treated as untrusted.

        Args:
            text: What `to_json` returned or wrote.
            limits: The largest text that is accepted.
        """
        return cls.from_dict(parse_json(text, f"{cls.__name__}.from_json()", limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Explanation):
            return False
        # Compare the JSON forms, in which a missing value (NaN) of the person equals itself.
        # Points follow from scores.
        apart = ("counterfactuals", "certificate", "points", "_kind", "problem", "elapsed", "timings")
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
        more = f", {self.unlisted} unlisted" if self.unlisted else ""
        return f"<Explanation {self.status}: {len(self)} counterfactual{'s' * (len(self) != 1)}{more}>"

    def __str__(self) -> str:
        return rendered("explanation_text", self)

    def _repr_html_(self) -> str:
        return rendered("explanation_html", self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StoredExplanation(Explanation):
    """An explanation as stored in JSON, with its format and the order of the columns."""

    format: Literal["p2ce.explanation/2"]
    columns: tuple[str, ...]

    def opened(self, place: str) -> Explanation:
        """Return the explanation, in the order of columns and objectives."""
        options = (
            option._in_order(self.columns, self.objectives, f"{place}counterfactuals[{number}]")
            for number, option in enumerate(self.counterfactuals)
        )
        problem = None if self.problem is None else self.problem._in_order(self.columns)
        return opened(self, Explanation, place, counterfactuals=tuple(options), problem=problem)
