"""Draw quantiles of bootstrap resamples without drawing the resamples.

A resample of a group draws as many people as the group has, with replacement. The numbers of people who are
accepted, have no option, have a known cost, or belong to each class of open costs are multinomial. A quantile
is then found by cutting the known costs repeatedly, and drawing only how many people of the resample lie
below each cut. This number is binomial, given the earlier cuts. So a group and all people, and both ends of a
range, come from the same resample, at any number of people. The tests compare this with resamples that are
drawn person by person.

If costs are open, a resample has a range of quantiles (`open_costs`), which contains the quantile of every
completion. So the percentile of the lower ends is at most that of any completion, and the percentile of the
upper ends at least that. An interval from the first to the second contains the intervals of all completions.
For a quantile it is no wider than their union. If the lower percentile is v, take the completion in which all
people need `low`, except that people without a found option have none if `low` is above v. Its quantile is at
most v in exactly the resamples whose lower end is at most v. The upper ends are those of one completion.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.portfolio.audits.metrics import HALF
from p2ce.portfolio.audits.open_costs import HIGH, LOW, Costs, terms_of

SPREAD = 2.0  # standard deviations
MINE, WHOLE = 1, 2  # the number of parts: the group, or the group and all others


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """The people of a group who are resampled."""

    accepted: int
    without: int  # rejected, and proven to have no option
    costs: Costs

    def counts(self) -> IntArray:
        """Return the number of people of each kind: accepted, without option, known cost, each open class."""
        return np.array([self.accepted, self.without, len(self.costs.known), *self.costs.people])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resamples:
    """Resamples of a group, and of all other people."""

    axis: FloatArray  # (k,) the different known costs
    people: IntArray  # (2, k + 1) the number of people of the group, and of the others, before each cost
    low: FloatArray  # (classes,) of open costs
    high: FloatArray
    drawn: IntArray  # (2, b, kinds) the number of each kind, as in `Part.counts`
    rng: np.random.Generator

    @property
    def known(self) -> IntArray:
        """The number of people with a known cost: (2, b)."""
        return self.drawn[:, :, 2]

    @property
    def open(self) -> IntArray:
        """The number of people in each class of open costs: (2, b, classes)."""
        return self.drawn[:, :, 3:]

    def rejection_rate(self, scope: int) -> FloatArray:
        """Return the rejection rate of each resample: of the group (`MINE`) or of all people (`WHOLE`)."""
        drawn = self.drawn[:scope].sum(axis=0)
        rates: FloatArray = 1.0 - drawn[:, 0] / np.maximum(drawn.sum(axis=1), 1)
        return rates

    def ranges(self, wanted: Sequence[tuple[int, float]]) -> list[tuple[FloatArray, FloatArray]]:
        """Draw ranges of quantiles from the same resamples; each wanted pair is a scope and a share.

        A range is NaN if no person in a resample has or may have an option.
        """
        cuts = [_Cuts(people, known) for people, known in zip(self.people, self.known, strict=True)]
        found = []
        for scope, quantile in wanted:
            low = self._ends(cuts[:scope], quantile, LOW)
            is_open = bool(self.open[:scope].any())
            found.append((low, self._ends(cuts[:scope], quantile, HIGH) if is_open else low))
        return found

    def _ends(self, cuts: "Sequence[_Cuts]", quantile: float, end: int) -> FloatArray:
        """Find the least cost at which the sum of terms reaches 0, resample by resample."""
        levels, gains, shares = terms_of(self.low, self.high, quantile, end)
        classes, known = self.open[: len(cuts)].sum(axis=0), self.known[: len(cuts)].sum(axis=0)
        order = np.argsort(levels, kind="stable")
        gained = np.pad(np.cumsum(classes[:, order] * gains[order], axis=1), ((0, 0), (1, 0)))
        target = quantile * known + classes @ shares
        points = np.unique(np.concatenate([self.axis, levels]))
        if not len(points):
            return np.full(len(known), np.nan)
        place, level = (np.searchsorted(some, points, side="right") for some in (self.axis, levels[order]))
        # The sum is below 0 before the first point, and not at the last one.
        low, high = np.full(len(known), -1), np.full(len(known), len(points) - 1)
        low_sum, high_sum = np.zeros(len(known)), known + gained[:, -1]
        step = 0
        while len(which := np.flatnonzero(high - low > 1)):
            begin, width = low[which], high[which] - low[which]
            # Cut a little before and a little after the expected position, which leaves a short piece.
            # Every third cut is in the middle, so the loop always ends.
            first, last = low_sum[which], high_sum[which]
            inside = np.maximum(last - first, HALF)  # 0 people if a resample is empty
            expected = (target[which] - first) / inside
            error = np.sqrt(expected * (1.0 - expected) / inside)
            share = HALF if step % 3 == 2 else expected + (-SPREAD, SPREAD)[step % 3] * error
            middle = np.clip(begin + (width * share).astype(np.int64), begin + 1, begin + width - 1)
            below = gained[which, level[middle]]
            for part in cuts:
                below = below + part.below(which, place[middle], self.rng)
            reached = below >= target[which]
            high[which], low[which] = np.where(reached, middle, high[which]), np.where(reached, begin, middle)
            high_sum[which], low_sum[which] = np.where(reached, below, last), np.where(reached, first, below)
            step += 1
        return np.where(known + classes.sum(axis=1) > 0, points[high], np.nan)


class _Cuts:
    """The number of people in each resample of one part below the cuts drawn so far."""

    def __init__(self, people: IntArray, known: IntArray) -> None:
        self._people = people
        # (cuts, b): at the start, no one is before the first cost, and every person before the end.
        self._places = np.stack([np.zeros_like(known), np.full_like(known, len(people) - 1)])
        self._counts = np.stack([np.zeros_like(known), known])

    def below(self, which: IntArray, place: IntArray, rng: np.random.Generator) -> IntArray:
        """Draw the number of people before a position in each of some resamples."""
        places, counts = self._places[:, which], self._counts[:, which]
        columns = np.arange(len(which))
        left = np.where(places <= place, places, -1).argmax(axis=0), columns
        right = np.where(places >= place, places, len(self._people)).argmin(axis=0), columns
        begin, end = self._people[places[left]], self._people[places[right]]
        share = np.divide(
            self._people[place] - begin, end - begin, out=np.zeros(len(which)), where=end > begin
        )
        found: IntArray = counts[left] + rng.binomial(counts[right] - counts[left], share)
        self._places, self._counts = (
            _with_row(self._places, which, place),
            _with_row(self._counts, which, found),
        )
        return found


def _with_row(rows: IntArray, which: IntArray, values: IntArray) -> IntArray:
    """Add a row. The other resamples repeat their first entry."""
    row = rows[0].copy()
    row[which] = values
    return np.concatenate([rows, row[None]])


def resamples_of(mine: Part, whole: Part, count: int, rng: np.random.Generator) -> Resamples:
    """Draw resamples of a group, and of all other people."""
    axis = np.unique(whole.costs.known)
    before = [np.searchsorted(part.costs.known, axis, side="right") for part in (mine, whole)]
    people = np.pad(np.stack([before[0], before[1] - before[0]]), ((0, 0), (1, 0)))
    parts = np.stack([mine.counts(), whole.counts() - mine.counts()])
    sizes = parts.sum(axis=1, keepdims=True)
    drawn = [
        rng.multinomial(int(size[0]), part / max(int(size[0]), 1), size=count)
        for part, size in zip(parts, sizes, strict=True)
    ]
    return Resamples(
        axis=axis, people=people, low=whole.costs.low, high=whole.costs.high, drawn=np.stack(drawn), rng=rng
    )
