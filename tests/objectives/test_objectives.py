"""Do the objectives price numbers, categories and missing values as their definitions say?"""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidObjective
from p2ce.extend import MISSING, FittedObjective, Join, Objective, Reference
from p2ce.objectives import (
    Changes,
    CostTable,
    Euclidean,
    MaxDistance,
    MeanDistance,
    PercentileShift,
    WeightedDistance,
    price,
)
from p2ce.tables.codebook import codebook_of

FRAME = pd.DataFrame(
    {
        "income": [10.0, np.nan, 30.0, 50.0, np.nan],
        "housing": ["own", "rent", "rent", None, "free"],
        "age": [20, 30, 40, 50, 60],
        "job": pd.Categorical(["clerk", "cook", "clerk", "clerk", None]),
    }
)
CODEBOOK = codebook_of(FRAME)
VALUES = CODEBOOK.encode(FRAME)
PEOPLE = Reference(names=CODEBOOK.names, values=VALUES, codebook=CODEBOOK)
KNOWN = {0: VALUES[[0, 2, 3], 0], 2: VALUES[:, 2]}
UNITS = {
    "robust": {at: np.clip(known, *np.percentile(known, (1, 99))).std() for at, known in KNOWN.items()},
    "std": {at: known.std() for at, known in KNOWN.items()},
    "own": dict.fromkeys(KNOWN, 1.0),
}
NUMBERS = st.sampled_from([MISSING, 10.0, 20.0, 30.0, 45.0])
LABELS = st.sampled_from([MISSING, 0.0, 1.0, 2.0])
POINTS = st.tuples(NUMBERS, LABELS, st.sampled_from([20.0, 35.0, 70.0]), LABELS).map(np.array)


def parts(before: np.ndarray, after: np.ndarray, category: float = 1.0, unit: str = "robust") -> np.ndarray:
    """State how far each column moves in its unit, written out cell by cell."""
    moved = np.where(after == before, 0.0, category)
    for column, size in UNITS[unit].items():
        if after[column] != before[column] and MISSING not in (before[column], after[column]):
            moved[column] = abs(after[column] - before[column]) / size
    return moved


def shift(before: np.ndarray, after: np.ndarray) -> float:
    moved = (after != before).astype(float)
    for column, known in KNOWN.items():
        ends = [((known < x[column]).sum() + 0.5 * (known == x[column]).sum()) / 5 for x in (before, after)]
        if MISSING not in (before[column], after[column]):
            moved[column] = abs(ends[1] - ends[0]) * 5 / len(known)
    return float(moved.max())


# Objectives, and the definition of each.
DEFINITIONS: dict[Objective, Any] = {
    MeanDistance(): lambda a, b: parts(a, b).sum() / 2,  # two columns of numbers
    MeanDistance(unit="std"): lambda a, b: parts(a, b, unit="std").sum() / 2,  # c₁ of the paper
    MeanDistance(category=0.0): lambda a, b: parts(a, b, 0.0).sum() / 2,
    MaxDistance(): lambda a, b: parts(a, b).max(),
    MaxDistance(unit="std"): lambda a, b: parts(a, b, unit="std").max(),
    MaxDistance(unit="own", category=2.0): lambda a, b: parts(a, b, 2.0, "own").max(),
    Changes(): lambda a, b: float((a != b).sum()),
    PercentileShift(): shift,
    Euclidean(category=3.0): lambda a, b: np.sqrt(np.square(parts(a, b, 3.0)).sum()),
    Euclidean(unit="std"): lambda a, b: np.sqrt(np.square(parts(a, b, unit="std")).sum()),
    WeightedDistance({"housing": 2.0, "age": 0.0}, category=0.5): lambda a, b: (
        parts(a, b, 0.5) @ [1.0, 2.0, 0.0, 1.0]
    ),
    WeightedDistance({"age": 2.0}, join="max", unit="own", default=0.5): lambda a, b: max(
        parts(a, b, unit="own") * [0.5, 0.5, 2.0, 0.5]
    ),
}


def whole_cost(fitted: FittedObjective, before: np.ndarray, after: np.ndarray) -> float:
    """Join the costs of all columns and report them, as the solver does."""
    each = [float(fitted.costs(j, after[None, [j]], before[None, [j]])[0, 0]) for j in range(len(before))]
    total = max(each) if fitted.join is Join.MAX else sum(each)
    return float(fitted.report(np.array([total]))[0])


