"""Search as the paper publishes it, person by person: for comparison, with no claim to find everything."""

import time
from collections.abc import Mapping, Sequence

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.search.engine import Found, Listener, Progress
from p2ce.search.published import search_as_published
from p2ce.search.waves import CELL_WORK
from p2ce.verify.asking import ask
from p2ce.verify.batch import Batch
from p2ce.verify.constraints import kept_rows
from p2ce.verify.estimate import ask_rows
from p2ce.verify.points import compiled_scores
from p2ce.verify.setup import Setup


class _Stopped(Exception):
    """The person's time is over, or the listener has heard enough."""


def search_published(
    setup: Setup,
    batch: Batch,
    who: IntArray,
    own_scores: FloatArray,
    bans: Mapping[int, Sequence[Int32Array]],
    limits: FloatArray | None,
    most_work: IntArray | None,
    listener: Listener | None,
) -> Found:
    """Run the paper's search with its uncalibrated estimate for some people of a batch.

    A person who is not finished keeps nothing: levels are not finished in the order of cost.
    """
    from p2ce.search.workspace import COUNTERS, ESTIMATE, SCORED, WORK

    assert setup.estimate is not None
    asked = ask_rows(setup)
    columns = setup.grid.columns
    attributed = setup.estimate.attributor.explain(batch.values[who])[:, columns]
    axes = len(columns)
    counters = np.zeros((len(who), COUNTERS), dtype=np.int64)
    finished = np.ones(len(who), dtype=np.bool_)
    seconds = np.zeros(len(who))
    fronts: list[Int32Array] = []
    start = time.perf_counter()
    stopped = False
    for at, person in enumerate(who.tolist()):
        begin = time.perf_counter()
        until = np.inf if limits is None else begin + float(limits[at])
        most = np.inf if most_work is None else float(most_work[at])
        banned = {tuple(cell[:-1].tolist()) for cell in bans.get(person, ())}

        def judge(cells: Int32Array, at: int = at, until: float = until, most: float = most) -> FloatArray:
            nonlocal stopped
            now = time.perf_counter()
            if listener is not None and not stopped:
                news = Progress(person=at, people=len(who), found=0, open_boxes=1, elapsed=now - start)
                stopped = listener(news) is False
            if stopped or now > until or counters[at, WORK] > most:
                raise _Stopped
            counters[at, WORK] += CELL_WORK * len(cells)
            return asked(batch.rows(setup, np.full(len(cells), who[at]), cells))

        def is_plausible(
            cells: Int32Array, person: int = person, banned: set[tuple[int, ...]] = banned
        ) -> BoolArray:
            allowed = np.array([tuple(cell) not in banned for cell in cells.tolist()], dtype=np.bool_)
            owner = np.full(len(cells), person)
            if setup.rules:
                rows = batch.rows(setup, owner, cells)
                allowed &= kept_rows(setup, batch.values[owner], rows, setup.frame(rows)).allowed
            return allowed & plausible(setup, batch, owner, cells)

        try:
            found = search_as_published(
                batch.placement,
                batch.tables,
                person,
                max_changes=setup.max_changes,
                judge=judge,
                is_plausible=is_plausible,
                value_at_person=float(own_scores[at]),
                phi=attributed[at],
                phi_bar=setup.estimate.table,
                threshold=setup.threshold,
                keep_ties=setup.keep_ties,
            )
            fronts.append(found.points)
            counters[at, [SCORED, ESTIMATE]] = found.scored, found.pruned
        except _Stopped:
            fronts.append(np.zeros((0, axes), dtype=np.int32))
            finished[at] = False
            counters[at, SCORED] = 1  # something was looked at
        seconds[at] = time.perf_counter() - begin
    first = np.cumsum([0, *map(len, fronts)], dtype=np.int64)
    return Found(
        points=np.concatenate([*fronts, np.zeros((0, axes), dtype=np.int32)]),
        first=first,
        counters=counters,
        finished=finished,
        open_boxes=(~finished).astype(np.int64),
        open_totals=np.zeros((len(who), len(setup.objectives))),
        seconds=seconds,
        stopped=stopped,
        said=np.zeros((int(first[-1]), 0)),
    )


def plausible(setup: Setup, batch: Batch, owner: IntArray, points: Int32Array) -> BoolArray:
    """Put points to the detector, where the method asks for plausible ones."""
    detector, slot = setup.judges, setup.slots.detector
    if detector is None:
        return np.ones(len(points), dtype=np.bool_)
    if slot is not None:
        assert detector.score is not None
        return np.asarray(
            compiled_scores(setup, batch.people, slot, owner, points) >= detector.score.maybe, dtype=np.bool_
        )
    assert detector.ask is not None, "a detector without a compiled score is asked"
    rows = batch.rows(setup, owner, points)
    return np.asarray(ask(detector.ask, setup.frame(rows), "detector") >= 0.0)
