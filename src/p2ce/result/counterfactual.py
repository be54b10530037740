"""Define a counterfactual: its values, changes, costs, scores and flags. Build a table of several."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from p2ce.result.columns import Categories, made_column
from p2ce.result.json_data import in_order
from p2ce.result.rendered import rendered
from p2ce.tables.json_values import Count, Number, Value, plain_fields

if TYPE_CHECKING:
    import pandas as pd


FlagKind: TypeAlias = Literal[
    "against_association",  # the feature moves against its association with the favourable outcome
    "breaks_relation",  # the feature exceeds another one, which it never does in the data
]
Move: TypeAlias = Literal["up", "down"]
# What the user's own objects return. Libraries in single precision round a row differently in other batches.
# Scores that differ by no more than p2ce.base.calls.checked_calls tolerates count as the same.
SCORES = ("score", "plausibility", "prediction", "rounded_score", "rounded_prediction")
POINTS = ("points", "rounded_points")  # of a score and a rounded score
ROUNDED_OTHERWISE = 1e-4
# Which rule of plausibility admitted an option.
AdmittedBy: TypeAlias = Literal[
    "plausible",  # the detector judges the option plausible
    "as plausible as today",  # neither the option nor the person is plausible, and the option no less so
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """An objection to a counterfactual that the data raise.

    A flagged counterfactual is valid: the model accepts it, and the policy allows it. But it requires a
    change that contradicts the data. `kind` says which of the other fields are set.

    >>> str(Flag(kind="against_association", feature="Income", direction="down"))
    'Income goes down, against its association with the favourable outcome'
    >>> str(Flag(kind="breaks_relation", feature="Paid", other="Owed"))
    'Paid exceeds Owed, which happens nowhere in the data'
    """

    kind: FlagKind
    feature: str
    direction: Move | None = None  # how the feature moves
    other: str = ""  # the feature that it exceeds

    @property
    def code(self) -> str:
        """The flag as written in tables.

        >>> Flag(kind="against_association", feature="Income", direction="down").code
        'against_association: Income down'
        >>> Flag(kind="breaks_relation", feature="Paid", other="Owed").code
        'breaks_relation: Paid > Owed'
        """
        what = f"> {self.other}" if self.kind == "breaks_relation" else f"{self.direction}"
        return f"{self.kind}: {self.feature} {what}"

    def __str__(self) -> str:
        return rendered("flag_line", self)


def admitted_by(plausibility: float) -> AdmittedBy:
    """Return the rule that admits a row with this decision value, given that one does."""
    return "plausible" if plausibility >= 0.0 else "as plausible as today"


def same_score(one: Any, other: Any) -> bool:
    """Return whether two scores of one row, as JSON-ready data, differ by no more than rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= ROUNDED_OTHERWISE * max(1.0, abs(one), abs(other))
    return bool(one == other)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counterfactual:
    """A Pareto-optimal option: what changes, what it costs, and how the model and detector judge it.

    `values` holds all model columns. `changes` holds the changed ones as ``(before, after)``. Values are
    plain numbers, bools and labels. A missing value is NaN in a column of floats and None elsewhere.

    `score` is the output of the user's own model. If the scale is "lead", `prediction` is what the model
    predicts: a regressor's number, or the probability of the target class among several.

    `plausibility` is the detector's decision value, plausible from 0 up, or None without a detector.
    `admitted_by` says how the option meets the plausibility requirement. A person who is an outlier today may
    remain one, if the option is no less plausible than they are today.

    `number` is the option's id in every text, chart and table. Equality ignores it, points, which follow from
    scores, and also score differences that come from rounding in another batch.

    `rounded` holds rounded values to display in place of exact ones. The row with the rounded values was
    checked too: it is accepted, plausible and allowed, and its cost compares with the other options as the
    exact cost does. `displayed_score` and `displayed_prediction` belong to the displayed row.

    `flags` lists the objections that the data raise, such as a feature that moves against its association
    with the favourable outcome.

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

    number: Count = 0  # 1 … n in the order of the front; 0 outside a front
    values: dict[str, Value]
    changes: dict[str, tuple[Value, Value]]
    costs: dict[str, Number]
    score: Number
    plausibility: Number | None = None
    admitted_by: AdmittedBy | None = None  # None if plausibility is not required
    prediction: Number | None = None  # None if the score itself is the prediction
    rounded: dict[str, Value] = field(default_factory=dict)  # only values that rounding changes
    rounded_score: Number | None = None  # of the row with the rounded values
    rounded_prediction: Number | None = None
    points: Number | None = None  # the score in points, if the explainer reports points
    rounded_points: Number | None = None  # of the row with the rounded values
    flags: tuple[Flag, ...] = ()  # objections for a reviewer to check

    @property
    def displayed_score(self) -> float:
        """The score of the displayed row."""
        return self.score if self.rounded_score is None else self.rounded_score

    @property
    def displayed_points(self) -> float | None:
        """The points of the displayed row, or None if scores are not reported in points."""
        return self.points if self.rounded_points is None else self.rounded_points

    @property
    def displayed_prediction(self) -> float | None:
        """What the model predicts for the displayed row, or None if the score itself is the prediction."""
        return self.prediction if self.rounded_prediction is None else self.rounded_prediction

    def _in_order(self, columns: Iterable[str], objectives: Iterable[str], place: str) -> "Counterfactual":
        """Put columns and objectives into their order, and raise if one is missing."""
        values, costs = (
            in_order(self.values, columns, f"{place}.values"),
            in_order(self.costs, objectives, f"{place}.costs"),
        )
        for name in self.changes:
            in_order(values, [name], f"{place}.values")
        changes = {name: self.changes[name] for name in values if name in self.changes}
        return replace(self, values=values, costs=costs, changes=changes)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-ready data, in the form that `Explanation.to_dict` uses.

        >>> option = Counterfactual(values={"Age": 41}, changes={"Age": (40, 41)}, costs={}, score=0.5)
        >>> option.to_dict()["changes"]
        {'Age': [40, 41]}
        """
        return plain_fields(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return a DataFrame with a row per changed feature: its name, today's value and the new value.

        `Explanation.to_frame` instead returns a row per option, with all columns of the model.

        >>> option = Counterfactual(
        ...     values={"Age": 41, "Income": 3100, "Housing": "rent"},
        ...     changes={"Income": (2400, 3100), "Housing": ("own", "rent")}, costs={}, score=0.5,
        ... )
        >>> print(option.to_frame().to_string(index=False))
        feature from   to
         Income 2400 3100
        Housing  own rent
        """
        import pandas as pd  # here, so loading a result needs no pandas

        rows = [(name, before, after) for name, (before, after) in self.changes.items()]
        return pd.DataFrame(rows, columns=["feature", "from", "to"], dtype="object")

    def __eq__(self, other: object) -> bool:
        # On the JSON form, so that a missing value (NaN) equals itself.
        if not isinstance(other, Counterfactual):
            return False
        mine, theirs = (plain_fields(one, ("number", "points", "rounded_points")) for one in (self, other))
        return all(same_score(mine.pop(name, None), theirs.pop(name, None)) for name in SCORES) and bool(
            mine == theirs
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return rendered("counterfactual_text", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of a table of counterfactuals, and their types."""

    dtypes: Mapping[str, str]
    categories: Mapping[str, Categories] = field(default_factory=dict)
    objectives: Sequence[str] = ()
    numbered: bool = True  # whether a column `option` with their numbers comes first
    predictions: bool = False  # whether to add a column of predictions even if no row has one
    points: bool = False  # whether to add a column of points


def own_name(wanted: str, taken: Iterable[str]) -> str:
    """Return a name for our column: trailing underscores are added while a model column has the name.

    >>> own_name("score", ["Age", "score"])
    'score_'
    """
    names = set(taken)
    while wanted in names:
        wanted += "_"
    return wanted


def counterfactual_table(options: Sequence[Counterfactual], layout: Layout) -> "pd.DataFrame":
    """Return a row per counterfactual: number, the model's columns, objectives, score and plausibility.

    Predictions, if any are known, come between score and plausibility. Flags, if an option has any, come last
    as text.
    """
    import pandas as pd  # here, so loading a result needs no pandas

    data: dict[str, Any] = {
        name: made_column([option.values[name] for option in options], dtype, layout.categories.get(name))
        for name, dtype in layout.dtypes.items()
    }
    costs: list[tuple[str, list[Any]]] = [
        (name, [option.costs[name] for option in options]) for name in layout.objectives
    ]
    predictions = [option.prediction for option in options]
    predicted = layout.predictions or any(one is not None for one in predictions)
    ours = [
        *costs,
        ("score", [option.score for option in options]),
        *([("points", [option.points for option in options])] if layout.points else []),
        *([("prediction", predictions)] if predicted else []),
        ("plausibility", [option.plausibility for option in options]),
    ]
    for wanted, numbers in ours:
        data[own_name(wanted, data)] = pd.Series(numbers, dtype="float64")
    flags = ["; ".join(flag.code for flag in option.flags) for option in options]
    if any(flags):
        data[own_name("flags", data)] = pd.Series(flags, dtype=object)
    frame = pd.DataFrame(data, index=pd.RangeIndex(len(options)))
    if layout.numbered:
        frame.insert(0, own_name("option", frame.columns), [option.number for option in options])
    return frame
