"""Are costs kept as they are, envelopes lower bounds, and totals always added in one order?"""

from collections.abc import Sequence
from functools import reduce
from itertools import product
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.arrays import FloatArray
from p2ce.engine.grid import BaseGrid, Placement, place
from p2ce.engine.grid.placement import Join, tabulate_costs
from p2ce.errors import InvalidObjective

AXES = st.lists(
    st.tuples(st.lists(st.integers(-5, 5), min_size=1, max_size=6, unique=True), st.sampled_from([-1, 0, 1])),
    min_size=1,
    max_size=3,
)
COSTS = st.floats(0, 1e300) | st.sampled_from([0.0, 0.1, 1.0, 2.0, 5e-324, 1e-300, 1e-9])


@st.composite
def problems(draw: st.DrawFn) -> tuple[Placement, list[FloatArray], list[Join]]:
    """Draw a few people on a small grid, with up to three objectives whose costs need not be monotone."""
    axes = draw(AXES)
    names = [f"axis{i}" for i in range(len(axes))]
    grid = BaseGrid.from_candidates(
        {name: base for name, (base, _) in zip(names, axes, strict=True)},
        columns=names,
        direction={name: turn for name, (_, turn) in zip(names, axes, strict=True)},
    )
    row = st.lists(st.integers(-6, 6).map(float), min_size=len(axes), max_size=len(axes))
    placed = place(grid, np.array(draw(st.lists(row, min_size=1, max_size=3))))
    joins = draw(st.lists(st.sampled_from(Join), min_size=1, max_size=3))
    costs = []
    for _ in joins:
        flat = draw(st.lists(COSTS, min_size=placed.values.size, max_size=placed.values.size))
        table = np.array(flat).reshape(placed.values.shape)
        costs.append(np.where(placed.values == placed.current[:, :, None], 0.0, table))
    return placed, costs, joins


@given(problems())
def test_the_compiled_pass_equals_the_obvious_one(
    problem: tuple[Placement, list[FloatArray], list[Join]],
) -> None:
    placed, costs, joins = problem
    tables = tabulate_costs(costs, joins, placed)
    people, axes, width = placed.values.shape
    assert tables.steps.shape == tables.envelope.shape == (people, len(joins), axes, width)
    assert tables.joins.tolist() == [int(join is Join.MAX) for join in joins]
    assert (np.isfinite(tables.shares) & (tables.shares > 0)).all()
    for person in range(people):
        for k, cost in enumerate(costs):
            for axis in range(axes):
                span = range(placed.lowest[person, axis], placed.highest[person, axis] + 1)
                here = placed.position[person, axis]
                steps, envelope = tables.steps[person, k, axis], tables.envelope[person, k, axis]
                for i in range(width):
                    if i not in span:
                        assert steps[i] == envelope[i] == 0
                        continue
                    assert steps[i] == cost[person, axis, i]
                    farther = [j for j in span if (j >= i if i > here else j <= i)]
                    assert envelope[i] == (0 if i == here else min(steps[j] for j in farther))


@given(problems())
def test_totals_are_added_in_the_order_of_the_axes(
    problem: tuple[Placement, list[FloatArray], list[Join]],
) -> None:
    placed, costs, joins = problem
    tables = tabulate_costs(costs, joins, placed)
    for person, (lowest, highest) in enumerate(zip(placed.lowest, placed.highest, strict=True)):
        cells = list(product(*(range(low, high + 1) for low, high in zip(lowest, highest, strict=True))))
        found = tables.totals(np.full(len(cells), person), np.array(cells, dtype=np.int32))
        for k, (cost, join) in enumerate(zip(costs, joins, strict=True)):
            parts = [[float(cost[person, axis, index]) for axis, index in enumerate(cell)] for cell in cells]
            assert found[:, k].tolist() == [max(part) if join is Join.MAX else _added(part) for part in parts]


def _added(parts: Sequence[float]) -> float:
    """Add from left to right; sum() rounds less from Python 3.12 on."""
    return reduce(add, parts, 0.0)


def test_one_far_candidate_does_not_set_the_scale() -> None:
    """The order in which boxes are opened goes by shares: they are those of the candidates nearby."""
    names = list("abc")
    near = BaseGrid.from_candidates({name: [0, 1, 2, 3, 4] for name in names}, columns=names)
    far = BaseGrid.from_candidates(
        {**{name: [0, 1, 2, 3, 4] for name in "ab"}, "c": [0, 1, 2, 3, 1e15]}, columns=names
    )
    person = np.array([[0.0, 2.0, 0.0]])
    shares = []
    for grid in (near, far):
        placed = place(grid, person)
        away = np.abs(placed.values - placed.current[:, :, None])
        shares.append(tabulate_costs([away, away], [Join.SUM, Join.MAX], placed).shares)
    np.testing.assert_array_equal(shares[0], shares[1])


def test_no_people_and_no_axes_are_fine() -> None:
    grid = BaseGrid.from_candidates({"a": [1, 2]}, columns=["a"])
    empty = tabulate_costs([np.zeros((0, 1, 3))], [Join.SUM], place(grid, np.empty((0, 1))))
    assert empty.steps.shape == (0, 1, 1, 3)
    still = BaseGrid.from_candidates({}, columns=["a"])
    tables = tabulate_costs([np.zeros((2, 0, 1))], [Join.MAX], place(still, np.ones((2, 1))))
    assert tables.steps.shape == (2, 1, 0, 1)
    assert tables.totals(np.array([1]), np.zeros((1, 0), dtype=np.int32)).tolist() == [[0.0]]


def test_costs_beyond_float64_are_rejected() -> None:
    grid = BaseGrid.from_candidates({"a": [1, 2], "b": [1, 2]}, columns=["a", "b"])
    placed = place(grid, np.ones((1, 2)))
    table = np.zeros((1, 2, 3))
    table[:, :, 1] = 1.7e308
    with pytest.raises(InvalidObjective, match=r"more than float64 can hold. Rescale"):
        tabulate_costs([table], [Join.SUM], placed)
