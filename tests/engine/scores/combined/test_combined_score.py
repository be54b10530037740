"""Law: a combined score decides as its number does, and its bound lies above every cell of every box."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.grouped_axis import Compound, with_levels
from p2ce.engine.grid.placement import cell_rows, place
from p2ce.engine.scores.combined.combination import (
    Combination,
    highest_of,
    joined,
    lowest_of,
    minus,
    minus_part,
    only,
    score_of,
    through,
    total,
)
from p2ce.engine.scores.combined.combined_score import CombinedScore, sums_of_rows
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED, Boxes, Placed
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.score import Bound, FlatScore, Spending, score_rows
from p2ce.errors import InvalidModel
from tests.engine.scores.small_people import GRID, PEOPLE, laid_out, some_cells
from tests.populations.small_scores import flat, forest
from tests.properties.amount import examples


def random_tree(rng: np.random.Generator, depth: int = 3) -> Any:
    if depth == 0 or rng.random() < 0.15:
        return float(rng.normal())
    column, cut = int(rng.integers(4)), float(rng.choice([-0.5, 0.5, 0.1, 1.0, 2.5]))
    return column, cut, random_tree(rng, depth - 1), random_tree(rng, depth - 1)


def a_forest(rng: np.random.Generator) -> FlatScore:
    return flat(4, forest=forest(*(random_tree(rng) for _ in range(4))), offset=float(rng.normal()))


def a_sum(rng: np.random.Generator) -> FlatScore:
    return flat(4, weights=rng.normal(size=4), offset=float(rng.normal()))


def a_network(rng: np.random.Generator) -> NetworkScore:
    layers = (
        Layer(weights=rng.normal(size=(4, 6)), bias=rng.normal(size=6), activation="relu"),
        Layer(weights=rng.normal(size=(6, 1)), bias=rng.normal(size=1)),
    )
    return NetworkScore(name="net", column_count=4, layers=layers, accept_from=0.0, reject_below=0.0)


def squashed(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stand for a link that a library computes to within 1e-12."""
    reported = np.tanh(values)
    return reported - 1e-12, reported + 1e-12


def shapes(rng: np.random.Generator) -> dict[str, Combination]:
    trees, sums, net = only(a_forest(rng)), only(a_sum(rng)), only(a_network(rng))
    return {
        "sum": total([trees, sums]),
        "mean of links": total([through(trees, squashed), through(sums, squashed)], weights=[0.3, 0.7]),
        "with a network": total([through(net, squashed), sums]),
        "difference": total([trees, minus(sums)]),
        "minus a network": total([trees, minus(net)]),
        "any of two wins": highest_of(
            [lowest_of([trees, sums]), lowest_of([total([trees, minus(sums)]), only(a_sum(rng))])]
        ),
        "one part": through(sums, squashed),
        "minus a link": minus(through(trees, squashed)),
    }


SHAPES = list(shapes(np.random.default_rng(0)))
a_shape = st.sampled_from(SHAPES)
a_seed = st.integers(0, 10_000)


def value_of(number: Combination, rows: np.ndarray) -> np.ndarray:
    """Compute the number in the slow way: the middle of its ends for the parts' own values."""
    parts = [
        part.score_rows(rows) if isinstance(part, NetworkScore) else score_rows(part, rows)
        for part in number.parts
    ]
    low, high = number.reported(np.column_stack(parts))
    return (low + high) / 2.0


def some_boxes(rng: np.random.Generator, count: int) -> tuple[np.ndarray, Boxes]:
    placement = place(GRID, PEOPLE)
    owner = rng.integers(0, 2, count)
    ends = np.sort(
        rng.integers(
            placement.lowest[owner][..., None], placement.highest[owner][..., None] + 1, (count, 3, 2)
        ),
        axis=2,
    )
    low, high = ends[..., 0].astype(np.int32), ends[..., 1].astype(np.int32)
    return owner, Boxes(low, high, rng.random((count, 3)) < 0.3, rng.integers(0, 4, count))


def cells_of(owner: int, boxes: Boxes, number: int) -> np.ndarray:
    here = place(GRID, PEOPLE).position[owner]
    low, high, must = boxes.low[number], boxes.high[number], boxes.must[number]
    allowed = [
        [i for i in range(a, b + 1) if not (m and i == at)]
        for a, b, m, at in zip(low, high, must, here, strict=True)
    ]
    free = np.array([at in some for at, some in zip(here, allowed, strict=True)])
    cells = np.array(list(product(*allowed)), dtype=np.int32).reshape(-1, 3)
    return cells[((cells != here) & free).sum(axis=1) <= boxes.changes_left[number]]


