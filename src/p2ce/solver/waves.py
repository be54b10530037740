"""Search where a score is computed outside: collect cells of many people, have them judged, go on."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.scores.external import REJECT, Boxes, OutOfTime, PreparedScore, some_boxes
from p2ce.solver.engine import SHORT_SLICE, Fronts, Listener, Progress

if TYPE_CHECKING:  # the kernels load Numba, which takes a second: only when something is searched
    from p2ce.scores.flat_arrays import FlatInstances, ScoreLayout
    from p2ce.solver.lanes import Lane, Mail, Scratch
    from p2ce.solver.workspace import Rules

# Boxes of up to this many cells are put to the compiled scores whole, to the others cell by cell.
LEAF_CELLS = 1024
# So many people are searched side by side; together they fill the calls to the scores.
LANES = 64
# Rows of a wave: enough to make the fixed cost of a call small beside that of its rows.
WAVE_ROWS = 256
LEAST_QUOTA, MOST_QUOTA = 32, 8192
# A person's wave may be this share of all that was scored before: few waves, and few cells too many.
GROWTH = 8
# Where time is limited, the first wave is small, and each takes no more than this share of a person's time.
WARY_ROWS, LEAST_ROWS, WAVE_SHARE = 64, 8, 0.2
# Foreign scores bound boxes only for people who have proven hard: after so many cells, boxes of so many.
PATIENCE = 4096
BOXES_AT_ONCE = 64
# Bounding a box takes about as long as judging so many cells.
CELLS_PER_BOUND = 200
# What judging a cell counts as, in units of the counter WORK: some microseconds, as a network takes. Models
# that are called take ten times longer and more, which is theirs.
CELL_WORK = 1_000
# Work between two waves, where few cells are worth judging: a tenth of a second or so.
WAVE_WORK = 30_000_000
NEVER = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutsideScore:
    """A score that is computed outside, laid out for the people at hand."""

    people: PreparedScore
    has_bound: bool
    keeps_values: bool  # what it said about the points that are found is wanted later


@dataclass(slots=True)
class _Worth:
    """Whether bounding boxes pays, counted in cells and not in seconds, so that answers repeat exactly."""

    tried: int = 0
    saved: float = 0.0
    least: float = field(default_factory=lambda: float(PATIENCE))  # cells of a box that is worth bounding

    def learn(self, tried: int, dropped_cells: float) -> None:
        """Raise the bar where bounding costs more than judging the cells would have."""
        self.tried += tried
        # Most cells of a box would have been beaten before they are judged: say all but a tenth.
        self.saved += 0.1 * dropped_cells
        if self.tried >= BOXES_AT_ONCE:
            pays = self.saved >= CELLS_PER_BOUND * self.tried
            self.least = max(self.least * (0.5 if pays else 4.0), float(PATIENCE))
            self.tried, self.saved = 0, 0.0


@dataclass(slots=True)
class _Runner:
    """One person under way."""

    person: int
    lane: "Lane"
    worth: _Worth
    seconds: float = 0.0
    exhausted: bool = False  # nothing is open any more; cells may still be in the mail
    values: dict[bytes, FloatArray] = field(default_factory=dict)  # point → what each keeping score said


def search_in_waves(
    layout: "ScoreLayout",
    people: "FlatInstances",
    rules: "Rules",
    scores: Sequence[OutsideScore],
    *,
    limits: FloatArray | None = None,
    most_work: IntArray | None = None,
    listener: Listener | None = None,
) -> Fronts:
    """Search for every person of the batch, as `search_in_kernel` does, with ``scores`` asked in this order.

    A cell is put to a score only where those before it accept or doubt, and only once; it counts as
    `CELL_WORK` of a person's work.
    """
    search = _Search(layout, people, rules._replace(dense_cells=LEAF_CELLS), scores, most_work)
    return search.run(limits, listener)


class _Search:
    def __init__(
        self,
        layout: "ScoreLayout",
        people: "FlatInstances",
        rules: "Rules",
        scores: Sequence[OutsideScore],
        most_work: IntArray | None,
    ) -> None:
        from p2ce.solver.lanes import new_scratch

        self.layout, self.people, self.rules, self.scores = layout, people, rules, scores
        self.most_work = most_work
        self.worth = _Worth()
        self.scratch: Scratch = new_scratch(layout, people, rules)
        # What an estimate drops decides whether an answer is proven; that depends on when a box is looked at.
        self.estimated = people.limits.shape[1] > len(layout.flat.scores)
        self.bounded = rules.bounds and any(score.has_bound for score in scores)
        self.kept = [s for s, score in enumerate(scores) if score.keeps_values]
        self.mail: Mail | None = None
        self.most_rows = MOST_QUOTA * LANES  # of a wave
        self.wave_work = WAVE_WORK  # of a person, in a wave
        self.per_row: float | None = None  # seconds, in the last wave

    def run(self, limits: FloatArray | None, listener: Listener | None) -> Fronts:
        """Keep up to `LANES` people under way until everyone is settled."""
        from p2ce.solver import workspace as ws
        from p2ce.solver.lanes import new_lane

        count = len(self.people.prices)
        done: list[_Runner | None] = [None] * count
        finished = np.ones(count, dtype=np.bool_)
        open_boxes = np.zeros(count, dtype=np.int64)
        open_totals = np.zeros((count, len(self.people.joins)))
        under_way: list[_Runner] = []
        stopped, entered = False, 0
        begin = time.perf_counter()
        while entered < count or under_way:
            while entered < count and len(under_way) < LANES:
                # People learn from each other what pays, unless their work must not depend on others.
                worth = self.worth if self.most_work is None else _Worth()
                under_way.append(_Runner(entered, new_lane(self.people), worth))
                entered += 1
            if limits is not None:
                self._mind_the_clock(float(limits.min()))
            start, cut = time.perf_counter(), False
            if not stopped and (limits is None or any(limits[one.person] > one.seconds for one in under_way)):
                try:
                    self._wave(under_way)
                except OutOfTime:
                    cut = True
            now = time.perf_counter()
            for one in under_way:
                one.seconds += (now - start) / len(under_way)
            if listener is not None and not stopped:
                stopped = listener(self._news(under_way, count, now - begin)) is False
            still = []
            for one in under_way:
                late = stopped or (limits is not None and one.seconds >= limits[one.person])
                late = late or cut or self._work_left(one) < 0
                if one.exhausted or late:
                    done[one.person] = one
                    if cut or not one.exhausted:
                        finished[one.person] = False
                        open_boxes[one.person] = max(int(one.lane.state[ws.OPEN]), 1)
                        # Cells of a wave that was cut have left the boxes, and nobody knows what they cost.
                        open_totals[one.person] = 0.0 if cut else self._cheapest_open(one)
                else:
                    still.append(one)
            under_way = still
        return self._gather(done, finished, open_boxes, open_totals, stopped)

    def _mind_the_clock(self, limit: float) -> None:
        """Keep a wave well within a person's time, by what a row has taken so far."""
        most = WARY_ROWS if self.per_row is None else WAVE_SHARE * limit / max(self.per_row, 1e-9)
        self.most_rows = int(np.clip(most, LEAST_ROWS, MOST_QUOTA * LANES))
        self.wave_work = SHORT_SLICE
        # The cells of a leaf are mailed together.
        self.rules = self.rules._replace(dense_cells=min(LEAF_CELLS, self.most_rows))

    def _wave(self, under_way: list[_Runner]) -> None:
        """Collect, bound, judge and accept, once for everyone under way."""
        mail = self._collect(under_way)
        lanes = {one.person: one for one in under_way}
        self._bound_boxes(mail, lanes)
        begin = time.perf_counter()
        valid, values = self._judge(mail)
        if mail.used[0]:
            self.per_row = (time.perf_counter() - begin) / int(mail.used[0])
        owners = mail.owner[valid]
        for person in np.unique(owners).tolist():
            mine = np.flatnonzero(owners == person)
            self._accept(lanes[person], mail, valid[mine], values[mine])

    def _work_left(self, one: _Runner) -> int:
        from p2ce.solver.workspace import WORK

        if self.most_work is None:
            return WAVE_WORK
        return int(self.most_work[one.person]) - int(one.lane.counters[WORK])

    def _quota(self, one: _Runner, active: int) -> int:
        from p2ce.solver.workspace import SCORED

        fair = WAVE_ROWS // active
        if self.estimated or self.most_work is not None:
            # A person's waves must not depend on the others: small with an estimate, to spare evaluations.
            fair = 0 if self.estimated else WAVE_ROWS
        wanted = int(np.clip(max(fair, one.lane.counters[SCORED] // GROWTH), LEAST_QUOTA, MOST_QUOTA))
        if self.most_work is not None:
            wanted = min(wanted, 1 + self._work_left(one) // CELL_WORK)
        return max(1, min(wanted, self.most_rows // active))

    def _collect(self, under_way: list[_Runner]) -> "Mail":
        """Let every lane propose cells and boxes."""
        from p2ce.solver import propose as kernels
        from p2ce.solver import workspace as ws
        from p2ce.solver.lanes import lane_with_more_boxes, new_mail

        quotas = [self._quota(one, len(under_way)) for one in under_way]
        room = sum(quotas) + len(under_way) * self.rules.dense_cells
        if self.mail is None or len(self.mail.owner) < room:
            self.mail = new_mail(self.people, room, LANES * BOXES_AT_ONCE)
        mail = self.mail
        mail.used[:] = 0
        for one, quota in zip(under_way, quotas, strict=True):
            hard = self.bounded and one.lane.counters[ws.SCORED] >= PATIENCE
            least = one.worth.least if hard else NEVER
            cells_before, boxes_before = int(mail.used[0]), int(mail.used[1])
            wanted, most_boxes = cells_before + quota, boxes_before + BOXES_AT_ONCE
            stop = int(one.lane.counters[ws.WORK]) + max(0, min(self.wave_work, self._work_left(one)))
            code = ws.BOXES_FULL
            while code == ws.BOXES_FULL:
                code = kernels.propose(
                    self.layout.flat,
                    self.people,
                    one.person,
                    self.rules,
                    one.lane,
                    self.scratch,
                    mail,
                    wanted - int(mail.used[0]),
                    most_boxes - int(mail.used[1]),
                    least,
                    stop - int(one.lane.counters[ws.WORK]),
                )
                if code == ws.BOXES_FULL:
                    one.lane = lane_with_more_boxes(one.lane)
            judged = int(mail.used[0]) - cells_before
            bounded = int(mail.used[1]) - boxes_before
            one.lane.counters[ws.WORK] += CELL_WORK * (judged + CELLS_PER_BOUND * bounded)
            one.exhausted = code == ws.DONE
        return mail

    def _bound_boxes(self, mail: "Mail", lanes: dict[int, _Runner]) -> None:
        """Drop the boxes that a score proves hopeless, and cut the others."""
        from p2ce.solver import propose as kernels
        from p2ce.solver import workspace as ws
        from p2ce.solver.lanes import lane_with_more_boxes

        count = int(mail.used[1])
        if not count:
            return
        owner, spans = mail.box_owner[:count], mail.spans[:count]
        boxes = Boxes(
            low=np.ascontiguousarray(spans["low"]),
            high=np.ascontiguousarray(spans["high"]),
            must=spans["must"] == 1,
            changes_left=mail.changes_left[:count],
        )
        infeasible: BoolArray = np.zeros(count, dtype=np.bool_)
        for score in self.scores:
            if score.has_bound and not infeasible.all():
                left = np.flatnonzero(~infeasible)
                infeasible[left] = score.people.infeasible(owner[left], some_boxes(boxes, left))
        cells = np.where(infeasible, np.prod(boxes.high - boxes.low + 1.0, axis=1).clip(max=1e9), 0.0)
        if self.most_work is None:
            self.worth.learn(count, float(cells.sum()))
        else:
            for person in np.unique(owner).tolist():
                mine = owner == person
                lanes[person].worth.learn(int(np.count_nonzero(mine)), float(cells[mine].sum()))
        for at, person in enumerate(owner.tolist()):
            one = lanes[person]
            if infeasible[at]:
                one.lane.counters[ws.FOREIGN] += 1
                continue
            if one.lane.state[ws.OPEN] + 2 > len(one.lane.queue):
                one.lane = lane_with_more_boxes(one.lane)
            kernels.cut_mailed_box(self.people, person, one.lane, self.scratch, mail, at)
            one.exhausted = False

    def _judge(self, mail: "Mail") -> tuple[IntArray, FloatArray]:
        """Put the cells to one score after the other; return those left, and what the keeping scores said."""
        cells = int(mail.used[0])
        left = np.arange(cells)
        values = np.full((cells, len(self.kept)), np.nan)
        for s, score in enumerate(self.scores):
            if not len(left):
                break
            said = score.people.evaluate(mail.owner[left], mail.points[left])
            if score.keeps_values:
                values[left, self.kept.index(s)] = said.value
            left = left[said.verdict != REJECT]
        return left, values[left]

    def _accept(self, one: _Runner, mail: "Mail", valid: IntArray, values: FloatArray) -> None:
        from p2ce.solver import propose as kernels
        from p2ce.solver.lanes import lane_with_larger_front

        taken = 0
        while (taken := kernels.accept(one.lane, mail, valid, taken, self.rules.keep_ties)) < len(valid):
            one.lane = lane_with_larger_front(one.lane)
        if self.kept:
            for at, value in zip(valid.tolist(), values, strict=True):
                one.values[mail.points[at].tobytes()] = value

    def _news(self, under_way: list[_Runner], count: int, elapsed: float) -> Progress:
        from p2ce.solver.workspace import OPEN

        first = under_way[0]
        return Progress(
            person=first.person,
            people=count,
            found=int(first.lane.front.used[0]),
            open_boxes=int(first.lane.state[OPEN]),
            elapsed=elapsed,
        )

    def _cheapest_open(self, one: _Runner) -> FloatArray:
        from p2ce.solver import propose as kernels
        from p2ce.solver.workspace import STARTED

        cheapest = np.full(len(self.people.joins), np.inf)
        if not one.lane.state[STARTED]:
            return np.zeros(len(cheapest))
        kernels.price_open_lane(self.people, one.person, one.lane, self.scratch, cheapest)
        return np.where(np.isinf(cheapest), 0.0, cheapest)

    def _gather(
        self,
        done: list[_Runner | None],
        finished: BoolArray,
        open_boxes: IntArray,
        open_totals: FloatArray,
        stopped: bool,
    ) -> Fronts:
        runners = [one for one in done if one is not None]
        fronts: list[Int32Array] = [one.lane.front.points[: one.lane.front.used[0]] for one in runners]
        said = [
            one.values[point.tobytes()]
            for one, front in zip(runners, fronts, strict=True)
            for point in front
            if self.kept
        ]
        axes = self.people.prices.shape[2]
        return Fronts(
            points=np.concatenate([*fronts, np.zeros((0, axes), dtype=np.int32)]),
            first=np.cumsum([0, *map(len, fronts)], dtype=np.int64),
            counters=np.array([one.lane.counters for one in runners]),
            finished=finished,
            open_boxes=open_boxes,
            open_totals=open_totals,
            seconds=np.array([one.seconds for one in runners]),
            stopped=stopped,
            said=np.array(said).reshape(sum(map(len, fronts)), len(self.kept)),
        )


def warm_waves(
    layout: "ScoreLayout", people: "FlatInstances", rules: "Rules", scores: Sequence[OutsideScore]
) -> None:
    """Compile what only some searches need, so that it does not cost time then."""
    from p2ce.solver import propose as kernels
    from p2ce.solver.lanes import new_lane, new_mail, new_scratch

    rules = rules._replace(dense_cells=LEAF_CELLS)
    lane, scratch, mail = new_lane(people), new_scratch(layout, people, rules), new_mail(people, 8, 8)
    kernels.price_open_lane(people, 0, lane, scratch, np.zeros(len(people.joins)))
    kernels.accept(lane, mail, np.zeros(0, dtype=np.int64), 0, rules.keep_ties)
    # The whole grid is no hopeless box, as a rule, so that every stage of a bound has its turn.
    positions = people.positions[:1]
    everywhere = Boxes(
        low=np.ascontiguousarray(positions["lowest"]),
        high=np.ascontiguousarray(positions["highest"]),
        must=np.zeros(positions.shape, dtype=np.bool_),
        changes_left=np.full(1, positions.shape[1]),
    )
    mail.spans["low"][0], mail.spans["high"][0] = everywhere.low[0], everywhere.high[0]
    if (everywhere.low < everywhere.high).any():
        kernels.cut_mailed_box(people, 0, lane, scratch, mail, 0)
    for score in scores:
        if score.has_bound:
            score.people.infeasible(np.zeros(1, dtype=np.int64), everywhere)
