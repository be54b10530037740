"""What a network's bounds and verdicts claim holds for every cell, whatever the network."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Placement, place
from p2ce.engine.scores.external import ACCEPT, REJECT, Boxes, placed_on
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.network.network_batch import PreparedNetwork
from p2ce.engine.scores.network.network_bounds import by_intervals, by_lines, placed_boxes, tighten
from p2ce.engine.scores.network.network_layers import Layer
from p2ce.engine.scores.network.network_rounding import DOUBLE, SINGLE
from p2ce.engine.scores.score import seen_as_given, seen_in_single
from p2ce.testing.bounds import cells_of, random_boxes, stacked
from tests.properties.amount import examples

SEEDS = st.integers(0, 10**9)
MOST_CELLS = 3_000
ACTIVATIONS: dict[str, Callable[..., np.ndarray]] = {
    "identity": lambda values, slope: values,
    "relu": lambda values, slope: np.maximum(values, 0),
    "leaky_relu": lambda values, slope: np.where(values > 0, values, values * slope),
    "tanh": lambda values, slope: np.tanh(values),
    "sigmoid": lambda values, slope: expit(values),  # scipy has it in long double
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A random network and one person on a random grid."""

    score: NetworkScore
    grid: BaseGrid
    placement: Placement
    person: np.ndarray
    laid: PreparedNetwork

    def rows(self, points: np.ndarray) -> np.ndarray:
        rows = np.repeat(self.person, len(points), axis=0)
        axes = np.arange(self.grid.axis_count)
        rows[:, self.grid.columns] = self.placement.values[0, axes, points]
        return rows

    def forward(self, points: np.ndarray, kind: type) -> np.ndarray:
        """Compute the network layer by layer in a precision: more digits than any library, or float32."""
        values = self.score.see(self.rows(points)).astype(kind)
        for layer in self.score.layers:
            values = values @ layer.weights.astype(kind) + layer.bias.astype(kind)
            values = ACTIVATIONS[layer.activation](values, kind(layer.slope))
        assert values.dtype == kind
        return values[:, 0]

    def truth(self, points: np.ndarray) -> np.ndarray:
        return self.forward(points, np.longdouble)

    def in_single(self, points: np.ndarray) -> np.ndarray:
        return self.forward(points, np.float32).astype(np.float64)


def random_case(seed: int, *, unit: float = DOUBLE, steepness: float | None = None) -> Case:
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(1, 6))
    widths = [columns, *rng.integers(1, 9, rng.integers(0, 4)), 1]
    steep = float(rng.choice([0.3, 1.0, 4.0])) if steepness is None else steepness
    layers = []
    for inner, outer in pairwise(widths):
        weights = rng.normal(0.0, steep, (inner, outer)) * (rng.random((inner, outer)) < 0.9)
        kind = str(rng.choice(["identity", "relu", "relu", "leaky_relu", "tanh", "sigmoid"]))
        if len(layers) == len(widths) - 2:
            kind = "identity"
        layers.append(
            Layer(
                # A float32 library holds float32 weights.
                weights=weights.astype(np.float32) if unit == SINGLE else weights,
                bias=rng.normal(0.0, steep, outer).astype(np.float32),
                activation=kind,
                slope=float(rng.choice([0.01, 0.5, 1.0])) if kind == "leaky_relu" else 0.0,
            )
        )
    names = [f"c{i}" for i in range(columns)]
    movable = [name for name in names if rng.random() < 0.8] or names[:1]
    scale = float(rng.choice([0.1, 1.0, 30.0]))
    grid = BaseGrid.from_candidates(
        {name: rng.normal(0.0, scale, rng.integers(1, 7)).round(3) for name in movable}, columns=names
    )
    person = rng.normal(0.0, scale, (1, columns)).round(2)
    placement = place(grid, person)
    score = NetworkScore(
        name="model",
        column_count=columns,
        layers=tuple(layers),
        accept_from=0.0,
        reject_below=0.0,
        unit=unit,
        see=seen_in_single if unit == SINGLE else seen_as_given,
    )
    laid = score.prepare(placed_on(grid, placement, person))
    return Case(score=score, grid=grid, placement=placement, person=person, laid=laid)


def boxes_with_cells(placement: Placement, rng: np.random.Generator) -> Iterator[tuple[Boxes, np.ndarray]]:
    """Return random boxes, and the cells that a search could complete each to, or many of them."""
    for box in random_boxes(placement, 5, rng):
        yield stacked([box])[1], cells_of(box, placement.position[0], MOST_CELLS, rng)


