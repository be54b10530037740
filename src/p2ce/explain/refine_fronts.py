"""Refine the fronts of an inferred grid: try values between its candidates, near the options it holds.

The grid is searched completely, and that is what is proven. Its candidates were chosen by the data and not by
the user, so a value between two of them may do as well for less. Around the front of every instance:

1. *Shrink.* Every changed number moves back towards today's value by halving, as far as the row holds.
2. *Profile.* Where a grid is thinned, every feature alone takes a few values up to what the front costs.
3. *Combine.* The scores of single changes, added up, estimate those of two and three changes. The cheapest
   combinations that seem to be accepted are evaluated, and shrunk where they are.

Every row is judged by the same model, detector and rules as a cell. Nothing is pruned by the estimate: it
only chooses which rows are tried, and a row that fails is not offered.
"""

import itertools
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.comparing import quanta
from p2ce.compilation.batch import Batch, row_totals
from p2ce.compilation.grouped_features import moves
from p2ce.compilation.refine_grid import ColumnValues, Detail
from p2ce.decisions.model_adapter import PROBABILITY
from p2ce.estimates.link_scale import Link, to_scale
from p2ce.problem.decimals import roundest_between
from p2ce.problem.feature import FeatureActions
from p2ce.solver.undominated import undominated
from p2ce.tables.codebook import MISSING
from p2ce.verification.judge_off_grid import OffGrid, OffGridJudge

PRECISION = 0.005  # of a change: where halving ends in a column without a resolution
GAIN = 0.01  # of an objective: a new trade-off has to improve it by more than this
MOST_HALVINGS = 16
PROFILE = 400  # rows with a single change that are tried for an instance
FEWEST = 5  # of them on a side of a feature
MOST_STEPS = {2: 24, 3: 8}  # of a feature, where so many are combined
MOST_AXES = 8  # features that are combined
TRIED = 24  # combinations that are evaluated in a round, for the first objective; half as many for others
TRIED_PARSED = 64  # where no evaluation calls the user's model
# A round takes an estimate for as good as so large a share of those before turned out to be.
ROUNDS = (0.5, 0.75, 0.95)
TRADES = (0.0, 0.5, 0.8)  # of a change: how much of it is left where another one grows for it
EVENINGS = 8  # halvings of a size
SLACK = 0.5  # of what an instance lacks: how much of it interactions may add
LARGEST = 3  # changes of a combination
PASSES = 3  # as long as an objective improves


class Options(NamedTuple):
    """Verified options of the instances of a batch, in any order."""

    instance: IntArray  # (m,)
    rows: FloatArray  # (m, d)
    totals: FloatArray  # (m, objectives)
    scores: FloatArray  # (m,) as reported
    plausibility: FloatArray  # (m,) NaN without a detector

    def taken(self, which: BoolArray | IntArray) -> "Options":
        """Take some of them."""
        return Options(*(part[which] for part in self))  # type: ignore[arg-type]

    def joined(self, more: "Options") -> "Options":
        """Put others behind them."""
        return Options(*(np.concatenate(parts) for parts in zip(self, more, strict=True)))


class Refined(NamedTuple):
    """Fronts after refinement."""

    front: Options
    tried: IntArray  # (n,) rows
    confirmed: IntArray  # (n,) of these, rows that the user's own objects evaluated


