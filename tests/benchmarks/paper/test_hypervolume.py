"""The hypervolume is the share of the cost space that a front dominates, as counting cells gives it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("moocore")
pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper.hypervolume import hypervolume

SIDE = 5
POINTS = st.lists(st.tuples(*[st.integers(0, SIDE + 1)] * 3), max_size=8)
WORST = np.array([SIDE, SIDE, SIDE], dtype=float)


def counted(points: list[tuple[int, ...]]) -> float:
    """Count the unit cells of the box whose lower corner some point is nowhere above."""
    cells = np.stack(np.meshgrid(*[np.arange(SIDE)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    covered = np.zeros(len(cells), dtype=bool)
    for point in points:
        covered |= (np.array(point) <= cells).all(axis=1)
    return float(covered.mean())


@given(POINTS)
def test_it_is_the_share_of_dominated_cells(points: list[tuple[int, ...]]) -> None:
    costs = np.array(points, dtype=float).reshape(-1, 3)
    assert hypervolume(costs, WORST) == pytest.approx(counted(points), abs=1e-12)


@given(POINTS, st.tuples(*[st.floats(0.01, 100.0)] * 3))
def test_units_of_the_costs_do_not_matter(
    points: list[tuple[int, ...]], units: tuple[float, float, float]
) -> None:
    costs = np.array(points, dtype=float).reshape(-1, 3)
    # A point on the border of the box has no volume, on whichever side rounding puts it.
    assert hypervolume(costs * units, WORST * units) == pytest.approx(counted(points), abs=1e-9)


@given(POINTS, POINTS)
def test_more_answers_never_lower_it(first: list[tuple[int, ...]], second: list[tuple[int, ...]]) -> None:
    few = np.array(first, dtype=float).reshape(-1, 3)
    many = np.array(first + second, dtype=float).reshape(-1, 3)
    assert hypervolume(many, WORST) >= hypervolume(few, WORST) - 1e-12


def test_no_answer_is_worth_nothing_and_a_free_one_everything() -> None:
    assert hypervolume(np.empty((0, 3)), WORST) == 0.0
    assert hypervolume(np.zeros((1, 3)), WORST) == 1.0
    assert hypervolume(WORST[None], WORST) == 0.0
