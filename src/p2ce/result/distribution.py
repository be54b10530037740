"""Keep how a population is spread over one column, small enough to be part of every explanation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from p2ce.limits import DEFAULT, Limits
from p2ce.result.plain import Value, to_plain
from p2ce.result.untrusted_json import Entry, entry_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Shares of the population: between edges for numbers, per label for categories and yes/no columns.

    Where a few people stand far out, the first and the last bin hold all who lie beyond the ends.

    >>> incomes = Distribution(edges=(0.0, 1000.0, 2000.0), shares=(0.7, 0.3))
    >>> Distribution.from_dict(incomes.to_dict()) == incomes
    True
    """

    edges: tuple[float, ...] = ()  # one more than there are shares; none where there are labels
    labels: tuple[Value, ...] = ()  # the commonest first, at most so many; the rest is in `other`
    shares: tuple[float, ...] = ()
    other: float = 0.0  # the share of labels that are not listed
    missing: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data."""
        return {
            "edges": [to_plain(edge) for edge in self.edges],
            "labels": [to_plain(label) for label in self.labels],
            "shares": [to_plain(share) for share in self.shares],
            "other": to_plain(self.other),
            "missing": to_plain(self.missing),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Distribution":
        """Undo `to_dict`."""
        return cls._read(entry_of(data, cls, limits))

    @classmethod
    def _read(cls, entry: Entry) -> "Distribution":
        found = cls(
            edges=tuple(float(edge.finite()) for edge in entry["edges"].each()),
            labels=tuple(label.value() for label in entry["labels"].each()),
            shares=tuple(share.finite() for share in entry["shares"].each()),
            other=entry["other"].finite(),
            missing=entry["missing"].finite(),
        )
        if len(found.shares) != (len(found.edges) - 1 if found.edges else len(found.labels)):
            raise entry["shares"].mismatch("a list with a share for each label, or between each two edges")
        return found