@examples(80)
@given(seed=SEEDS)
def test_every_bound_covers_every_completion(seed: int) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed + 1)
    for boxes, cells in boxes_with_cells(case.placement, rng):
        if not len(cells):
            continue
        most = case.truth(cells).max()
        placed = placed_boxes(case.laid, np.zeros(1, dtype=np.int64), boxes)
        top, intervals = by_intervals(case.laid, placed)
        assert top[0] >= most
        if intervals:
            assert by_lines(case.laid, placed, intervals)[0] >= most
            assert by_lines(case.laid, placed, tighten(case.laid, placed, intervals))[0] >= most


@examples(60)
@given(seed=SEEDS, single=st.booleans())
def test_a_box_is_infeasible_only_if_the_library_rejects_every_cell(seed: int, single: bool) -> None:
    case = random_case(seed, unit=SINGLE if single else DOUBLE)
    rng = np.random.default_rng(seed + 1)
    owner = np.zeros(1, dtype=np.int64)
    for boxes, cells in boxes_with_cells(case.placement, rng):
        if not len(cells):
            continue
        most = case.in_single(cells).max() if single else case.score.score_rows(case.rows(cells)).max()
        # The library accepts its best cell exactly; a bound that missed it by a rounding would be wrong.
        exact = replace(case.laid, score=replace(case.score, accept_from=most, reject_below=most))
        assert not exact.infeasible(owner, boxes)[0]


@examples(60)
@given(seed=SEEDS)
def test_a_single_cell_is_bounded_tightly(seed: int) -> None:
    """Lines and intervals that shrink to a point leave nothing but rounding."""
    case = random_case(seed)
    rng = np.random.default_rng(seed + 1)
    point = rng.integers(0, case.placement.count[0])[None, :].astype(np.int32)
    boxes = Boxes(point, point, point != case.placement.position, np.array([99]))
    value = float(case.truth(point)[0])
    exact = replace(
        case.score,
        accept_from=value + 1e-6 * max(1.0, abs(value)),
        reject_below=value + 1e-6 * max(1.0, abs(value)),
    )
    assert replace(case.laid, score=exact).infeasible(np.zeros(1, dtype=np.int64), boxes)[0]


@examples(80)
@given(seed=SEEDS, single=st.booleans())
def test_no_verdict_contradicts_the_library_even_at_the_threshold(seed: int, single: bool) -> None:
    case = random_case(seed, unit=SINGLE if single else DOUBLE)
    rng = np.random.default_rng(seed + 1)
    points = rng.integers(0, case.placement.count[0], (60, case.grid.axis_count)).astype(np.int32)
    owner = np.zeros(len(points), dtype=np.int64)
    library = case.in_single(points) if single else case.score.score_rows(case.rows(points))
    for at in rng.choice(library, 3):
        for threshold in (at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf)):
            score = replace(case.score, accept_from=float(threshold), reject_below=float(threshold))
            accepted = library >= threshold
            for said in (
                replace(case.laid, score=score).evaluate(owner, points).verdict,
                score.evaluate_rows(case.rows(points)).verdict,
            ):
                assert accepted[said == ACCEPT].all()
                assert not accepted[said == REJECT].any()


def test_an_interval_allows_for_the_rounding_of_every_layer() -> None:
    """The last layer adds next to nothing to a large bias: its own rounding is all that may be lost."""
    grid = BaseGrid.from_candidates({"c": [0.0, 100.0]}, columns=["c"])
    person = np.array([[100.0]])
    placement = place(grid, person)
    hidden = Layer(weights=np.ones((1, 1)), bias=np.zeros(1), activation="relu")
    last = Layer(weights=np.full((1, 1), 2.0**-60), bias=np.ones(1))
    score = NetworkScore(
        name="model", column_count=1, layers=(hidden, last), accept_from=0.0, reject_below=0.0
    )
    laid = score.prepare(placed_on(grid, placement, person))
    here = placement.position.astype(np.int32)
    box = Boxes(
        low=here, high=here, must=np.zeros((1, 1), dtype=np.bool_), changes_left=np.zeros(1, np.int64)
    )
    top, _ = by_intervals(laid, placed_boxes(laid, np.zeros(1, dtype=np.int64), box))
    assert top[0] >= np.longdouble(1.0) + 100.0 * np.longdouble(2.0**-60) > 1.0
