"""Check a kernel machine's score: its slow and fast ways, views, lines, and numbers that get out of hand."""

from dataclasses import replace

import numpy as np
import pytest

from p2ce.grid.placement import place
from p2ce.scores import kernel_curves
from p2ce.scores.external import ACCEPT, REJECT, UNDECIDED, Boxes
from p2ce.scores.kernel_machine import KernelMachine
from tests.scores.small_people import GRID, PEOPLE, laid_out, some_cells

KERNELS = [{"kernel": "rbf"}, *({"kernel": "poly", "degree": k, "coef0": 0.5} for k in (0, 1, 2, 3, 4, 7))]


def machine(**more) -> KernelMachine:
    rng = np.random.default_rng(3)
    return KernelMachine(
        **{
            "name": "model",
            "column_count": 4,
            "support": rng.normal(0.0, 1.0, (60, 4)),
            "weights": rng.normal(0.0, 1.0, 60),
            "intercept": 0.1,
            "gamma": 0.3,
            "kernel": "rbf",
            "accept_from": 0.0,
            "reject_below": 0.0,
            **more,
        }
    )


@pytest.mark.parametrize("kernel", KERNELS)
def test_cells_are_scored_as_rows_are(kernel):
    owner, points, rows = some_cells(3_000)
    score = machine(**kernel)
    said = laid_out(score).judge(owner, points)
    value = score.score_rows(rows)
    assert np.abs(said.value - value).max() < 1e-11 * max(1.0, np.abs(value).max())
    assert (said.verdict == np.where(value >= 0.0, ACCEPT, REJECT)).all()
    assert (score.judge_rows(rows).verdict == said.verdict).all()
    # And as the textbook has it.
    row, vectors = rows[0], score.support
    if score.kernel == "rbf":
        textbook = np.exp(-0.3 * ((row - vectors) ** 2).sum(axis=1))
    else:
        textbook = (0.3 * vectors @ row + 0.5) ** score.degree
    assert value[0] == pytest.approx(textbook @ score.weights + 0.1, rel=1e-9, abs=1e-9)


def test_many_cells_and_vectors_fill_several_chunks():
    rng = np.random.default_rng(1)
    score = machine(support=rng.normal(0, 1, (3_001, 4)), weights=rng.normal(0, 1, 3_001))
    owner, points, rows = some_cells(100)
    assert np.abs(laid_out(score).judge(owner, points).value - score.score_rows(rows)).max() < 1e-10
    crowd = np.repeat(PEOPLE, 40, axis=0)
    assert np.abs(laid_out(score, crowd).base[::40] - laid_out(score).base).max() == 0.0


def test_a_view_comes_before_the_kernel():
    def see(rows):
        return (rows - 1.0) / 3.0

    owner, points, rows = some_cells(300)
    plain = machine()
    score = replace(plain, see=see)
    assert np.array_equal(score.score_rows(rows), plain.score_rows(see(rows)))
    assert np.abs(laid_out(score).judge(owner, points).value - plain.score_rows(see(rows))).max() < 1e-11


def test_it_says_what_its_bound_is_called():
    assert (machine().has_bound, machine().bound_name) == (True, "kernel")


@pytest.mark.parametrize("kernel", KERNELS)
def test_nobody_and_nothing_to_judge(kernel):
    none = np.zeros(0, dtype=np.int64)
    flat = np.zeros((0, 3), dtype=np.int32)
    for score in (machine(**kernel), machine(**kernel, support=np.zeros((0, 4)), weights=np.zeros(0))):
        laid = laid_out(score)
        assert len(laid.judge(none, flat).verdict) == 0
        assert len(laid.infeasible(none, Boxes(flat, flat, flat.astype(bool), none))) == 0
        assert len(score.score_rows(np.zeros((0, 4)))) == 0
    owner, points, _ = some_cells(20)
    assert (laid.judge(owner, points).value == 0.1).all()


def test_thresholds_at_infinity_are_decided():
    owner, points, _ = some_cells(50)
    always = laid_out(machine(accept_from=-np.inf, reject_below=-np.inf)).judge(owner, points)
    never = laid_out(machine(accept_from=np.inf, reject_below=np.inf)).judge(owner, points)
    assert (always.verdict == ACCEPT).all()
    assert (never.verdict == REJECT).all()


