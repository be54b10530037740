"""Check that a bound drops a box only if the user's own object refuses every cell of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array
from p2ce.compiled.costs import Join, tabulate
from p2ce.compiled.score import CompiledScore
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import Placement, place
from p2ce.search.engine import rules_of
from p2ce.search.methods import METHODS
from p2ce.testing.boxes import BoxOf, cells_of, random_boxes, stacked
from p2ce.testing.failing import require
from p2ce.testing.reports import ASKED
from p2ce.testing.subject import Subject
from p2ce.verify.rows import point_rows

PEOPLE = 6
# Besides the reading's own threshold, those that the best cell of a box reaches exactly.
EXACT_THRESHOLDS = 4


class Bounded(NamedTuple):
    """How a bound did."""

    bound: str
    thresholds: int
    boxes: int
    dropped: int
    cells: int


def bound_of(subject: Subject) -> str:
    """Name the kind of bound that a subject has."""
    if subject.score is None or not getattr(subject.score, "has_bound", True):
        return ASKED
    if not isinstance(subject.score, CompiledScore):
        return "network" if hasattr(subject.score, "layers") else "foreign"
    return "additive" if subject.score.forest is None else "tree leaves"


def check_bounds(
    subject: Subject,
    grid: BaseGrid,
    *,
    boxes: int,
    cells: int,
    rng: np.random.Generator,
    again: Callable[[float], Subject] | None,
) -> Bounded:
    """Put random boxes to the bound; ``again`` reads the subject for another threshold, where that is possible.

    A bound that is a little too low shows best at a threshold that the best cell of a box just reaches.
    """
    bound = bound_of(subject)
    if bound == ASKED or not grid.axis_count:
        return Bounded(bound, 0, 0, 0, 0)
    trial = _Trial.of(subject, grid, boxes, cells, rng)
    subjects = [subject]
    if again is not None:
        chosen = rng.permutation(boxes)[:EXACT_THRESHOLDS].tolist()
        best = {float(trial.answers(subject, box).max()) for box in chosen if len(trial.cells(box))}
        subjects += [again(threshold) for threshold in sorted(best)]
    dropped = cells_asked = 0
    for one in subjects:
        which = np.flatnonzero(drop(one, grid, trial.placement, trial.people, trial.boxes)).tolist()
        for box in which:
            cells_asked += trial.check(one, int(box))
        dropped += len(which)
    return Bounded(bound, len(subjects), boxes * len(subjects), dropped, cells_asked)


def drop(
    subject: Subject, grid: BaseGrid, placement: Placement, people: FloatArray, boxes: Sequence[BoxOf]
) -> BoolArray:
    """Tell which boxes the bound of a score drops."""
    owner, laid = stacked(list(boxes))
    score = subject.score
    assert score is not None
    if not isinstance(score, CompiledScore):
        return np.asarray(score.lay_out(grid, placement, people).hopeless(owner, laid))
    from p2ce.compiled.flat import flatten_scores, lay_out_people
    from p2ce.search.workspace import new_workspace
    from p2ce.testing.bound_kernel import drop_boxes

    layout = flatten_scores([score], grid, np.zeros(len(subject.columns)))
    moved = np.abs(placement.values - placement.current[:, :, None])
    tables = tabulate([np.ones_like(moved) * (moved > 0)], [Join.SUM], placement)
    flat = lay_out_people(layout, grid, placement, tables, people)
    rules = rules_of(METHODS["exact"], max_changes=None, keep_ties=False, use_bounds=True)
    out = np.zeros(len(boxes), dtype=np.bool_)
    drop_boxes(layout.flat, flat, owner, *laid, new_workspace(layout, flat, rules), out)
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Trial:
    """Boxes of some people, with what the subject itself answers about their cells."""

    grid: BaseGrid
    people: FloatArray
    placement: Placement
    boxes: list[BoxOf]
    most: int
    seed: int
    known: dict[int, tuple[Int32Array, FloatArray]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, subject: Subject, grid: BaseGrid, boxes: int, cells: int, rng: np.random.Generator
    ) -> "_Trial":
        people = _people(subject, rng)
        placement = place(grid, people)
        return cls(
            grid=grid,
            people=people,
            placement=placement,
            boxes=random_boxes(placement, boxes, rng),
            most=cells,
            seed=int(rng.integers(1 << 30)),
        )

    def cells(self, box: int) -> Int32Array:
        one = self.boxes[box]
        here = self.placement.position[one.person]
        return cells_of(one, here, self.most, np.random.default_rng([self.seed, box]))

    def rows(self, box: int, cells: Int32Array) -> FloatArray:
        owner = np.full(len(cells), self.boxes[box].person)
        return point_rows(self.grid.columns, self.people, self.placement, owner, cells)

    def answers(self, subject: Subject, box: int) -> FloatArray:
        """Ask about the cells of a box, once for all thresholds."""
        if box not in self.known:
            cells = self.cells(box)
            asked = subject.ask(self.rows(box, cells)) if len(cells) else np.zeros(0)
            self.known[box] = cells, asked
        return self.known[box][1]

    def check(self, subject: Subject, box: int) -> int:
        """Require that no cell of a box that is dropped is accepted; give how many were asked about."""
        answers = self.answers(subject, box)
        cells = self.known[box][0]
        accepted = np.flatnonzero(subject.accepts(answers))
        if len(accepted):
            at, one = int(accepted[np.argmax(answers[accepted])]), self.boxes[box]
            person = subject.shown(self.people[one.person])
            require(
                False,
                f"The bound of this {subject.who} ({subject.family}) calls a box hopeless, but {len(accepted)} "
                f"of {len(cells)} cells of it are accepted: {subject.shown(self.rows(box, cells[[at]])[0])} "
                f"has {answers[at]!r}, at least the threshold {subject.threshold!r}. The box is that of "
                f"{person}, candidates {one.low.tolist()} to {one.high.tolist()}, must change "
                f"{np.flatnonzero(one.must).tolist()}, {one.left} of the other axes at once. A bound may be "
                "too high but never too low: round it outwards, and look at `must` and `changes_left`.",
            )
        return len(cells)


def _people(subject: Subject, rng: np.random.Generator) -> FloatArray:
    """Choose people, refused ones first, since bounds are for those."""
    rows = subject.reference[rng.permutation(len(subject.reference))[: 20 * PEOPLE]]
    refused = ~subject.accepts(subject.ask(rows))
    return np.concatenate([rows[refused], rows[~refused]])[:PEOPLE]
