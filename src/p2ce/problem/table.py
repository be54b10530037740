"""Write what the features may do as a table that people can read."""

from collections.abc import Sequence

from p2ce.problem.feature import Direction, FeatureActions, Kind, shown, shown_range, shown_values

MOVES = {Direction.DOWN: "down only", Direction.BOTH: "either way", Direction.UP: "up only"}


def actions_table(features: Sequence[FeatureActions]) -> str:
    """Give a line per feature below a line of totals."""
    rows = [("feature", "kind", "may move", "candidates"), *(_row(feature) for feature in features)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) for row in rows
    )
    movable = sum(not feature.fixed for feature in features)
    title = f"ActionSet: {len(features)} feature{'s' * (len(features) != 1)}, {movable} may change"
    return "\n".join([title, *(f"  {line}".rstrip() for line in lines)])


def _row(feature: FeatureActions) -> tuple[str, str, str, str]:
    move = "never" if feature.fixed else MOVES[feature.direction]
    return feature.name, str(feature.kind), move, "" if feature.fixed else _candidates(feature)


def _candidates(feature: FeatureActions) -> str:
    count = feature.count()
    if feature.choices is not None or feature.kind is Kind.BINARY or count == 1:
        return f"{count}: {shown_values(feature.candidates())}"
    first, last = feature.first_and_last()
    return f"{count:,}: {shown_range(first, last)}, every {shown(feature.step)}"
