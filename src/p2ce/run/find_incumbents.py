"""Find accepted cells in a few calls: accepted rows of the reference, moved back towards the instance.

A search of a black-box model goes by cost and may find its first accepted cell late. Under a time limit, or a
budget of calls and rows, these cells are evaluated first. They are options if the limit is reached, and
dominate other cells until then.
They are cells of the same grid, evaluated by the same scores. So a search that ends has the same front with
them and without.
"""

import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.base.calls.budget import LimitReached, charged_to, current_budget
from p2ce.base.comparing import quanta
from p2ce.compile.batch import Batch
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.requirements import Origin
from p2ce.engine.grid.grouped_axis import with_levels
from p2ce.engine.scores.external import REJECT
from p2ce.engine.solver.fronts import Fronts, Incumbents
from p2ce.run.time_limits import SharedLimits
from p2ce.run.verified import Outcomes
from p2ce.run.verify.constraints import check_constraints
from p2ce.run.verify.verify_cells import EXACTLY, VerifiedCells

INCUMBENTS_SHARE = 0.5  # of the time that is left when solving begins
MOST_TARGETS = 8  # accepted rows of the reference towards which an instance is moved
MOST_STEPS = 4  # features that are moved one after the other; each takes one call
MOST_ON_LINE = 16  # values of a feature that are tried on the way back; each feature takes one call
MOST_CALLS = 16
ORDER = (Origin.RULE, Origin.MODEL, Origin.DETECTOR)  # seconds of evaluation
CALL_SHARE = 0.2  # of the time, for one call


class Tried(NamedTuple):
    """The results of the scores for cells."""

    accepted: BoolArray  # (cells,) by every score
    lead: FloatArray  # (cells,) of the model above its threshold; minus infinity where a rule forbids it


def seeks_incumbents(problem: Problem) -> bool:
    """Return whether cells of a problem are expensive enough to look for incumbents first."""
    return problem.method is None and problem.calls_user_code and len(problem.accepted) > 0


def find_incumbents(batch: Batch, who: IntArray, *, seconds: float) -> tuple[Incumbents, IntArray]:
    """Find accepted cells of some instances, and return how many cells of each were evaluated (n,).

    After the first call, no call begins that would probably end after ``seconds``, judging by earlier calls.
    The current budget counts as well.
    """
    seeking = _Seeking(batch, seconds)
    try:
        rows = CALL_SHARE * seconds / max(batch.problem.row_seconds, 1e-9) / len(who)
        budget = current_budget()
        if budget is not None and budget.rows_left is not None:
            rows = min(rows, budget.rows_left / len(who) / 2)
        most = int(np.clip(rows / max(batch.problem.grid.axis_count, 1), 1, MOST_TARGETS))
        owner, targets = _targets(batch, who, most)
        if len(owner):
            _move_back(seeking, owner, *_reach(seeking, owner, targets))
    except LimitReached:
        pass  # found so far
    return seeking.incumbents(), seeking.evaluated


class Sought(NamedTuple):
    """The accepted cells that are known before solving, and the instances for which some were sought."""

    incumbents: Incumbents | None
    instances: IntArray

    def without(self, some: VerifiedCells) -> "Sought":
        """Drop the cells that verification has rejected.

        A cell that a score cannot distinguish from a rejected one is rejected too; that is not looked up.
        """
        if self.incumbents is None:
            return self
        alike = np.isin(self.incumbents.instance, some.instance[some.rejected_by != EXACTLY])
        return self._replace(incumbents=self.incumbents.taken(~alike).without(some.instance, some.cells))

    def with_verified(self, batch: Batch, checked: VerifiedCells, fronts: Fronts) -> "Sought":
        """Add the cells of fronts that verification has confirmed."""
        count = len(fronts.points)
        passed = np.flatnonzero(~checked.failed[:count])
        if not len(passed):
            return self
        instance, cells = checked.instance[passed], checked.cells[passed]
        confirmed = incumbents_of(
            batch, instance, cells, {number: values[passed] for number, values in fronts.recorded.items()}
        )
        earlier = self.incumbents
        return self._replace(incumbents=confirmed if earlier is None else earlier.and_those(confirmed))


def incumbents_of(
    batch: Batch, instance: IntArray, cells: Int32Array, recorded: Mapping[int, FloatArray]
) -> Incumbents:
    """Price accepted cells."""
    return Incumbents(
        instance=instance,
        points=cells,
        quanta=quanta(batch.tables.totals(instance, cells)),
        steps=np.abs(cells - batch.placement.position[instance]).sum(axis=1, dtype=np.int64),
        recorded=recorded,
    )


NOT_SOUGHT = Sought(None, np.zeros(0, dtype=np.int64))


