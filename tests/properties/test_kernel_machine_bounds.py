"""What a kernel machine's bounds and verdicts claim holds for every cell, as libsvm itself computes it."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import Placement, place
from p2ce.scores import kernel_bounds, kernel_curves, kernel_rounding
from p2ce.scores.external import ACCEPT, REJECT, Boxes
from p2ce.scores.kernel_bounds import argument_ranges, by_lines, by_ranges
from p2ce.scores.kernel_machine import KernelMachine
from p2ce.scores.kernel_people import KernelPeople
from tests.properties.amount import examples
from tests.properties.test_network_bounds import boxes_with_cells

SEEDS = st.integers(0, 10**9)
ONE = np.zeros(1, dtype=np.int64)


def as_libsvm(score: KernelMachine) -> SVC:
    """Put a score's numbers into a fitted SVC, so that libsvm computes with them."""
    model = SVC(kernel=score.kernel, degree=score.degree, coef0=score.coef0)
    model.fit(np.arange(4.0)[:, None] * np.ones((1, score.column_count)), [0, 0, 1, 1])
    model.support_vectors_ = np.ascontiguousarray(score.support)
    model.support_ = np.arange(len(score.weights), dtype=np.int32)
    model._n_support = np.array([len(score.weights), 0], dtype=np.int32)
    model._dual_coef_ = -np.ascontiguousarray(score.weights)[None, :]
    model._intercept_ = np.array([-score.intercept])
    model._gamma = score.gamma
    return model


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A random kernel machine and one person on a random grid."""

    score: KernelMachine
    library: SVC
    grid: BaseGrid
    placement: Placement
    person: np.ndarray
    laid: KernelPeople

    def rows(self, points: np.ndarray) -> np.ndarray:
        rows = np.repeat(self.person, len(points), axis=0)
        axes = np.arange(self.grid.axis_count)
        rows[:, self.grid.columns] = self.placement.values[0, axes, points]
        return rows

    def answers(self, points: np.ndarray) -> np.ndarray:
        return self.library.decision_function(self.rows(points))

    def truth(self, points: np.ndarray) -> np.ndarray:
        """Compute the decision value in more digits than any library."""
        rows, score = self.rows(points).astype(np.longdouble), self.score
        if score.kernel == "rbf":
            kernels = np.exp(-score.gamma * ((rows[:, None, :] - score.support) ** 2).sum(axis=2))
        else:
            kernels = (
                score.gamma * (rows @ score.support.astype(np.longdouble).T) + score.coef0
            ) ** score.degree
        return kernels @ score.weights.astype(np.longdouble) + score.intercept

    def some_points(self, rng: np.random.Generator, count: int) -> np.ndarray:
        return rng.integers(0, self.placement.count[0], (count, self.grid.axis_count)).astype(np.int32)

    def at(self, threshold: float) -> KernelPeople:
        return replace(
            self.laid, score=replace(self.score, accept_from=float(threshold), reject_below=float(threshold))
        )


def make_case(score: KernelMachine, candidates: dict[str, np.ndarray], person: np.ndarray) -> Case:
    grid = BaseGrid.from_candidates(candidates, columns=[f"c{i}" for i in range(score.column_count)])
    placement = place(grid, person)
    return Case(
        score=score,
        library=as_libsvm(score),
        grid=grid,
        placement=placement,
        person=person,
        laid=score.lay_out(grid, placement, person),
    )


def random_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    columns, vectors = int(rng.integers(1, 6)), int(rng.choice([1, 2, 7, 40]))
    scale = float(rng.choice([0.1, 1.0, 30.0]))
    away = float(rng.choice([0.0, 0.0, 1000.0])) * scale  # columns far from zero cancel
    weights = rng.normal(0.0, 1.0, vectors) * float(rng.choice([1.0, 1e6]))
    score = KernelMachine(
        name="model",
        column_count=columns,
        support=rng.normal(away, scale, (vectors, columns)).round(int(rng.choice([1, 12]))),
        weights=np.abs(weights) if rng.random() < 0.2 else weights,
        intercept=float(rng.normal(0.0, 1.0)),
        kernel=str(rng.choice(["rbf", "poly"])),
        gamma=float(rng.choice([0.0, 0.05, 0.5, 3.0]) / scale**2),
        coef0=float(rng.choice([0.0, 1.0, -2.5])),
        degree=int(rng.choice([0, 1, 2, 3, 4, 5])),
        accept_from=0.0,
        reject_below=0.0,
    )
    names = [f"c{i}" for i in range(columns)]
    movable = [name for name in names if rng.random() < 0.8] or names[:1]
    return make_case(
        score,
        {name: rng.normal(away, scale, rng.integers(1, 7)).round(3) for name in movable},
        rng.normal(away, scale, (1, columns)).round(2),
    )


@examples(150)
@given(seed=SEEDS)
def test_every_bound_covers_every_completion(seed: int) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed + 1)
    for boxes, cells in boxes_with_cells(case.placement, rng):
        if not len(cells):
            continue
        most = case.truth(cells).max()
        ranges = argument_ranges(case.laid, ONE, boxes)
        assert by_ranges(case.laid, ranges)[0] >= most
        assert by_lines(case.laid, ONE, boxes, ranges)[0] >= most


@examples(100)
@given(seed=SEEDS)
def test_a_box_is_hopeless_only_if_libsvm_rejects_every_cell(seed: int) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed + 1)
    for boxes, cells in boxes_with_cells(case.placement, rng):
        if len(cells):
            # libsvm accepts its best cell exactly; a bound that missed it by a rounding would be wrong.
            assert not case.at(case.answers(cells).max()).infeasible(ONE, boxes)[0]


@examples(60)
@given(seed=SEEDS)
def test_a_single_cell_is_bounded_tightly(seed: int) -> None:
    """Ranges that shrink to a point leave nothing but rounding."""
    case = random_case(seed)
    point = case.some_points(np.random.default_rng(seed + 1), 1)
    boxes = Boxes(point, point, point != case.placement.position, np.array([99]))
    kernels = np.abs(kernel_curves.bend(case.score.kernel, case.score.degree, case.laid.base))
    around = max(1.0, float(np.abs(case.score.weights).sum() * max(1.0, kernels.max())))
    value = float(case.truth(point)[0]) + 100.0 * case.laid.reach.margin[0] + 1e-6 * around
    assert case.at(value).infeasible(ONE, boxes)[0]


@examples(100)
@given(seed=SEEDS)
def test_the_margin_covers_both_roundings(seed: int) -> None:
    case = random_case(seed)
    points = case.some_points(np.random.default_rng(seed + 1), 200)
    ours = case.laid._values(np.zeros(len(points), dtype=np.int64), points)
    truth = case.truth(points)
    library = case.answers(points)
    assert (np.abs(ours - truth) + np.abs(library - truth) <= case.laid.reach.margin).all()
    value, margin = case.score.value_seen(case.rows(points))
    assert (np.abs(value - truth) + np.abs(library - truth) <= margin).all()
    assert (margin <= 2.0 * case.laid.reach.margin + 1e-300).all()


def contradictions(case: Case, points: np.ndarray, thresholds: np.ndarray) -> int:
    """Count verdicts and dropped cells that libsvm denies, at and beside each threshold."""
    library = case.answers(points)
    owner = np.zeros(len(points), dtype=np.int64)
    single = Boxes(points, points, points != case.placement.position, np.full(len(points), 99))
    wrong = 0
    for at in thresholds:
        for threshold in (at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf)):
            accepted = library >= threshold
            laid = case.at(threshold)
            for said in (
                laid.judge(owner, points).verdict,
                laid.score.judge_rows(case.rows(points)).verdict,
            ):
                wrong += int((~accepted[said == ACCEPT]).sum() + accepted[said == REJECT].sum())
            wrong += int((laid.infeasible(owner, single) & accepted).sum())
    return wrong


@examples(80)
@given(seed=SEEDS)
def test_no_verdict_contradicts_libsvm_even_at_the_threshold(seed: int) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed + 1)
    points = case.some_points(rng, 60)
    assert contradictions(case, points, rng.choice(case.answers(points), 3)) == 0


def _far(kernel: str) -> Case:
    """A person far away, whose changes cancel nearly all of a large base."""
    rng = np.random.default_rng(0)
    score = KernelMachine(
        name="model",
        column_count=3,
        support=rng.normal(0.0, 1.0, (20, 3)),
        weights=rng.normal(0.0, 1.0, 20),
        intercept=0.0,
        kernel=kernel,
        gamma=1.0,
        coef0=0.3,
        degree=3,
        accept_from=0.0,
        reject_below=0.0,
    )
    near = {f"c{i}": rng.normal(0.0, 0.5, 4) for i in range(3)}
    return make_case(score, near, np.full((1, 3), 1e5) + rng.normal(0.0, 1.0, (1, 3)))


def _cancelling(kernel: str) -> Case:
    """Huge weights of nearly equal vectors: terms far larger than their sum."""
    rng = np.random.default_rng(1)
    half = rng.normal(0.0, 1.0, (30, 4))
    score = KernelMachine(
        name="model",
        column_count=4,
        support=np.concatenate([half, half + 1e-9]),
        weights=np.repeat([1e6, -1e6], 30),
        intercept=0.0,
        kernel=kernel,
        gamma=0.2,
        degree=5,
        accept_from=0.0,
        reject_below=0.0,
    )
    return make_case(score, {f"c{i}": rng.normal(0.0, 1.0, 4) for i in range(4)}, np.zeros((1, 4)))


@pytest.mark.parametrize("make", [_far, _cancelling])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_without_the_margins_verdicts_would_be_wrong(make, kernel, monkeypatch):
    case = make(kernel)
    rng = np.random.default_rng(2)
    points = case.some_points(rng, 40)
    thresholds = rng.choice(case.answers(points), 8)
    assert contradictions(case, points, thresholds) == 0

    def nothing(score, size, lost, weights, fits):
        return np.zeros(len(fits))

    monkeypatch.setattr(kernel_rounding, "_of_the_sum", nothing)
    blind = make_case(case.score, dict(zip(case.grid.names, case.grid.values, strict=True)), case.person)
    assert (blind.laid.reach.margin == 0.0).all()
    assert contradictions(blind, points, thresholds) > 0


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_a_detour_over_changes_is_part_of_the_margin(kernel, monkeypatch):
    case = _far(kernel)
    points = case.some_points(np.random.default_rng(2), 200)
    owner = np.zeros(len(points), dtype=np.int64)
    error = np.abs(case.laid._values(owner, points) - case.truth(points))
    assert error.max() > 1e-10
    assert (error <= case.laid.reach.margin).all()
    monkeypatch.setattr(kernel_rounding, "argument_error", lambda score, size, axes: np.zeros_like(size))
    forgetful = kernel_rounding.reach_of(case.score, np.abs(case.rows(points)), axes=3).margin
    assert (error > forgetful).any()


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_without_widening_bounds_would_be_wrong(kernel, monkeypatch):
    case = _cancelling(kernel)
    points = case.some_points(np.random.default_rng(3), 200)
    owner = np.zeros(len(points), dtype=np.int64)
    single = Boxes(points, points, points != case.placement.position, np.full(len(points), 99))
    truth = case.truth(points)

    def tops() -> tuple[np.ndarray, np.ndarray]:
        ranges = argument_ranges(case.laid, owner, single)
        return by_ranges(case.laid, ranges), by_lines(case.laid, owner, single, ranges)

    assert all((top >= truth).all() for top in tops())
    monkeypatch.setattr(kernel_bounds, "_share", lambda people: 0.0)
    monkeypatch.setattr(kernel_bounds, "argument_error", lambda score, size, axes: np.zeros_like(size))
    monkeypatch.setattr(kernel_curves, "UNIT", 0.0)
    assert all((top < truth).any() for top in tops())


def test_a_bound_that_forgot_what_may_stay_would_be_caught():
    """The random boxes do hold cells that only `must` and `changes_left` tell apart."""
    rng = np.random.default_rng(4)
    caught = 0
    for seed in range(40):
        case = random_case(seed)
        boxes, cells = next(boxes_with_cells(case.placement, rng))
        if len(cells):
            most = case.truth(cells).max()
            forgetful = boxes._replace(changes_left=boxes.changes_left * 0)
            ranges = argument_ranges(case.laid, ONE, forgetful)
            caught += bool(by_lines(case.laid, ONE, forgetful, ranges)[0] < most)
    assert caught > 3
