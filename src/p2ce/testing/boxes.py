"""Make random boxes of the grid, and list cells that the search could complete them to."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from p2ce.base.arrays import Int32Array, IntArray
from p2ce.engine.grid.placement import Placement
from p2ce.engine.scores.external import Boxes

# Half-widths of boxes around the person; the last one stands for everything that is allowed.
WIDTHS = (1, 2, 4, 1 << 20)
LIMITS = (0, 1, 2, 3, 1 << 20)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxOf:
    """A box of one person."""

    person: int
    low: Int32Array  # (axes,)
    high: Int32Array  # (axes,)
    must: Int32Array  # (axes,) 1 where the current value is excluded
    left: int  # how many of the axes that may stay can change at once


def random_boxes(placement: Placement, count: int, rng: np.random.Generator) -> list[BoxOf]:
    """Make boxes with axes that stay, that may change, and that must change."""
    return [_random_box(placement, int(rng.integers(len(placement))), rng) for _ in range(count)]


def _random_box(placement: Placement, person: int, rng: np.random.Generator) -> BoxOf:
    here = placement.position[person]
    width = int(rng.choice(WIDTHS))
    first = np.maximum(placement.lowest[person], here - width)
    last = np.minimum(placement.highest[person], here + width)
    ends = np.sort(rng.integers(first, last + 1, (2, len(here))), axis=0)
    kind = rng.random(len(here))
    stays, around = kind < 0.3, (kind >= 0.3) & (kind < 0.65)
    low = np.where(stays, here, np.where(around, np.minimum(ends[0], here), ends[0]))
    high = np.where(stays, here, np.where(around, np.maximum(ends[1], here), ends[1]))
    must = around & (low < high) & (rng.random(len(here)) < 0.4)
    left = int(rng.choice(LIMITS))
    return BoxOf(
        person=person,
        low=low.astype(np.int32),
        high=high.astype(np.int32),
        must=must.astype(np.int32),
        left=min(left, len(here)),
    )


def stacked(boxes: list[BoxOf]) -> tuple[IntArray, Boxes]:
    """Return the owners of boxes, and the boxes as external scores take them."""
    owner = np.array([box.person for box in boxes], dtype=np.int64)
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
