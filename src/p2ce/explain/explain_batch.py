"""Search, put every point to the user's own model and detector, and search on where they disagree."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from p2ce.adapters.evaluate import ask
from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.comparing import quanta
from p2ce.compilation.batch import Batch, prepare
from p2ce.compilation.compiled_problem import Problem
from p2ce.compilation.encode import unseen_labels
from p2ce.compilation.external_scores import outside_scores
from p2ce.errors import InvalidPerson
from p2ce.explain.fit_estimate import Known, with_estimate
from p2ce.explain.paper_methods import search_by_paper
from p2ce.solver.branch_and_bound import (
    Fronts,
    Listener,
    Settings,
    compile_rest,
    make_settings,
    no_fronts,
    solve,
)
from p2ce.verification.constraints import kept_rows
from p2ce.verification.rounding import rounded_rows
from p2ce.verification.row_costs import reported
from p2ce.verification.verify_points import Checked, check_points, compiled_scores, surely_refused

# The grid of an answer: the question's own, the finest instead, or its own where the finest was not settled.
AS_SET, ON_FINEST, OPEN_ON_FINEST = range(3)
# A reading that the model keeps contradicting is not worth more rounds than this.
MOST_ROUNDS = 100
# Of a person's time, where a model or detector can only be asked.
VERIFY_SHARE = 0.1
# What a field of `Answers` holds one entry for. A field without a mark is put together in its own way.
PER_POINT: Mapping[str, str] = {"one per": "point"}
PER_PERSON: Mapping[str, str] = {"one per": "person"}  # as they are, the same on every grid
PER_SEARCH: Mapping[str, str] = {"one per": "search"}  # one per person, as found on a grid


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """What was found and verified for a batch of people: arrays only, to travel between processes."""

    first: IntArray  # (n + 1,) points of person p are first[p] .. first[p + 1] - 1
    after: FloatArray = field(metadata=PER_POINT)  # (points, d) whole rows of new values
    # (points, d) the same, rounded where that was asked for and holds as well
    told: FloatArray = field(metadata=PER_POINT)
    told_scores: FloatArray = field(metadata=PER_POINT)  # (points,) of these rows
    told_predictions: FloatArray = field(metadata=PER_POINT)  # (points,)
    moved: BoolArray = field(metadata=PER_POINT)  # (points, d)
    costs: FloatArray = field(metadata=PER_POINT)  # (points, objectives) as reported
    scores: FloatArray = field(metadata=PER_POINT)  # (points,) by the user's own model
    # (points,) what it predicts, NaN where the score says it all
    predictions: FloatArray = field(metadata=PER_POINT)
    plausibility: FloatArray = field(metadata=PER_POINT)  # (points,) decision values, NaN without a detector
    own_scores: FloatArray = field(metadata=PER_PERSON)  # (n,) the people themselves, by the user's own model
    own_predictions: FloatArray = field(metadata=PER_PERSON)  # (n,)
    favourable: BoolArray = field(metadata=PER_PERSON)  # (n,)
    grid: IntArray  # (n,) which grid the answer speaks of: AS_SET, ON_FINEST, OPEN_ON_FINEST
    finished: BoolArray = field(metadata=PER_SEARCH)  # (n,)
    # (n,) the user's own objects never contradicted the compiled scores; the same for all
    trusted: BoolArray = field(metadata=PER_SEARCH)
    # (n,) the user's own objects kept refusing what the compiled scores doubt
    gave_up: BoolArray = field(metadata=PER_SEARCH)
    verified: IntArray = field(metadata=PER_SEARCH)  # (n,) points put to the user's own objects
    discrepancies: IntArray = field(metadata=PER_SEARCH)  # (n,) points on which those disagreed
    counters: IntArray = field(metadata=PER_SEARCH)  # (n, COUNTERS)
    open_boxes: IntArray = field(metadata=PER_SEARCH)  # (n,)
    open_costs: FloatArray = field(metadata=PER_SEARCH)  # (n, objectives)
    choices: Int32Array = field(metadata=PER_SEARCH)  # (n, axes) alternatives on each axis
    search_seconds: FloatArray  # (n,)
    verify_seconds: float  # for the whole batch

    @property
    def work(self) -> IntArray:
        """How much each person's search took, in units of its counter: (n,)."""
        from p2ce.solver.counters import WORK

        return self.counters[:, WORK]


