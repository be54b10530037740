"""Hold one counterfactual: its values, changes, costs and scores."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from p2ce.limits import DEFAULT, Limits
from p2ce.result.number_text import readable
from p2ce.result.plain import Value, plain_values, to_plain
from p2ce.result.untrusted_json import Entry, entry_of
from p2ce.visible import visible_line

# What the user's own objects return. Libraries of single precision round a row differently in other batches:
# up to the share of it that is let pass there (p2ce.adapters.checked_calls), such scores are the same.
SCORES = ("score", "plausibility", "prediction", "rounded_score", "rounded_prediction")
ROUNDED_OTHERWISE = 1e-4


def same_score(one: Any, other: Any) -> bool:
    """Return whether two scores of one row, as JSON-ready data, differ by no more than rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= ROUNDED_OTHERWISE * max(1.0, abs(one), abs(other))
    return bool(one == other)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counterfactual:
    """One Pareto-optimal point: what changes, what it costs, how the model and detector judge it.

    `values` holds all model columns, `changes` only the changed ones as ``(before, after)``: plain numbers,
    bools and labels; a missing value is NaN in a column of floats and None elsewhere. `score` is what the
    user's own model returned; two counterfactuals that differ only by how a library rounds a row in another
    batch are equal. Where that is a lead, `prediction` is what the model predicts: the number of
    a regressor, the probability of the wanted class of several. `plausibility` is the detector's decision
    value (plausible from 0 on), or None without a detector.

    `rounded` holds what may be said in place of changed values: with these, too, the row was accepted,
    plausible and allowed, and it costs less or more than the other options wherever the exact one does.
    `displayed_score` and `displayed_prediction` are those of the row as it is displayed.

    >>> option = Counterfactual(
    ...     values={"Age": 41, "LoanAmount": 5200},
    ...     changes={"LoanAmount": (7500, 5200)},
    ...     costs={"changes": 1.0},
    ...     score=0.53,
    ...     plausibility=0.02,
    ... )
    >>> print(option)
    LoanAmount: 7,500 → 5,200
    """

    values: dict[str, Value]
    changes: dict[str, tuple[Value, Value]]
    costs: dict[str, float]
    score: float
    plausibility: float | None = None
    prediction: Any = None  # None where the score says it all
    rounded: dict[str, Value] = field(default_factory=dict)  # only what a display rounds to another value
    rounded_score: float | None = None  # with the rounded values
    rounded_prediction: Any = None

    @property
    def displayed_score(self) -> float:
        """The score of the row as it is displayed."""
        return self.score if self.rounded_score is None else self.rounded_score

    @property
    def displayed_prediction(self) -> Any:
        """What the model predicts for the row as it is displayed."""
        return self.prediction if self.rounded_prediction is None else self.rounded_prediction

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data."""
        return {
            "values": plain_values(self.values),
            # A list, since the order of the changes is part of the result.
            "changes": [
                {"feature": name, "from": to_plain(old), "to": to_plain(new)}
                for name, (old, new) in self.changes.items()
            ],
            "costs": plain_values(self.costs),
            "score": to_plain(self.score),
            "plausibility": to_plain(self.plausibility),
            "prediction": to_plain(self.prediction),
            **(self._rounded() if self.rounded else {}),
        }

    def _rounded(self) -> dict[str, Any]:
        return {
            "rounded": plain_values(self.rounded),
            "rounded_score": to_plain(self.rounded_score),
            "rounded_prediction": to_plain(self.rounded_prediction),
        }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        columns: Iterable[str] = (),
        objectives: Iterable[str] = (),
        limits: Limits = DEFAULT,
    ) -> "Counterfactual":
        """Undo `to_dict`; `columns` and `objectives` must be there, and give the order of names."""
        return cls._read(entry_of(data, cls, limits), columns=columns, objectives=objectives)

    @classmethod
    def _read(cls, entry: Entry, columns: Iterable[str], objectives: Iterable[str]) -> "Counterfactual":
        values, costs = entry["values"], entry["costs"]
        for one, names in ((values, columns), (costs, objectives)):
            for name in names:
                one[name]  # which raises where it is not there
        changes = {}
        for change in entry["changes"].each():
            feature = change["feature"].text()
            values[feature]
            changes[feature] = (change["from"].value(), change["to"].value())
        return cls(
            values=values.values(columns),
            changes=changes,
            costs=costs.read_all(Entry.number, objectives),
            score=entry["score"].number(),
            plausibility=entry["plausibility"].optional(Entry.number),
            prediction=entry.get("prediction", None).optional(Entry.number),
            rounded=entry.get("rounded", {}).values(columns),
            rounded_score=entry.get("rounded_score", None).optional(Entry.number),
            rounded_prediction=entry.get("rounded_prediction", None).optional(Entry.number),
        )

    def __eq__(self, other: object) -> bool:
        # On the JSON form, so that a missing value (NaN) equals itself.
        if not isinstance(other, Counterfactual):
            return False
        mine, theirs = self.to_dict(), other.to_dict()
        return all(same_score(mine.pop(name, None), theirs.pop(name, None)) for name in SCORES) and bool(
            mine == theirs
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        changes = (f"{name}: {readable(old)} → {readable(new)}" for name, (old, new) in self.changes.items())
        return visible_line("; ".join(changes))
