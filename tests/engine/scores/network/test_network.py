"""Check a network's score: its slow and fast ways, views, and what it says when numbers get out of hand."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from p2ce.engine.grid.placement import place
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED, Boxes, verdicts_within
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.network.network_rounding import DOUBLE, SINGLE
from p2ce.engine.scores.score import seen_in_single
from tests.engine.scores.small_people import GRID, PEOPLE, laid_out, some_cells


def network(*, kinds: tuple[str, ...] = ("relu", "tanh"), factor: float = 1.0, **more) -> NetworkScore:
    rng = np.random.default_rng(3)
    widths = [4, *[30] * len(kinds), 1]
    layers = tuple(
        Layer(weights=factor * rng.normal(0, 0.3, shape), bias=rng.normal(0, 0.3, shape[1]), activation=kind)
        for shape, kind in zip(pairwise(widths), [*kinds, "identity"], strict=True)
    )
    return NetworkScore(
        **{
            "name": "model",
            "column_count": 4,
            "layers": layers,
            "accept_from": 0.0,
            "reject_below": 0.0,
            **more,
        }
    )


def test_thresholds_at_infinity_are_decided():
    owner, points, _ = some_cells(50)
    always = laid_out(network(accept_from=-np.inf, reject_below=-np.inf)).evaluate(owner, points)
    never = laid_out(network(accept_from=np.inf, reject_below=np.inf)).evaluate(owner, points)
    assert (always.verdict == ACCEPT).all()
    assert (never.verdict == REJECT).all()


def test_between_the_thresholds_only_the_model_knows():
    values = np.array([0.0, 1.0, 1.0 + 1e-12, 2.0, 3.0, np.nan, np.inf, -np.inf])
    said = verdicts_within(values, np.full(8, 1e-9), accept_from=2.0, reject_below=1.0)
    assert said.tolist() == [REJECT, *[UNDECIDED] * 3, ACCEPT, *[UNDECIDED] * 3]
    assert (verdicts_within(values, np.full(8, np.inf), accept_from=2.0, reject_below=1.0) == UNDECIDED).all()
    assert (
        verdicts_within(values, np.full(8, np.nan), accept_from=-np.inf, reject_below=-np.inf) == UNDECIDED
    ).all()


@pytest.mark.parametrize(
    ("factor", "far", "unit"),
    [
        (1e200, 1.0, DOUBLE),
        (1.0, 1e300, DOUBLE),
        (1e160, 1e160, DOUBLE),
        (1e20, 1.0, SINGLE),
        (1.0, 1e30, SINGLE),
    ],
)
def test_numbers_out_of_hand_leave_a_doubt(factor, far, unit):
    score = network(kinds=("relu", "relu"), factor=factor, unit=unit, accept_from=1.0, reject_below=1.0)
    people = PEOPLE * far
    laid = laid_out(score, people)
    owner, points, _ = some_cells(200)
    points = np.minimum(points, place(GRID, people).count[owner] - 1).astype(np.int32)
    assert (laid.evaluate(owner, points).verdict == UNDECIDED).all()
    everywhere = Boxes(
        np.zeros((2, 3), dtype=np.int32),
        place(GRID, people).count - 1,
        np.zeros((2, 3), dtype=bool),
        np.array([1 << 30] * 2),
    )
    for impossible in (np.inf, 1e308):
        accept_from = replace(score, accept_from=impossible, reject_below=impossible)
        assert not replace(laid, score=accept_from).infeasible(np.arange(2), everywhere).any()


def test_weights_that_hold_a_zero_do_not_hide_an_overflow():
    """0 · ∞ is not a number, and no comparison with it may come out true."""
    layers = (
        Layer(
            weights=np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
            bias=np.zeros(2),
            activation="relu",
        ),
        Layer(weights=np.array([[1.0], [1.0]]), bias=np.zeros(1)),
    )
    score = network(layers=layers, unit=SINGLE, see=seen_in_single, accept_from=0.5, reject_below=0.5)
    people = np.array([[0.0, 1e39, 0.0, 0.0]])  # infinite in float32, where its weight is 0
    laid = laid_out(score, people)
    placement = place(GRID, people)
    assert (laid.evaluate(np.zeros(1, dtype=np.int64), placement.position).verdict == UNDECIDED).all()


def test_each_stage_settles_more():
    """On small boxes lines decide what intervals leave open, and tightened lines still more."""
    from p2ce.engine.scores.network.network_bounds import by_intervals, by_lines, placed_boxes, tighten

    laid = laid_out(network(kinds=("relu", "tanh", "relu"), factor=1.5))
    placement = place(GRID, PEOPLE)
    box = Boxes(placement.lowest, placement.highest, np.zeros((2, 3), dtype=bool), np.array([2, 2]))
    placed = placed_boxes(laid, np.arange(2), box)
    first, intervals = by_intervals(laid, placed)
    second = by_lines(laid, placed, intervals)
    tightened = tighten(laid, placed, intervals)
    third = by_lines(laid, placed, tightened)
    assert (second < first).all()
    assert (third < second).all()
    for (low, high), (lower, higher) in zip(tightened, intervals, strict=True):
        assert ((low >= lower) & (high <= higher) & (low <= high)).all()
