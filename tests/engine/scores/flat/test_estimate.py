"""Law: an estimate drops exactly the cells whose gains sum to less than is missing, however boxes are cut."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.engine.scores.external import ACCEPT, REJECT, PreparedScore, Verdicts
from p2ce.engine.scores.flat.flat_arrays import add_estimate, flatten_scores, lay_out_instances
from p2ce.engine.scores.score import score_rows
from p2ce.engine.solver import search_driver
from p2ce.engine.solver.branch_and_bound import ExternalScores, Fronts, make_settings, solve
from tests.properties.amount import examples
from tests.properties.random_problems import Problem, problems

SMALL = {"SMALL_BOX_CELLS": 4, "ACTIVE_INSTANCES": 2, "BATCH_CELLS": 2, "LEAST_QUOTA": 1}


class Judged(PreparedScore):
    """The last score of a problem, computed outside."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.score = problem, problem.scores[-1]

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        rows = [self.problem.rows(p, cell[None])[0] for p, cell in zip(instance, cells, strict=True)]
        value = score_rows(self.score, np.array(rows).reshape(len(cells), -1))
        return Verdicts(np.where(value >= self.score.reject_below, ACCEPT, REJECT), value)


def search(
    problem: Problem, gains: FloatArray, missing: FloatArray, *, max_changes: int | None, ties: bool
) -> Fronts:
    layout = flatten_scores(problem.scores[:-1], problem.grid, np.zeros(problem.people.shape[1]))
    people = lay_out_instances(layout, problem.placement, problem.tables, problem.people)
    settings = make_settings(max_changes=max_changes, keep_ties=ties, use_bounds=True)
    number = len(problem.scores) - 1
    everyone = np.arange(len(problem.people))
    external = ExternalScores(scores={number: Judged(problem)}, recorded=[number], instances=everyone)
    return solve(layout, add_estimate(people, gains, missing), settings, external)


def dropped_cells(problem: Problem, person: int, gains: FloatArray, missing: float) -> list[list[int]]:
    """List the cells that the estimate gives up."""
    spans = zip(problem.placement.lowest[person], problem.placement.highest[person], strict=True)
    cells = np.array(list(product(*(range(low, high + 1) for low, high in spans))), dtype=np.int32)
    moved = cells != problem.placement.position[person]
    total = np.where(moved, gains[np.arange(problem.axes), cells], 0.0).sum(axis=1)
    return cells[total < missing].tolist()


def random_gains(problem: Problem, seed: int) -> FloatArray:
    """Make gains in quarters, 0 for staying, as large where no one may go as anywhere."""
    rng = np.random.default_rng(seed)
    gains = rng.integers(-8, 12, size=problem.placement.values.shape) / 4.0
    stays = np.arange(gains.shape[2]) == problem.placement.position[..., None]
    return np.where(stays, 0.0, gains)


@examples(60)
@given(
    problem=problems,
    seed=st.integers(0, 1000),
    quarters=st.integers(-8, 24),
    max_changes=st.sampled_from([1, 2, 3, None]),
    ties=st.booleans(),
    in_steps=st.booleans(),
)
def test_the_front_is_that_of_the_cells_which_the_estimate_keeps(
    problem: Problem, seed: int, quarters: int, max_changes: int | None, ties: bool, in_steps: bool
) -> None:
    gains = random_gains(problem, seed)
    # Half a quarter away from every sum: no cell is near enough for rounding to matter.
    missing = quarters / 4.0 - 0.125 + np.arange(len(problem.people)) / 4.0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SMALL.items() if in_steps else ():
            patch.setattr(search_driver, name, value)
        found = search(problem, gains, missing, max_changes=max_changes, ties=ties)
    assert found.finished.all()
    for person in range(len(problem.people)):
        expected = problem.true_front(
            person,
            max_changes=problem.axes if max_changes is None else max_changes,
            keep_ties=ties,
            excluded=dropped_cells(problem, person, gains[person], float(missing[person])),
        )
        np.testing.assert_array_equal(problem.front_of(found, person), expected)


@examples(20)
@given(problem=problems, seed=st.integers(0, 1000), scale=st.sampled_from([1e-9, 1.0, 1e9]))
def test_what_is_just_enough_is_kept_whatever_the_scale(problem: Problem, seed: int, scale: float) -> None:
    """Sums are rounded in favour of the cell: a point that is calibrated to be just kept stays."""
    gains = random_gains(problem, seed) * scale / 3.0
    everything = search(problem, gains, np.full(len(gains), -np.inf), max_changes=3, ties=False)
    axes = np.arange(problem.axes)
    just = np.full(len(gains), -np.inf)
    for person in range(len(gains)):
        points = everything.points[everything.first[person] : everything.first[person + 1]]
        if len(points):
            just[person] = gains[person][axes, points].sum(axis=1).min()
    found = search(problem, gains, just, max_changes=3, ties=False)
    np.testing.assert_array_equal(found.first, everything.first)
    np.testing.assert_array_equal(found.points, everything.points)
