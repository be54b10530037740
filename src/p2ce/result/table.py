"""Lay counterfactuals out as a pandas table with the columns' own types."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from p2ce.result.counterfactual import Counterfactual

if TYPE_CHECKING:
    import pandas as pd


def own_name(wanted: str, taken: Iterable[str]) -> str:
    """Give our column a trailing underscore for as long as the model's columns hold the name.

    >>> own_name("score", ["Age", "score"])
    'score_'
    """
    names = set(taken)
    while wanted in names:
        wanted += "_"
    return wanted


def counterfactual_table(
    options: Sequence[Counterfactual], *, dtypes: dict[str, str], objectives: Sequence[str]
) -> "pd.DataFrame":
    """Give a row per counterfactual: the model's columns, a column per objective, score, plausibility."""
    import pandas as pd  # here, so that holding an answer costs no import

    data: dict[str, Any] = {
        name: pd.Series([option.values[name] for option in options], dtype=dtype)
        for name, dtype in dtypes.items()
    }
    costs: list[tuple[str, list[Any]]] = [
        (name, [option.costs[name] for option in options]) for name in objectives
    ]
    ours = [
        *costs,
        ("score", [option.score for option in options]),
        ("plausibility", [option.plausibility for option in options]),
    ]
    for wanted, numbers in ours:
        data[own_name(wanted, data)] = pd.Series(numbers, dtype="float64")
    return pd.DataFrame(data, index=pd.RangeIndex(len(options)))
