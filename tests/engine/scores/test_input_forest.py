"""Does a forest over inputs in no known order score and bound cells as its slow twin does?"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid.base_grid import grid_of
from p2ce.engine.grid.placement import place
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED, Boxes, placed_on
from p2ce.engine.scores.input_forest import InputForestScore
from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.forest import NO_TREES
from p2ce.engine.scores.trees.tree_nodes import TreeNodes
from p2ce.errors import InvalidModel
from p2ce.policy.policy import Policy
from tests.properties.amount import examples

FRAME = pd.DataFrame({"a": [0.0, 1, 2, 3], "b": [0.0, 1, 2, 3], "c": [0.0, 1, 2, 3]})
SOURCES = np.array([0, 0, 2, 1])  # two inputs of the first column
STEP = 2.0**-40


def tree(rng: np.random.Generator) -> TreeNodes:
    """Grow two levels of random splits at whole numbers."""
    feature = np.append(rng.integers(0, len(SOURCES), 3), np.zeros(4, dtype=np.int64))
    return TreeNodes(
        left=np.array([1, 3, 5, -1, -1, -1, -1]),
        right=np.array([2, 4, 6, -1, -1, -1, -1]),
        feature=feature,
        threshold=rng.integers(-2, 3, 7).astype(np.float64),
        value=rng.normal(size=7),
        steps={},
    )


def made(seed: int) -> InputForestScore:
    rng = np.random.default_rng(seed)
    kinds = [-np.inf, -3.0, -1.0, 0.5, 1.0, 1.0 + STEP, 1.0 - STEP, 2.0, 50.0, np.nan]
    shown = rng.choice(kinds, (len(SOURCES), 9), p=[0.1, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05, 0.1, 0.05, 0.05])

    def see(rows: np.ndarray) -> np.ndarray:
        return np.stack([shown[j][rows[:, source].astype(int)] for j, source in enumerate(SOURCES)], axis=1)

    return InputForestScore(
        name="model",
        column_count=3,
        forest=assemble_forest([tree(rng) for _ in range(4)]),
        offset=0.25,
        accept_from=0.6,
        reject_below=0.5,
        see=see,
        sources=SOURCES,
        slack=np.array([0.0, 2 * STEP, 0.0, 2 * STEP]),
        limit=np.array([np.inf, 9.0, np.inf, 9.0]),
    )


@given(st.integers(0, 10_000), st.integers(0, 2))
@examples(40)
def test_cells_and_boxes_are_those_of_the_slow_twin(seed: int, left: int) -> None:
    score = made(seed)
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 4, (3, 3)).astype(np.float64)
    grid = grid_of(Policy.infer(FRAME, protect=None, special_values=None), columns=tuple(FRAME))
    placement = place(grid, people)
    prepared = score.prepare(placed_on(grid, placement, people))
    every = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3).astype(np.int32)
    instance = np.repeat(np.arange(3), len(every))
    cells = np.tile(every, (3, 1))
    fast, slow = prepared.evaluate(instance, cells), prepared.prove(instance, cells)
    assert np.array_equal(fast.value, slow.value)
    # The slow one doubts a cell for any threshold of an input, the fast one for those that it meets.
    assert (slow.verdict[fast.verdict == UNDECIDED] == UNDECIDED).all()
    assert (fast.verdict == slow.verdict)[slow.verdict != UNDECIDED].all()

    low = rng.integers(0, 4, (60, 3)).astype(np.int32)
    high = np.minimum(low + rng.integers(0, 4, (60, 3)), 3).astype(np.int32)
    boxes = Boxes(low=low, high=high, must=np.zeros((60, 3), dtype=np.bool_), changes_left=np.full(60, left))
    whose = rng.integers(0, 3, 60)
    infeasible = prepared.infeasible(whose, boxes)
    for box in np.flatnonzero(infeasible).tolist():
        inside = ((cells >= low[box]) & (cells <= high[box])).all(axis=1) & (instance == whose[box])
        if left == 0:  # what may stay stays
            here = placement.position[whose[box]]
            stays = (low[box] <= here) & (here <= high[box])
            inside &= ((cells == here) | ~stays).all(axis=1)
        # Also those in doubt: both sides of what is in doubt were counted.
        assert (fast.value[inside] < score.reject_below).all()


def test_a_box_is_excluded_if_no_leaf_suffices_and_only_then() -> None:
    split = TreeNodes(
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        feature=np.array([0, 0, 0]),
        threshold=np.array([0.0, 0.0, 0.0]),
        value=np.array([0.0, -1.0, 1.0]),
        steps={},
    )
    score = InputForestScore(
        name="model",
        column_count=1,
        forest=assemble_forest([split]),
        offset=0.0,
        accept_from=0.0,
        reject_below=0.0,
        see=np.cos,  # neither rises nor falls along the column
        sources=np.array([0]),
        slack=np.array([1e-9]),
        limit=np.array([2.0]),
    )
    grid = grid_of(Policy.infer(FRAME[["a"]], protect=None, special_values=None), columns=("a",))
    people = np.array([[2.0]])
    prepared = score.prepare(placed_on(grid, place(grid, people), people))
    verdict = prepared.evaluate(np.zeros(4, dtype=np.int64), np.arange(4, dtype=np.int32)[:, None]).verdict
    assert verdict.tolist() == [ACCEPT, ACCEPT, REJECT, REJECT]  # cos 0, 1, 2, 3
    boxes = Boxes(
        low=np.array([[0], [2], [1]], dtype=np.int32),
        high=np.array([[1], [3], [2]], dtype=np.int32),
        must=np.zeros((3, 1), dtype=np.bool_),
        changes_left=np.array([1, 1, 0]),
    )
    assert prepared.infeasible(np.zeros(3, dtype=np.int64), boxes).tolist() == [False, True, True]
    assert score.evaluate_rows(np.array([[np.pi / 2]])).verdict.tolist() == [UNDECIDED]


def test_thresholds_are_in_order() -> None:
    none = np.zeros(0)
    with pytest.raises(InvalidModel, match="expects reject_below <= accept_from"):
        InputForestScore(
            name="model",
            column_count=0,
            forest=NO_TREES,
            offset=0.0,
            accept_from=0.0,
            reject_below=1.0,
            see=np.cos,
            sources=none.astype(np.int64),
            slack=none,
            limit=none,
        )
