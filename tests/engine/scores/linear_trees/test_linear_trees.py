"""Law: the kernel adds what the slow twin adds, and the bound lies above every cell of every box."""

from itertools import count, product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid.placement import cell_rows, place
from p2ce.engine.scores.external import REJECT, Boxes
from p2ce.engine.scores.linear_trees.linear_forest import (
    Line,
    LinearForest,
    LinearTreesScore,
    joined_trees,
    leaves_of,
    lines_of,
)
from p2ce.tables.codebook import MISSING
from tests.engine.scores.small_people import GRID, PEOPLE, laid_out, some_cells
from tests.populations.small_scores import forest
from tests.properties.amount import examples

ERROR = 1e-12
WITH_GAPS = np.where(np.array([[1, 0, 0, 0], [0, 0, 1, 0]]) == 1, MISSING, PEOPLE)


def linear_forest(rng: np.random.Generator) -> LinearForest:
    numbers = count()
    lines = []

    def tree(depth: int) -> Any:
        if depth == 0 or rng.random() < 0.15:
            columns = np.flatnonzero(rng.random(4) < 0.4)
            weights = rng.normal(size=len(columns)) * (rng.random(len(columns)) < 0.9)
            constant, otherwise = rng.normal(size=2).tolist()
            lines.append(Line(constant=constant, columns=columns, weights=weights, otherwise=otherwise))
            return float(next(numbers))
        column, cut = int(rng.integers(4)), float(rng.choice([-0.5, 0.0, 0.1, 1.0, 2.5]))
        return column, cut, tree(depth - 1), tree(depth - 1)

    made = forest(*(tree(3) for _ in range(4)))
    return LinearForest(forest=made, lines=tuple(lines))


def score_of(trees: LinearForest, threshold: float) -> LinearTreesScore:
    return LinearTreesScore(
        name="lines",
        column_count=4,
        trees=trees,
        lines=lines_of(trees),
        leaves=leaves_of(trees),
        error=ERROR,
        accept_from=threshold,
        reject_below=threshold,
    )


@given(st.integers(0, 10**6))
@examples(60)
def test_the_kernel_adds_what_the_twin_adds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trees = linear_forest(rng)
    rows = np.where(rng.random((50, 4)) < 0.1, MISSING, rng.normal(size=(50, 4)).round(1))
    value = score_of(trees, 0.0).evaluate_rows(rows).value
    with np.errstate(invalid="ignore"):
        assert (value == trees.score_rows(rows)).all()
        twice = joined_trees([trees, trees.negated()])
        np.testing.assert_allclose(twice.score_rows(rows), 0.0, atol=1e-12)
    reach = np.abs(np.where(rows == MISSING, 0.0, rows)).max(axis=0)
    assert np.abs(value).max() <= trees.largest(reach) * (1.0 + 1e-12)


@given(st.integers(0, 10**6))
@examples(60)
def test_a_box_is_dropped_only_if_every_cell_is_rejected(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trees = linear_forest(rng)
    with np.errstate(invalid="ignore"):
        threshold = float(np.quantile(trees.score_rows(some_cells(80)[2]), 0.8))
    for people in (PEOPLE, WITH_GAPS):
        placement = place(GRID, people)
        laid = laid_out(score_of(trees, threshold), people)
        owner = rng.integers(0, 2, 30)
        one, other = (rng.integers(0, placement.count[owner]).astype(np.int32) for _ in range(2))
        low, high = np.minimum(one, other), np.maximum(one, other)
        boxes = Boxes(low, high, rng.random((30, 3)) < 0.3, rng.integers(0, 4, 30))
        top, dropped = laid.highest(owner, boxes), laid.infeasible(owner, boxes)
        for at, person in enumerate(owner.tolist()):
            here = placement.position[person]
            allowed = [
                [i for i in range(a, b + 1) if not (must and i == h)]
                for a, b, must, h in zip(low[at], high[at], boxes.must[at], here, strict=True)
            ]
            cells = np.array(list(product(*allowed)), dtype=np.int32).reshape(-1, 3)
            free = np.array([h in some for h, some in zip(here, allowed, strict=True)])
            cells = cells[((cells != here) & free).sum(axis=1) <= boxes.changes_left[at]]
            if not len(cells):
                continue
            whose = np.full(len(cells), person)
            found = laid.evaluate(whose, cells)
            rows = cell_rows(GRID.columns, people, placement.values, whose, cells)
            with np.errstate(invalid="ignore"):
                assert (found.value == trees.score_rows(rows)).all()
            assert found.value.max() <= top[at] + ERROR
            assert not dropped[at] or (found.verdict == REJECT).all()


def test_the_bound_of_one_cell_is_its_value_and_many_boxes_are_dropped() -> None:
    """A bound that proved nothing would pass the law above."""
    trees = linear_forest(np.random.default_rng(3))
    owner, cells, rows = some_cells(60)
    laid = laid_out(score_of(trees, float(np.median(trees.score_rows(rows)))))
    must = np.zeros(cells.shape, dtype=bool)
    alone = Boxes(cells, cells, must, np.full(len(cells), 3))
    np.testing.assert_allclose(laid.highest(owner, alone), trees.score_rows(rows), atol=1e-12)
    assert 0.4 < laid.infeasible(owner, alone).mean() < 0.6
