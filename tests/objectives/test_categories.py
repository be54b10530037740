"""Do the objectives price categories and missing values as their definitions say, and staying at nothing?"""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidObjective
from p2ce.grid.candidate_costs import Join
from p2ce.objectives import (
    Changes,
    CostTable,
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
from p2ce.tables.codebook import MISSING, codebook_of

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
KNOWN = VALUES[[0, 2, 3], 0]


def clipped(column: np.ndarray) -> np.ndarray:
    return np.clip(column, *np.percentile(column, (1, 99)))


UNIT = {0: clipped(KNOWN).std(), 2: clipped(VALUES[:, 2]).std()}
NUMBERS = st.sampled_from([MISSING, 10.0, 20.0, 30.0, 45.0])
LABELS = st.sampled_from([MISSING, 0.0, 1.0, 2.0])
POINTS = st.tuples(NUMBERS, LABELS, st.sampled_from([20.0, 35.0, 70.0]), LABELS).map(np.array)
ALL = (
    MeanDistance(),
    MeanDistance(category=0.0),
    MaxDistance(),
    MaxDistance(unit="own", category=2.0),
    Changes(),
    PercentileShift(),
    Euclidean(category=3.0),
    WeightedDistance({"housing": 2.0, "age": 0.0}, category=0.5),
)


def share(value: float, known: np.ndarray) -> float:
    return float(((known < value).sum() + 0.5 * (known == value).sum()) / len(known))


def parts(before: np.ndarray, after: np.ndarray, *, category: float = 1.0, scaled: bool = True) -> np.ndarray:
    """Say how far each column moves in its unit, written out cell by cell."""
    moved = np.zeros(4)
    for column in range(4):
        if after[column] == before[column]:
            continue
        if column not in UNIT or MISSING in (before[column], after[column]):
            moved[column] = category
        else:
            unit = UNIT[column] if scaled else 1.0
            moved[column] = abs(after[column] - before[column]) / unit
    return moved


def shift(before: np.ndarray, after: np.ndarray) -> float:
    moved = [float(after[column] != before[column]) for column in range(4)]
    for column, known in ((0, KNOWN), (2, VALUES[:, 2])):
        if MISSING not in (before[column], after[column]):
            moved[column] = abs(share(after[column], known) - share(before[column], known))
    return max(moved)


def whole_cost(fitted: FittedObjective, before: np.ndarray, after: np.ndarray) -> float:
    each = [float(fitted.costs(j, after[None, [j]], before[None, [j]])[0, 0]) for j in range(len(before))]
    total = max(each) if fitted.join is Join.MAX else sum(each)
    return float(fitted.report(np.array([total]))[0])


@given(POINTS, POINTS)
def test_costs_are_their_definitions(before: np.ndarray, after: np.ndarray) -> None:
    one = parts(before, after)
    weights = np.array([1.0, 2.0, 0.0, 1.0])
    expected = {
        MeanDistance(): one.sum() / 2,  # two columns of numbers
        MeanDistance(category=0.0): parts(before, after, category=0.0).sum() / 2,
        MaxDistance(): one.max(),
        MaxDistance(unit="own", category=2.0): parts(before, after, category=2.0, scaled=False).max(),
        Changes(): float((before != after).sum()),
        PercentileShift(): shift(before, after),
        Euclidean(category=3.0): np.sqrt(np.square(parts(before, after, category=3.0)).sum()),
        WeightedDistance({"housing": 2.0, "age": 0.0}, category=0.5): (
            weights * parts(before, after, category=0.5)
        ).sum(),
    }
    for objective, cost in expected.items():
        assert whole_cost(objective.fit(PEOPLE), before, after) == pytest.approx(cost, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("objective", ALL, ids=repr)
def test_staying_costs_exactly_nothing_and_pricing_at_once_is_pricing_one_by_one(
    objective: Objective,
) -> None:
    fitted = pickle.loads(pickle.dumps(objective.fit(PEOPLE)))
    values = np.array(
        [[[MISSING, 10.0, 45.0], [MISSING, 0.0, 3.0], [MISSING, 20.0, 21.0], [MISSING, 0.0, 1.0]]] * 3
    )
    for place in range(3):
        current = values[:, :, place]
        (table,) = price([fitted], columns=[0, 1, 2, 3], values=values, current=current)
        assert (table[:, :, place] == 0.0).all()
        assert np.isfinite(table).all()
        assert (table >= 0).all()
        for column in range(4):
            alone = fitted.costs(column, values[:, column], current[:, [column]])
            np.testing.assert_array_equal(alone, table[:, column])


def test_what_is_missing_says_nothing_about_the_spread() -> None:
    assert PEOPLE.unit("std").tolist() == [KNOWN.std(), 1.0, VALUES[:, 2].std(), 1.0]
    assert PEOPLE.unit("robust").tolist() == [UNIT[0], 1.0, UNIT[2], 1.0]
    nothing = Reference(
        names=("a", "b"), values=np.array([[MISSING, MISSING], [MISSING, 3.0], [MISSING, 3.0]])
    )
    assert nothing.unit("robust").tolist() == [1.0, 1.0]
    assert whole_cost(PercentileShift().fit(nothing), np.array([1.0, 3.0]), np.array([2.0, 3.0])) == 0.0


def test_a_table_of_categories_alone_has_a_mean() -> None:
    book = codebook_of(FRAME[["housing", "job"]])
    people = Reference(names=book.names, values=book.encode(FRAME), codebook=book)
    assert people.number_count == 1
    assert MeanDistance().fit(people).costs(0, np.array([[0.0, 1.0]]), np.array([[1.0]])).tolist() == [
        [1.0, 0.0]
    ]


def test_a_codebook_of_numbers_changes_nothing() -> None:
    numbers = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1, 5, 7]})
    book = codebook_of(numbers)
    with_book = Reference(names=book.names, values=book.encode(numbers), codebook=book)
    plain = Reference(names=book.names, values=book.encode(numbers))
    values, current = np.array([[0.0, 1.0, 3.0]]), np.array([[1.0]])
    for objective in (MeanDistance(), MaxDistance(), Changes(), PercentileShift(), Euclidean()):
        for column in range(2):
            here, there = (objective.fit(one).costs(column, values, current) for one in (plain, with_book))
            np.testing.assert_array_equal(here, there)


