"""Combine single changes: their scores, added up, estimate which combinations are worth trying."""

import itertools
from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.models.decisions.adapter import PROBABILITY
from p2ce.models.estimates.link_scale import LinkScale, link_of_probabilities, to_scale
from p2ce.run.refinement.move_options import even_out, shrink, trade
from p2ce.run.refinement.trials import LARGEST, Options, Trials, bests_of, by_instance, undominated_options
from p2ce.tables.codebook import MISSING

PROFILE = 400  # rows with a single change that are tried for an instance
FEWEST = 5  # of these, on one side of a feature
MOST_STEPS = {2: 24, 3: 8}  # values of a feature, if so many are combined
MOST_AXES = 8  # features that are combined
TRIED = 24  # combinations to evaluate in a round for the first objective; half as many for each other one
TRIED_PARSED = 64  # if no evaluation calls the user's model
# A round assumes the error of estimates to be this quantile of the errors in the round before.
ROUNDS = (0.5, 0.75, 0.95)
SLACK = 0.5  # of the score that an instance lacks: how much of it interactions may add


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Singles:
    """Single changes that were tried."""

    axis: IntArray  # (t,)
    value: FloatArray  # (t,)
    good: BoolArray  # (t,)
    options: Options  # (t,) all of them, accepted or not


def combine(trials: Trials, front: Options, who: IntArray) -> Options:
    """Estimate combinations from single changes, and try the cheapest that are probably accepted."""
    single = _profiles(trials, front, who)
    if trials.is_late:
        return single.options.taken(np.zeros(0, dtype=np.int64))
    good = single.options.taken(single.good)
    found = good
    incumbents = undominated_options(front.joined(good))
    base = _strength(trials, trials.scores(who))
    need = _strength(trials, np.array([trials.problem.threshold]))[0]
    strength = _strength(trials, single.options.scores)
    bias = np.zeros(len(who))
    most = trials.problem.max_changes
    most_changes = LARGEST if most is None else min(most, LARGEST)
    most_tried = TRIED if trials.calls_models else TRIED_PARSED
    plans = [
        _plan(trials, one, single, strength, float(base[at]), most_changes)
        for at, one in enumerate(who.tolist())
    ]
    for share in ROUNDS if most_changes > 1 else ():
        attempts, owner, estimates = [], [], []
        for place, one in enumerate(who.tolist()):
            plan = plans[place]
            own = incumbents.totals[incumbents.instance == one]
            picked = plan.pick(own, need - bias[place], most_tried)
            attempts.append(plan.rows(picked))
            owner += [place] * len(picked)
            estimates.append(plan.estimate[picked])
        at = np.array(owner, dtype=np.int64)
        if not len(at) or trials.is_late:
            break
        rows = np.concatenate(attempts)
        judged = trials.judge(who[at], rows)
        errors = _strength(trials, judged.scores) - np.concatenate(estimates)
        bias = _quantile_by(at, errors, bias, share)
        more = trials.options(who[at[judged.good]], rows[judged.good], judged.taken(judged.good))
        found = found.joined(more)
        incumbents = undominated_options(incumbents.joined(more))
    best = _best_at_something(found, incumbents, trials.changes(found))
    if not len(best.rows):
        return found
    smaller = shrink(trials, best, from_today=True)
    if trials.calls_models:
        return found.joined(smaller).joined(even_out(trials, best))
    found = found.joined(smaller).joined(even_out(trials, undominated_options(found)))
    best = _best_at_something(found, undominated_options(incumbents.joined(found)), trials.changes(found))
    return found.joined(trade(trials, best))


