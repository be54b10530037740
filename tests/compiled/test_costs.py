"""Are ticks exact, envelopes lower bounds, and totals compared safely?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.arrays import FloatArray
from p2ce.compiled.costs import QUANTUM_BITS, SCALE_BITS, Join, quanta, tabulate
from p2ce.errors import InvalidObjective
from p2ce.grid import BaseGrid, Placement, place

AXES = st.lists(
    st.tuples(st.lists(st.integers(-5, 5), min_size=1, max_size=6, unique=True), st.sampled_from([-1, 0, 1])),
    min_size=1,
    max_size=3,
)
COSTS = st.floats(0, 1e6) | st.sampled_from([0.0, 0.1, 1.0, 2.0, 1e-300, 1e-9])


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
    tables = tabulate(costs, joins, placed)
    people, axes, width = placed.values.shape
    assert tables.steps.shape == tables.envelope.shape == (people, len(joins), axes, width)
    assert tables.joins.tolist() == [int(join is Join.MAX) for join in joins]
    for person in range(people):
        for k, (cost, join) in enumerate(zip(costs, joins, strict=True)):
            spans = [
                range(placed.lowest[person, axis], placed.highest[person, axis] + 1) for axis in range(axes)
            ]
            largest = [max(cost[person, axis, i] for i in span) for axis, span in enumerate(spans)]
            total = max(largest) if join is Join.MAX else sum(largest)
            scale = (
                2.0 ** np.ceil(np.log2(total)) if total > 1e-200 else tables.tick[person, k] * 2.0**SCALE_BITS
            )
            assert scale >= total
            assert tables.tick[person, k] == scale * 2.0**-SCALE_BITS
            for axis, span in enumerate(spans):
                here = placed.position[person, axis]
                steps, envelope = tables.steps[person, k, axis], tables.envelope[person, k, axis]
                for i in range(width):
                    if i not in span:
                        assert steps[i] == envelope[i] == 0
                        continue
                    assert steps[i] == round(cost[person, axis, i] / tables.tick[person, k])
                    farther = [j for j in span if (j >= i if i > here else j <= i)]
                    assert envelope[i] == (0 if i == here else min(steps[j] for j in farther))


@given(problems())
def test_ticks_give_the_costs_back(problem: tuple[Placement, list[FloatArray], list[Join]]) -> None:
    placed, costs, joins = problem
    tables = tabulate(costs, joins, placed)
    index = np.arange(placed.values.shape[2])
    allowed = (index >= placed.lowest[:, :, None]) & (index <= placed.highest[:, :, None])
    for k, cost in enumerate(costs):
        back = tables.steps[:, k] * tables.tick[:, k, None, None]
        error = np.abs(np.where(allowed, back - cost, 0.0))
        assert (error <= tables.tick[:, k, None, None] / 2).all()


def test_rounding_noise_makes_no_difference() -> None:
    grid = BaseGrid.from_candidates({name: [0, 1] for name in "abc"}, columns=list("abc"))
    placed = place(grid, np.zeros((1, 3)))
    table = np.zeros((1, 3, 3))
    table[0, :, 1] = [0.1, 0.2, 0.3]  # 0.1 + 0.2 is not 0.3 in float64
    steps = tabulate([table], [Join.SUM], placed).steps[0, 0, :, 1]
    assert quanta(steps[:1] + steps[1:2]) == quanta(steps[2:])
    assert quanta(np.array([0, (1 << QUANTUM_BITS) // 2 - 1, 1 << QUANTUM_BITS])).tolist() == [0, 0, 1]


def test_nothing_costs_anything() -> None:
    grid = BaseGrid.from_candidates({"a": [1]}, columns=["a"])
    tables = tabulate([np.zeros((1, 1, 2))], [Join.MAX], place(grid, np.array([[1.0]])))
    assert tables.tick.tolist() == [[2.0**-SCALE_BITS]]
    assert not tables.steps.any()


def test_no_people_and_no_axes_are_fine() -> None:
    grid = BaseGrid.from_candidates({"a": [1, 2]}, columns=["a"])
    assert tabulate([np.zeros((0, 1, 3))], [Join.SUM], place(grid, np.empty((0, 1)))).steps.shape == (
        0,
        1,
        1,
        3,
    )
    still = BaseGrid.from_candidates({}, columns=["a"])
    tables = tabulate([np.zeros((2, 0, 1))], [Join.MAX], place(still, np.ones((2, 1))))
    assert tables.steps.shape == (2, 1, 0, 1)
    assert tables.tick.tolist() == [[2.0**-SCALE_BITS]] * 2


def test_costs_beyond_float64_are_refused() -> None:
    grid = BaseGrid.from_candidates({"a": [1, 2], "b": [1, 2]}, columns=["a", "b"])
    placed = place(grid, np.ones((1, 2)))
    table = np.zeros((1, 2, 3))
    table[:, :, 1] = 1.7e308
    with pytest.raises(InvalidObjective, match=r"more than float64 holds. Rescale"):
        tabulate([table], [Join.SUM], placed)