@examples(60)
@given(shape=a_shape, seed=a_seed)
def test_verdicts_are_those_of_the_number(shape: str, seed: int) -> None:
    number = shapes(np.random.default_rng(seed))[shape]
    owner, cells, rows = some_cells(80)
    values = value_of(number, rows)
    threshold = float(np.median(values))
    score = score_of(number, accept_from=threshold, reject_below=threshold)
    laid = laid_out(score)
    for found in (laid.evaluate(owner, cells), laid.prove(owner, cells), score.evaluate_rows(rows)):
        clear = np.abs(values - threshold) > 1e-9
        assert (found.verdict[clear] != UNDECIDED).all()
        assert ((found.verdict == ACCEPT)[clear] == (values > threshold)[clear]).all()
        if isinstance(score, CombinedScore):
            np.testing.assert_allclose(found.value, values, atol=1e-9)


@examples(60)
@given(shape=a_shape, seed=a_seed)
def test_a_box_is_dropped_only_if_every_cell_is_rejected(shape: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    number = shapes(rng)[shape]
    if len(number.parts) == 1:
        return  # the kernel bounds it
    owner, boxes = some_boxes(rng, 30)
    rows = some_cells(80)[2]
    threshold = float(np.quantile(value_of(number, rows), 0.8))
    laid = laid_out(score_of(number, accept_from=threshold, reject_below=threshold))
    top = laid.highest(owner, boxes)
    dropped = laid.infeasible(owner, boxes)
    placement = place(GRID, PEOPLE)
    for at, person in enumerate(owner.tolist()):
        cells = cells_of(person, boxes, at)
        whose = np.full(len(cells), person)
        inside = cell_rows(GRID.columns, PEOPLE, placement.values, whose, cells)
        for part, bound in zip(number.parts, top[at], strict=True):
            own = (
                part.score_rows
                if isinstance(part, NetworkScore)
                else lambda some, part=part: score_rows(part, some)
            )
            assert (own(inside) <= bound).all()
        if dropped[at]:
            assert (laid.evaluate(whose, cells).verdict == REJECT).all()
    assert laid.bounds_boxes


def test_bounds_of_trees_and_sums_are_tight() -> None:
    """With one change of one axis, the bound of a tree or a sum is its best value, up to the ticks."""
    rng = np.random.default_rng(5)
    parts = (flat(4, forest=forest(random_tree(rng, 5))), a_sum(rng))
    laid = laid_out(score_of(total(list(map(only, parts))), accept_from=0.0, reject_below=0.0))
    here = place(GRID, PEOPLE)
    for axis in range(3):
        low, high = here.position.copy(), here.position.copy()
        low[:, axis], high[:, axis] = here.lowest[:, axis], here.highest[:, axis]
        boxes = Boxes(low, high, np.zeros((2, 3), dtype=bool), np.array([1, 1]))
        top = laid.highest(np.arange(2), boxes)
        for person in range(2):
            cells = cells_of(person, boxes, person)
            rows = cell_rows(GRID.columns, PEOPLE, here.values, np.full(len(cells), person), cells)
            best = [score_rows(part, rows).max() for part in parts]
            np.testing.assert_allclose(top[person], best, atol=1e-6)


def test_one_part_keeps_its_own_form_with_a_certified_threshold() -> None:
    part = a_sum(np.random.default_rng(1))
    score = score_of(through(only(part), squashed), accept_from=0.5, reject_below=0.5)
    assert isinstance(score, FlatScore)
    assert score.weights is part.weights
    assert np.tanh(score.accept_from) >= 0.5 > np.tanh(score.reject_below) - 2e-12
    assert np.tanh(score.accept_from) - 1e-12 == pytest.approx(0.5, abs=1e-14)
    always = score_of(through(only(part), squashed), accept_from=-2.0, reject_below=-2.0)
    never = score_of(through(only(part), squashed), accept_from=2.0, reject_below=2.0)
    assert (always.accept_from, never.reject_below) == (-np.inf, np.inf)


def test_a_shared_part_is_evaluated_once() -> None:
    trees, sums = only(a_forest(np.random.default_rng(2))), only(a_sum(np.random.default_rng(3)))
    number = joined([total([trees, sums]), trees, sums], lambda values: (values.sum(axis=1),) * 2)
    assert number.parts == (*trees.parts, *sums.parts)
    values = np.array([[1.0, 2.0]])
    np.testing.assert_allclose(number.reported(values)[0], 6.0)


def test_what_has_no_value_is_undecided_and_no_box_with_it_is_dropped() -> None:
    def unknown(rows: np.ndarray) -> np.ndarray:
        return np.where(rows > 0.5, np.nan, rows)

    sums = flat(4, weights=np.ones(4), see=unknown)
    number = total([only(sums), only(a_forest(np.random.default_rng(4)))])
    laid = laid_out(score_of(number, accept_from=1e6, reject_below=1e6))
    owner, cells, rows = some_cells(60)
    has_none = np.isnan(unknown(rows)).any(axis=1)
    verdict = laid.evaluate(owner, cells).verdict
    assert (verdict[has_none] == UNDECIDED).all()
    assert (verdict[~has_none] == REJECT).all()
    placement = place(GRID, PEOPLE)
    everywhere = Boxes(placement.lowest, placement.highest, np.zeros((2, 3), dtype=bool), np.array([3, 3]))
    assert not laid.infeasible(np.arange(2), everywhere).any()


def test_grouped_columns_are_laid_out_as_levels() -> None:
    """Columns 2 and 3 move together; cells and boxes are those of the levels."""
    rng = np.random.default_rng(7)
    parts = (a_forest(rng), a_sum(rng))
    levels = np.array([[0.0, 0.0], [2.0, 1.0], [4.0, 0.0]])
    group = Compound(name="cd", members=np.array([2, 3]), levels=levels, may_go_to=np.ones(3, dtype=bool))
    grid = BaseGrid.from_candidates({"a": [-1, 0, 1], "cd": [0, 1, 2]}, columns=["a", "b", "c", "d", "cd"])
    people = np.array([[0.0, 1.0, 2.0, 1.0], [1.0, -1.0, 0.0, 0.0]])
    wide = with_levels(people, [group])
    placement = place(grid, wide)
    number = total(list(map(only, parts)))
    score = score_of(number, accept_from=0.3, reject_below=0.3)
    placed = Placed(
        grid=grid, placement=placement, instances=wide, rows=lambda *_: np.zeros((0, 4)), is_grouped=True
    )
    laid = score.laid_out(grid, [group]).prepare(placed)
    cells = np.array(list(product(range(3), range(3))), dtype=np.int32)
    for person in range(2):
        owner = np.full(len(cells), person)
        rows = cell_rows(grid.columns, wide, placement.values, owner, cells)
        narrow = rows[:, :4].copy()
        narrow[:, 2:] = levels[rows[:, 4].astype(int)]
        values = value_of(number, narrow)
        found = laid.evaluate(owner, cells)
        np.testing.assert_allclose(found.value, values, atol=1e-9)
        box = Boxes(
            *(np.array([[at, at]], dtype=np.int32) for at in (0, 2)),
            np.zeros((1, 2), dtype=bool),
            np.array([2]),
        )
        assert laid.highest(np.array([person]), box).sum() >= values.max()


def test_what_cannot_be_combined_is_refused() -> None:
    budget = flat(4, spending=Spending(columns=(0,), of=lambda column, values, current: values))
    trees = a_forest(np.random.default_rng(0))
    with pytest.raises(InvalidModel, match="budget"):
        minus_part(budget)
    with pytest.raises(InvalidModel, match="budget"):
        score_of(total([only(budget), only(trees)]), accept_from=0.0, reject_below=0.0)
    with pytest.raises(InvalidModel, match="same columns"):
        score_of(total([only(flat(3, weights=np.ones(3))), only(trees)]), accept_from=0.0, reject_below=0.0)
    with pytest.raises(InvalidModel, match="minus"):
        total([only(trees)], weights=[-1.0])


def test_the_bound_is_named_in_certificates() -> None:
    number = total([only(a_forest(np.random.default_rng(0))), only(a_sum(np.random.default_rng(1)))])
    assert score_of(number, accept_from=0.0, reject_below=0.0).bound is Bound.COMBINED


@examples(30)
@given(seed=a_seed, count=st.sampled_from([1, 300]))
def test_compiled_sums_of_rows_are_those_of_the_slow_twin_bit_by_bit(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    part = replace(a_forest(rng), see=lambda rows: rows * 1.5)
    rows = rng.choice([-1.0, -0.5, 0.0, 0.1, 0.5, 1.0, 5.0 / 3.0, -np.inf], (count, 4))
    np.testing.assert_array_equal(sums_of_rows(part, rows), score_rows(part, rows))