def seek_incumbents(
    batch: Batch, known: Outcomes, shared: SharedLimits, waiting: IntArray, sought: Sought
) -> tuple[Outcomes, Sought]:
    """Find accepted cells for waiting instances with a time limit or a budget, once for each."""
    from p2ce.engine.solver.fronts import SCORED

    new = np.setdiff1d(waiting, sought.instances)
    left = shared.left(known, waiting, to_solve=True).seconds
    budget = current_budget()
    if (left is None and budget is None) or not len(new) or not seeks_incumbents(batch.problem):
        return known, sought
    instances = np.union1d(sought.instances, new)
    seconds = np.inf if left is None else float(np.maximum(left[np.isin(waiting, new)], 0.0).sum())
    if seconds == 0.0:
        return known, Sought(sought.incumbents, instances)
    begin = time.perf_counter()
    with nullcontext() if budget is None else charged_to(budget.part(INCUMBENTS_SHARE)):
        found, evaluated = find_incumbents(batch, new, seconds=INCUMBENTS_SHARE * seconds)
    counters = known.counters.copy()
    counters[:, SCORED] += evaluated
    spent = (time.perf_counter() - begin) / len(new)
    known = known.with_values(slice(None), counters=counters)
    known = known.with_values(new, solve_seconds=known.solve_seconds[new] + spent)
    earlier = sought.incumbents
    return known, Sought(found if earlier is None else earlier.and_those(found), instances)


class _Seeking:
    """Evaluates cells of a batch, each once, and keeps the accepted ones."""

    def __init__(self, batch: Batch, seconds: float) -> None:
        self.batch, self.until = batch, time.perf_counter() + seconds
        self.longest, self.calls = 0.0, 0
        self.known: dict[bytes, tuple[bool, float]] = {}
        self.evaluated: IntArray = np.zeros(len(batch.values), dtype=np.int64)
        requirements = batch.problem.requirements
        self.order = sorted(range(len(requirements)), key=lambda at: ORDER.index(requirements[at].origin))
        self.recorded = [number for number, one in enumerate(requirements) if one.is_recorded]
        self.found: list[tuple[IntArray, Int32Array, dict[int, FloatArray]]] = []

    def evaluate(self, instance: IntArray, cells: Int32Array) -> Tried:
        """Evaluate cells in one call. Known cells are not evaluated again."""
        keys = [bytes(key) for key in np.column_stack([instance, cells]).astype(np.int32)]
        new = {key: at for at, key in enumerate(keys) if key not in self.known}
        if new:
            begin = time.perf_counter()
            late = begin + self.longest >= self.until
            if self.calls >= MOST_CALLS or (self.calls and late):
                raise LimitReached
            at = np.array(list(new.values()))
            tried = self._evaluate(instance[at], cells[at])
            accepted, leads = tried.accepted.tolist(), tried.lead.tolist()
            self.known.update(zip(new, zip(accepted, leads, strict=True), strict=True))
            self.calls += 1
            self.longest = max(self.longest, time.perf_counter() - begin)
        both = [self.known[key] for key in keys]
        return Tried(np.array([one[0] for one in both]), np.array([one[1] for one in both]))

    def _evaluate(self, instance: IntArray, cells: Int32Array) -> Tried:
        """Evaluate cells with one score after another. A score receives only cells that none has rejected.

        Models come before the detector, since their scores lead through implausible cells as well.
        """
        problem, count = self.batch.problem, len(cells)
        lead = np.full(count, -np.inf)
        recorded = {number: np.full(count, np.nan) for number in self.recorded}
        left = np.arange(count)
        for number in self.order:
            if not len(left):
                break
            one, score = problem.requirements[number], self.batch.scores[number]
            verdict, value = score.evaluate(instance[left], cells[left], until=self.until)
            if number in recorded:
                recorded[number][left] = value
            if one.origin is Origin.MODEL:
                above = value - one.score.accept_from
                lead[left] = np.where(np.isneginf(lead[left]), above, np.minimum(lead[left], above))
            left = left[verdict != REJECT]
        np.add.at(self.evaluated, instance[~np.isneginf(lead)], 1)
        rows = self.batch.rows(instance[left], cells[left])
        before = self.batch.values[instance[left]]
        left = left[check_constraints(problem, before, rows, problem.frame(rows)).allowed]
        values = {number: value[left] for number, value in recorded.items()}
        self.found.append((instance[left], cells[left], values))
        accepted = np.zeros(count, dtype=np.bool_)
        accepted[left] = True
        return Tried(accepted, lead)

    def incumbents(self) -> Incumbents:
        """Return all accepted cells."""
        batch, axes = self.batch, self.batch.problem.grid.axis_count
        instance = np.concatenate([np.zeros(0, dtype=np.int64), *(one for one, _, _ in self.found)])
        cells = np.concatenate([np.zeros((0, axes), dtype=np.int32), *(some for _, some, _ in self.found)])
        recorded = {
            number: np.concatenate([np.zeros(0), *(values[number] for _, _, values in self.found)])
            for number in self.recorded
        }
        return incumbents_of(batch, instance, cells, recorded)


