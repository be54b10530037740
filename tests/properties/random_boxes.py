"""Make random boxes of a person's grid, with the cells that a search could come to in them."""

from itertools import product

import numpy as np

from p2ce.grid.placement import Placement
from p2ce.scores.external import Boxes

MOST_CELLS = 3_000


def random_box(placement: Placement, rng: np.random.Generator) -> tuple[Boxes, np.ndarray]:
    """Give a random box, and all its cells that the search could come to, or many of them."""
    here = placement.position[0]
    low, high, must, allowed = [], [], [], []
    for axis, at in enumerate(here.tolist()):
        first, last = sorted(rng.integers(0, placement.count[0, axis], 2).tolist())
        kind, forced = rng.random(), False
        if kind < 0.2:
            first = last = at
        elif kind < 0.6:
            first, last = min(first, at), max(last, at)
            forced = bool(first < last and rng.random() < 0.4)
        low.append(first)
        high.append(last)
        must.append(forced)
        allowed.append([index for index in range(first, last + 1) if not (forced and index == at)])
    changes_left = int(rng.choice([0, 1, 2, 3, 1 << 30]))
    boxes = Boxes(
        np.array([low], dtype=np.int32),
        np.array([high], dtype=np.int32),
        np.array([must]),
        np.array([changes_left], dtype=np.int64),
    )
    cells = np.array(list(product(*allowed)), dtype=np.int32).reshape(-1, len(here))
    free = np.array([at in choices for at, choices in zip(here.tolist(), allowed, strict=True)])
    cells = cells[((cells != here) & free).sum(axis=1) <= changes_left]
    if len(cells) > MOST_CELLS:
        cells = cells[rng.choice(len(cells), MOST_CELLS, replace=False)]
    return boxes, cells
