"""Keep how a population is spread over one column, small enough to be part of every explanation."""

from dataclasses import dataclass

from p2ce.errors import InvalidArgument
from p2ce.tables.json_values import Finite, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Shares of the population: between edges for numbers, per label for categories and yes/no columns.

    Where a few people stand far out, the first and the last bin hold all who lie beyond the ends.

    >>> Distribution(edges=(0.0, 1000.0, 2000.0), shares=(0.7, 0.3)).other
    0.0
    """

    edges: tuple[Finite, ...] = ()  # one more than there are shares; none where there are labels
    labels: tuple[Value, ...] = ()  # the commonest first, at most so many; the rest is in `other`
    shares: tuple[Finite, ...] = ()
    other: Finite = 0.0  # the share of labels that are not listed
    missing: Finite = 0.0

    def __post_init__(self) -> None:
        """Reject shares that belong to nothing."""
        if len(self.shares) != (len(self.edges) - 1 if self.edges else len(self.labels)):
            raise InvalidArgument(
                "A distribution has a share for each label, or between each two edges; got "
                f"{len(self.shares)} shares, {len(self.edges)} edges, {len(self.labels)} labels."
            )
