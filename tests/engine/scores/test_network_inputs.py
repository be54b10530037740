"""Check networks that read several inputs of one column, or none, against the slow way and by brute force."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import cell_rows, place
from p2ce.engine.scores.external import ACCEPT, REJECT, Boxes, placed_on
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_bounds import by_intervals, by_lines, placed_boxes, tighten
from p2ce.engine.scores.network.network_layers import Layer
from tests.properties.amount import examples

NAMES = ["a", "b", "c", "d", "e"]
GRID = BaseGrid.from_candidates(
    {"a": [-1, 0, 1], "c": [0, 1, 2], "d": [0, 1, 2, 3], "e": [0, 1]}, columns=NAMES
)
PEOPLE = np.array([[0.0, 1.0, 0.0, 1.0, 0.0], [0.25, -1.0, 5.0, 0.0, 1.0], [2.0, 0.5, 2.0, 7.0, 0.0]])
# a: scaled; b: scaled, fixed; c: one-hot, and a number for each label; d: bins and itself; e: dropped.
SOURCES = np.array([2, 0, 2, 3, 1, 2, 3, 3, 2])
RISING = np.array([False, True, False, True, True, False, False, True, False])


def see(rows):
    a, b, c, d, _ = rows.T
    odd = np.array([0.3, -2.0, 1.5, 0.1])[np.minimum(c, 3).astype(int)]
    bins = np.where(d < 2, 1.0, 0.0)
    return np.stack([c == 0, (a - 1) / 3, c == 1, d / 2, b * 2, c == 2, bins, 1 - bins, odd], axis=1).astype(
        float
    )


def network(seed: int, *, kinds: tuple[str, ...] = ("relu", "relu"), level: float = 0.0) -> NetworkScore:
    rng = np.random.default_rng(seed)
    widths = [len(SOURCES), *[12] * len(kinds), 1]
    layers = tuple(
        Layer(weights=rng.normal(0, 0.6, shape), bias=rng.normal(0, 0.3, shape[1]), activation=kind)
        for shape, kind in zip(pairwise(widths), [*kinds, "identity"], strict=True)
    )
    return NetworkScore(
        name="model",
        column_count=5,
        layers=layers,
        accept_from=level,
        reject_below=level,
        see=see,
        sources=SOURCES,
        rising=RISING,
    )


def all_cells():
    """Return every cell of everyone, and the same as rows."""
    placement = place(GRID, PEOPLE)
    owner, points = [], []
    for person, counts in enumerate(placement.count):
        for cell in product(*(range(count) for count in counts)):
            owner.append(person)
            points.append(cell)
    cells = np.array(points, dtype=np.int32)
    rows = cell_rows(GRID.columns, PEOPLE, placement.values, np.array(owner), cells)
    return np.array(owner), cells, rows


@pytest.mark.parametrize("kinds", [(), ("relu",), ("tanh", "relu"), ("sigmoid", "leaky_relu", "identity")])
def test_cells_are_scored_as_rows_are(kinds):
    owner, points, rows = all_cells()
    score = network(1, kinds=kinds)
    laid = score.prepare(placed_on(GRID, place(GRID, PEOPLE), PEOPLE))
    said = laid.evaluate(owner, points)
    value = score.score_rows(rows)
    assert np.abs(said.value - value).max() < 1e-12
    assert (said.verdict == np.where(value >= 0.0, ACCEPT, REJECT)).all()
    assert (score.evaluate_rows(rows).verdict == said.verdict).all()
    assert laid.plain.tolist() == [True, False, False, False]  # a; the other axes have more inputs, or none


def boxes_of(rng, placement, count):
    """Draw boxes of all sizes, with current values inside, outside and excluded."""
    owner = rng.integers(0, len(PEOPLE), count)
    ends = rng.integers(0, placement.count[owner][None], (2, count, GRID.axis_count))
    ends = np.where(rng.random(ends.shape[1:]) < 0.3, placement.position[owner], ends)
    low, high = np.sort(ends, axis=0).astype(np.int32)
    must = rng.random(low.shape) < 0.2
    here = placement.position[owner]
    must &= ~((low == here) & (high == here))
    return owner, Boxes(low, high, must, rng.integers(0, 5, count))


def inside(boxes, box, here, points):
    """Return which cells a box contains."""
    changed = points != here
    free = ~boxes.must[box] & (boxes.low[box] <= here) & (here <= boxes.high[box])
    fits = ((points >= boxes.low[box]) & (points <= boxes.high[box])).all(axis=1)
    fits &= ~(boxes.must[box] & ~changed).any(axis=1)
    return fits & ((changed & free).sum(axis=1) <= boxes.changes_left[box])


@examples(40)
@given(st.integers(0, 10_000), st.sampled_from([("relu",), ("relu", "relu"), ("tanh", "relu", "relu")]))
def test_no_bound_is_below_a_cell_of_the_box(seed, kinds):
    """Every stage bounds every cell, and so no box that holds an accepted cell is infeasible."""
    rng = np.random.default_rng(seed)
    owner, points, rows = all_cells()
    score = network(seed, kinds=kinds)
    values = score.score_rows(rows)
    score = network(seed, kinds=kinds, level=float(rng.choice(values)))
    placement = place(GRID, PEOPLE)
    laid = score.prepare(placed_on(GRID, placement, PEOPLE))
    who, boxes = boxes_of(rng, placement, 60)
    placed = placed_boxes(laid, who, boxes)
    first, intervals = by_intervals(laid, placed)
    tops = [first, by_lines(laid, placed, intervals)]
    if len(kinds) > 1:
        tops.append(by_lines(laid, placed, tighten(laid, placed, intervals)))
    infeasible = laid.infeasible(who, boxes)
    for box in range(len(who)):
        cells = np.flatnonzero(owner == who[box])
        cells = cells[inside(boxes, box, placement.position[who[box]], points[cells])]
        for top in tops:
            assert (values[cells] <= top[box]).all()
        assert not (infeasible[box] and (values[cells] >= score.reject_below).any())


def test_the_first_layer_is_bounded_exactly():
    """With one layer the bound of a box is reached by one of its cells, however many inputs an axis has."""
    owner, points, rows = all_cells()
    score = network(5, kinds=())
    values = score.score_rows(rows)
    placement = place(GRID, PEOPLE)
    laid = score.prepare(placed_on(GRID, placement, PEOPLE))
    everywhere = Boxes(
        placement.lowest, placement.highest, np.zeros((3, GRID.axis_count), dtype=bool), np.array([1, 2, 9])
    )
    top, _ = by_intervals(laid, placed_boxes(laid, np.arange(3), everywhere))
    for person in range(3):
        mine = np.flatnonzero(owner == person)
        mine = mine[inside(everywhere, person, placement.position[person], points[mine])]
        assert top[person] == pytest.approx(values[mine].max(), abs=1e-9)
