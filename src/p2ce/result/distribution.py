"""Summarise how a population is distributed over one column, small enough for every explanation."""

from dataclasses import dataclass

from p2ce.errors import InvalidArgument
from p2ce.tables.json_values import Finite, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Shares of the population: per bin for numbers, per label for categories and yes/no columns.

    If a column has extreme values, the first and the last bin include everything beyond the outer edges.

    >>> Distribution(edges=(0.0, 1000.0, 2000.0), shares=(0.7, 0.3)).other
    0.0
    """

    edges: tuple[Finite, ...] = ()  # one more than there are shares; empty if there are labels
    labels: tuple[Value, ...] = ()  # the most common ones, in that order; `other` covers the rest
    shares: tuple[Finite, ...] = ()
    other: Finite = 0.0  # the share of labels that are not listed
    missing: Finite = 0.0

    def __post_init__(self) -> None:
        """Reject shares that match neither the edges nor the labels."""
        if len(self.shares) != (len(self.edges) - 1 if self.edges else len(self.labels)):
            raise InvalidArgument(
                "A distribution needs a share for each label, or for each bin between two edges; got "
                f"{len(self.shares)} shares, {len(self.edges)} edges, {len(self.labels)} labels."
            )