def answer_people(
    problem: Problem,
    values: FloatArray,
    *,
    time_limit: float | None = None,
    most_work: int | None = None,
    listener: Listener | None = None,
) -> Answers:
    """Answer for people (n, d) in the model's columns; ``time_limit`` is in seconds, for each of them.

    So is ``most_work``, in units of the counter WORK (see `solve`): who exceeds it is not finished,
    on a fast machine as on a slow one.
    """
    try:
        return _answer(problem, values, time_limit, most_work, listener)
    except Exception as error:
        unseen = unseen_labels(problem.codebook, values)
        if not unseen or not _is_about_labels(error, problem, values):
            raise
        raise InvalidPerson(
            f"{type(error).__name__}: {str(error).rstrip('.')}. The reason: {unseen}, which is not "
            "in the reference."
        ) from error


def _is_about_labels(error: Exception, problem: Problem, values: FloatArray) -> bool:
    """Tell whether unseen labels are what fails: the people as they are do, and with known labels do not."""
    counts = [np.inf if coding.labels is None else len(coding.labels) for coding in problem.codebook]
    known = np.where(values >= np.array(counts), 0.0, values)
    return type(_trial(problem, values)) is type(error) and _trial(problem, known) is None


def _trial(problem: Problem, values: FloatArray) -> Exception | None:
    """Put people to everything of the user's that sees their labels; give what is raised."""
    try:
        prepare(problem, values)  # which prices their candidates
        frame = problem.frame(values)
        for number, model in enumerate(problem.models):
            ask(model.ask, frame, problem.name_of(number))
        if problem.detector is not None and problem.detector.ask is not None:
            ask(problem.detector.ask, frame, "detector")
        kept_rows(problem, values, values, frame)
    except Exception as error:
        return error
    return None


def _answer(
    problem: Problem,
    values: FloatArray,
    time_limit: float | None,
    most_work: int | None,
    listener: Listener | None,
) -> Answers:
    begin = time.perf_counter()
    batch = prepare(problem, values)
    count = len(values)
    everyone = np.arange(count)
    # Surely refused people are searched at once; the models themselves decide about the others first.
    waiting = everyone[surely_refused(problem, batch)]
    doubtful = np.setdiff1d(everyone, waiting)
    bans: dict[int, list[Int32Array]] = {}
    tally = _Tally(count, len(problem.objectives))
    settled: list[Checked] = []
    tally.search_seconds += (time.perf_counter() - begin) / max(count, 1)
    own_scores = np.zeros(0)
    favourable = np.zeros(count, dtype=np.bool_)
    for attempt in range(MOST_ROUNDS):
        left = tally.time_left(waiting, time_limit)
        if left is not None and time_limit is not None:
            left = left - _set_aside(problem, time_limit, tally.longest_check / count)
        work = tally.work_left(waiting, most_work)
        found = _search(problem, batch, waiting, bans, left, work, listener)
        tally.note(waiting, found)
        begin = time.perf_counter()
        owner = np.repeat(waiting, np.diff(found.first))
        checked = check_points(
            problem,
            batch,
            owner,
            found.points,
            said=found.said,
            with_people=attempt == 0,
            until=_until(tally.time_left(waiting, time_limit)),
        )
        tally.count(checked)
        again = np.unique(owner[checked.failed])
        if attempt == 0:
            people = checked.people
            own_scores, favourable = people.scores, people.accepted
            tally.contradict(everyone[people.contradicted])
            refused = doubtful[~favourable[doubtful]]
            for person in refused.tolist():
                bans[person] = [_ban(batch.placement.position[person], int(people.refused_by[person]))]
            again = np.union1d(again[~favourable[again]], refused)
        for at in np.flatnonzero(checked.failed & ~checked.unsettled):
            bans.setdefault(int(owner[at]), []).append(_ban(found.points[at], int(checked.refused_by[at])))
        tally.note_check(time.perf_counter() - begin)
        left = tally.time_left(again, time_limit)
        work = tally.work_left(again, most_work)
        late = again[np.full(len(again), found.stopped) | _used_up(left) | _used_up(work)]
        tally.leave_open(late)
        waiting = np.setdiff1d(again, late)
        settled.append(checked.kept(~checked.failed & ~np.isin(owner, waiting)))
        if not len(waiting):
            break
    else:
        # Too much is in doubt for them: what was found stands, nothing is proven.
        tally.gave_up[waiting] = True
        settled.append(checked.kept(~checked.failed & np.isin(owner, waiting)))
    return _gather(problem, batch, settled, tally, own_scores, favourable)


def _set_aside(problem: Problem, time_limit: float, check: float) -> float:
    """Give the seconds of a person that are kept for the calls after a search: ``check`` is what one takes.

    So a limit holds up to one call of a model that takes its time. Rows close to the threshold, of which
    each is a call, get at least a share.
    """
    if not problem.asks:
        return 0.0
    calls = 1 if problem.model.predict is None or problem.others else 2
    return max(calls * check, VERIFY_SHARE * time_limit)


