"""Lay a kernel machine out for a batch of people, and judge cells of their grids in large batches."""

from dataclasses import dataclass

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int32Array, IntArray
from p2ce.grid.placement import point_rows
from p2ce.scores.external import UNDECIDED, Boxes, Placed, Verdicts, verdicts
from p2ce.scores.grid_inputs import see_people
from p2ce.scores.kernel_machine import NUMBERS_AT_ONCE, RBF, KernelMachine
from p2ce.scores.kernel_rounding import Reach, reach_of

# A chunk's arguments fill about this many bytes, so that they stay in the cache.
CHUNK_BYTES = 400_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KernelPeople:
    """A kernel machine beside a batch of n people: their arguments, what they may change, their rounding.

    The vectors are in an order of ours, those of positive weight first.
    """

    score: KernelMachine
    placed: Placed
    columns: IntArray  # (axes,)
    weights: FloatArray  # (vectors,)
    rising: int  # how many weights are positive
    vectors: FloatArray  # (vectors, axes) the columns that may change
    table: FloatArray  # (axes, vectors) see `kernel_arithmetic`
    own: FloatArray  # (n, d) what the kernel reads of the people today
    base: FloatArray  # (n, vectors) the arguments of that
    seen: FloatArray  # (n, axes, candidates) what the kernel reads of every candidate
    position: Int32Array  # (n, axes)
    reach: Reach

    @property
    def bounds_boxes(self) -> bool:
        return True

    def evaluate(
        self,
        instance: IntArray,
        cells: Int32Array,
        *,
        until: float | None = None,  # noqa: ARG002
    ) -> Verdicts:
        """Compare cells by the instance's margin; those inside it by a margin of their own."""
        owner = np.ascontiguousarray(instance, dtype=np.int64)
        points = np.ascontiguousarray(cells, dtype=np.int32)
        score = self.score
        with np.errstate(all="ignore"):
            value = self._values(owner, points)
            verdict = verdicts(value, self.reach.margin[owner], score.accept_from, score.reject_below)
            undecided = np.flatnonzero(verdict == UNDECIDED)
            if len(undecided):
                rows = self._rows(owner[undecided], points[undecided])
                value[undecided], margin = score.value_seen(rows)
                verdict[undecided] = verdicts(value[undecided], margin, score.accept_from, score.reject_below)
        return Verdicts(verdict, value)

    def verify(self, instance: IntArray, cells: Int32Array) -> Verdicts:
        """Evaluate rows: what is reached by changes is less exact the farther out an instance stands."""
        return self.score.evaluate_rows(self.placed.rows(instance, cells))

    def infeasible(self, instance: IntArray, boxes: Boxes) -> BoolArray:
        """Mark the boxes of which it is proven that the model rejects every cell."""
        from p2ce.scores.kernel_bounds import infeasible

        return infeasible(self, instance, boxes)

    def _values(self, owner: IntArray, points: Int32Array) -> FloatArray:
        from p2ce.scores.kernel_arithmetic import change_arguments, raise_rows

        score = self.score
        is_rbf = score.kernel == RBF
        chunk = max(8, min(len(owner), CHUNK_BYTES // (8 * max(1, len(self.weights)))))
        room = np.empty((chunk, len(self.weights)))
        value = np.empty(len(owner))
        for start in range(0, len(owner), chunk):
            cells = slice(start, min(start + chunk, len(owner)))
            out = room[: cells.stop - cells.start]
            change_arguments(
                self.base,
                self.table,
                score.gamma,
                is_rbf,
                self.seen,
                self.position,
                owner[cells],
                points[cells],
                out,
            )
            if is_rbf:
                np.exp(out, out=out)
            else:
                raise_rows(out, score.degree)
            np.dot(out, self.weights, out=value[cells])
        value += score.intercept
        return value

    def _rows(self, owner: IntArray, points: Int32Array) -> FloatArray:
        """Write cells as rows that the kernel reads."""
        return point_rows(self.columns, self.own, self.seen, owner, points)


def lay_out(score: KernelMachine, placed: Placed) -> KernelPeople:
    """Show all candidates to the kernel once, and bound the rounding over every person's grid."""
    grid, placement = placed.grid, placed.placement
    people = np.ascontiguousarray(placed.instances, dtype=np.float64)
    order = np.argsort(score.weights <= 0.0, kind="stable")
    vectors = score.support[order][:, grid.columns]
    with np.errstate(all="ignore"):
        own, seen = see_people(score.see, grid, placement, people)
        largest = np.abs(own)
        if grid.axis_count:
            largest[:, grid.columns] = np.abs(seen).max(axis=2)
        return KernelPeople(
            score=score,
            placed=placed,
            columns=grid.columns,
            weights=np.ascontiguousarray(score.weights[order]),
            rising=int((score.weights > 0.0).sum()),
            vectors=np.ascontiguousarray(vectors),
            table=np.ascontiguousarray((2.0 if score.kernel == RBF else 1.0) * vectors.T),
            own=own,
            base=np.ascontiguousarray(_arguments(score, own)[:, order]),
            seen=np.ascontiguousarray(seen),
            position=np.ascontiguousarray(placement.position, dtype=np.int32),
            reach=reach_of(score, largest, axes=grid.axis_count),
        )


def _arguments(score: KernelMachine, own: FloatArray) -> FloatArray:
    """Compute the people's arguments, so many people at a time that they stay in the cache."""
    step = max(1, NUMBERS_AT_ONCE // max(1, len(score.weights)))
    parts = [score.arguments(own[start : start + step]) for start in range(0, len(own), step)]
    return np.concatenate([np.empty((0, len(score.weights))), *parts])
