"""Count the outcomes of each group, and order what the cheapest options cost its people."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.audits.groupings import Grouping
from p2ce.audits.metrics import Base
from p2ce.audits.outcomes import REASONS, Outcome, Outcomes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """The people of one group."""

    counts: tuple[int, ...]  # by `Outcome`
    none_because: tuple[int, ...]  # of people without recourse, by `REASONS`
    unproven: int  # have options that are not proven to be the cheapest
    costs: tuple[FloatArray, ...]  # of each objective, ordered
    features: IntArray  # how many people's first option changes each feature

    @property
    def people(self) -> int:
        return sum(self.counts)

    @property
    def explained(self) -> int:
        return self.people - self.counts[Outcome.ERROR]

    @property
    def rejected(self) -> int:
        return self.explained - self.counts[Outcome.ACCEPTED]

    @property
    def with_recourse(self) -> int:
        return self.counts[Outcome.WITH_RECOURSE]

    @property
    def no_recourse(self) -> int:
        return self.counts[Outcome.NO_RECOURSE]

    @property
    def unfinished(self) -> int:
        return self.counts[Outcome.UNFINISHED]

    def size(self, base: Base) -> int:
        """Count the people that a metric is about."""
        return int(getattr(self, base))

    def entropy(self) -> int:
        """Give a seed that depends on what is counted alone: neither on names nor on the order of rows."""
        held = repr(self.counts).encode() + b"".join(one.tobytes() for one in self.costs)
        return int.from_bytes(sha256(held).digest()[:16], "little")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ordered:
    """Everybody who has recourse, ordered by the cost in each objective."""

    costs: tuple[FloatArray, ...]
    people: tuple[IntArray, ...]  # their places

    def is_member(self, objective: int, codes: IntArray, place: int) -> BoolArray:
        """Say of each whether they are in a group; of people with equal costs, those of the group come first.

        So nothing depends on the order in which people were given.
        """
        costs, mine = self.costs[objective], codes[self.people[objective]] == place
        starts = np.flatnonzero(np.diff(costs, prepend=-np.inf) > 0)  # of runs of equal costs
        run = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(costs)))
        members = np.add.reduceat(mine, starts, dtype=np.int64)
        found: BoolArray = np.arange(len(costs)) - starts[run] < members[run]
        return found

    @classmethod
    def of(cls, outcomes: Outcomes) -> "Ordered":
        some = np.flatnonzero(outcomes.outcome == Outcome.WITH_RECOURSE)
        found = [some[np.argsort(costs[some], kind="stable")] for costs in outcomes.costs.T]
        costs = tuple(outcomes.costs[order, place] for place, order in enumerate(found))
        return cls(costs=costs, people=tuple(found))


def tally_of_all(outcomes: Outcomes, ordered: Ordered) -> Tally:
    """Count everybody."""
    everybody = Grouping(columns=(), values=((),), codes=np.zeros(len(outcomes), dtype=np.int64))
    return next(tallies_of(everybody, outcomes, ordered))


def tallies_of(grouping: Grouping, outcomes: Outcomes, ordered: Ordered) -> Iterator[Tally]:
    """Count each group of a grouping."""
    groups, codes = len(grouping.values), grouping.codes

    def table(of: IntArray, values: IntArray, width: int) -> IntArray:
        return np.bincount(of * width + values, minlength=groups * width).reshape(groups, width)

    counts = table(codes, outcomes.outcome, len(Outcome))
    explained = np.flatnonzero(outcomes.none_because >= 0)
    reasons = table(codes[explained], outcomes.none_because[explained], len(REASONS))
    open_fronts = (outcomes.outcome == Outcome.WITH_RECOURSE) & ~outcomes.proven
    unproven = np.bincount(codes[open_fronts], minlength=groups)
    features = table(codes[outcomes.changed_by], outcomes.changed, max(len(outcomes.features), 1))
    pairs = zip(ordered.costs, ordered.people, strict=True)
    split = [_split(codes[people], costs, groups) for costs, people in pairs]
    for place in range(groups):
        yield Tally(
            counts=tuple(counts[place].tolist()),
            none_because=tuple(reasons[place].tolist()),
            unproven=int(unproven[place]),
            costs=tuple(one[place] for one in split),
            features=features[place],
        )


def _split(codes: IntArray, costs: FloatArray, groups: int) -> Sequence[FloatArray]:
    """Give the costs of each group, which stay ordered."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=groups))[:-1]
    return np.split(costs[order], ends)
