"""Build a table of counterfactuals, with the columns' own types."""

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
    """The columns of a table of counterfactuals, and their types."""

    dtypes: Mapping[str, str]
    categories: Mapping[str, Categories] = field(default_factory=dict)
    objectives: Sequence[str] = ()
    numbered: bool = True  # whether a column `option` with their numbers comes first
    predictions: bool = False  # whether to add a column of predictions even if no row has one


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