# A group of three 0/1 columns: two people, who go to each of the three and stay where they are.
HOT = Reference(names=("own", "rent", "free", "age"), values=np.column_stack([np.eye(3), [20.0, 30.0, 40.0]]))
BEFORE = np.array([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]])
AFTER = np.stack([np.eye(3)] * 2)
SWITCHED = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])


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
    ],
    ids=repr,
)
def test_a_one_hot_group_changes_as_one(objective: Objective, cost: float) -> None:
    found = objective.fit(HOT).switch((0, 1, 2), BEFORE, AFTER)
    np.testing.assert_allclose(found, SWITCHED * cost, rtol=1e-12)
    assert (found[SWITCHED == 0] == 0).all()


class Careless(FittedObjective):
    """A user's own class, which charges for staying."""

    name, join = "own", Join.SUM

    def costs(self, column: int, values: np.ndarray, current: np.ndarray) -> np.ndarray:
        return np.ones(values.shape)


def test_a_users_own_class_is_checked_in_groups_too() -> None:
    with pytest.raises(InvalidObjective, match="from 1 to 1 the cost 1; staying must cost 0"):
        Careless().switch((0, 1, 2), BEFORE, AFTER)


def test_a_users_own_class_joins_what_the_columns_cost() -> None:
    tables = {name: {0: 1.0, 1: 2.0} for name in ("own", "rent", "free")}
    found = CostTable("effort", tables, default=0).fit(HOT).switch((0, 1, 2), BEFORE, AFTER)
    np.testing.assert_array_equal(found, SWITCHED * 3.0)


@pytest.mark.parametrize(
    "make", [MeanDistance, MaxDistance, Euclidean, lambda **k: WeightedDistance({}, **k)]
)
@pytest.mark.parametrize("category", [-1.0, np.nan, np.inf, "one"])
def test_what_a_category_counts_is_a_cost(make: object, category: object) -> None:
    with pytest.raises(InvalidObjective, match=r"category of .* is "):
        make(category=category)  # type: ignore[operator]
