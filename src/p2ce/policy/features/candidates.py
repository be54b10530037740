"""Describe the values that a feature may take, as data."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from p2ce.policy.features.feature import MOST_CANDIDATES, FeaturePolicy, Kind
from p2ce.tables.json_values import Count, Number, Pair, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The values that a feature may take in addition to the current one.

    For numbers, `low` and `high` are the ends, and `steps` holds the smallest and the largest step between
    two candidates. `values` lists all candidates of a category or a yes/no column, candidates that the user
    named, and a single candidate. Otherwise it is empty.

    >>> import pandas as pd
    >>> from p2ce import Policy
    >>> people = pd.DataFrame({"Guarantor": [True, False], "Amount": [1000, 4000]})
    >>> policy = Policy.infer(people).step({"Amount": 500})
    >>> candidates_of(policy["Guarantor"]).values
    (False, True)
    >>> amount = candidates_of(policy["Amount"])
    >>> amount.count, amount.low, amount.high, amount.steps
    (7, 1000, 4000, (500, 500))
    """

    count: Count
    low: Number | None = None  # None for categories and yes/no columns
    high: Number | None = None
    steps: Pair | None = None  # (smallest, largest) step, if there are at least two numbers
    values: tuple[Value, ...] = ()
    missing_stays: bool = False  # whether a missing value stays missing
    may_go_missing: bool = False  # whether a known value may become missing
    special: tuple[Number, ...] = ()  # codes such as -9, which are not candidates
    leaves_special: bool = False  # whether a special value may change


def candidates_of(feature: FeaturePolicy) -> Candidates | None:
    """Describe the candidates of a feature, or return None for one that may not change."""
    if feature.fixed:
        return None
    count = feature.count()
    low, high = None, None
    values: tuple[Any, ...] = ()
    if feature.labels is not None:
        values = feature.labels if feature.choices is None else feature.choices
    elif feature.choices is not None or feature.kind is Kind.BINARY or count == 1:
        values = tuple(_number(feature, value) for value in feature.candidates().tolist())
        if feature.kind is not Kind.BINARY:
            low, high = values[0], values[-1]
    elif not count:
        pass  # a range in which the column has no value
    elif feature.inferred is None or count > MOST_CANDIDATES:
        low, high = (_number(feature, end) for end in feature.first_and_last())
    else:
        low, high = (_number(feature, end) for end in feature.candidates()[[0, -1]].tolist())
    return Candidates(
        count=count,
        low=low,
        high=high,
        steps=_steps(feature, count),
        values=values,
        missing_stays=not feature.fillable,
        may_go_missing=feature.may_go_missing,
        special=tuple(_number(feature, code) for code in feature.special),
        leaves_special=feature.leaves_special,
    )


def _steps(feature: FeaturePolicy, count: int) -> tuple[float, float] | None:
    if feature.labels is not None or feature.kind is Kind.BINARY or count < 2:
        return None
    if feature.choices is None and (feature.inferred is None or count > MOST_CANDIDATES):
        steps = [feature.step]
    else:
        # In decimal digits, since floats differ slightly from decimals.
        digits = min(12, np.finfo(feature.dtype).precision) if feature.dtype.kind == "f" else 12
        gaps = np.diff(feature.candidates())
        steps = [float(f"{step:.{digits}g}") for step in (gaps.min(), gaps.max())]
    return _number(feature, steps[0]), _number(feature, steps[-1])


def _number(feature: FeaturePolicy, value: float) -> Any:
    """Return a number with the type of its column: True, 41 (not 41.0), or 0.25."""
    if feature.dtype.kind == "b" and value in (0.0, 1.0):
        return bool(value)
    return int(value) if feature.kind is not Kind.NUMBER and float(value).is_integer() else float(value)