def _until(left: FloatArray | None) -> float | None:
    """Tell when the time of people is over, by the clock of `time.perf_counter`; None without a limit."""
    return None if left is None else time.perf_counter() + float(np.maximum(left, 0.0).sum())


def _used_up(left: FloatArray | IntArray | None) -> BoolArray | bool:
    return False if left is None else np.asarray(left <= 0)


def _ban(cell: Int32Array, refused_by: int) -> Int32Array:
    """Note a refused cell, and the score for which all that looks the same is refused as well."""
    return np.append(cell, np.int32(refused_by)).astype(np.int32)


def compile_kernels(problem: Problem, values: FloatArray) -> None:
    """Run every kernel once, on a small question: single changes only."""
    batch = prepare(problem, values)
    surely_refused(problem, batch)
    small = replace(problem, max_changes=1, estimate=None)
    everyone = np.arange(len(values))
    _search(small, batch, everyone, {})
    if problem.method is not None:
        return
    if problem.slots.detector is not None:
        compiled_scores(problem, batch.people, problem.slots.detector, everyone, batch.placement.position)
    if problem.in_waves:
        scores = outside_scores(small, batch.placement, batch.wide, batch.networks, everyone, None)
        compile_rest(problem.layout, batch.people, _settings(small), scores)


class _Tally:
    """What is counted for each person over the rounds."""

    def __init__(self, count: int, objectives: int) -> None:
        from p2ce.solver.counters import COUNTERS

        self.finished = np.ones(count, dtype=np.bool_)
        self.trusted = np.ones(count, dtype=np.bool_)
        self.gave_up = np.zeros(count, dtype=np.bool_)
        self.verified = np.zeros(count, dtype=np.int64)
        self.discrepancies = np.zeros(count, dtype=np.int64)
        self.counters = np.zeros((count, COUNTERS), dtype=np.int64)
        self.open_boxes = np.zeros(count, dtype=np.int64)
        self.open_totals = np.zeros((count, objectives))
        self.search_seconds = np.zeros(count)
        self.verify_seconds = 0.0
        self.longest_check = 0.0  # seconds that one round of verification took

    def note_check(self, seconds: float) -> None:
        """Enter how long a round of verification took."""
        self.verify_seconds += seconds
        self.longest_check = max(self.longest_check, seconds)

    def note(self, who: IntArray, found: Fronts) -> None:
        """Enter what a round of searching took and left open; the last round counts for what is open."""
        self.finished[who] = found.finished
        self.counters[who] += found.counters
        self.open_boxes[who] = found.open_boxes
        self.open_totals[who] = found.open_totals
        self.search_seconds[who] += found.seconds

    def time_left(self, who: IntArray, time_limit: float | None) -> FloatArray | None:
        """Give the seconds that each person has left; verification counts for all alike."""
        if time_limit is None:
            return None
        left: FloatArray = time_limit - self.search_seconds[who] - self.verify_seconds / len(self.finished)
        return left

    def work_left(self, who: IntArray, most_work: int | None) -> IntArray | None:
        """Give the work that each person has left."""
        from p2ce.solver.counters import WORK

        return None if most_work is None else most_work - self.counters[who, WORK]

    def leave_open(self, who: IntArray) -> None:
        """Enter people who are not searched again although points of theirs failed."""
        self.open_boxes[who] = np.maximum(self.open_boxes[who], 1)
        self.open_totals[who[self.finished[who]]] = 0.0
        self.finished[who] = False

    def contradict(self, who: IntArray) -> None:
        """Enter people on whom the user's own objects and the compiled scores cannot both be right."""
        self.trusted[who] = False
        np.add.at(self.discrepancies, who, 1)

    def count(self, checked: Checked) -> None:
        """Enter the points of a round of verification."""
        np.add.at(self.verified, checked.owner, 1)
        self.contradict(checked.owner[checked.contradicted])
        refused = checked.failed & ~checked.unsettled & ~checked.contradicted
        np.add.at(self.discrepancies, checked.owner[refused], 1)


def _search(
    problem: Problem,
    batch: Batch,
    who: IntArray,
    bans: dict[int, list[Int32Array]],
    limits: FloatArray | None = None,
    most_work: IntArray | None = None,
    listener: Listener | None = None,
) -> Fronts:
    """Search for some of the batch, keeping away from the cells that were refused before."""
    if not len(who):
        return no_fronts(len(problem.objectives), batch.people.positions.shape[1])
    if problem.method is not None:
        return search_by_paper(problem, batch, who, bans, limits, most_work, listener)
    people = batch.people
    banned = [bans.get(int(p), []) for p in who]
    if len(who) < len(batch.values) or any(banned):
        shared = {"joins", "banned", "first_ban"}
        people = people._replace(
            **{name: array[who] for name, array in people._asdict().items() if name not in shared},
            banned=_stacked(banned, people.banned.shape[1]),
            first_ban=np.cumsum([0, *map(len, banned)], dtype=np.int64),
        )
    if not problem.in_waves:
        return solve(
            problem.layout,
            people,
            _settings(problem),
            time_limits=limits,
            work_limits=most_work,
            listener=listener,
        )
    singles = None
    if problem.estimate is not None:
        people, singles = with_estimate(problem, people, batch.placement.of(who), batch.values[who])
    return solve(
        problem.layout,
        people,
        _settings(problem),
        outside_scores(
            problem, batch.placement, batch.wide, batch.networks, who, singles, until=_until(limits)
        ),
        time_limits=limits,
        work_limits=most_work,
        listener=listener,
    )


