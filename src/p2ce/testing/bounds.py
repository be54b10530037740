"""Check that a bound prunes a random box only if the user's own object rejects every cell of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Join, Placement, cell_rows, place, tabulate_costs
from p2ce.engine.scores.external import Boxes, placed_on
from p2ce.engine.scores.score import Bound, Score
from p2ce.engine.solver.branch_and_bound import make_settings
from p2ce.testing.probe_rows import with_unusual
from p2ce.testing.reports import BLACK_BOX, require
from p2ce.testing.subject import Subject

# Half-widths of boxes around the instance; the last one stands for everything that is allowed.
WIDTHS = (1, 2, 4, 1 << 20)
LIMITS = (0, 1, 2, 3, 1 << 20)
INSTANCES = 6
# Besides the adapter's own threshold, those that the best cell of a box reaches exactly.
EXACT_THRESHOLDS = 4
BOXES_AT_ONCE = 50  # boxes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxOf:
    """A box of one instance."""

    instance: int
    low: Int32Array  # (axes,)
    high: Int32Array  # (axes,)
    must: Int32Array  # (axes,) 1 where the current value is excluded
    left: int  # how many of the axes that may stay can change at once


def random_boxes(placement: Placement, count: int, rng: np.random.Generator) -> list[BoxOf]:
    """Make boxes with axes that stay, that may change, and that must change."""
    return [_random_box(placement, int(rng.integers(len(placement))), rng) for _ in range(count)]


def _random_box(placement: Placement, instance: int, rng: np.random.Generator) -> BoxOf:
    here = placement.position[instance]
    width = int(rng.choice(WIDTHS))
    first = np.maximum(placement.lowest[instance], here - width)
    last = np.minimum(placement.highest[instance], here + width)
    ends = np.sort(rng.integers(first, last + 1, (2, len(here))), axis=0)
    kind = rng.random(len(here))
    stays, around = kind < 0.3, (kind >= 0.3) & (kind < 0.65)
    low = np.where(stays, here, np.where(around, np.minimum(ends[0], here), ends[0]))
    high = np.where(stays, here, np.where(around, np.maximum(ends[1], here), ends[1]))
    must = around & (low < high) & (rng.random(len(here)) < 0.4)
    left = int(rng.choice(LIMITS))
    return BoxOf(
        instance=instance,
        low=low.astype(np.int32),
        high=high.astype(np.int32),
        must=must.astype(np.int32),
        left=min(left, len(here)),
    )


def stacked(boxes: list[BoxOf]) -> tuple[IntArray, Boxes]:
    """Return the owners of boxes, and the boxes as external scores take them."""
    owner = np.array([box.instance for box in boxes], dtype=np.int64)
    return owner, Boxes(
        low=np.array([box.low for box in boxes], dtype=np.int32),
        high=np.array([box.high for box in boxes], dtype=np.int32),
        must=np.array([box.must for box in boxes]) == 1,
        changes_left=np.array([box.left for box in boxes], dtype=np.int64),
    )


def cells_of(box: BoxOf, here: Int32Array, most: int, rng: np.random.Generator) -> Int32Array:
    """List the cells (n, axes) of a box that the search could reach: all, or ``most`` with many corners."""
    allowed = [
        [i for i in range(low, high + 1) if not (must and i == at)]
        for low, high, must, at in zip(
            box.low.tolist(), box.high.tolist(), box.must.tolist(), here.tolist(), strict=True
        )
    ]
    free = np.array([at in some for at, some in zip(here.tolist(), allowed, strict=True)])
    volume = 1
    for some in allowed:
        volume *= len(some)
    if volume <= most:
        cells = np.array(list(product(*allowed)), dtype=np.int32).reshape(-1, len(here))
        return np.asarray(cells[((cells != here) & free).sum(axis=1) <= box.left])
    cells = np.empty((most, len(here)), dtype=np.int32)
    at_corner = np.arange(most) < most // 2
    for axis, some in enumerate(allowed):
        other = [i for i in some if i != here[axis]] or some
        ends = rng.choice([other[0], other[-1]], most)
        cells[:, axis] = np.where(at_corner, ends, rng.choice(other, most))
    # In half of the cells, as many of the axes that may stay change as are allowed; in the others, fewer.
    limit = min(box.left, int(free.sum()))
    changing = np.where(rng.random(most) < 0.5, limit, rng.integers(0, limit + 1, most))
    rank = np.argsort(np.argsort(np.where(free, rng.random((most, len(here))), 2.0), axis=1), axis=1)
    stay = free & (rank >= changing[:, None])
    cells = np.where(stay, here, cells).astype(np.int32)
    return np.asarray(np.unique(cells, axis=0), dtype=np.int32)


class Bounded(NamedTuple):
    """The results of checking a bound."""

    bound: str
    thresholds: int
    boxes: int
    pruned: int
    cells: int


def bound_name(subject: Subject) -> str:
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
    bound = bound_name(subject)
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
        which = np.flatnonzero(drop(one, grid, trial.placement, trial.instances, trial.boxes)).tolist()
        trial.ask_about(one, which)
        cells_evaluated += sum(trial.check(one, box) for box in which)
        pruned += len(which)
    return Bounded(bound, len(subjects), boxes * len(subjects), pruned, cells_evaluated)


def drop(
    subject: Subject, grid: BaseGrid, placement: Placement, instances: FloatArray, boxes: Sequence[BoxOf]
) -> BoolArray:
    """Return which boxes the bound of any score drops."""
    pruned = np.zeros(len(boxes), dtype=np.bool_)
    for score in subject.scores:
        if score.bound is not Bound.COMPLETE:
            pruned |= _prune(score, grid, placement, instances, boxes)
    return pruned


def _prune(
    score: Score,
    grid: BaseGrid,
    placement: Placement,
    instances: FloatArray,
    boxes: Sequence[BoxOf],
) -> BoolArray:
    owner, laid = stacked(list(boxes))
    if score.flat is None:
        return np.asarray(score.prepare(placed_on(grid, placement, instances)).infeasible(owner, laid))
    from p2ce.engine.scores.flat.flat_arrays import flatten_scores, lay_out_instances
    from p2ce.engine.solver.fronts import COUNTERS
    from p2ce.engine.solver.search_state import new_scratch
    from p2ce.testing.bound_kernel import drop_boxes

    layout = flatten_scores([score.flat], grid, np.zeros(instances.shape[1]))
    moved = placement.values != placement.current[:, :, None]
    tables = tabulate_costs([moved.astype(np.float64)], [Join.SUM], placement)
    flat = lay_out_instances(layout, placement, tables, instances)
    settings = make_settings(max_changes=None, keep_ties=False, use_bounds=True)
    scratch = new_scratch(layout, flat, settings)
    work = np.zeros(COUNTERS, dtype=np.int64)
    out = np.zeros(len(boxes), dtype=np.bool_)
    drop_boxes(layout.flat, flat, owner, *laid, scratch.box, scratch.sums.few, scratch.walk, work, out)
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Trial:
    """Boxes of some instances, with the subject's own scores of their cells."""

    grid: BaseGrid
    instances: FloatArray
    placement: Placement
    boxes: list[BoxOf]
    cells: list[Int32Array]  # of each box
    scores: dict[int, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(
        cls, subject: Subject, grid: BaseGrid, boxes: int, cells: int, rng: np.random.Generator
    ) -> "_Trial":
        instances = _choose_instances(subject, rng)
        placement = place(grid, instances)
        made = random_boxes(placement, boxes, rng)
        return cls(
            grid=grid,
            instances=instances,
            placement=placement,
            boxes=made,
            cells=[cells_of(box, placement.position[box.instance], cells, rng) for box in made],
        )

    def rows(self, box: int, cells: Int32Array) -> FloatArray:
        owner = np.full(len(cells), self.boxes[box].instance)
        return cell_rows(self.grid.columns, self.instances, self.placement.values, owner, cells)

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
            instance = subject.shown(self.instances[one.instance])
            cell = subject.shown(self.rows(box, cells[[at]])[0])
            require(
                False,
                f"The bound of this {subject.who} ({subject.family}) prunes a box, but "
                f"{len(accepted)} of {len(cells)} cells of it are accepted: {cell} "
                f"has {float(scores[at])!r}, at least the threshold {subject.threshold!r}. The box is that "
                f"of {instance}, candidates {one.low.tolist()} to {one.high.tolist()}, must change "
                f"{np.flatnonzero(one.must).tolist()}, {one.left} of the other axes at once. A bound may be "
                "too high but never too low: round it outwards, and look at `must` and `changes_left`.",
            )
        return len(cells)


def _choose_instances(subject: Subject, rng: np.random.Generator) -> FloatArray:
    """Choose instances, rejected ones first, since bounds are for these."""
    rows = subject.reference[rng.permutation(len(subject.reference))[: 20 * INSTANCES]]
    rows = with_unusual(subject, rows, rng)
    rejected = ~subject.accepts(subject.evaluate(rows))
    return np.concatenate([rows[rejected], rows[~rejected]])[:INSTANCES]
