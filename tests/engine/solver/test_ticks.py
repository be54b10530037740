"""The search at the ends of what its whole-number scores can hold."""

import numpy as np

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.solver.branch_and_bound import make_settings, solve
from tests.populations.small_scores import flat, forest
from tests.properties.random_problems import problem_of


def test_a_tree_that_spans_all_ticks_does_not_overflow() -> None:
    """Two leaves just below a power of two: their difference is the largest that ticks have to hold."""
    value = 1.0 - 2.0**-40
    grid = BaseGrid.from_candidates({"a": [0, 1]}, columns=["a"])
    problem = problem_of(grid, np.array([[0.0]]), [flat(1, forest=forest((0, 0.5, -value, value)))])
    settings = make_settings(max_changes=1, keep_ties=False, use_bounds=True)
    assert solve(problem.layout, problem.flat_people, settings).points.tolist() == [[1]]
