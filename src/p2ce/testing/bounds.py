"""Check that a bound prunes a box only if the user's own object rejects every cell of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.candidate_costs import Join, tabulate_costs
from p2ce.grid.placement import Placement, cell_rows, place
from p2ce.scores.external import placed_on
from p2ce.scores.score import Bound, Score
from p2ce.solver.branch_and_bound import make_settings
from p2ce.testing.boxes import BoxOf, cells_of, random_boxes, stacked
from p2ce.testing.failing import require
from p2ce.testing.probe_rows import with_unusual
from p2ce.testing.reports import BLACK_BOX
from p2ce.testing.subject import Subject

PEOPLE = 6
# Besides the adapter's own threshold, those that the best cell of a box reaches exactly.
EXACT_THRESHOLDS = 4
BOXES_AT_ONCE = 50  # boxes


class Bounded(NamedTuple):
    """The results of checking a bound."""

    bound: str
    thresholds: int
    boxes: int
    pruned: int
    cells: int


def bound_of(subject: Subject) -> str:
    """Name the kind of bound of a subject."""
    return next(
        (score.bound.value for score in subject.scores if score.bound is not Bound.COMPLETE), BLACK_BOX
    )


def check_bounds(
    subject: Subject,
    grid: BaseGrid,
    *,
    boxes: int,
    cells: int,
    rng: np.random.Generator,
    again: Callable[[float], Subject] | None,
) -> Bounded:
    """Apply the bound to random boxes. ``again`` parses the subject for another threshold, if possible.

    A bound that is slightly too low shows best at a threshold that the best cell of a box just reaches.
    """
    bound = bound_of(subject)
    if bound == BLACK_BOX or not grid.axis_count:
        return Bounded(bound, 0, 0, 0, 0)
    trial = _Trial.of(subject, grid, boxes, cells, rng)
    subjects = [subject]
    if again is not None:
        some = [box for box in rng.permutation(boxes)[:EXACT_THRESHOLDS].tolist() if len(trial.cells[box])]
        trial.ask_about(subject, some)
        best = {float(trial.scores[box].max()) for box in some}
        subjects += [again(threshold) for threshold in sorted(best)]
    pruned = cells_evaluated = 0
    for one in subjects:
        which = np.flatnonzero(drop(one, grid, trial.placement, trial.people, trial.boxes)).tolist()
        trial.ask_about(one, which)
        cells_evaluated += sum(trial.check(one, box) for box in which)
        pruned += len(which)
    return Bounded(bound, len(subjects), boxes * len(subjects), pruned, cells_evaluated)


def drop(
    subject: Subject, grid: BaseGrid, placement: Placement, people: FloatArray, boxes: Sequence[BoxOf]
) -> BoolArray:
    """Return which boxes the bound of any score drops."""
    pruned = np.zeros(len(boxes), dtype=np.bool_)
    for score in subject.scores:
        if score.bound is not Bound.COMPLETE:
            pruned |= _prune(score, grid, placement, people, boxes)
    return pruned


def _prune(
    score: Score,
    grid: BaseGrid,
    placement: Placement,
    people: FloatArray,
    boxes: Sequence[BoxOf],
) -> BoolArray:
    owner, laid = stacked(list(boxes))
    if score.flat is None:
        return np.asarray(score.prepare(placed_on(grid, placement, people)).infeasible(owner, laid))
    from p2ce.scores.flat_arrays import flatten_scores, lay_out_instances
    from p2ce.solver.counters import COUNTERS
    from p2ce.solver.search_state import new_scratch
    from p2ce.testing.bound_kernel import drop_boxes

    layout = flatten_scores([score.flat], grid, np.zeros(people.shape[1]))
    moved = placement.values != placement.current[:, :, None]
    tables = tabulate_costs([moved.astype(np.float64)], [Join.SUM], placement)
    flat = lay_out_instances(layout, grid, placement, tables, people)
    settings = make_settings(max_changes=None, keep_ties=False, use_bounds=True)
    scratch = new_scratch(layout, flat, settings)
    work = np.zeros(COUNTERS, dtype=np.int64)
    out = np.zeros(len(boxes), dtype=np.bool_)
    drop_boxes(layout.flat, flat, owner, *laid, scratch.box, scratch.sums.few, scratch.walk, work, out)
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Trial:
    """Boxes of some people, with the subject's own scores of their cells."""

    grid: BaseGrid
    people: FloatArray
    placement: Placement
    boxes: list[BoxOf]
    cells: list[Int32Array]  # of each box
    scores: dict[int, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(
        cls, subject: Subject, grid: BaseGrid, boxes: int, cells: int, rng: np.random.Generator
    ) -> "_Trial":
        people = _people(subject, rng)
        placement = place(grid, people)
        made = random_boxes(placement, boxes, rng)
        return cls(
            grid=grid,
            people=people,
            placement=placement,
            boxes=made,
            cells=[cells_of(box, placement.position[box.person], cells, rng) for box in made],
        )

    def rows(self, box: int, cells: Int32Array) -> FloatArray:
        owner = np.full(len(cells), self.boxes[box].person)
        return cell_rows(self.grid.columns, self.people, self.placement.values, owner, cells)

    def ask_about(self, subject: Subject, boxes: list[int]) -> None:
        """Evaluate the cells of boxes, once for all thresholds, in a few calls."""
        new = [box for box in boxes if box not in self.scores]
        for start in range(0, len(new), BOXES_AT_ONCE):
            some = new[start : start + BOXES_AT_ONCE]
            rows = [self.rows(box, self.cells[box]) for box in some]
            ends = np.cumsum([len(part) for part in rows])
            evaluated = subject.evaluate(np.concatenate(rows)) if ends[-1] else np.zeros(0)
            self.scores.update(zip(some, np.split(evaluated, ends[:-1]), strict=True))

    def check(self, subject: Subject, box: int) -> int:
        """Require that no cell of a pruned box is accepted. Return how many cells were evaluated."""
        scores, cells = self.scores[box], self.cells[box]
        accepted = np.flatnonzero(subject.accepts(scores))
        if len(accepted):
            at, one = int(accepted[np.argmax(scores[accepted])]), self.boxes[box]
            person = subject.shown(self.people[one.person])
            cell = subject.shown(self.rows(box, cells[[at]])[0])
            require(
                False,
                f"The bound of this {subject.who} ({subject.family}) prunes a box, but "
                f"{len(accepted)} of {len(cells)} cells of it are accepted: {cell} "
                f"has {float(scores[at])!r}, at least the threshold {subject.threshold!r}. The box is that "
                f"of {person}, candidates {one.low.tolist()} to {one.high.tolist()}, must change "
                f"{np.flatnonzero(one.must).tolist()}, {one.left} of the other axes at once. A bound may be "
                "too high but never too low: round it outwards, and look at `must` and `changes_left`.",
            )
        return len(cells)


def _people(subject: Subject, rng: np.random.Generator) -> FloatArray:
    """Choose people, rejected ones first, since bounds are for these."""
    rows = subject.reference[rng.permutation(len(subject.reference))[: 20 * PEOPLE]]
    rows = with_unusual(subject, rows, rng)
    rejected = ~subject.accepts(subject.evaluate(rows))
    return np.concatenate([rows[rejected], rows[~rejected]])[:PEOPLE]
