"""Hold the whole result for one person."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from p2ce.limits import DEFAULT, Limits
from p2ce.problem.decimals import as_float
from p2ce.result.categories import Categories
from p2ce.result.certificate import Certificate
from p2ce.result.counterfactual import Counterfactual, same_score
from p2ce.result.counterfactual_table import Layout, counterfactual_table
from p2ce.result.overview import overview
from p2ce.result.overview_html import explanation_html
from p2ce.result.picks import Pick, pick
from p2ce.result.plain import Value, plain_values, to_plain
from p2ce.result.question import Question
from p2ce.result.status import Status
from p2ce.result.untrusted_json import Entry, entry_of, read_json, require_format
from p2ce.tables import KINDS, as_kind

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "p2ce.explanation/1"  # the number grows when old readers could misread the new form


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation:
    """Every counterfactual that was found for one person, how the search ended, and what was proven.

    It is a sequence of `Counterfactual`, cheapest first in the first objective, then the next.
    Times are no part of the result: two explanations that differ only in them are equal, and
    `to_dict` leaves them out by default. Neither are the kind of table in which people were given, and
    `question`, which only text for readers needs: the same person in polars and in pandas has the same
    explanation. Nor is the work that it took, or how a library rounds scores in another batch: the rest of
    the batch does not change a person's explanation.

    >>> explanation = Explanation(
    ...     status=Status.ALREADY_FAVOURABLE, person={"Age": 41}, person_score=0.8, threshold=0.5,
    ...     target=1, objectives=("changes",), dtypes={"Age": "int64"},
    ... )
    >>> len(explanation), Explanation.from_dict(explanation.to_dict()) == explanation
    (0, True)
    """

    status: Status
    person: dict[str, Value]  # the factual row, exactly as given
    person_score: float | None = None  # None when the person could not be scored
    person_prediction: Any = None  # what the model predicts for them, where the score does not say it
    threshold: float
    margin: float = 0.0  # how far beyond what would do for the model every score has to be
    # Or "decision"; or "lead": how far the wanted class is ahead of the best other, how far a prediction is
    # inside the wanted range, how far the last of several models is beyond its own threshold.
    scale: str = "probability"
    models: int = 1  # how many have to accept; the score is the lowest
    target: Any  # a class; or (low, high), what a regressor's prediction must lie in
    counterfactuals: tuple[Counterfactual, ...] = ()
    certificate: Certificate | None = None
    objectives: tuple[str, ...]
    dtypes: dict[str, str]  # the model's columns in its order, with the type each has in the user's frame
    categories: dict[str, Categories] = field(default_factory=dict)  # the labels of those that have any
    kind: str = "pandas"  # of table that `to_frame` returns: the one that the person came in
    message: str | None = None  # why there is no result, for ERROR
    question: Question | None = None  # how features are called, what they may do, and by what code
    elapsed: float = 0.0  # seconds in all
    timings: dict[str, float] = field(default_factory=dict)  # stage ("search", "verification") → seconds

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
        """Give a row per counterfactual: the model's columns, a column per objective, score, plausibility.

        Model columns have the types of the user's own frame, categories all their labels, and an unseen
        label of the person behind them. Where a model column has the name of one of ours, ours gets a
        trailing underscore. A column `prediction` follows the score where the model predicts more than that.
        `kind` selects another kind of table: "pandas", "polars", "arrow", "numpy", "dict" or "records".
        """
        return as_kind(counterfactual_table(self.counterfactuals, self.layout), kind or self.kind)

    @property
    def layout(self) -> Layout:
        """Which columns `to_frame` has."""
        return Layout(
            dtypes=self.dtypes,
            categories=self.categories,
            objectives=self.objectives,
            predictions=self.person_prediction is not None,
        )

    def pick(self, count: int = 3) -> tuple[Pick, ...]:
        """Choose a few well-spread options, each with the reason for it.

        The balanced one (nearest to the best of everything at once) comes first to mind, then the best in
        each objective, then whatever is least like those chosen; they are given in the front's order.
        """
        return pick(self, count)

    def to_dict(self, *, times: bool = False, question: bool = True) -> dict[str, Any]:
        """Give the same content as JSON-ready data, the same to the byte for the same result of one kind.

        `times` adds the elapsed times, which differ from run to run; `question` says whether the question
        (names, policy, population, versions) goes along.
        """
        data: dict[str, Any] = {
            "format": FORMAT,
            "status": self.status.value,
            "columns": list(self.dtypes),
            "dtypes": dict(self.dtypes),
            "categories": {name: labels.to_dict() for name, labels in self.categories.items()},
            "kind": self.kind,
            "person": plain_values(self.person),
            "person_score": to_plain(self.person_score),
            "person_prediction": to_plain(self.person_prediction),
            "threshold": to_plain(self.threshold),
            "margin": to_plain(self.margin),
            "scale": self.scale,
            "models": self.models,
            "target": to_plain(self.target),
            "objectives": list(self.objectives),
            "counterfactuals": [option.to_dict() for option in self.counterfactuals],
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "message": self.message,
        }
        if question and self.question is not None:
            data["question"] = self.question.to_dict()
        if times:
            data["elapsed"] = to_plain(self.elapsed)
            data["timings"] = plain_values(self.timings)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Explanation":
        """Undo `to_dict`, also after JSON that did not keep the order of keys.

        Data that `to_dict` cannot have written raise an `InvalidArgument` that names the place.
        """
        return cls._read(entry_of(data, cls, limits))

    @classmethod
    def _read(cls, entry: Entry) -> "Explanation":
        require_format(entry, cls, FORMAT)
        columns, objectives = entry["columns"].names(), entry["objectives"].names()
        return cls(
            status=_status(entry["status"]),
            person=entry["person"].values(),
            person_score=entry["person_score"].optional(Entry.number),
            person_prediction=entry.get("person_prediction", None).optional(Entry.number),
            threshold=entry["threshold"].number(),
            margin=entry.get("margin", 0.0).number(),
            scale=entry["scale"].text(),
            models=entry.get("models", 1).whole(least=1),
            target=_target(entry["target"]),
            counterfactuals=tuple(
                Counterfactual._read(option, columns=columns, objectives=objectives)
                for option in entry["counterfactuals"].each()
            ),
            certificate=entry["certificate"].optional(Certificate._read),
            objectives=objectives,
            dtypes={name: entry["dtypes"][name].text() for name in columns},
            # Answers from before there were categories have none.
            categories=entry.get("categories", {}).read_all(Categories._read),
            kind=entry.get("kind", "pandas").word(KINDS),
            message=entry["message"].optional(Entry.text),
            question=entry.get("question", None).optional(Question._read),
            elapsed=entry.get("elapsed", 0.0).number(),
            timings=entry.get("timings", {}).read_all(Entry.number),
        )

    @classmethod
    def from_json(cls, text: str | bytes, *, limits: Limits = DEFAULT) -> "Explanation":
        """Read what ``json.dumps(explanation.to_dict())`` wrote, without trusting it."""
        return cls.from_dict(read_json(text, cls, limits), limits=limits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Explanation):
            return False
        # On the JSON form, so that a missing value (NaN) in the person equals itself.
        mine, theirs = self.to_dict(question=False), other.to_dict(question=False)
        for name in ("kind", "counterfactuals", "certificate"):
            del mine[name], theirs[name]
        return (
            all(
                same_score(mine.pop(name), theirs.pop(name)) for name in ("person_score", "person_prediction")
            )
            and bool(mine == theirs)
            and self.counterfactuals == other.counterfactuals
            and self.certificate == other.certificate
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Explanation {self.status}: {len(self)} counterfactual{'s' * (len(self) != 1)}>"

    def __str__(self) -> str:
        return overview(self)

    def _repr_html_(self) -> str:
        return explanation_html(self)


def _status(entry: Entry) -> Status:
    return Status(entry.word(list(Status)))


def _target(entry: Entry) -> Any:
    target = entry.value()
    ends = target if isinstance(target, tuple) else ()
    if any(isinstance(end, bool) or not isinstance(end, int | float | None) for end in ends):
        raise entry.mismatch("a class, or a range (low, high) of numbers")
    if any(end is not None and not math.isfinite(as_float(end)) and isinstance(end, int) for end in ends):
        raise entry.mismatch("a range of numbers that float64 holds")
    return target
