"""Write a policy as a table that people can read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from p2ce.base.visible import visible_lines
from p2ce.policy.features.candidates import Candidates, candidates_of
from p2ce.policy.features.category_labels import shown_labels
from p2ce.policy.features.feature import Direction, FeaturePolicy, counted, shown, shown_range, shown_values

if TYPE_CHECKING:
    from p2ce.policy.rules.rule import Rule

MOVES = {Direction.DOWN: "down only", Direction.BOTH: "either way", Direction.UP: "up only"}


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
        least, most = map(shown, known.steps)
        apart = f"every {least}" if least == most else f"steps of {least} to {most}"
        values = f"{shown_range(known.low, known.high)}, {apart}"
    return f"{counted(known.count)}: {values}{_missing(known)}"


def _missing(known: Candidates) -> str:
    """Describe how missing and special values may change, if that differs from the default."""
    text = "; may go missing" * known.may_go_missing + "; missing stays" * known.missing_stays
    if not known.special:
        return text
    what = "may be left" if known.leaves_special else "stay"
    return f"{text}; special values {shown_values(known.special)} {what}"
