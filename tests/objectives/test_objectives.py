"""Do the objectives price changes as their definitions say?"""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidObjective
from p2ce.grid.candidate_costs import Join
from p2ce.objectives import (
    Changes,
    Euclidean,
    FittedObjective,
    MaxDistance,
    MeanDistance,
    Objective,
    PercentileShift,
    Reference,
    WeightedDistance,
    price,
)

RNG = np.random.default_rng(0)
VALUES = np.column_stack([RNG.normal(size=40), RNG.integers(0, 5, size=40), np.full(40, 0.1)])
PEOPLE = Reference(names=("income", "kids", "constant"), values=VALUES)
SIGMA = np.array([VALUES[:, 0].std(), VALUES[:, 1].std(), 1.0])  # 0 counts as 1
ENDS = np.percentile(VALUES, (1, 99), axis=0)
UNIT = np.append(np.clip(VALUES, *ENDS)[:, :2].std(axis=0), 1.0)
POINTS = st.lists(st.integers(-4, 6).map(float), min_size=3, max_size=3).map(np.array)
ALL = (
    MeanDistance(),
    MaxDistance(),
    MaxDistance(unit="std"),
    MaxDistance(unit="own"),
    Changes(),
    PercentileShift(),
    Euclidean(),
    WeightedDistance({"kids": 2.0}),
)


def share(column: int, value: float) -> float:
    below, at = (VALUES[:, column] < value).sum(), (VALUES[:, column] == value).sum()
    return float((below + 0.5 * at) / len(VALUES))


def whole_cost(fitted: FittedObjective, before: np.ndarray, after: np.ndarray) -> float:
    """Join the costs of all columns and report them, as the search does."""
    each = [float(fitted.costs(j, after[None, [j]], before[None, [j]])[0, 0]) for j in range(len(before))]
    total = max(each) if fitted.join is Join.MAX else sum(each)
    return float(fitted.report(np.array([total]))[0])


@given(POINTS, POINTS)
def test_costs_are_their_definitions(before: np.ndarray, after: np.ndarray) -> None:
    delta = np.abs(after - before)
    shifts = [abs(share(j, after[j]) - share(j, before[j])) for j in range(3)]
    expected = {
        MeanDistance(): (delta / UNIT).mean(),
        MeanDistance(unit="std"): (delta / SIGMA).mean(),  # c₁ of the paper
        MaxDistance(): (delta / UNIT).max(),
        MaxDistance(unit="std"): (delta / SIGMA).max(),
        MaxDistance(unit="own"): delta.max(),
        Changes(): (delta > 0).sum(),
        PercentileShift(): max(shifts),
        Euclidean(): np.sqrt(np.square(delta / UNIT).sum()),
        Euclidean(unit="std"): np.sqrt(np.square(delta / SIGMA).sum()),
        WeightedDistance({"kids": 2.0, "constant": 0.0}): delta[0] / UNIT[0] + 2 * delta[1] / UNIT[1],
        WeightedDistance({"kids": 2.0}, join="max", unit="own", default=0.5): max(delta * [0.5, 2.0, 0.5]),
    }
    for objective, cost in expected.items():
        assert whole_cost(objective.fit(PEOPLE), before, after) == pytest.approx(cost, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("objective", ALL, ids=lambda one: one.name)
def test_costs_are_not_negative_and_staying_is_free(objective: Objective) -> None:
    fitted = objective.fit(PEOPLE)
    assert (fitted.name, fitted.join) == (objective.name, objective.join)
    values = np.sort(RNG.normal(size=(50, 7)), axis=1)
    current = values[:, [3]]
    for column in range(3):
        costs = fitted.costs(column, values, current)
        assert costs.shape == values.shape
        assert (costs >= 0).all()
        assert (costs[:, 3] == 0).all()
        # Every cost grows with the distance from today.
        assert (np.diff(costs[:, 3:], axis=1) >= 0).all()
        assert (np.diff(costs[:, :4], axis=1) <= 0).all()


@pytest.mark.parametrize("objective", ALL, ids=lambda one: one.name)
def test_objectives_travel_between_processes(objective: Objective) -> None:
    assert pickle.loads(pickle.dumps(objective)) == objective
    fitted = objective.fit(PEOPLE)
    copy = pickle.loads(pickle.dumps(fitted))
    args = (0, np.array([[0.0, 1.0]]), np.array([[0.0]]))
    assert copy.costs(*args).tolist() == fitted.costs(*args).tolist()


def test_a_constant_column_has_a_deviation_of_one() -> None:
    assert PEOPLE.unit("robust")[2] == PEOPLE.unit("std")[2] == 1.0


def test_scaling_a_column_with_its_data_changes_nothing() -> None:
    scaled = Reference(names=PEOPLE.names[:2], values=VALUES[:, :2] * 1024)
    plain = Reference(names=PEOPLE.names[:2], values=VALUES[:, :2])
    values, current = np.array([[0.0, 1.0, 3.0]]), np.array([[1.0]])
    for objective in (MeanDistance(), MaxDistance(), Changes(), PercentileShift(), Euclidean()):
        here = objective.fit(plain).costs(1, values, current)
        there = objective.fit(scaled).costs(1, values * 1024, current * 1024)
        np.testing.assert_array_equal(here, there)


def test_price_fills_one_table_per_objective() -> None:
    fitted = [MeanDistance().fit(PEOPLE), Changes().fit(PEOPLE)]
    values, current = RNG.normal(size=(4, 2, 5)), RNG.normal(size=(4, 2))
    tables = price(fitted, columns=[1, 0], values=values, current=current)
    assert [table.shape for table in tables] == [(4, 2, 5)] * 2
    np.testing.assert_array_equal(tables[0][:, 0], fitted[0].costs(1, values[:, 0], current[:, [0]]))


class OwnFitted(FittedObjective):
    """A user's own class, which may break the rules."""

    name = "own"
    join = Join.SUM

    def __init__(self, costs: object) -> None:
        self._costs = costs

    def costs(self, column: int, values: np.ndarray, current: np.ndarray) -> np.ndarray:
        return np.asarray(self._costs)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0.0, -1.0]], "'own' gives column 0 from 5 to 6 the cost -1; costs must be finite and 0 or more"),
        ([[np.nan, 1.0]], "the cost nan"),
        ([[1.0, 0.0]], "from 5 to 5 the cost 1; staying must cost 0"),
        ([1.0, 0.0, 0.0], "shape"),
    ],
)
def test_a_users_own_class_is_checked(costs: object, message: str) -> None:
    with pytest.raises(InvalidObjective, match=message):
        price([OwnFitted(costs)], columns=[0], values=np.array([[[5.0, 6.0]]]), current=np.array([[5.0]]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WeightedDistance({"kids": -1.0}), "the weight of 'kids' is -1.0"),
        (lambda: WeightedDistance({"kids": np.inf}), "the weight of 'kids' is inf"),
        (lambda: WeightedDistance({"kids": "much"}), "is 'much'"),
        (lambda: WeightedDistance({}, default=-2), "the default weight is -2"),
        (lambda: WeightedDistance([1, 2]), "dict of feature → weight, got list"),  # type: ignore[arg-type]
        (lambda: WeightedDistance({}, name=""), "needs a name"),
        (lambda: WeightedDistance({}, join="mean"), "'sum' or 'max', not 'mean'"),
        (lambda: WeightedDistance({"kid": 1.0}).fit(PEOPLE), "weighs 'kid'.*Did you mean 'kids'"),
    ],
)
def test_wrong_weights_are_named(call: object, message: str) -> None:
    with pytest.raises(InvalidObjective, match=message):
        call()  # type: ignore[operator]