def _settings(problem: Problem) -> Settings:
    return make_settings(
        max_changes=problem.max_changes,
        keep_ties=problem.keep_ties,
        use_bounds=problem.use_bounds,
    )


def search_completely(
    problem: Problem, values: FloatArray, most_work: int, seconds: float | None = None
) -> Known:
    """Find the true fronts of refused people, without an estimate; work and seconds are for each of them."""
    from p2ce.solver.counters import WORK

    batch = prepare(problem, values)
    limits = None if seconds is None else np.full(len(values), seconds)
    work = np.full(len(values), most_work)
    found = _search(problem, batch, np.arange(len(values)), {}, limits, work)
    return Known(
        finished=found.finished,
        work=found.counters[:, WORK],
        first=found.first,
        points=found.points,
        placement=batch.placement,
    )


def _stacked(banned: Sequence[Sequence[Int32Array]], width: int) -> Int32Array:
    cells = [cell for mine in banned for cell in mine]
    return np.array(cells, dtype=np.int32).reshape(len(cells), width)


def _gather(
    problem: Problem,
    batch: Batch,
    settled: list[Checked],
    tally: _Tally,
    own_scores: FloatArray,
    favourable: BoolArray,
) -> Answers:
    """Join the rounds, price the points and sort them person by person."""
    owner = np.concatenate([checked.owner for checked in settled])
    points = np.concatenate([checked.points for checked in settled])
    scores = np.concatenate([checked.scores for checked in settled])
    plausibility = np.concatenate([checked.plausibility for checked in settled])
    keep = ~favourable[owner]
    owner, points, scores, plausibility = owner[keep], points[keep], scores[keep], plausibility[keep]
    tables, placement = batch.tables, batch.placement
    totals = tables.totals(owner, points)
    # Cheapest first, objective after objective; equal costs in the order of the tie-breakers.
    walked = np.abs(points - placement.position[owner]).sum(axis=1)
    order = np.lexsort([*points.T[::-1], walked, *quanta(totals).T[::-1], owner])
    owner, totals, points = owner[order], totals[order], points[order]
    after = batch.rows(problem, owner, points)
    begin = time.perf_counter()
    told = rounded_rows(
        problem,
        batch.values[owner],
        after,
        owner,
        scores=scores[order],
        totals=totals,
    )
    tally.verify_seconds += time.perf_counter() - begin
    rounded = np.flatnonzero((told.rows != after).any(axis=1))
    predictions = _predictions(problem, np.concatenate([after, batch.values, told.rows[rounded]]))
    count, people = len(after), len(batch.values)
    told_predictions = predictions[:count].copy()
    told_predictions[rounded] = predictions[count + people :]
    return Answers(
        first=np.searchsorted(owner, np.arange(len(favourable) + 1)),
        after=after,
        told=told.rows,
        told_scores=told.scores,
        told_predictions=told_predictions,
        moved=after != batch.values[owner],
        costs=reported(problem, totals),
        scores=scores[order],
        predictions=predictions[:count],
        plausibility=plausibility[order],
        own_scores=own_scores,
        own_predictions=predictions[count : count + people],
        favourable=favourable,
        grid=np.full(len(favourable), AS_SET),
        finished=tally.finished,
        # One contradiction refutes the reading on which everyone's proof rests.
        trusted=np.full(len(favourable), bool(tally.trusted.all())),
        gave_up=tally.gave_up,
        verified=tally.verified,
        discrepancies=tally.discrepancies,
        counters=tally.counters,
        open_boxes=tally.open_boxes,
        open_costs=reported(problem, tally.open_totals),
        choices=placement.highest - placement.lowest,
        search_seconds=tally.search_seconds,
        verify_seconds=tally.verify_seconds,
    )


def _predictions(problem: Problem, rows: FloatArray) -> FloatArray:
    """Ask the model what it predicts, where its score is only a lead."""
    predict = problem.model.predict
    if predict is None or problem.others:
        return np.full(len(rows), np.nan)
    return ask(predict, problem.frame(rows), "model")
