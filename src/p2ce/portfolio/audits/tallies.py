"""Count the outcomes of each group, and sort the costs of its people's cheapest options."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.portfolio.audits.cost_resampling import Part
from p2ce.portfolio.audits.groupings import Grouping
from p2ce.portfolio.audits.metrics import Base
from p2ce.portfolio.audits.open_costs import Costs, cost_classes
from p2ce.portfolio.audits.outcomes import REASONS, AuditOutcomes, Outcome


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """The people of one group."""

    counts: tuple[int, ...]  # by `Outcome`
    none_because: tuple[int, ...]  # of people without recourse, by `REASONS`
    unproven: int  # people with options that are not proven to be the cheapest
    costs: tuple[Costs, ...]  # of each objective
    features: IntArray  # the number of people whose first option changes each feature

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
        """Return the number of people that a metric is based on."""
        return int(getattr(self, base))

    def entropy(self) -> int:
        """Return a seed that depends only on the counts, not on names or the order of rows."""
        arrays = [array for one in self.costs for array in (one.found, one.known, one.people)]
        held = repr(self.counts).encode() + b"".join(array.tobytes() for array in arrays)
        return int.from_bytes(sha256(held).digest()[:16], "little")

    def part(self, objective: int) -> Part:
        """Return the people that a resample or a permutation draws from."""
        return Part(
            accepted=self.counts[Outcome.ACCEPTED], without=self.no_recourse, costs=self.costs[objective]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderedCosts:
    """The costs of the people's cheapest options in one objective, sorted. People are positions."""

    found: IntArray  # people with an option, by its cost
    known: IntArray  # those of them who have no cheaper option
    open: IntArray  # all others who may have an option
    costs: FloatArray  # (n,) as found
    low: FloatArray  # of the classes of open costs, see `Costs`
    high: FloatArray
    class_of: IntArray  # of each open person

    def of_groups(self, codes: IntArray, groups: int) -> list[Costs]:
        """Split the costs by group."""
        found, known = (_split(codes[some], self.costs[some], groups) for some in (self.found, self.known))
        classes = len(self.low)
        people = np.bincount(codes[self.open] * classes + self.class_of, minlength=groups * classes)
        rows = people.reshape(groups, classes)
        return [
            Costs(found=found[place], known=known[place], low=self.low, high=self.high, people=rows[place])
            for place in range(groups)
        ]


def ordered_costs(outcomes: AuditOutcomes) -> tuple[OrderedCosts, ...]:
    """Sort the costs of all people, objective by objective."""
    has_option = outcomes.outcome == Outcome.WITH_RECOURSE
    made = []
    for costs, least in zip(outcomes.costs.T, outcomes.least.T, strict=True):
        found = np.flatnonzero(has_option)
        found = found[np.argsort(costs[found], kind="stable")]
        is_known = least[found] >= costs[found]
        rest = np.concatenate([found[~is_known], np.flatnonzero(outcomes.outcome == Outcome.UNFINISHED)])
        low, high, class_of = cost_classes(least[rest], np.where(has_option[rest], costs[rest], np.inf))
        made.append(
            OrderedCosts(
                found=found,
                known=found[is_known],
                open=rest,
                costs=costs,
                low=low,
                high=high,
                class_of=class_of,
            )
        )
    return tuple(made)


def tally_of_all(outcomes: AuditOutcomes, ordered: Sequence[OrderedCosts]) -> Tally:
    """Count all people."""
    all_people = Grouping(columns=(), values=((),), codes=np.zeros(len(outcomes), dtype=np.int64))
    return next(tallies_of(all_people, outcomes, ordered))


def tallies_of(
    grouping: Grouping, outcomes: AuditOutcomes, ordered: Sequence[OrderedCosts]
) -> Iterator[Tally]:
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
    split = [one.of_groups(codes, groups) for one in ordered]
    for place in range(groups):
        yield Tally(
            counts=tuple(counts[place].tolist()),
            none_because=tuple(reasons[place].tolist()),
            unproven=int(unproven[place]),
            costs=tuple(one[place] for one in split),
            features=features[place],
        )


def _split(codes: IntArray, costs: FloatArray, groups: int) -> Sequence[FloatArray]:
    """Return the costs of each group, still sorted."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=groups))[:-1]
    return np.split(costs[order], ends)