def _profiles(trials: Trials, front: Options, who: IntArray) -> _Singles:
    """Try every feature alone at some values, up to the cost of the front."""
    placement, tables = trials.batch.placement, trials.batch.tables
    instances, axes, values = [], [], []
    for one in who.tolist():
        costs = front.totals[front.instance == one]  # (p, M)
        useless = (costs[:, :, None, None] <= tables.steps[one][None]).all(axis=1).any(axis=0)
        sides = []
        for axis, column in enumerate(trials.problem.grid.columns.tolist()):
            here, low, high = (
                int(part[one, axis]) for part in (placement.position, placement.lowest, placement.highest)
            )
            for side in (np.arange(here + 1, high + 1), np.arange(here - 1, low - 1, -1)):
                if len(side):
                    # Up to the first candidate that alone costs as much as an option.
                    count = int(np.argmax(useless[axis, side])) if useless[axis, side].any() else len(side)
                    sides.append((axis, column, here, side, count))
        numbers = sum(_moves_along(trials, one, axis, column) for axis, column, *_ in sides)
        most = max(FEWEST, PROFILE // max(numbers, 1))
        for axis, column, here, side, count in sides:
            candidates = placement.values[one, axis]
            if _moves_along(trials, one, axis, column):
                limit = candidates[side[min(count, len(side) - 1)]]
                chosen = trials.axes[column].spread(float(candidates[here]), float(limit), most)
                chosen = chosen if limit != MISSING else chosen[:0]
            else:
                chosen = candidates[side[:count]]
            instances += [one] * len(chosen)
            axes += [axis] * len(chosen)
            values.append(chosen)
    instance, changed = np.array(instances, dtype=np.int64), np.array(axes, dtype=np.int64)
    value = np.concatenate([np.empty(0), *values])
    rows = _changed(trials, instance, changed[:, None], value[:, None])
    judged = trials.judge(instance, rows)
    return _Singles(
        axis=changed, value=value, good=judged.good, options=trials.options(instance, rows, judged)
    )


def _moves_along(trials: Trials, one: int, axis: int, column: int) -> bool:
    """Return whether an instance may take values between candidates: not from a missing or special value."""
    current = float(trials.batch.placement.current[one, axis])
    return column in trials.axes and current != MISSING and current not in trials.axes[column].feature.special


def _changed(trials: Trials, instance: IntArray, axes: IntArray, values: FloatArray) -> FloatArray:
    """Write instances (t,) with some axes (t, k) at other values (t, k) as rows; -1 stands for no axis."""
    wide = trials.batch.wide[instance].copy()
    columns = trials.problem.grid.columns
    for place in range(axes.shape[1]):
        some = np.flatnonzero(axes[:, place] >= 0)
        wide[some, columns[axes[some, place]]] = values[some, place]
    return trials.batch.narrowed(instance, wide)


def _strength(trials: Trials, scores: FloatArray) -> FloatArray:
    """Return scores on the scale on which changes add up best, in digits that are the same in any batch."""
    problem = trials.problem
    is_probability = problem.scale == PROBABILITY
    link = link_of_probabilities(negated=problem.negated) if is_probability else LinkScale.IDENTITY
    return np.round(to_scale(scores, link), 9)


def _plan(
    trials: Trials, one: int, single: _Singles, strength: FloatArray, base: float, most_changes: int
) -> "_Plan":
    """List the combinations of an instance's single changes, with their costs and estimated scores."""
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
        [_combinations(best, size) for size in range(2, most_changes + 1)]
        or [np.empty((0, LARGEST), dtype=np.int64)]
    )
    there = members >= 0
    estimate = base + np.where(there, strength[members] - base, 0.0).sum(axis=1)
    return _Plan(trials, one, single, members, estimate, base)


class _Plan:
    """The combinations of one instance's single changes that may be tried, each once."""

    def __init__(
        self,
        trials: Trials,
        one: int,
        single: _Singles,
        members: IntArray,
        estimate: FloatArray,
        base: float,
    ) -> None:
        self._base = base
        self._trials, self._one, self._single, self._members = trials, one, single, members
        self.estimate = estimate
        self._open = np.ones(len(members), dtype=np.bool_)

    def pick(self, incumbents: FloatArray, need: float, count: int) -> IntArray:
        """Choose among those that no incumbent (p, M) dominates.

        The cheapest that are probably accepted come first, then those that come closest to acceptance.
        """
        some = np.flatnonzero(self._open & (self.estimate >= need - self._slack(need)))
        members = self._members[some]
        costs = np.where((members >= 0)[:, :, None], self._single.options.totals[members], 0.0)
        totals = np.where(self._trials.batch.tables.joins == 1, costs.max(axis=1), costs.sum(axis=1))
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
            # The closest of every set of features first, since sets interact in different ways.
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
        """Return by how much an estimate may miss the threshold and still be tried: interactions add up."""
        return SLACK * max(need - self._base, 0.0)

    def rows(self, picked: IntArray) -> FloatArray:
        """Write combinations as rows."""
        members = self._members[picked]
        axes = np.where(members >= 0, self._single.axis[members], -1)
        instance = np.full(len(picked), self._one)
        return _changed(self._trials, instance, axes, self._single.value[members])


def _combinations(by_axis: list[IntArray], size: int) -> IntArray:
    """Combine steps of up to ``LARGEST`` axes: (n, LARGEST), filled with -1."""
    most = MOST_STEPS[size]
    steps = np.full((len(by_axis), most), -1)
    for axis, some in enumerate(by_axis):
        chosen = some[np.unique(np.linspace(0, len(some) - 1, most).round().astype(np.int64))]
        steps[axis, : len(chosen)] = chosen
    groups = np.array(list(itertools.combinations(range(len(steps)), size)), dtype=np.int64).reshape(-1, size)
    index = np.indices((most,) * size).reshape(size, -1).T  # (most ** size, size)
    members = steps[groups[:, None, :], index[None]].reshape(-1, size)
    return np.pad(members[(members >= 0).all(axis=1)], [(0, 0), (0, LARGEST - size)], constant_values=-1)


def _best_at_something(found: Options, incumbents: Options, changes: IntArray) -> Options:
    """Choose the rows worth shrinking: the best in each objective among the undominated ones."""
    chosen: list[int] = []
    own = {
        (one, row.tobytes()) for one, row in zip(incumbents.instance.tolist(), incumbents.rows, strict=True)
    }
    for mine in by_instance(found):
        good = [at for at in mine.tolist() if (int(found.instance[at]), found.rows[at].tobytes()) in own]
        if good:
            bests = bests_of(found.totals[good], changes[good])
            chosen += dict.fromkeys(good[at] for _, at in bests if at >= 0)
    return found.taken(np.array(chosen, dtype=np.int64))


def _quantile_by(at: IntArray, values: FloatArray, before: FloatArray, share: float) -> FloatArray:
    """Return a quantile of the values of each place, or the previous one if there are no values."""
    found = before.copy()
    for one in np.unique(at).tolist():
        found[one] = float(np.quantile(values[at == one], share))
    return found
