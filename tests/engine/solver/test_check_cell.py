"""A rejected cell excludes itself, and the cells that reach the same leaves of the score that rejects."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.kernels.jit import entry
from p2ce.engine.scores.flat.score_cells import instance_of
from p2ce.engine.scores.trees.forest import leaves_reached
from p2ce.engine.solver.check_cell import is_excluded
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problems


@entry
def mark_excluded(flat, instances, cells, out):
    """Mark the cells of the first instance that are excluded."""
    for n in range(cells.shape[0]):
        out[n] = is_excluded(flat, instance_of(instances, 0), cells[n])


@examples(100)
@given(problem=problems, seed=st.integers(0, 10**6))
def test_a_rejected_cell_excludes_what_its_score_cannot_tell_from_it(problem: Problem, seed: int) -> None:
    rng, place = np.random.default_rng(seed), problem.placement
    cells = rng.integers(place.lowest[0], place.highest[0] + 1, (60, problem.axes)).astype(np.int32)
    for s, score in enumerate(problem.scores):
        same = (cells == cells[0]).all(axis=1)
        if score.forest is not None:
            leaves = leaves_reached(score.forest, score.see(problem.rows(0, cells)))
            same |= (leaves == leaves[0]).all(axis=1)
        number = -1 if score.forest is None else s  # only a forest speaks of other cells
        count = len(problem.people)
        instances = problem.flat_people._replace(
            excluded=np.append(cells[0], number)[None, :].astype(np.int32),
            first_excluded=np.append(0, np.ones(count, dtype=np.int64)),
        )
        found = np.zeros(len(cells), dtype=np.bool_)
        mark_excluded(problem.layout.flat, instances, cells, found)
        np.testing.assert_array_equal(found, same)
