"""Drive the compiled search over a batch of people: grow what is full, keep the time, report progress."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray

if TYPE_CHECKING:  # the kernels load Numba, which takes a second: only when something is searched
    from p2ce.scores.flat_arrays import FlatInstances, ScoreLayout
    from p2ce.solver.run import Results
    from p2ce.solver.workspace import Rules, Workspace

# Work between two looks at the clock; a unit is a few nanoseconds. The short slice takes some 5 ms.
SHORT_SLICE = 1_500_000
LONG_SLICE = 20_000_000
# Boxes of up to this many cells are scored whole: 64 KB of 32-bit totals stay in the second-level cache.
DENSE_CELLS = 16384
# Supports of up to this many changes are listed one by one, from leaves sorted by disagreement set.
LISTED_CHANGES = 3
# More changes than any grid has axes: no limit.
UNLIMITED = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a search has come, as its listener is told."""

    person: int  # position of the person at hand
    people: int
    found: int  # points on that person's front so far
    open_boxes: int
    elapsed: float  # seconds since the search began


# Called now and then; the search stops when it answers False.
Listener = Callable[[Progress], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fronts:
    """What the search found for a batch of people."""

    points: Int32Array  # (points, axes) candidate indices, one person's after the other's
    first: IntArray  # (n + 1,) points of person p are first[p] .. first[p + 1] - 1
    counters: IntArray  # (n, COUNTERS), see search.workspace
    finished: BoolArray  # (n,) False where a limit was reached or the listener stopped it
    open_boxes: IntArray  # (n,)
    open_totals: FloatArray  # (n, objectives) least joined cost that an open box may still have
    seconds: FloatArray  # (n,) time spent on each person
    stopped: bool  # the listener answered False
    said: FloatArray  # (points, scores) what scores that are asked said about the points; (points, 0) without


def no_fronts(objectives: int, axes: int) -> Fronts:
    """Give the result of searching for nobody."""
    from p2ce.solver.workspace import COUNTERS

    none = np.zeros(0, dtype=np.int64)
    return Fronts(
        points=np.zeros((0, axes), dtype=np.int32),
        first=np.zeros(1, dtype=np.int64),
        counters=np.zeros((0, COUNTERS), dtype=np.int64),
        finished=np.zeros(0, dtype=np.bool_),
        open_boxes=none,
        open_totals=np.zeros((0, objectives)),
        seconds=np.zeros(0),
        stopped=False,
        said=np.zeros((0, 0)),
    )


def kernels_are_loaded(*, in_waves: bool = False) -> bool:
    """Tell whether such a search has run in this process: the next one need not compile or load anything."""
    module, name = ("propose", "propose") if in_waves else ("run", "run_many")
    loaded = sys.modules.get(f"p2ce.solver.{module}")
    return loaded is not None and bool(getattr(loaded, name).signatures)


def rules_of(*, max_changes: int | None, keep_ties: bool, use_bounds: bool) -> "Rules":
    """Write the settings that the kernels read."""
    from p2ce.solver.workspace import Rules

    most = UNLIMITED if max_changes is None else max_changes
    return Rules(
        max_changes=most,
        keep_ties=keep_ties,
        listed=min(LISTED_CHANGES, most),
        dense_cells=DENSE_CELLS,
        bounds=use_bounds,
    )


def search_in_kernel(
    layout: "ScoreLayout",
    people: "FlatInstances",
    rules: "Rules",
    *,
    limits: FloatArray | None = None,
    most_work: IntArray | None = None,
    listener: Listener | None = None,
) -> Fronts:
    """Search for every person of the batch; ``limits`` (n,) are seconds, for each person.

    ``most_work`` (n,) limits what the counter WORK may reach, for each person: it ends a search at the same
    box on every machine and in any company. A person who reaches a limit keeps the front found so far. Once
    the listener answers False, nobody is searched any further.
    """
    from p2ce.solver import run
    from p2ce.solver import workspace as ws

    count, objectives, axes, _ = people.prices.shape
    work = ws.new_workspace(layout, people, rules)
    results = run.new_results(count, axes, 8 * count + 64)
    finished = np.ones(count, dtype=np.bool_)
    open_boxes = np.zeros(count, dtype=np.int64)
    open_totals = np.zeros((count, objectives))
    seconds = np.zeros(count)
    slice_of_work = LONG_SLICE if limits is None else SHORT_SLICE
    first_front = work.front
    begin = person_begin = time.perf_counter()
    person, stopped = 0, False
    while person < count:
        budget = slice_of_work
        if most_work is not None:
            if not work.state[ws.STARTED]:
                # A front that is full explores a box twice, so that its room must not be what others left.
                work = work._replace(front=first_front)
            budget = min(budget, int(most_work[person]) - _work_done(work))
        if stopped or budget < 0 or (limits is not None and limits[person] <= 0):
            code, reached = ws.PAUSED, person
        else:
            # With a limit, people are run one by one, so that each gets the whole of it.
            end = count if limits is None and most_work is None else person + 1
            reached, code = run.run_many(layout.flat, people, person, end, rules, work, results, budget)
        now = time.perf_counter()
        if reached > person:
            seconds[person:reached] = (now - person_begin) / (reached - person)
            person, person_begin = reached, now
        if code == ws.FRONT_FULL:
            work = ws.with_larger_front(work)
        elif code == ws.BOXES_FULL:
            work = ws.with_more_boxes(work)
        elif code == ws.RESULTS_FULL:
            results = run.with_more_results(results)
        elif code == ws.PAUSED and person < count:
            if listener is not None and not stopped:
                news = Progress(
                    person=person,
                    people=count,
                    found=int(work.front.used[0]),
                    open_boxes=int(work.state[ws.OPEN]),
                    elapsed=now - begin,
                )
                stopped = listener(news) is False
            late = limits is not None and now - person_begin >= limits[person]
            if stopped or late or (most_work is not None and _work_done(work) > most_work[person]):
                seconds[person] = now - person_begin
                results = _keep_unfinished(person, work, results)
                finished[person] = False
                open_boxes[person], open_totals[person] = _what_is_open(person, work, people, rules)
                work.state[ws.STARTED] = 0
                person, person_begin = person + 1, now
    return Fronts(
        points=results.points[: results.first[-1]],
        first=results.first,
        counters=results.counters,
        finished=finished,
        open_boxes=open_boxes,
        open_totals=open_totals,
        seconds=seconds,
        stopped=stopped,
        said=np.zeros((int(results.first[-1]), 0)),
    )


def _work_done(work: "Workspace") -> int:
    """Give the work on the person at hand so far."""
    from p2ce.solver.workspace import STARTED, WORK

    return int(work.counters[WORK]) if work.state[STARTED] else 0


def warm_open(layout: "ScoreLayout", people: "FlatInstances") -> None:
    """Compile what is only needed when time runs out, so that it does not cost time then."""
    from p2ce.solver import run
    from p2ce.solver.workspace import new_workspace

    rules = rules_of(max_changes=1, keep_ties=False, use_bounds=True)
    work = new_workspace(layout, people, rules)
    run.price_open(people, 0, work, np.zeros(len(people.joins)))


def _keep_unfinished(person: int, work: "Workspace", results: "Results") -> "Results":
    """Write the front found so far, as the kernel does for a person who is settled."""
    from p2ce.solver import run
    from p2ce.solver.workspace import STARTED

    points = work.front.points[: work.front.used[0]] if work.state[STARTED] else work.front.points[:0]
    begin = int(results.first[person])
    while begin + len(points) > len(results.points):
        results = run.with_more_results(results)
    results.points[begin : begin + len(points)] = points
    results.first[person + 1] = begin + len(points)
    results.counters[person] = work.counters if work.state[STARTED] else 0
    return results


def _what_is_open(
    person: int, work: "Workspace", people: "FlatInstances", rules: "Rules"
) -> tuple[int, FloatArray]:
    """Count the open boxes and find the least that any point in them can cost, objective by objective."""
    from p2ce.solver import run
    from p2ce.solver import workspace as ws

    cheapest = np.full(len(people.joins), np.inf)
    if not work.state[ws.STARTED]:
        return 1, np.zeros(len(people.joins))
    run.price_open(people, person, work, cheapest)
    size = int(work.state[ws.SIZE])
    listing = size <= min(rules.listed, rules.max_changes)
    unseen = listing or (not work.state[ws.ROOT_PUSHED] and rules.max_changes > rules.listed)
    if unseen:
        # Supports that were not listed yet change at least as many axes as the one at hand.
        least = np.sort(np.where(work.least < 0, np.inf, work.least), axis=1)[:, :size]
        rest = np.where(people.joins == 1, least.max(axis=1, initial=0.0), least.sum(axis=1))
        cheapest = np.minimum(cheapest, rest)
    return int(work.state[ws.OPEN]) + int(unseen), np.where(np.isinf(cheapest), 0.0, cheapest)