@given(POINTS, POINTS)
def test_costs_are_their_definitions(before: np.ndarray, after: np.ndarray) -> None:
    for objective, definition in DEFINITIONS.items():
        found = whole_cost(objective.fit(PEOPLE), before, after)
        assert found == pytest.approx(definition(before, after), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("objective", DEFINITIONS, ids=repr)
def test_staying_costs_nothing_and_all_at_once_is_one_by_one_also_in_another_process(
    objective: Objective,
) -> None:
    assert pickle.loads(pickle.dumps(objective)) == objective
    fitted = pickle.loads(pickle.dumps(objective.fit(PEOPLE)))
    assert (fitted.name, fitted.join) == (objective.name, objective.join)
    row = [[MISSING, 10.0, 45.0], [MISSING, 0.0, 3.0], [MISSING, 20.0, 21.0], [MISSING, 0.0, 1.0]]
    values = np.array([row] * 3)
    for place in range(3):
        current = values[:, :, place]
        (table,) = price([fitted], columns=[0, 1, 2, 3], values=values, current=current)
        assert (table[:, :, place] == 0.0).all()
        assert (np.isfinite(table) & (table >= 0)).all()
        for column in range(4):
            alone = fitted.costs(column, values[:, column], current[:, [column]])
            np.testing.assert_array_equal(alone, table[:, column])


@pytest.mark.parametrize("objective", DEFINITIONS, ids=repr)
def test_costs_grow_with_the_distance_and_do_not_depend_on_the_scale(objective: Objective) -> None:
    values = np.sort(np.random.default_rng(0).normal(40.0, 20.0, size=(50, 7)), axis=1)
    for column in (0, 2):
        costs = objective.fit(PEOPLE).costs(column, values, values[:, [3]])
        assert (np.diff(costs[:, 3:], axis=1) >= 0).all()
        assert (np.diff(costs[:, :4], axis=1) <= 0).all()
        if getattr(objective, "unit", None) != "own":
            scaled = Reference(names=PEOPLE.names, values=VALUES * [1024, 1, 1024, 1], codebook=CODEBOOK)
            there = objective.fit(scaled).costs(column, values * 1024, values[:, [3]] * 1024)
            np.testing.assert_array_equal(costs, there)


def test_a_table_of_categories_alone_has_a_mean() -> None:
    book = codebook_of(FRAME[["housing", "job"]])
    people = Reference(names=book.names, values=book.encode(FRAME), codebook=book)
    assert people.number_count == 1
    found = MeanDistance().fit(people).costs(0, np.array([[0.0, 1.0]]), np.array([[1.0]]))
    assert found.tolist() == [[1.0, 0.0]]


# A group of three 0/1 columns: two people, who go to each of the three and stay where they are.
HOT = Reference(names=("own", "rent", "free", "age"), values=np.column_stack([np.eye(3), [20.0, 30.0, 40.0]]))
BEFORE = np.array([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]])
AFTER = np.stack([np.eye(3)] * 2)
SWITCHED = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
TABLES = {name: {0: 1.0, 1: 2.0} for name in ("own", "rent", "free")}


@pytest.mark.parametrize(
    ("objective", "cost"),
    [
        (MeanDistance(), 0.25),  # all four columns hold numbers
        (MeanDistance(category=0.0), 0.0),
        (MaxDistance(), 1.0),
        (MaxDistance(unit="own", category=3.0), 3.0),
        (Changes(), 1.0),
        (PercentileShift(), 1.0),
        (Euclidean(category=2.0), 4.0),  # its square
        (WeightedDistance({"rent": 5.0, "own": 2.0}, category=0.5), 2.5),
        (CostTable("effort", TABLES, default=0), 3.0),
    ],
    ids=repr,
)
def test_a_one_hot_group_changes_as_one(objective: Objective, cost: float) -> None:
    found = objective.fit(HOT).switch((0, 1, 2), BEFORE, AFTER)
    np.testing.assert_allclose(found, SWITCHED * cost, rtol=1e-12)
    assert (found[SWITCHED == 0] == 0).all()


class Own(FittedObjective):
    """A user's own class, which may break the rules."""

    name, join = "own", Join.SUM

    def __init__(self, costs: object) -> None:
        self._costs = costs

    def costs(self, column: int, values: np.ndarray, current: np.ndarray) -> np.ndarray:
        return np.ones(values.shape) if self._costs is None else np.asarray(self._costs)


def priced(costs: object) -> None:
    price([Own(costs)], columns=[0], values=np.array([[[5.0, 6.0]]]), current=np.array([[5.0]]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: priced([[0.0, -1.0]]), "'own': moving column 0 from 5 to 6 costs -1; costs must be finite"),
        (lambda: priced([[np.nan, 1.0]]), "costs nan;"),
        (lambda: priced([[1.0, 0.0]]), "from 5 to 5 costs 1; staying must cost 0"),
        (lambda: priced([1.0, 0.0, 0.0]), "shape"),
        (lambda: Own(None).switch((0, 1, 2), BEFORE, AFTER), "from 1 to 1 costs 1; staying must cost 0"),
        (lambda: WeightedDistance({"age": -1.0}), "the weight of 'age' is -1.0"),
        (lambda: WeightedDistance({"age": np.inf}), "the weight of 'age' is inf"),
        (lambda: WeightedDistance({"age": "much"}), "is 'much'"),
        (lambda: WeightedDistance({}, default=-2), "the default weight is -2"),
        (lambda: WeightedDistance([1, 2]), "dict of feature → weight, got list"),  # type: ignore[arg-type]
        (lambda: WeightedDistance({}, name=""), "needs a name"),
        (lambda: WeightedDistance({}, join="mean"), "must be 'sum' or 'max', got 'mean'"),
        (lambda: WeightedDistance({"agee": 1.0}).fit(PEOPLE), "weighs 'agee'.*Did you mean 'age'"),
        (lambda: MeanDistance(category=-1.0), r"category of .* is "),
        (lambda: MaxDistance(category=np.nan), r"category of .* is "),
        (lambda: Euclidean(category=np.inf), r"category of .* is "),
        (lambda: WeightedDistance({}, category="one"), r"category of .* is "),  # type: ignore[arg-type]
    ],
)
def test_a_mistake_is_named(call: Any, message: str) -> None:
    with pytest.raises(InvalidObjective, match=message):
        call()
