"""Hold one counterfactual: its values, changes, costs and scores."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from p2ce.result.flag import Flag
from p2ce.result.json_data import in_order
from p2ce.result.rendered import rendered
from p2ce.tables.json_values import Count, Number, Value, plain_fields

if TYPE_CHECKING:
    import pandas as pd

# What the user's own objects return. Libraries of single precision round a row differently in other batches:
# up to the share of it that is let pass there (p2ce.adapters.checked_calls), such scores are the same.
SCORES = ("score", "plausibility", "prediction", "rounded_score", "rounded_prediction")
ROUNDED_OTHERWISE = 1e-4


# Which rule of plausibility admitted an option.
AdmittedBy: TypeAlias = Literal[
    "plausible",  # the detector finds it plausible
    "as plausible as today",  # the detector finds neither it nor the person plausible, and it no less so
]


def admitted_by(plausibility: float) -> AdmittedBy:
    """Name the rule that admits a row of this decision value, if one does."""
    return "plausible" if plausibility >= 0.0 else "as plausible as today"


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
    value (plausible from 0 on), or None without a detector. `admitted_by` says which rule of plausibility it
    keeps: a person who is an outlier today may stay one, if the option makes them no less plausible.

    `number` is its id in every text, chart and table. It is not part of what makes two of them equal.

    `rounded` holds what may be said in place of changed values: with these, too, the row was accepted,
    plausible and allowed, and it costs less or more than the other options wherever the exact one does.
    `displayed_score` and `displayed_prediction` are those of the row as it is displayed.

    `flags` lists what speaks against the option in the data, such as a feature that moves against its
    association with the favourable outcome.

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

    number: Count = 0  # 1 … n in the order of its front; 0 outside a front
    values: dict[str, Value]
    changes: dict[str, tuple[Value, Value]]
    costs: dict[str, Number]
    score: Number
    plausibility: Number | None = None
    admitted_by: AdmittedBy | None = None  # None where plausibility is not required
    prediction: Number | None = None  # None where the score says it all
    rounded: dict[str, Value] = field(default_factory=dict)  # only what a display rounds to another value
    rounded_score: Number | None = None  # with the rounded values
    rounded_prediction: Number | None = None
    flags: tuple[Flag, ...] = ()  # what a reviewer should look at

    @property
    def displayed_score(self) -> float:
        """The score of the row as it is displayed."""
        return self.score if self.rounded_score is None else self.rounded_score

    @property
    def displayed_prediction(self) -> float | None:
        """What the model predicts for the row as it is displayed."""
        return self.prediction if self.rounded_prediction is None else self.rounded_prediction

    def _in_order(self, columns: Iterable[str], objectives: Iterable[str], place: str) -> "Counterfactual":
        """Put columns and objectives into their order, and raise if one is not there."""
        values, costs = (
            in_order(self.values, columns, f"{place}.values"),
            in_order(self.costs, objectives, f"{place}.costs"),
        )
        for name in self.changes:
            in_order(values, [name], f"{place}.values")
        changes = {name: self.changes[name] for name in values if name in self.changes}
        return replace(self, values=values, costs=costs, changes=changes)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-ready data, as `Explanation.to_dict` lists them.

        >>> option = Counterfactual(values={"Age": 41}, changes={"Age": (40, 41)}, costs={}, score=0.5)
        >>> option.to_dict()["changes"]
        {'Age': [40, 41]}
        """
        return plain_fields(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas table with a row per changed feature: its name, today's value, the new value.

        `Explanation.to_frame` has a row per option instead, with all columns of the model.

        >>> option = Counterfactual(
        ...     values={"Age": 41, "Income": 3100, "Housing": "rent"},
        ...     changes={"Income": (2400, 3100), "Housing": ("own", "rent")}, costs={}, score=0.5,
        ... )
        >>> print(option.to_frame().to_string(index=False))
        feature from   to
         Income 2400 3100
        Housing  own rent
        """
        import pandas as pd  # here, so that holding a result costs no import

        rows = [(name, before, after) for name, (before, after) in self.changes.items()]
        return pd.DataFrame(rows, columns=["feature", "from", "to"], dtype="object")

    def __eq__(self, other: object) -> bool:
        # On the JSON form, so that a missing value (NaN) equals itself.
        if not isinstance(other, Counterfactual):
            return False
        mine, theirs = (plain_fields(one, ("number",)) for one in (self, other))
        return all(same_score(mine.pop(name, None), theirs.pop(name, None)) for name in SCORES) and bool(
            mine == theirs
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return rendered("counterfactual_text", self)
