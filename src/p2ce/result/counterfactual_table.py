"""Lay counterfactuals out as a table with the columns' own types."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from p2ce.result.categories import Categories
from p2ce.result.counterfactual import Counterfactual
from p2ce.result.dtypes import made_column

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Which columns a table of counterfactuals has, and of which types."""

    dtypes: Mapping[str, str]
    categories: Mapping[str, Categories] = field(default_factory=dict)
    objectives: Sequence[str] = ()
    numbered: bool = True  # a column `option` with their numbers comes first
    predictions: bool = False  # a column for them is there also when no row has one


def own_name(wanted: str, taken: Iterable[str]) -> str:
    """Return our column a trailing underscore for as long as the model's columns hold the name.

    >>> own_name("score", ["Age", "score"])
    'score_'
    """
    names = set(taken)
    while wanted in names:
        wanted += "_"
    return wanted


def counterfactual_table(options: Sequence[Counterfactual], layout: Layout) -> "pd.DataFrame":
    """Return a row per counterfactual: number, the model's columns, objectives, score, plausibility.

    What the model predicts stands between score and plausibility, where any is known. Flags come last, as
    text, where an option has any.
    """
    import pandas as pd  # here, so that holding a result costs no import

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