@pytest.mark.parametrize(
    ("change", "far"),
    [
        ({"kernel": "rbf"}, 1e160),
        ({"kernel": "rbf"}, 1e60),
        ({"kernel": "rbf", "gamma": 1e120}, 1.0),
        ({"kernel": "rbf", "gamma": 1e-250}, 1e160),
        ({"kernel": "rbf", "weights": np.full(60, 1e300)}, 1.0),
        ({"kernel": "rbf", "intercept": 1e200}, 1.0),
        ({"kernel": "poly"}, 1e120),
        ({"kernel": "poly", "degree": 3}, 1e40),
        ({"kernel": "poly", "degree": 900}, 10.0),
        ({"kernel": "poly", "coef0": 1e200}, 1.0),
        ({"kernel": "rbf"}, np.nan),
        ({"kernel": "poly"}, np.inf),
    ],
)
def test_numbers_out_of_hand_leave_a_doubt(change, far):
    score = machine(accept_from=1.0, reject_below=1.0, **change)
    people = PEOPLE.copy()
    people[:, 1] *= far  # a column that nobody may change
    if far != 1.0:
        assert (score.judge_rows(people).verdict == UNDECIDED).all()
    laid = laid_out(score, people)
    owner, points, _ = some_cells(200)
    assert (laid.judge(owner, points).verdict == UNDECIDED).all()
    everywhere = Boxes(
        np.zeros((2, 3), dtype=np.int32),
        place(GRID, people).count - 1,
        np.zeros((2, 3), dtype=bool),
        np.array([1 << 30] * 2),
    )
    for impossible in (np.inf, 1e308):
        accept_from = replace(score, accept_from=impossible, reject_below=impossible)
        assert not replace(laid, score=accept_from).infeasible(np.arange(2), everywhere).any()


def test_kernels_that_vanish_are_no_problem():
    """Far from every vector the decision value is the intercept."""
    score = machine(accept_from=0.05, reject_below=0.05)
    people = PEOPLE.copy()
    people[:, 1] = 1e4
    owner, points, _ = some_cells(50)
    said = laid_out(score, people).judge(owner, points)
    assert (said.verdict == ACCEPT).all()
    assert (said.value == 0.1).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_lines_decide_what_ranges_leave_open(kernel):
    from p2ce.scores.kernel_bounds import argument_ranges, by_lines, by_ranges

    laid = laid_out(machine(**kernel))
    placement = place(GRID, PEOPLE)
    owner = np.arange(2)
    tops = []
    for left in (0, 1, 2, 3, 1 << 30):
        box = Boxes(placement.lowest, placement.highest, np.zeros((2, 3), dtype=bool), np.array([left] * 2))
        ranges = argument_ranges(laid, owner, box)
        assert (ranges.low <= ranges.high).all()
        tops.append((by_ranges(laid, ranges), by_lines(laid, owner, box, ranges)))
    # Fewer changes bound no higher, and none at all leave nothing but rounding.
    assert (np.diff([top[0] for top in tops], axis=0) >= 0.0).all()
    today = laid.score.score_rows(PEOPLE)
    assert np.abs(np.array(tops[0]) - today).max() < 1e-6
    assert np.array_equal(tops[3], tops[4])
    if laid.score.degree == 0 and laid.score.kernel == "poly":
        return
    assert (tops[1][1] < tops[1][0]).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_lines_and_ranges_hold_at_every_point(kernel):
    """Dense points in more digits: intervals of every size, on either side of zero, and single points."""
    rng = np.random.default_rng(5)
    kind, degree = kernel["kernel"], kernel.get("degree", 0)
    start = rng.normal(0.0, 1.0, 4_000) * rng.choice([1e-6, 0.1, 1.0, 30.0], 4_000)
    width = np.abs(rng.normal(0.0, 1.0, 4_000)) * rng.choice([0.0, 1e-12, 1e-3, 1.0, 50.0], 4_000)
    low, high = (-np.abs(start) - width, -np.abs(start)) if kind == "rbf" else (start, start + width)
    steps = np.linspace(0, 1, 41, dtype=np.longdouble)[:, None]
    points = low + (high.astype(np.longdouble) - low) * steps
    points = np.clip(np.concatenate([points, np.zeros((1, len(low)))]), low, high)
    truth = np.exp(points) if kind == "rbf" else points**degree
    for slope, offset in (kernel_curves.line_above(kind, degree, low, high),):
        assert (slope.astype(np.longdouble) * points + offset >= truth).all()
    for slope, offset in (kernel_curves.line_below(kind, degree, low, high),):
        assert (slope.astype(np.longdouble) * points + offset <= truth).all()
    assert (kernel_curves.largest(kind, degree, low, high) >= truth).all()
    assert (kernel_curves.smallest(kind, degree, low, high) <= truth).all()


@pytest.mark.parametrize("degree", [3, 5])
def test_lines_hold_where_an_odd_power_turns(degree):
    """Between a concave and a convex half the line touches inside, not at the ends."""
    points = np.linspace(-1.0, 0.1, 1001)
    low, high = np.array([-1.0]), np.array([0.1])
    slope, offset = kernel_curves.line_above("poly", degree, low, high)
    gap = slope * points + offset - points**degree
    assert gap.min() >= 0.0
    assert gap.min() < 1e-5
    slope, offset = kernel_curves.line_below("poly", degree, -high, -low)
    gap = (-points) ** degree - (slope * -points + offset)
    assert gap.min() >= 0.0
    assert gap.min() < 1e-5
