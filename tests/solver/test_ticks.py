"""The search at the ends of what its whole-number scores can hold."""

import numpy as np

from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.candidate_costs import Join, tabulate
from p2ce.grid.placement import place
from p2ce.scores.assemble import assemble_forest
from p2ce.scores.flat_arrays import flatten_scores, lay_out_instances
from p2ce.scores.score import FlatScore
from p2ce.scores.tree_nodes import TreeNodes
from p2ce.solver.branch_and_bound import make_settings, solve


def test_a_tree_that_spans_all_ticks_does_not_overflow() -> None:
    """Two leaves just below a power of two: their difference is the largest that ticks have to hold."""
    value = 1.0 - 2.0**-40
    stump = TreeNodes(
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        feature=np.array([0, 0, 0]),
        threshold=np.array([0.5, 0.0, 0.0]),
        value=np.array([0.0, -value, value]),
    )
    score = FlatScore(
        name="s", column_count=1, forest=assemble_forest([stump]), accept_from=0.0, reject_below=0.0
    )
    grid = BaseGrid.from_candidates({"a": [0, 1]}, columns=["a"])
    people = np.array([[0.0]])
    placement = place(grid, people)
    tables = tabulate([np.abs(placement.values - placement.current[:, :, None])], [Join.SUM], placement)
    layout = flatten_scores([score], grid, people[0])
    settings = make_settings(max_changes=1, keep_ties=False, use_bounds=True)
    found = solve(layout, lay_out_instances(layout, grid, placement, tables, people), settings)
    assert found.points.tolist() == [[1]]
