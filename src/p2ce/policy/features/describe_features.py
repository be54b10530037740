"""Describe what each feature may take: as data, and as the table that a policy shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.visible import echoed, visible_lines
from p2ce.errors import InvalidArgument
from p2ce.policy.features.category_labels import shown_labels
from p2ce.policy.features.change_limit import ChangeLimit
from p2ce.policy.features.feature import (
    MOST_CANDIDATES,
    Direction,
    FeaturePolicy,
    Kind,
    shown_number,
    shown_range,
    shown_values,
    written_count,
)
from p2ce.tables.json_values import Count, Number, Pair, Value

if TYPE_CHECKING:
    from p2ce.policy.rules.rule import Rule

MOVES = {Direction.DOWN: "down only", Direction.BOTH: "either way", Direction.UP: "up only"}


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
    # How far it may fall and rise from today's value, as in a policy file: (0, "+10%"). Empty for no limit.
    within_change: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        require_change(self.within_change)


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
        within_change=stated_change(feature.change),
    )


def stated_change(limit: ChangeLimit | None) -> tuple[Value, ...]:
    """Return a limit relative to today as in a policy file: (0, "+10%"); empty for no limit."""
    if limit is None:
        return ()
    return tuple(None if end is None else str(end) if end.percent else tidy(end.number) for end in limit.both)


def require_change(change: Sequence[Any]) -> None:
    """Raise if an entry of a file is neither empty nor the two ends of a limit relative to today."""
    if change and not (len(change) == 2 and all(map(_is_end, change))):
        raise InvalidArgument(
            f"within_change must hold how far the feature may fall and rise, such as (0, '+10%'); got "
            f"{echoed(tuple(change))}. Write two ends, with None for no limit."
        )


def _is_end(end: Any) -> bool:
    if isinstance(end, str) and end.endswith("%"):
        try:
            return isfinite(float(end[:-1]))
        except ValueError:
            return False
    is_number = isinstance(end, int | float) and not isinstance(end, bool)
    return end is None or (is_number and isfinite(end))


def tidy(number: float) -> int | float:
    """Return 41 for 41.0, if it is parsed as the same number."""
    value = float(number)
    whole = value.is_integer() and abs(value) < 1e15 and (value != 0 or copysign(1, value) > 0)
    return int(value) if whole else value


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


def policy_table(
    features: Sequence[FeaturePolicy], rules: Sequence["Rule"] = (), proposed: Sequence["Rule"] = ()
) -> str:
    """Return a line of totals, then a line per feature, then a line per rule."""
    rows = [("feature", "kind", "may move", "candidates"), *(feature_row(feature) for feature in features)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) for row in rows
    )
    movable = sum(not feature.fixed for feature in features)
    title = f"Policy: {_counted(len(features), 'feature')}, {movable} may change"
    if rules:
        title = f"{title}, {_counted(len(rules), 'rule')}"
    words = ["  rules", *(f"    {rule.text()}" for rule in rules)] if rules else []
    if proposed:
        words += ["  proposed rules, not in force", *(f"    {rule.text()}" for rule in proposed)]
    return visible_lines([title, *(f"  {line}".rstrip() for line in lines), *words])


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def feature_row(feature: FeaturePolicy) -> tuple[str, str, str, str]:
    """Return the name of a feature, its kind, how it may move, and its candidates."""
    kind, move = str(feature.kind), MOVES[feature.direction]
    if feature.is_category and feature.order is None:
        move = "to any label"
    if feature.fixed:
        move = "never, protected" if feature.protected else "never"
    return feature.name, kind, move, described_candidates(feature)


def described_candidates(feature: FeaturePolicy) -> str:
    """Describe the candidates of a feature: how many, in which range, in which steps."""
    known = candidates_of(feature)
    if known is None:
        return ""
    if feature.labels is not None:
        values = shown_labels(known.values)
    elif not known.count:
        values = "none in this range"
    elif known.values:
        values = shown_values(map(float, known.values))  # type: ignore[arg-type]
    else:
        assert known.low is not None
        assert known.high is not None
        assert known.steps is not None
        least, most = map(shown_number, known.steps)
        apart = f"every {least}" if least == most else f"steps of {least} to {most}"
        values = f"{shown_range(known.low, known.high)}, {apart}"
    change = "" if feature.change is None else f"; {shown_change(feature.change)}"
    return f"{written_count(known.count)}: {values}{change}{_missing(known)}"


def shown_change(limit: ChangeLimit) -> str:
    """Describe a limit relative to today.

    >>> from p2ce.policy.features.change_limit import Amount
    >>> shown_change(ChangeLimit(low=Amount(0), high=Amount(10, percent=True)))
    "at most 10% above and not below today's value"
    """
    sides = ((limit.high, "above"), (limit.low, "below"))
    parts = [
        f"not {side}" if end.number == 0 else f"at most {str(end)[1:]} {side}"
        for end, side in sides
        if end is not None
    ]
    return f"{' and '.join(parts)} today's value"


def _missing(known: Candidates) -> str:
    """Describe how missing and special values may change, if that differs from the default."""
    text = "; may go missing" * known.may_go_missing + "; missing stays" * known.missing_stays
    if not known.special:
        return text
    what = "may be left" if known.leaves_special else "stay"
    return f"{text}; special values {shown_values(known.special)} {what}"
