"""Find the Pareto front by brute force: build every row, predict once, keep the cheapest plausible ones.

This is the bar that p2ce is measured against, so it is written to be fast: the rows of all supports
are laid out once per shape of the grid and filled by one gather, costs are looked up only for the rows
that survived, and the Pareto filter drops whatever the point just found dominates.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod
from time import perf_counter

import numpy as np
import pandas as pd

from p2ce import Policy
from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.objectives import Changes, MaxDistance, MeanDistance
from p2ce.tables.codebook import MISSING, codebook_of

# The paper's own, which are in plain standard deviations.
OBJECTIVES = (MeanDistance(unit="std"), MaxDistance(unit="std"), Changes())
Layout = tuple[tuple[IntArray, IntArray], ...]  # of each number of changes: axes and choices of all cells
TICK_BITS, QUANTUM_BITS = 50, 20  # costs are whole ticks; two costs are equal if they round to one quantum


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """The front of one person, and what it took."""

    quanta: IntArray  # (points, 3), costs as whole quanta, sorted, without repetition
    quantum: FloatArray  # (3,) what one quantum is worth
    cells: int
    accepted: int
    plausible: int
    seconds: dict[str, float]  # of each stage

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())

    def equals(self, costs: Sequence[dict[str, float]]) -> bool:
        """Whether these costs, one dict per counterfactual, are exactly this front."""
        given = np.array([[point[objective.name] for objective in OBJECTIVES] for point in costs]).reshape(
            -1, 3
        )
        return np.array_equal(np.unique(np.rint(given / self.quantum).astype(np.int64), axis=0), self.quanta)


@dataclass(frozen=True, slots=True, kw_only=True)
class BruteForce:
    """Everything that is the same for all people."""

    columns: IntArray  # (axes,) the columns that may change
    candidates: tuple[FloatArray, ...]  # per axis, the values it may take
    deviation: FloatArray  # (axes,) population standard deviation, 0 counted as 1
    longest_in: FloatArray | None = None  # (axes,) unit of the largest distance; the deviation if None
    column_count: int
    max_changes: int
    accepts: Callable[[FloatArray], BoolArray]  # rows → does the model accept them
    is_plausible: Callable[[FloatArray], BoolArray]  # rows → does the detector let them pass
    is_category: BoolArray | None = None  # (axes,) where any change counts as one deviation

    @classmethod
    def over(
        cls,
        policy: Policy,
        train: pd.DataFrame,
        *,
        max_changes: int,
        accepts: Callable[[FloatArray], BoolArray],
        is_plausible: Callable[[FloatArray], BoolArray],
        scaled_maximum: bool = True,
    ) -> "BruteForce":
        """The bar over the very candidates of a policy; rows are codes, as in p2ce."""
        codebook = codebook_of(train)
        free = [feature for feature in policy.features if not feature.fixed]
        columns = np.array([train.columns.get_loc(feature.name) for feature in free])
        codes = codebook.encode(train)
        deviation = np.nanstd(np.where(codes == MISSING, np.nan, codes), axis=0)[columns]
        return cls(
            columns=columns,
            candidates=tuple(feature.codes(codebook[feature.name]) for feature in free),
            deviation=np.where(deviation == 0, 1.0, deviation),
            longest_in=None if scaled_maximum else np.ones(len(columns)),
            column_count=int((~codebook.is_category).sum()),
            max_changes=max_changes,
            accepts=accepts,
            is_plausible=is_plausible,
            is_category=codebook.is_category[columns],
        )

    def front(self, person: FloatArray) -> Front:
        """Look at every row within ``max_changes`` changes of ``person``."""
        return self.fronts(person, self.is_plausible)[0]

    def fronts(self, person: FloatArray, *tests: Callable[[FloatArray], BoolArray]) -> tuple[Front, ...]:
        """The front among what passes each of the tests; the model is called once for all of them."""
        clock = [perf_counter()]
        current = person[self.columns]
        others = [values[values != now] for now, values in zip(current, self.candidates, strict=True)]
        layout = _layout(tuple(map(len, others)), self.max_changes)
        table = _padded(others, current)
        rows = np.empty((sum(len(axes) for axes, _ in layout), person.size))
        rows[:] = person
        start = 0
        for axes, choices in layout:
            which = np.arange(start, start + len(axes))[:, None]
            rows[which, self.columns[axes]] = table[axes, choices]
            start += len(axes)
        clock.append(perf_counter())

        accepted = np.flatnonzero(self.accepts(rows))
        clock.append(perf_counter())
        return tuple(self._front(rows, accepted, layout, table, current, test, clock) for test in tests)

    def _front(
        self,
        rows: FloatArray,
        accepted: IntArray,
        layout: Layout,
        table: FloatArray,
        current: FloatArray,
        test: Callable[[FloatArray], BoolArray],
        shared: list[float],
    ) -> Front:
        """Keep what passes the test, price it, and leave out what is dominated."""
        clock = [perf_counter()]
        passes = test(rows[accepted]) if accepted.size else np.zeros(0, bool)
        kept = accepted[passes]
        clock.append(perf_counter())

        # float64 holds whole numbers up to 2**53 exactly, and a total is at most 2**50 ticks.
        distance = self._distances(table, current, self.deviation)
        mean = distance / self.column_count
        if self.longest_in is not None:
            distance = self._distances(table, current, self.longest_in)
        scale = np.array([_power_of_two(mean.max(axis=1).sum()), _power_of_two(distance.max())])
        tick = scale * 2.0**-TICK_BITS
        totals = np.empty((kept.size, 2), np.int64)
        sizes = np.empty(kept.size, np.int64)
        start = position = 0
        for axes, choices in layout:
            until = position + int(np.searchsorted(kept[position:], start + len(axes)))
            cells = kept[position:until] - start
            changed = axes[cells], choices[cells]
            totals[position:until, 0] = np.rint(mean[changed] / tick[0]).sum(axis=1)
            totals[position:until, 1] = np.rint(distance[changed] / tick[1]).max(axis=1)
            sizes[position:until] = axes.shape[1]
            position, start = until, start + len(axes)
        half = 1 << (QUANTUM_BITS - 1)
        costs = np.column_stack([(totals + half) >> QUANTUM_BITS, sizes])
        points = pareto(costs)
        clock.append(perf_counter())

        stages = ("rows", "model", "detector", "pareto")
        return Front(
            quanta=points,
            quantum=np.append(tick * 2.0**QUANTUM_BITS, 1.0),
            cells=len(rows),
            accepted=accepted.size,
            plausible=kept.size,
            seconds=dict(zip(stages, [*np.diff(shared).tolist(), *np.diff(clock).tolist()], strict=True)),
        )

    def _distances(self, table: FloatArray, current: FloatArray, unit: FloatArray) -> FloatArray:
        """Measure each axis's values (axes, width) in its unit; what is missing is −inf, and one away."""
        with np.errstate(invalid="ignore"):  # −inf minus −inf is not a distance
            distance = np.abs(table - current[:, None]) / unit[:, None]
        one_apart = ~np.isfinite(distance)
        if self.is_category is not None:
            one_apart |= self.is_category[:, None]
        return np.where(one_apart, table != current[:, None], distance)


