"""Write what the features may do as a table that people can read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from p2ce.problem.category_labels import shown_labels
from p2ce.problem.feature import (
    MOST_CANDIDATES,
    Direction,
    FeatureActions,
    Kind,
    counted,
    shown,
    shown_range,
    shown_values,
)
from p2ce.visible import visible_lines

if TYPE_CHECKING:
    from p2ce.problem.rules.rule import Rule

MOVES = {Direction.DOWN: "down only", Direction.BOTH: "either way", Direction.UP: "up only"}


def actions_table(features: Sequence[FeatureActions], rules: Sequence["Rule"] = ()) -> str:
    """Give a line per feature below a line of totals, and a line per rule below those."""
    rows = [("feature", "kind", "may move", "candidates"), *(_row(feature) for feature in features)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) for row in rows
    )
    movable = sum(not feature.fixed for feature in features)
    title = f"ActionSet: {_counted(len(features), 'feature')}, {movable} may change"
    if rules:
        title = f"{title}, {_counted(len(rules), 'rule')}"
    words = ["  rules", *(f"    {rule.text()}" for rule in rules)] if rules else []
    return visible_lines([title, *(f"  {line}".rstrip() for line in lines), *words])


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _row(feature: FeatureActions) -> tuple[str, str, str, str]:
    kind, move = str(feature.kind), MOVES[feature.direction]
    if feature.is_category and feature.order is None:
        move = "to any label"
    if feature.fixed:
        move = "never, protected" if feature.protected else "never"
    return feature.name, kind, move, "" if feature.fixed else described_candidates(feature)


def described_candidates(feature: FeatureActions) -> str:
    """Say which values a feature may take: how many, from where to where, in which steps."""
    return f"{_candidates(feature)}{_missing(feature)}"


def _candidates(feature: FeatureActions) -> str:
    count = feature.count()
    if feature.labels is not None:
        return f"{count:,}: {shown_labels(feature.labels if feature.choices is None else feature.choices)}"
    if feature.choices is not None or feature.kind is Kind.BINARY or count == 1:
        return f"{count}: {shown_values(feature.candidates())}"
    if feature.inferred is None or count > MOST_CANDIDATES:
        return f"{counted(count)}: {shown_range(*feature.first_and_last())}, every {shown(feature.step)}"
    values, steps = feature.candidates(), steps_of(feature)
    assert steps is not None
    least, most = shown(steps[0]), shown(steps[1])
    apart = f"every {least}" if least == most else f"steps of {least} to {most}"
    return f"{count:,}: {shown_range(values[0], values[-1])}, {apart}"


def steps_of(feature: FeatureActions) -> tuple[float, float] | None:
    """Give the smallest and the largest step between the candidates of a number; None if there is none."""
    if feature.labels is not None or feature.count() < 2 or feature.fixed:
        return None
    if feature.choices is None and (feature.inferred is None or feature.count() > MOST_CANDIDATES):
        return feature.step, feature.step
    # To twelve digits, which is how people wrote them: floats lie a little beside decimals.
    steps = [float(f"{step:.12g}") for step in np.diff(feature.candidates())]
    return min(steps), max(steps)


def _missing(feature: FeatureActions) -> str:
    """Describe how missing and special values may change, where that differs from the default."""
    text = "; may go missing" * feature.may_go_missing + "; missing stays" * (not feature.fillable)
    if not feature.special:
        return text
    what = "may be left" if feature.leaves_special else "stay"
    return f"{text}; special values {shown_values(feature.special)} {what}"
