"""Say what a score must offer that is computed outside the compiled loop: networks, models that are asked."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, Int8Array, Int32Array, IntArray

if TYPE_CHECKING:
    from p2ce.grid.base_grid import BaseGrid
    from p2ce.grid.placement import Placement

# What a score says about a cell. In doubt, only the user's own model knows.
REJECT, UNDECIDED, ACCEPT = np.int8(-1), np.int8(0), np.int8(1)


class OutOfTime(Exception):
    """Raised by `PreparedScore.judge` where a limit of time leaves cells without a verdict."""


class Boxes(NamedTuple):
    """Boxes of the grid, as `search` opens them."""

    low: Int32Array  # (boxes, axes) first candidate allowed on each axis
    high: Int32Array  # (boxes, axes) last one
    must: BoolArray  # (boxes, axes) the current value is excluded, wherever it lies
    changes_left: IntArray  # (boxes,) how many of the axes that may stay may change at once


def some_boxes(boxes: Boxes, which: IntArray) -> Boxes:
    """Take some of the boxes."""
    return Boxes(
        low=boxes.low[which],
        high=boxes.high[which],
        must=boxes.must[which],
        changes_left=boxes.changes_left[which],
    )


class Verdicts(NamedTuple):
    """What a score says about cells, and the values by which it says so."""

    verdict: Int8Array  # (cells,) REJECT, UNDECIDED or ACCEPT
    value: FloatArray  # (cells,)


def verdicts(value: FloatArray, margin: FloatArray, accept_from: float, reject_below: float) -> Int8Array:
    """Compare values that may be off by ``margin``; whatever is not a number leaves a doubt."""
    verdict = np.full(len(value), UNDECIDED)
    verdict[value >= np.nextafter(accept_from + margin, np.inf)] = ACCEPT
    verdict[value < np.nextafter(reject_below - margin, -np.inf)] = REJECT
    verdict[~np.isfinite(value) | ~np.isfinite(margin)] = UNDECIDED
    return verdict


class PreparedScore(Protocol):
    """A foreign score, laid out for a batch of people who stand on the grid."""

    def judge(self, owner: IntArray, points: Int32Array) -> Verdicts:
        """Judge cells (cells, axes) of the people ``owner`` (cells,), all in one go."""
        ...

    def infeasible(self, owner: IntArray, boxes: Boxes) -> BoolArray:
        """Mark the boxes of which it is proven that the score refuses every cell."""
        ...


class ExternalScore(Protocol):
    """A score that is computed outside the compiled loop, for many cells at a time."""

    @property
    def name(self) -> str: ...

    @property
    def bound_name(self) -> str:
        """What its bound is called in certificates."""
        ...

    @property
    def has_bound(self) -> bool:
        """Whether `hopeless` can ever be true."""
        ...

    def judge_rows(self, rows: FloatArray) -> Verdicts:
        """Judge rows (n, d) of the user's values, each from scratch."""
        ...

    def lay_out(self, grid: "BaseGrid", placement: "Placement", people: FloatArray) -> PreparedScore:
        """Get ready for people (n, d), rows of all the model's columns, placed on the grid."""
        ...