def pareto(costs: IntArray) -> IntArray:
    """The cost vectors that no other one dominates, sorted, without repetition."""
    # Most rows fall to one good point, so drop those before sorting.
    left = costs
    if len(left):
        good = left[(left / left.max(axis=0)).sum(axis=1).argmin()]
        left = left[(left < good).any(axis=1) | (left == good).all(axis=1)]
    left = left[np.lexsort(left.T[::-1])]
    found = []
    while len(left):
        found.append(left[0])  # nothing behind it in the sorted order can dominate it
        left = left[(left < left[0]).any(axis=1)]
    return np.array(found, dtype=np.int64).reshape(-1, costs.shape[1])


@lru_cache(maxsize=64)
def _layout(counts: tuple[int, ...], max_changes: int) -> Layout:
    """For 1, 2, … changes: the changed axes (n, size) and the choice taken on each (n, size) of all cells."""
    blocks = []
    for size in range(1, min(max_changes, len(counts)) + 1):
        axes, choices = [], []
        for support in combinations(range(len(counts)), size):
            shape = [counts[axis] for axis in support]
            choices.append(np.indices(shape).reshape(size, -1).T)
            axes.append(np.broadcast_to(support, (prod(shape), size)))
        blocks.append((np.concatenate(axes), np.concatenate(choices)))
    return tuple(blocks)


def _padded(values: Sequence[FloatArray], filler: FloatArray) -> FloatArray:
    """Arrays of different lengths as one table, filled up with the current value, which costs nothing."""
    table = np.tile(filler[:, None], max(map(len, values)))
    for row, axis_values in zip(table, values, strict=True):
        row[: len(axis_values)] = axis_values
    return table


def _power_of_two(total: float) -> float:
    """The smallest power of two that is at least ``total``."""
    mantissa, exponent = np.frexp(total)
    return 1.0 if total == 0 else float(np.ldexp(1.0, exponent - (mantissa == 0.5)))