def _targets(batch: Batch, who: IntArray, most: int) -> tuple[IntArray, Int32Array]:
    """Place accepted rows of the reference on the grid of each instance, and choose some."""
    problem, placement = batch.problem, batch.placement
    accepted = with_levels(problem.accepted, problem.compounds)
    owners, targets = [], []
    for p in who.tolist():
        cells = np.repeat(placement.position[[p]], len(accepted), axis=0)
        for axis, column in enumerate(problem.grid.columns.tolist()):
            low, high = int(placement.lowest[p, axis]), int(placement.highest[p, axis])
            values = placement.values[p, axis, low : high + 1]
            with np.errstate(invalid="ignore"):
                away = np.abs(accepted[:, column, None] - values[None, :])
            if _is_category(problem, column):
                away[away > 0] = np.inf
            away[np.isnan(away)] = np.inf  # missing values, and levels that no other instance has
            near = away.argmin(axis=1)
            reached = np.isfinite(away[np.arange(len(near)), near])
            cells[reached, axis] = low + near[reached]
        cells = np.unique(cells[(cells != placement.position[p]).any(axis=1)], axis=0)
        cost = batch.tables.totals(np.full(len(cells), p), cells)
        nearest = np.lexsort([*cells.T[::-1], *cost.T[::-1]])
        # Half of them are the nearest. Near ones may help little, so the others lie farther and farther out.
        spread = np.linspace(0, len(nearest) - 1, most // 2).round().astype(np.int64)
        chosen = nearest[np.union1d(np.arange(min(most - most // 2, len(nearest))), spread[: len(nearest)])]
        owners.append(np.full(len(chosen), p))
        targets.append(cells[chosen])
    return np.concatenate(owners), np.concatenate(targets)


def _is_category(problem: Problem, column: int) -> bool:
    if column >= len(problem.names):
        return True  # a level of features that move together
    return problem.features[column].is_category


def _reach(seeking: _Seeking, owner: IntArray, targets: Int32Array) -> tuple[IntArray, Int32Array]:
    """Move instances towards their targets until they are accepted: (accepted pairs,), (pairs, axes).

    The feature that helps the model most moves first. If more features may change than are moved one by one,
    the whole target is tried as well.
    """
    problem, placement = seeking.batch.problem, seeking.batch.placement
    most = targets.shape[1] if problem.max_changes is None else problem.max_changes
    here = placement.position[owner]
    cells, done = here.copy(), np.zeros(len(owner), dtype=np.bool_)
    whole = np.flatnonzero((targets != here).sum(axis=1) <= most)
    if most > MOST_STEPS and len(whole):
        accepted = seeking.evaluate(owner[whole], targets[whole]).accepted
        done[whole[accepted]] = True
        cells[whole[accepted]] = targets[whole[accepted]]
    for _ in range(min(most, MOST_STEPS)):
        pair, axis = np.nonzero((cells == here) & (targets != here) & ~done[:, None])
        if not len(pair):
            break
        tries = cells[pair]
        tries[np.arange(len(pair)), axis] = targets[pair, axis]
        tried = seeking.evaluate(owner[pair], tries)
        cost = seeking.batch.tables.totals(owner[pair], tries)[:, 0]
        # The cheapest of the accepted cells, or else the cell with the highest model score.
        order = np.lexsort([axis, np.where(tried.accepted, cost, -tried.lead), ~tried.accepted, pair])
        first = order[np.unique(pair[order], return_index=True)[1]]
        cells[pair[first]] = tries[first]
        done[pair[first]] = tried.accepted[first]
    return np.flatnonzero(done), cells


def _move_back(seeking: _Seeking, owner: IntArray, pairs: IntArray, cells: Int32Array) -> None:
    """Move the changed features back, one after the other, to the nearest value that is still accepted."""
    owner, cells = owner[pairs], cells[pairs].copy()
    here = seeking.batch.placement.position[owner]
    costs = seeking.batch.tables.steps  # (n, objectives, axes, width)
    for turn in range(int((cells != here).sum(axis=1).max(initial=0))):
        lines: list[tuple[int, int, int]] = []  # pair, axis, candidate
        for pair in range(len(cells)):
            paid = costs[owner[pair], 0, np.arange(cells.shape[1]), cells[pair]]
            paid = np.where(cells[pair] != here[pair], paid, -np.inf)
            if turn >= np.isfinite(paid).sum():
                continue
            axis = int(np.argsort(-paid, kind="stable")[turn])  # the most expensive change first
            begin, end = int(here[pair, axis]), int(cells[pair, axis])
            count = min(abs(end - begin) + 1, MOST_ON_LINE)
            places = np.unique(np.linspace(begin, end, count).round().astype(int))
            lines += [(pair, axis, place) for place in places.tolist() if place != end]
        if not lines:
            continue
        pair, axis, place = np.array(lines).T
        tries = cells[pair]
        tries[np.arange(len(pair)), axis] = place
        moved = (tries != here[pair]).any(axis=1)
        pair, axis, place, tries = pair[moved], axis[moved], place[moved], tries[moved]
        accepted = np.flatnonzero(seeking.evaluate(owner[pair], tries).accepted)
        away = np.abs(place - here[pair, axis])[accepted]
        for at in accepted[np.argsort(-away, kind="stable")].tolist():  # the nearest one comes last
            cells[pair[at]] = tries[at]
