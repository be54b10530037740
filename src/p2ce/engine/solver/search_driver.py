"""Run the searches of a batch: expand boxes, evaluate queued cells, enforce limits, report progress."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.base.calls.budget import LimitReached
from p2ce.engine.scores.external import Boxes
from p2ce.engine.scores.flat.flat_arrays import FlatInstances, ScoreLayout
from p2ce.engine.solver import expand as kernels
from p2ce.engine.solver import search_state as ss
from p2ce.engine.solver.evaluation_queue import EvaluationQueue, Quota, new_queue
from p2ce.engine.solver.external_scores import (
    CELL_WORK,
    ExternalScores,
    SearchBudget,
    evaluate_cells,
    infeasible_boxes,
)
from p2ce.engine.solver.fronts import (
    EXTERNAL,
    SCORED,
    UNDECIDED,
    WORK,
    Fronts,
    Incumbents,
    Listener,
    Progress,
)
from p2ce.engine.solver.settings import Settings

# The work between two checks of the clock, in units of a few nanoseconds. The short slice takes about 5 ms.
SHORT_SLICE = 1_500_000
LONG_SLICE = 20_000_000
# The most cells of a leaf whose cells are evaluated externally. The compiled scores screen all of them first.
SMALL_BOX_CELLS = 1024
# The same if a black box is called, whose cells take longer than the boxes: small leaves come in a better
# order of cost, so fewer cells are evaluated that a later one dominates.
SMALL_BOX_CALLS = 16
# If a budget of calls covers at most this many further batches, they grow faster.
FEW_BATCHES = 12
# The number of instances that are searched side by side; together they fill the batches of the scores.
ACTIVE_INSTANCES = 64
# The cells of a batch: enough to make the fixed cost of a call small compared with that of its rows.
BATCH_CELLS = 256
BATCH_CALLS = 64  # if a black box is called
LEAST_QUOTA, MOST_QUOTA = 32, 8192
# The cells of an instance in a batch may be 1 / GROWTH of its earlier cells. So there are few batches, and
# few cells are evaluated in vain.
GROWTH = 8
RAMP = 4  # if a black box is called: the same for its first batches, which are smaller
# Under a time limit, the first batch is small, and each takes at most this share of an instance's time.
FIRST_CELLS, LEAST_CELLS, TIME_SHARE = 64, 8, 0.2
# The work of an instance between two batches, if few cells are worth evaluating: about a tenth of a second.
BATCH_WORK = 30_000_000
# External bounds are computed only for hard instances: after this many cells, and for boxes of this many.
HARD_CELLS = 4096
BOXES_AT_ONCE = 64
# Bounding a box takes about as long as evaluating this many cells.
CELLS_PER_BOUND = 200
NEVER = float("inf")


@dataclass(slots=True)
class BoundingBenefit:
    """Whether bounding boxes pays off, measured in cells and not in seconds, so results repeat exactly."""

    tried: int = 0
    saved: float = 0.0
    least: float = field(default_factory=lambda: float(HARD_CELLS))  # least cells of a box worth bounding

    def learn(self, tried: int, pruned_cells: float) -> None:
        """Raise ``least`` if bounding costs more than evaluating the cells would have; else lower it."""
        self.tried += tried
        # Most cells of a box would be dominated before they are evaluated. The estimate: all but a tenth.
        self.saved += 0.1 * pruned_cells
        if self.tried >= BOXES_AT_ONCE:
            pays = self.saved >= CELLS_PER_BOUND * self.tried
            self.least = max(self.least * (0.5 if pays else 4.0), float(HARD_CELLS))
            self.tried, self.saved = 0, 0.0


@dataclass(slots=True)
class _Active:
    """A running search of the instances before ``end``, one after another; now it is at ``instance``."""

    instance: int
    end: int
    search: ss.SearchState
    benefit: BoundingBenefit
    seconds: float = 0.0  # spent on the current instance
    exhausted: bool = False  # no box is open any more; cells may still be queued
    # The number of a requirement → point → its value, where values are recorded.
    recorded: dict[int, dict[bytes, float]] = field(default_factory=dict)
    is_seeded: bool = False  # whether the incumbents that were known in advance have been offered


class SearchDriver:
    """One run of `solve`.

    Without external scores, the kernel solves many instances in one call, with one search state for all of
    them. With external scores, each active instance has its own search state, and all share the queue.
    """

    def __init__(
        self,
        layout: ScoreLayout,
        instances: FlatInstances,
        settings: Settings,
        external: ExternalScores | None,
        time_limits: FloatArray | None,
        work_limits: IntArray | None,
        listener: Listener | None,
    ) -> None:
        # An explanation is proven if the estimate pruned nothing, which depends on the order of the boxes.
        self.estimated = instances.thresholds.shape[1] > len(layout.flat.scores)
        assert external is not None or (len(layout.flat.scores) and not self.estimated), (
            "without external scores, the kernel needs its own score, and no estimate saves evaluations"
        )
        self.layout, self.instances, self.external = layout, instances, external
        self.spending = None if external is None else external.spending
        self.leaf_cells, self.growth = SMALL_BOX_CELLS, GROWTH
        self.first_cells = self.batch_cells = BATCH_CELLS
        self.time_limits, self.work_limits, self.listener = time_limits, work_limits, listener
        if external is not None:
            # Cells are queued best first, since each costs an evaluation. Supports are not listed: the prefix
            # costs of the listing belong to one instance, but a queue holds cells of many.
            if external.calls_user_code:
                self.leaf_cells = min(SMALL_BOX_CELLS, SMALL_BOX_CALLS)
                self.first_cells = min(BATCH_CELLS, BATCH_CALLS)
            settings = settings._replace(dense_cells=self.leaf_cells, listed=0)
        self.settings = settings
        # With a limit, each instance has its own search state and its own call, and shares no room or time.
        self.together = external is None and time_limits is None and work_limits is None
        self.scratch = ss.new_scratch(layout, instances, settings)
        self.first = ss.new_search(layout, instances, settings)
        self.queue: EvaluationQueue | None = None
        self.bounded = settings.bounds and external is not None and external.bounds_boxes
        self.benefit = BoundingBenefit()
        self.most_cells = MOST_QUOTA * ACTIVE_INSTANCES  # of a batch
        self.batch_work = BATCH_WORK  # of an instance, between two batches
        self.seconds_per_cell: float | None = None  # in the last batch

        count, objectives, axes, _ = instances.prices.shape
        self.count = count
        self.results = kernels.new_results(count, axes, 8 * count + 64)
        self.finished = np.ones(count, dtype=np.bool_)
        self.open_boxes = np.zeros(count, dtype=np.int64)
        self.open_totals = np.zeros((count, objectives))
        self.seconds = np.zeros(count)
        self.entered = 0  # instances from here on wait
        self.active: list[_Active] = []
        self.evaluated: dict[int, _Active] = {}  # instance → its search, where external scores took part
        self.stopped = False
        self.incumbents: Incumbents | None = None

    def run(self, incumbents: Incumbents | None = None) -> Fronts:
        """Search until every instance is solved or has reached a limit."""
        begin = time.perf_counter()
        self.incumbents = incumbents
        while self.entered < self.count or self.active:
            self._activate()
            first = [one.instance for one in self.active]
            start, out_of_time = time.perf_counter(), False
            if not self.stopped and any(self._has_time(one) for one in self.active):
                try:
                    self._step()
                except LimitReached:
                    out_of_time = True
            now = time.perf_counter()
            for one, instance in zip(self.active, first, strict=True):
                one.seconds += (now - start) / len(self.active)
                if one.instance > instance:  # the kernel has solved the instances before this one
                    self.seconds[instance : one.instance] = one.seconds / (one.instance - instance)
                    one.seconds = 0.0
            solved = all(one.instance == one.end for one in self.active)
            if self.listener is not None and not self.stopped and not solved:
                self.stopped = self.listener(self._progress(now - begin)) is False
            self.active = [one for one in self.active if not self._is_over(one, out_of_time)]
        return self._fronts()

    def _activate(self) -> None:
        """Start waiting instances until as many are active as are searched side by side."""
        most = 1 if self.external is None else ACTIVE_INSTANCES
        while self.entered < self.count and len(self.active) < most:
            end = self.count if self.together else self.entered + 1
            # Instances share what they learn about bounding, unless their work must not depend on others.
            benefit = self.benefit if self.work_limits is None else BoundingBenefit()
            search = self.first
            if self.external is not None and self.entered:
                search = ss.new_search(self.layout, self.instances, self.settings)
            search.state[ss.STARTED], search.counters[:] = 0, 0
            self.active.append(_Active(self.entered, end, search, benefit))
            self.entered = end

    def _has_time(self, one: _Active) -> bool:
        if self.external is None and self._work_left(one) < 0:
            return False
        if self.spending is not None and self.spending.is_spent(_found(one)):
            return False
        return self.time_limits is None or bool(self.time_limits[one.instance] > one.seconds)

    def _work_left(self, one: _Active) -> int:
        if self.work_limits is None:
            return BATCH_WORK
        return int(self.work_limits[one.instance]) - int(one.search.counters[WORK])

    # One step: expand, prune by external bounds, evaluate externally, offer.

    def _step(self) -> None:
        if self.external is None:
            for one in self.active:
                budget = LONG_SLICE if self.time_limits is None else SHORT_SLICE
                if self.work_limits is not None:
                    budget = min(budget, self._work_left(one))
                self._expand(one, None, budget)
            return
        if self.time_limits is not None:
            self._keep_batches_short(float(self.time_limits.min()))
        if self.spending is not None:
            self._keep_batches_affordable(self.spending)
        queue = self._fill_queue()
        active = {one.instance: one for one in self.active}
        if queue.used[1]:
            self._prune_by_external_bounds(self.external, queue, active)
        begin = time.perf_counter()
        accepted, recorded, undecided = evaluate_cells(self.external, queue)
        if queue.used[0]:
            self.seconds_per_cell = (time.perf_counter() - begin) / int(queue.used[0])
        for instance in queue.instance[undecided].tolist():
            active[instance].search.counters[UNDECIDED] += 1
        instances = queue.instance[accepted]
        for instance in np.unique(instances).tolist():
            mine = np.flatnonzero(instances == instance)
            values = {number: value[mine] for number, value in recorded.items()}
            self._offer(active[instance], queue, accepted[mine], values)

    def _expand(self, one: _Active, queue: EvaluationQueue | None, budget: int) -> None:
        """Call the kernel to expand boxes, and give it more room when it runs out."""
        stop = int(one.search.counters[WORK]) + budget
        code = ss.BOXES_FULL
        while code in (ss.BOXES_FULL, ss.FRONT_FULL, ss.RESULTS_FULL):
            reached, code = kernels.expand(
                self.layout.flat,
                self.instances,
                one.instance,
                one.end,
                self.settings,
                one.search,
                self.scratch,
                queue,
                True if queue is None else None,
                self.results,
                budget,
            )
            if queue is None:
                one.instance = reached
            if code == ss.BOXES_FULL:
                one.search = ss.with_more_boxes(one.search)
            elif code == ss.FRONT_FULL:
                one.search = ss.with_larger_front(one.search)
            elif code == ss.RESULTS_FULL:
                self.results = kernels.with_more_results(self.results)
            if not self.together:
                budget = stop - int(one.search.counters[WORK])
        one.exhausted = code == ss.DONE

    def _keep_batches_short(self, limit: float) -> None:
        """Limit the cells of a batch to a share of an instance's time, by the time per cell so far."""
        most = float(FIRST_CELLS)
        if self.seconds_per_cell is not None:
            most = TIME_SHARE * limit / max(self.seconds_per_cell, 1e-9)
        self.most_cells = int(np.clip(most, LEAST_CELLS, MOST_QUOTA * ACTIVE_INSTANCES))
        self.batch_work = SHORT_SLICE
        # The cells of a leaf are queued together.
        self.settings = self.settings._replace(dense_cells=min(self.leaf_cells, self.most_cells))

    def _keep_batches_affordable(self, spending: SearchBudget) -> None:
        """Limit the cells of a batch to what a budget covers; if few calls are left, make batches larger."""
        batches = spending.batches_left()
        if batches is not None and batches <= FEW_BATCHES:
            # Each batch is as large as all before it, and the last ones are as large as a batch may be.
            self.growth = 1
            self.first_cells = self.batch_cells = max(BATCH_CALLS, MOST_QUOTA >> batches)
        cells = spending.cells_left(sum(_found(one) for one in self.active))
        if cells is not None:
            # The last leaf of a batch may exceed its quota.
            leaf = max(1, min(self.settings.dense_cells, cells // 4))
            self.settings = self.settings._replace(dense_cells=leaf)
            self.most_cells = min(self.most_cells, max(1, cells + 1 - leaf))

    def _quota(self, one: _Active) -> int:
        """Return how many cells of an instance the next batch may hold."""
        active = len(self.active)
        scored = int(one.search.counters[SCORED])
        share = min(max(self.first_cells, scored // RAMP), self.batch_cells)
        fair = share // active
        if self.estimated or self.work_limits is not None:
            # An instance's batches must not depend on others. With an estimate, they are small, to save
            # evaluations.
            fair = 0 if self.estimated else share
        wanted = int(np.clip(max(fair, scored // self.growth), LEAST_QUOTA, MOST_QUOTA))
        if self.work_limits is not None:
            wanted = min(wanted, 1 + self._work_left(one) // CELL_WORK)
        return max(1, min(wanted, self.most_cells // active))

    def _fill_queue(self) -> EvaluationQueue:
        """Queue cells and boxes of every active instance."""
        quotas = [self._quota(one) for one in self.active]
        room = sum(quotas) + len(self.active) * self.settings.dense_cells
        if self.queue is None or len(self.queue.instance) < room:
            self.queue = new_queue(self.instances, room, ACTIVE_INSTANCES * BOXES_AT_ONCE)
        queue = self.queue
        queue.used[:] = 0
        for one, quota in zip(self.active, quotas, strict=True):
            hard = self.bounded and one.search.counters[SCORED] >= HARD_CELLS
            cells, boxes = int(queue.used[0]), int(queue.used[1])
            mine = Quota(
                cells=cells + quota,
                boxes=boxes + BOXES_AT_ONCE,
                worth_bounding=one.benefit.least if hard else NEVER,
            )
            budget = max(0, min(self.batch_work, self._work_left(one)))
            self._expand(one, queue._replace(quota=mine), budget)
            self._offer_incumbents(one)  # after the first expansion, which empties the front
            bounds = int(queue.used[1]) - boxes
            one.search.counters[WORK] += CELL_WORK * (int(queue.used[0]) - cells + CELLS_PER_BOUND * bounds)
        return queue

    def _prune_by_external_bounds(
        self, external: ExternalScores, queue: EvaluationQueue, active: dict[int, _Active]
    ) -> None:
        """Drop the queued boxes that an external score proves infeasible, and split the others."""
        infeasible, cells = infeasible_boxes(external, queue)
        instances = queue.box_instance[: len(infeasible)]
        if self.work_limits is None:
            self.benefit.learn(len(instances), float(cells.sum()))
        else:
            for instance in np.unique(instances).tolist():
                mine = instances == instance
                active[instance].benefit.learn(int(np.count_nonzero(mine)), float(cells[mine].sum()))
        for at, instance in enumerate(instances.tolist()):
            one = active[instance]
            if infeasible[at]:
                one.search.counters[EXTERNAL] += 1
                continue
            if one.search.state[ss.OPEN] + 2 > len(one.search.heap):
                one.search = ss.with_more_boxes(one.search)
            kernels.split_queued_box(
                self.instances, instance, self.settings, one.search, self.scratch, queue, at
            )
            one.exhausted = False

    def _offer_incumbents(self, one: _Active) -> None:
        """Offer the cells of an instance that were known before its search, once."""
        if one.is_seeded or self.incumbents is None:
            return
        one.is_seeded = True
        mine = self.incumbents.taken(self.incumbents.instance == one.instance)
        queue = new_queue(self.instances, len(mine.points), 0)
        queue.points[:], queue.quanta[:], queue.steps[:] = mine.points, mine.quanta, mine.steps
        self._offer(one, queue, np.arange(len(mine.points)), mine.recorded)

    def _offer(
        self,
        one: _Active,
        queue: EvaluationQueue,
        accepted: IntArray,
        recorded: Mapping[int, FloatArray],
    ) -> None:
        """Offer cells to the incumbent front of their instance, and keep their recorded values."""
        keep_ties, taken = self.settings.keep_ties, 0
        while (taken := kernels.offer_evaluated(one.search, queue, accepted, taken, keep_ties)) < len(
            accepted
        ):
            one.search = ss.with_larger_front(one.search)
        for number, values in recorded.items():
            of_points = one.recorded.setdefault(number, {})
            for at, value in zip(accepted.tolist(), values.tolist(), strict=True):
                of_points[queue.points[at].tobytes()] = value

    # After a step: limits and results.

    def _progress(self, elapsed: float) -> Progress:
        first = self.active[0]
        return Progress(
            person=first.instance,
            people=self.count,
            found=int(first.search.front.used[0]),
            open_boxes=int(first.search.state[ss.OPEN]),
            elapsed=elapsed,
        )

    def _is_over(self, one: _Active, out_of_time: bool) -> bool:
        """Return whether a search has ended or reached a limit; keep the front of an unfinished instance."""
        if one.instance == one.end:
            return True
        instance = one.instance
        late = self.stopped or out_of_time or self._work_left(one) < 0
        late = late or (self.time_limits is not None and bool(one.seconds >= self.time_limits[instance]))
        late = late or (self.spending is not None and self.spending.is_spent(_found(one)))
        if not late and not one.exhausted:
            return False
        self.seconds[instance] = one.seconds
        if self.external is not None:
            self._offer_incumbents(one)  # for an instance that had no time to begin
            self.evaluated[instance] = one
        else:
            self._write(instance, one.search)
            self.entered = instance + 1  # later instances start again
        if out_of_time or not one.exhausted:
            self.finished[instance] = False
            self.open_boxes[instance], self.open_totals[instance] = self._what_is_open(instance, one.search)
            if out_of_time:
                # The cells of an unevaluated batch are no longer in the boxes, and may cost next to nothing.
                self.open_totals[instance] = 0.0
        return True

    def _what_is_open(self, instance: int, search: ss.SearchState) -> tuple[int, FloatArray]:
        """Count the open boxes, and bound the cost of all their points from below, objective by objective."""
        joins, settings, state = self.instances.joins, self.settings, search.state
        if not state[ss.STARTED]:
            return 1, np.zeros(len(joins))
        cheapest = cheapest_open(self.instances, instance, search)
        size = int(state[ss.SIZE])
        listing = size <= min(settings.listed, settings.max_changes)
        unseen = listing or (not state[ss.ROOT_PUSHED] and settings.max_changes > settings.listed)
        if unseen:
            # Supports that are not listed yet change at least as many axes as the current one.
            costs = search.supports.least
            least = np.sort(np.where(costs < 0, np.inf, costs), axis=1)[:, :size]
            rest = np.where(joins == 1, least.max(axis=1, initial=0.0), least.sum(axis=1))
            cheapest = np.minimum(cheapest, rest)
        count = max(int(state[ss.OPEN]) + int(unseen), 1)
        return count, np.where(np.isinf(cheapest), 0.0, cheapest)

    def _write(self, instance: int, search: ss.SearchState) -> None:
        """Append the front of an instance to the results, as the kernel does."""
        # Without external scores, this is the previous instance's state until the kernel starts this one.
        started = self.external is not None or bool(search.state[ss.STARTED])
        points = search.front.points[: search.front.used[0] if started else 0]
        begin = int(self.results.first[instance])
        while begin + len(points) > len(self.results.points):
            self.results = kernels.with_more_results(self.results)
        self.results.points[begin : begin + len(points)] = points
        self.results.first[instance + 1] = begin + len(points)
        self.results.counters[instance] = search.counters if started else 0

    def _fronts(self) -> Fronts:
        recorded: dict[int, list[float]] = {
            number: [] for number in (() if self.external is None else self.external.recorded)
        }
        for instance in sorted(self.evaluated):
            one = self.evaluated[instance]
            self._write(instance, one.search)
            points = self.results.points[self.results.first[instance] : self.results.first[instance + 1]]
            for number, values in recorded.items():
                values += [one.recorded[number][point.tobytes()] for point in points]
        found = int(self.results.first[-1])
        return Fronts(
            points=self.results.points[:found],
            first=self.results.first,
            counters=self.results.counters,
            finished=self.finished,
            open_boxes=self.open_boxes,
            open_totals=self.open_totals,
            seconds=self.seconds,
            stopped=self.stopped,
            recorded={number: np.array(values, dtype=np.float64) for number, values in recorded.items()},
        )

    def compile_rest(self) -> None:
        """Compile in advance what only some searches with external scores need."""
        search, queue = self.first, new_queue(self.instances, 8, 8)
        keep_ties = self.settings.keep_ties
        kernels.offer_evaluated(search, queue, np.zeros(0, dtype=np.int64), 0, keep_ties)
        if self.external is None or not self.bounded:
            return
        # The whole grid is usually not an infeasible box, so every stage of a bound runs.
        positions = self.instances.positions[:1]
        everywhere = Boxes(
            low=np.ascontiguousarray(positions["lowest"]),
            high=np.ascontiguousarray(positions["highest"]),
            must=np.zeros(positions.shape, dtype=np.bool_),
            changes_left=np.full(1, positions.shape[1]),
        )
        queue.spans["low"][0], queue.spans["high"][0] = everywhere.low[0], everywhere.high[0]
        if (everywhere.low < everywhere.high).any():
            kernels.split_queued_box(self.instances, 0, self.settings, search, self.scratch, queue, 0)
        for score in self.external.scores.values():
            if score.bounds_boxes:
                score.infeasible(self.external.instances[:1], everywhere)


def _found(one: _Active) -> int:
    return int(one.search.front.used[0])


def cheapest_open(instances: FlatInstances, instance: int, search: ss.SearchState) -> FloatArray:
    """Bound the costs of the open boxes from below (objectives,), by the changes that each box must make.

    This is the NumPy twin of `price_corner`. It needs no compilation, and is used only at a limit.
    """
    here = instances.positions["here"][instance]
    spans = search.boxes[search.heap["slot"][: search.state[ss.OPEN]]]  # (boxes, axes)
    low, high = spans["low"], spans["high"]
    decided = (spans["must"] == 1) | (low > here) | (high < here)
    free = np.flatnonzero(~decided.any(axis=1))
    by_max = (instances.joins == 1)[:, None]
    total = np.zeros((len(by_max), len(spans)))
    least = np.full((len(by_max), len(free)), np.inf)
    for axis, costs in enumerate(instances.prices["envelope"][instance].swapaxes(0, 1)):  # as costs are added
        at = np.flatnonzero(decided[:, axis])
        change = _cheapest_change(costs, low[at, axis], high[at, axis], int(here[axis]))
        total[:, at] = np.where(by_max, np.maximum(total[:, at], change), total[:, at] + change)
        least = np.minimum(least, _cheapest_change(costs, low[free, axis], high[free, axis], int(here[axis])))
    total[:, free] = least  # every point makes at least one change
    return np.asarray(total.min(axis=1, initial=np.inf))


def _cheapest_change(costs: FloatArray, low: Int32Array, high: Int32Array, here: int) -> FloatArray:
    """Return the costs (objectives, boxes) of the nearest candidates; infinite if there are none."""
    left, right = np.minimum(high, here - 1), np.maximum(low, here + 1)
    below = np.where(left >= low, costs[:, np.maximum(left, 0)], np.inf)
    above = np.where(right <= high, costs[:, np.minimum(right, costs.shape[1] - 1)], np.inf)
    return np.minimum(below, above)