def refine_fronts(batch: Batch, front: Options, who: BoolArray, until: float | None) -> Refined:
    """Refine the fronts of the instances that ``who`` (n,) marks.

    ``until`` is when time is over, by the clock of `time.perf_counter`: what was found by then counts.
    """
    tried = np.zeros(len(batch.values), dtype=np.int64)
    search = _Search(batch, until, tried)
    mine = who[front.instance]
    if not search.axes or not mine.any():
        return Refined(front, tried, np.zeros_like(tried))
    own = front.taken(mine)
    found = search.shrink(own)
    found = found.joined(search.even_out(_undominated(own.joined(found))))
    if batch.problem.detail is Detail.THINNED:
        front_now, waiting = _undominated(own.joined(found)), np.unique(own.instance)
        for _ in range(PASSES):
            if not len(waiting) or search.is_late:
                break
            found = found.joined(search.combine(front_now, waiting))
            before, front_now = front_now, _undominated(front_now.joined(found))
            waiting = waiting[_improved(before, front_now, waiting)]
    found = _undominated(found)
    confirmed = np.bincount(found.instance, minlength=len(batch.values))
    found = search.verified(found)
    changes = search.changes(own), search.changes(found)
    chosen = _choose(own, found, np.concatenate(changes), keep_ties=batch.problem.keep_ties)
    return Refined(front.taken(~mine).joined(chosen), tried, confirmed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Axis:
    """An axis whose candidates the data chose: a number that may take values between them."""

    place: int  # among the axes of the grid
    column: int  # of the problem
    feature: FeatureActions
    values: ColumnValues

    def between(self, inner: FloatArray, outer: FloatArray, current: FloatArray) -> FloatArray:
        """Give a round number near the middle of inner and outer (n,); NaN where they are close enough."""
        low, high = np.minimum(inner, outer), np.maximum(inner, outer)
        width = high - low
        if self.values.resolution is not None:
            middle = self._multiple((low + high) / 2)
        else:
            middle = self._held(roundest_between(low + 0.3 * width, high - 0.3 * width))
            middle[width <= PRECISION * np.abs(outer - current)] = np.nan
        middle[~((middle > low) & (middle < high)) | np.isin(middle, self.feature.special)] = np.nan
        return middle

    def spread(self, current: float, limit: float, most: int) -> FloatArray:
        """Give about so many values between two, without these: half where people are, half evenly spaced."""
        low, high = min(current, limit), max(current, limit)
        usual = self.values.usual
        usual = usual[(usual > low) & (usual < high)]
        if len(usual) > most // 2:
            usual = usual[np.linspace(0, len(usual) - 1, most // 2).round().astype(np.int64)]
        points = np.linspace(current, limit, most - len(usual) + 2)[1:-1]
        if self.values.resolution is not None:
            even = self._multiple(points)
        else:
            near = abs(limit - current) / (8 * len(points))
            even = self._held(roundest_between(points - near, points + near))
        found = np.union1d(usual, even)
        found = found[(found > low) & (found < high)]
        return found[~np.isin(found, self.feature.special)]

    def near(self, values: FloatArray, size: FloatArray) -> FloatArray:
        """Give round numbers close to values that are so many deviations from where they began."""
        if self.values.resolution is not None:
            return self._multiple(values)
        close = PRECISION * size * self.values.unit
        round_ones = roundest_between(values - close, values + close)
        return self._held(np.where(np.isnan(round_ones), values, round_ones))

    def _multiple(self, values: FloatArray) -> FloatArray:
        unit = self.values.resolution
        assert unit is not None
        return self._held(np.rint(values / float(unit)) * unit.numerator / unit.denominator)

    def _held(self, values: FloatArray) -> FloatArray:
        if self.feature.dtype.kind != "f":
            return values
        return values.astype(self.feature.dtype).astype(np.float64)


class _Search:
    """Tries rows for the instances of a batch, and counts them."""

    def __init__(self, batch: Batch, until: float | None, tried: IntArray) -> None:
        problem = batch.problem
        self.batch, self.problem, self.until, self.tried = batch, problem, until, tried
        self.judge = OffGridJudge(batch)
        known = problem.refinement or {}
        self.axes = {
            int(column): _Axis(
                place=place,
                column=int(column),
                feature=problem.searched[problem.names[column]],
                values=known[problem.names[column]],
            )
            for place, column in enumerate(problem.grid.columns.tolist())
            if column < len(problem.names)
            and problem.names[column] in known
            and problem.searched[problem.names[column]].is_inferred
        }

    @property
    def is_late(self) -> bool:
        return self.until is not None and time.perf_counter() >= self.until

    # ---- shrink

    def shrink(self, options: Options, *, from_today: bool = False) -> Options:
        """Move every changed number of options back towards today's value, largest first and last.

        Between today's value and an option of the grid's front, the next candidate is known to fail; other
        options are halved all the way ``from_today``.
        """
        before = self.batch.values[options.instance]
        moved = self._moved(options, before)
        if not moved.any():
            return options.taken(np.zeros(len(options.rows), dtype=np.bool_))
        size = np.where(moved, self._sizes(options, before), -np.inf)
        largest_first = np.argsort(-size, axis=1, kind="stable")
        several = np.flatnonzero(moved.sum(axis=1) > 1)
        counts = moved.sum(axis=1)
        orders = [largest_first]
        # The other order: the smallest of the moved columns first.
        reverse = np.array(
            [np.concatenate([row[:k][::-1], row[k:]]) for row, k in zip(largest_first, counts, strict=True)]
        ).reshape(largest_first.shape)
        orders.append(reverse[several])
        owner = np.concatenate([np.arange(len(counts)), several])
        order, count = np.concatenate(orders), np.concatenate([counts, counts[several]])
        rows = options.rows[owner].copy()
        instance = options.instance[owner]
        for turn in range(int(counts.max())):
            some = np.flatnonzero(count > turn)
            column = order[some, turn]
            self._halve(instance, rows, some, column, from_today=from_today)
        changed = (rows != options.rows[owner]).any(axis=1)
        return self._options(instance[changed], rows[changed])

    def even_out(self, options: Options) -> Options:
        """Let all changed numbers of an option move equally far, and no farther than needed.

        That is what costs least where the largest change counts.
        """
        before = self.batch.values[options.instance]
        moved = self._moved(options, before)
        some = np.flatnonzero(moved.sum(axis=1) > 1)
        options, before, moved = options.taken(some), before[some], moved[some]
        if not len(some):
            return options
        outer = np.where(moved, self._sizes(options, before), 0.0).max(axis=1)
        inner = np.zeros(len(some))
        rows = self._moved_by(options, before, moved, outer)
        good = self._try(options.instance, rows).good
        for _ in range(EVENINGS):
            todo = np.flatnonzero(good & (outer - inner > PRECISION * outer))
            if not len(todo) or self.is_late:
                break
            middle = (inner[todo] + outer[todo]) / 2
            trial = self._moved_by(options.taken(todo), before[todo], moved[todo], middle)
            fine = self._try(options.instance[todo], trial).good
            rows[todo[fine]] = trial[fine]
            outer[todo[fine]], inner[todo[~fine]] = middle[fine], middle[~fine]
        return self._options(options.instance[good], rows[good])

    def trade(self, options: Options) -> Options:
        """Let one changed number move less, or not at all, and another one as much more as that takes."""
        before = self.batch.values[options.instance]
        moved = self._moved(options, before)
        owners, columns, rows = [], [], []
        for at in np.flatnonzero(moved.sum(axis=1) > 1).tolist():
            for less, more in itertools.permutations(np.flatnonzero(moved[at]).tolist(), 2):
                for share in TRADES:
                    row = options.rows[at].copy()
                    row[less] = self._scaled(at, less, share, options, before)
                    row[more] = self._scaled(at, more, 1.0 + 2.0 * (1.0 - share), options, before)
                    owners.append(at)
                    columns.append(more)
                    rows.append(row)
        if not rows:
            return options.taken(np.zeros(0, dtype=np.int64))
        instance, tried = options.instance[owners], np.array(rows)
        good = self._try(instance, tried).good
        instance, tried, column = instance[good], tried[good], np.array(columns, dtype=np.int64)[good]
        self._halve(instance, tried, np.arange(len(tried)), column, from_today=True)
        return self._options(instance, tried)

    def _scaled(self, at: int, column: int, share: float, options: Options, before: FloatArray) -> float:
        """Give the value of a changed number that moves by a share of what it does, inside its range."""
        axis, here = self.axes[column], float(before[at, column])
        if share == 0.0:
            return here
        change = share * (float(options.rows[at, column]) - here)
        found = float(axis.near(np.array([here + change]), np.array([abs(change) / axis.values.unit]))[0])
        candidates = self.batch.placement.values[options.instance[at], axis.place]
        known = candidates[candidates != MISSING]
        found = min(max(found, float(known.min())), float(known.max()))
        return float(options.rows[at, column]) if found in axis.feature.special else found

    def _moved_by(
        self, options: Options, before: FloatArray, moved: BoolArray, size: FloatArray
    ) -> FloatArray:
        """Move the changed numbers of options by so many deviations, in the same directions."""
        rows = options.rows.copy()
        for column, axis in self.axes.items():
            some = np.flatnonzero(moved[:, column])
            way = np.sign(rows[some, column] - before[some, column])
            candidates = self.batch.placement.values[options.instance[some], axis.place]
            farthest = np.where(way > 0, candidates.max(axis=1), candidates[:, 0])
            farthest = np.where(farthest == MISSING, before[some, column], farthest)
            target = axis.near(before[some, column] + way * size[some] * axis.values.unit, size[some])
            target = np.where(way > 0, np.minimum(target, farthest), np.maximum(target, farthest))
            forbidden = np.isin(target, axis.feature.special)
            rows[some, column] = np.where(forbidden, rows[some, column], target)
        return rows

    def _moved(self, options: Options, before: FloatArray) -> BoolArray:
        """Mark the numbers that options change and that may take values between candidates."""
        moved = np.zeros(before.shape, dtype=np.bool_)
        for column, axis in self.axes.items():
            then, now = before[:, column], options.rows[:, column]
            # Leaving a special or a missing value is no move along the numbers.
            along = np.isfinite(then) & np.isfinite(now) & ~np.isin(then, axis.feature.special)
            moved[:, column] = (then != now) & along
        return moved

    def _sizes(self, options: Options, before: FloatArray) -> FloatArray:
        units = np.array(
            [self.axes[c].values.unit if c in self.axes else 1.0 for c in range(before.shape[1])]
        )
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(options.rows - before) / units)

    def _halve(
        self, instance: IntArray, rows: FloatArray, some: IntArray, column: IntArray, *, from_today: bool
    ) -> None:
        """Move one column of some rows back, in place, as far as the rows are still judged good."""
        current = self.batch.values[instance[some], column]
        outer = rows[some, column].copy()
        inner = current.copy() if from_today else self._next_inside(instance[some], column, outer, current)
        for _ in range(MOST_HALVINGS):
            middle = np.full(len(some), np.nan)
            for one, axis in self.axes.items():
                mine = column == one
                if mine.any():
                    middle[mine] = axis.between(inner[mine], outer[mine], current[mine])
            todo = np.flatnonzero(np.isfinite(middle))
            if not len(todo) or self.is_late:
                return
            trial = rows[some[todo]]
            trial[np.arange(len(todo)), column[todo]] = middle[todo]
            good = self._try(instance[some[todo]], trial).good
            rows[some[todo[good]]] = trial[good]
            outer[todo[good]], inner[todo[~good]] = middle[todo[good]], middle[todo[~good]]

    def _next_inside(
        self, instance: IntArray, column: IntArray, value: FloatArray, current: FloatArray
    ) -> FloatArray:
        """Find the candidate next to a value, on the side of today's."""
        place = np.array([self.axes[one].place for one in column.tolist()], dtype=np.int64)
        candidates = self.batch.placement.values[instance, place]
        up = (value > current)[:, None]
        inside = np.where(up, candidates < value[:, None], candidates > value[:, None])
        nearest = np.where(
            up[:, 0],
            np.where(inside, candidates, -np.inf).max(axis=1),
            np.where(inside, candidates, np.inf).min(axis=1),
        )
        # Never beyond today's own value.
        return np.asarray(np.where(up[:, 0], np.maximum(nearest, current), np.minimum(nearest, current)))

    # ---- profile and combine

    def combine(self, front: Options, who: IntArray) -> Options:
        """Estimate combinations of changes from single ones, and try the cheapest that seem accepted."""
        single = self._profiles(front, who)
        if self.is_late:
            return single.options.taken(np.zeros(0, dtype=np.int64))
        good = single.options.taken(single.good)
        found = good
        incumbents = _undominated(front.joined(good))
        base = self._strength(self.judge.scores(self.batch.values[who]))
        need = self._strength(np.array([self.problem.threshold]))[0]
        strength = self._strength(single.options.scores)
        bias = np.zeros(len(who))
        plans = [self._plan(one, single, strength, float(base[at])) for at, one in enumerate(who.tolist())]
        for share in ROUNDS if self._most_changes > 1 else ():
            trials, owner, estimates = [], [], []
            for place, one in enumerate(who.tolist()):
                plan = plans[place]
                own = incumbents.totals[incumbents.instance == one]
                picked = plan.pick(own, need - bias[place], self._most_tried)
                trials.append(plan.rows(picked))
                owner += [place] * len(picked)
                estimates.append(plan.estimate[picked])
            at = np.array(owner, dtype=np.int64)
            if not len(at) or self.is_late:
                break
            rows = np.concatenate(trials)
            judged = self._try(who[at], rows)
            errors = self._strength(judged.scores) - np.concatenate(estimates)
            bias = _quantile_by(at, errors, bias, share)
            more = self._options(who[at[judged.good]], rows[judged.good], judged.taken(judged.good))
            found = found.joined(more)
            incumbents = _undominated(incumbents.joined(more))
        best = _best(found, incumbents, self.changes(found))
        if not len(best.rows):
            return found
        smaller = self.shrink(best, from_today=True)
        if self._calls_models:
            return found.joined(smaller).joined(self.even_out(best))
        found = found.joined(smaller).joined(self.even_out(_undominated(found)))
        best = _best(found, _undominated(incumbents.joined(found)), self.changes(found))
        return found.joined(self.trade(best))

    @property
    def _most_tried(self) -> int:
        return TRIED if self._calls_models else TRIED_PARSED

    @property
    def _calls_models(self) -> bool:
        return any(model.is_black_box for model in self.problem.models)

    @property
    def _most_changes(self) -> int:
        most = self.problem.max_changes
        return LARGEST if most is None else min(most, LARGEST)

    def _profiles(self, front: Options, who: IntArray) -> "_Singles":
        """Try every feature alone at some values, up to what the front costs."""
        placement, tables = self.batch.placement, self.batch.tables
        instances, axes, values = [], [], []
        for one in who.tolist():
            costs = front.totals[front.instance == one]  # (p, M)
            useless = (costs[:, :, None, None] <= tables.steps[one][None]).all(axis=1).any(axis=0)
            sides = []
            for axis, column in enumerate(self.problem.grid.columns.tolist()):
                here, low, high = (
                    int(part[one, axis]) for part in (placement.position, placement.lowest, placement.highest)
                )
                for side in (np.arange(here + 1, high + 1), np.arange(here - 1, low - 1, -1)):
                    if len(side):
                        # Up to the first candidate that alone costs as much as an option.
                        count = (
                            int(np.argmax(useless[axis, side])) if useless[axis, side].any() else len(side)
                        )
                        sides.append((axis, column, here, side, count))
            numbers = sum(self._moves_along(one, axis, column) for axis, column, *_ in sides)
            most = max(FEWEST, PROFILE // max(numbers, 1))
            for axis, column, here, side, count in sides:
                candidates = placement.values[one, axis]
                if self._moves_along(one, axis, column):
                    limit = candidates[side[min(count, len(side) - 1)]]
                    chosen = self.axes[column].spread(float(candidates[here]), float(limit), most)
                    chosen = chosen if limit != MISSING else chosen[:0]
                else:
                    chosen = candidates[side[:count]]
                instances += [one] * len(chosen)
                axes += [axis] * len(chosen)
                values.append(chosen)
        instance, changed = np.array(instances, dtype=np.int64), np.array(axes, dtype=np.int64)
        value = np.concatenate([np.empty(0), *values])
        rows = self._changed(instance, changed[:, None], value[:, None])
        judged = self._try(instance, rows)
        return _Singles(
            axis=changed, value=value, good=judged.good, options=self._options(instance, rows, judged)
        )

    def _moves_along(self, one: int, axis: int, column: int) -> bool:
        """Tell whether an instance may take values between candidates: not from a missing or special one."""
        current = float(self.batch.placement.current[one, axis])
        return column in self.axes and current != MISSING and current not in self.axes[column].feature.special

    def _changed(self, instance: IntArray, axes: IntArray, values: FloatArray) -> FloatArray:
        """Write instances (t,) with some axes (t, k) at other values (t, k) as rows; an axis of -1 stays."""
        wide = self.batch.wide[instance].copy()
        columns = self.problem.grid.columns
        for place in range(axes.shape[1]):
            some = np.flatnonzero(axes[:, place] >= 0)
            wide[some, columns[axes[some, place]]] = values[some, place]
        return self.batch.narrowed(wide)

    def _plan(self, one: int, single: "_Singles", strength: FloatArray, base: float) -> "_Plan":
        """List the combinations of an instance's single changes, with what they cost and seem to score."""
        mine = np.flatnonzero(single.options.instance == one)
        cost = single.options.totals[:, 0]
        by_axis, rate = [], []
        for axis in np.unique(single.axis[mine]):
            some = mine[single.axis[mine] == axis]
            some = some[np.lexsort([single.value[some], cost[some]])]
            gain = strength[some] - base
            # Only steps that gain more than every cheaper one.
            some = some[gain > np.maximum.accumulate(np.append(0.0, gain[:-1])) + 1e-9]
            if len(some):
                by_axis.append(some)
                rate.append(float(((strength[some] - base) / np.maximum(cost[some], 1e-300)).max()))
        best = [by_axis[at] for at in np.argsort(-np.array(rate), kind="stable")[:MOST_AXES]]
        members = np.concatenate(
            [_combinations(best, size) for size in range(2, self._most_changes + 1)]
            or [np.empty((0, LARGEST), dtype=np.int64)]
        )
        there = members >= 0
        estimate = base + np.where(there, strength[members] - base, 0.0).sum(axis=1)
        return _Plan(self, one, single, members, estimate, base)

    def _strength(self, scores: FloatArray) -> FloatArray:
        """Give scores on the scale on which changes add up best, in digits that no batch changes."""
        link = Link.LOGIT if self.problem.scale == PROBABILITY else Link.IDENTITY
        return np.round(to_scale(scores, link), 9)

    # ---- judging

    def changes(self, options: Options) -> IntArray:
        before = self.batch.values[options.instance]
        return moves(self.problem.compounds, before, options.rows).astype(np.int64)

    def _try(self, instance: IntArray, rows: FloatArray) -> OffGrid:
        np.add.at(self.tried, instance, 1)
        return self.judge.judge(instance, rows)

    def _options(self, instance: IntArray, rows: FloatArray, judged: OffGrid | None = None) -> Options:
        totals = row_totals(self.problem, self.batch.values[instance], rows)
        empty = np.full(len(rows), np.nan)
        return Options(
            instance,
            rows,
            totals,
            empty if judged is None else judged.scores,
            empty if judged is None else judged.plausibility,
        )

    def verified(self, found: Options) -> Options:
        """Keep what the user's own model, detector and constraints confirm."""
        judged = self.judge.verify(found.instance, found.rows)
        kept = Options(found.instance, found.rows, found.totals, judged.scores, judged.plausibility)
        return kept.taken(judged.good)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Singles:
    """Single changes that were tried."""

    axis: IntArray  # (t,)
    value: FloatArray  # (t,)
    good: BoolArray  # (t,)
    options: Options  # (t,) all of them, good or not


class _Plan:
    """The combinations of one instance's single changes that may be tried, each once."""

    def __init__(
        self,
        search: _Search,
        one: int,
        single: _Singles,
        members: IntArray,
        estimate: FloatArray,
        base: float,
    ) -> None:
        self._base = base
        self._search, self._one, self._single, self._members = search, one, single, members
        self.estimate = estimate
        self._open = np.ones(len(members), dtype=np.bool_)

    def pick(self, incumbents: FloatArray, need: float, count: int) -> IntArray:
        """Choose among those that no incumbent (p, M) dominates.

        The cheapest that seem to be accepted come first, then those that come closest to it.
        """
        some = np.flatnonzero(self._open & (self.estimate >= need - self._slack(need)))
        members = self._members[some]
        costs = np.where((members >= 0)[:, :, None], self._single.options.totals[members], 0.0)
        totals = np.where(self._search.batch.tables.joins == 1, costs.max(axis=1), costs.sum(axis=1))
        useful = ~(incumbents[:, None, :] <= totals[None]).all(axis=2).any(axis=0)
        some, totals = some[useful], totals[useful]
        enough = self.estimate[some] >= need
        picked: dict[int, None] = {}
        for objective in range(totals.shape[1]):
            most = count if objective == 0 else count // 2
            keys = np.lexsort([some, *totals.T[::-1], totals[:, objective], ~enough])[:most]
            picked |= dict.fromkeys(some[keys[enough[keys]]].tolist())
        if len(picked) < count:
            closest = some[np.lexsort([some, -self.estimate[some]])]
            # The closest of every set of features first: they interact in different ways.
            _, first = np.unique(self._support(closest), return_index=True)
            first = np.sort(first)
            order = np.concatenate([closest[first], np.delete(closest, first)])
            picked |= dict.fromkeys(order[: count - len(picked)].tolist())
        chosen = np.array(list(picked), dtype=np.int64)
        self._open[chosen] = False
        return chosen

    def _support(self, some: IntArray) -> IntArray:
        """Number the sets of axes that combinations change."""
        members = self._members[some]
        axes = np.sort(np.where(members >= 0, self._single.axis[members], -1), axis=1)
        size = int(self._single.axis.max(initial=0)) + 2
        return np.asarray(np.ravel_multi_index(tuple((axes + 1).T), (size,) * axes.shape[1]))

    def _slack(self, need: float) -> float:
        """Give by how much an estimate may miss what is needed and still be tried: interactions add up."""
        return SLACK * max(need - self._base, 0.0)

    def rows(self, picked: IntArray) -> FloatArray:
        """Write combinations as rows."""
        members = self._members[picked]
        axes = np.where(members >= 0, self._single.axis[members], -1)
        instance = np.full(len(picked), self._one)
        return self._search._changed(instance, axes, self._single.value[members])


def _combinations(by_axis: list[IntArray], size: int) -> IntArray:
    """Combine some steps of so many axes: (n, LARGEST), -1 behind the last."""
    most = MOST_STEPS[size]
    steps = np.full((len(by_axis), most), -1)
    for axis, some in enumerate(by_axis):
        chosen = some[np.unique(np.linspace(0, len(some) - 1, most).round().astype(np.int64))]
        steps[axis, : len(chosen)] = chosen
    groups = np.array(list(itertools.combinations(range(len(steps)), size)), dtype=np.int64).reshape(-1, size)
    index = np.indices((most,) * size).reshape(size, -1).T  # (most ** size, size)
    members = steps[groups[:, None, :], index[None]].reshape(-1, size)
    return np.pad(members[(members >= 0).all(axis=1)], [(0, 0), (0, LARGEST - size)], constant_values=-1)


def _by_instance(options: Options) -> list[IntArray]:
    """List the places of each instance's options."""
    order = np.argsort(options.instance, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(options.instance[order])) + 1) if len(order) else []


def _undominated(options: Options) -> Options:
    """Keep what no other option of the same instance dominates, and of equal ones the first."""
    kept = []
    for mine in _by_instance(options):
        costs = quanta(options.totals[mine])
        _, first = np.unique(costs, axis=0, return_index=True)
        first = np.sort(first)
        kept.append(mine[first[undominated(costs[first])]])
    return options.taken(np.concatenate([np.empty(0, dtype=np.int64), *kept]).astype(np.int64))


def _improved(before: Options, after: Options, who: IntArray) -> BoolArray:
    """Tell for which instances the best of an objective became better by more than is worth telling."""
    least = [
        np.array([front.totals[front.instance == one].min(axis=0) for one in who.tolist()])
        for front in (before, after)
    ]
    return np.asarray((least[1] < (1.0 - GAIN) * least[0]).any(axis=1))


def _bests(totals: FloatArray, changes: IntArray) -> list[tuple[float, int]]:
    """Give the least cost of each objective, then of the first by number of changes, and where each is."""
    found = []
    for objective in range(totals.shape[1]):
        at = int(np.lexsort([*totals.T[::-1], totals[:, objective]])[0])
        found.append((float(totals[at, objective]), at))
    for most in range(1, LARGEST + 1):
        few = np.flatnonzero(changes <= most)
        if len(few):
            at = int(few[np.argmin(totals[few, 0])])
            found.append((float(totals[at, 0]), at))
        else:
            found.append((np.inf, -1))
    return found


def _best(found: Options, incumbents: Options, changes: IntArray) -> Options:
    """Choose what is worth shrinking: the best at something, among what nothing dominates."""
    chosen: list[int] = []
    own = {
        (one, row.tobytes()) for one, row in zip(incumbents.instance.tolist(), incumbents.rows, strict=True)
    }
    for mine in _by_instance(found):
        good = [at for at in mine.tolist() if (int(found.instance[at]), found.rows[at].tobytes()) in own]
        if good:
            bests = _bests(found.totals[good], changes[good])
            chosen += dict.fromkeys(good[at] for _, at in bests if at >= 0)
    return found.taken(np.array(chosen, dtype=np.int64))


def _choose(grid: Options, found: Options, changes: IntArray, *, keep_ties: bool) -> Options:
    """Put what was found in the place of what it dominates, and add what is best at something by far.

    So the front of the grid is nowhere worse for it, and has hardly more options than before: between two
    options there are any number of trade-offs that differ by little.
    """
    everything = grid.joined(found)
    own = {int(grid.instance[mine[0]]): mine for mine in _by_instance(grid)}
    more = {int(found.instance[mine[0]]): mine + len(grid.rows) for mine in _by_instance(found)}
    kept = []
    for one, mine in own.items():
        if one not in more:
            kept.append(mine)
            continue
        new = more[one]
        costs, prices = everything.totals, quanta(everything.totals)
        new = new[np.lexsort(costs[new].T[::-1])]  # cheapest first
        chosen: list[int] = []
        for at in mine.tolist():
            better = (prices[new] <= prices[at]).all(axis=1) & (prices[new] < prices[at]).any(axis=1)
            chosen.append(int(new[np.argmax(better)]) if better.any() else at)
        now = _bests(costs[chosen], changes[chosen])
        for (cost, at), (known, _) in zip(_bests(costs[new], changes[new]), now, strict=True):
            if at >= 0 and cost < (1.0 - GAIN) * known:
                chosen.append(int(new[at]))
        some = np.array(list(dict.fromkeys(chosen)), dtype=np.int64)
        some = some[undominated(prices[some])]
        if not keep_ties:
            _, first_of = np.unique(prices[some], axis=0, return_index=True)
            some = some[np.sort(first_of)]
        kept.append(some)
    return everything.taken(np.concatenate(kept))


def _quantile_by(at: IntArray, values: FloatArray, before: FloatArray, share: float) -> FloatArray:
    """Give a quantile of the values of each place; what was before where there are none."""
    found = before.copy()
    for one in np.unique(at).tolist():
        found[one] = float(np.quantile(values[at == one], share))
    return found
