"""Does a user's own table charge what it says, and are its mistakes named?"""

import pickle
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce.engine.grid.placement import Join
from p2ce.errors import InvalidObjective
from p2ce.objectives import CostTable, Reference
from p2ce.tables.codebook import MISSING, codebook_of

PEOPLE = Reference(names=("Term", "Loan"), values=np.array([[12.0, 500.0], [24.0, 900.0]]))
TERM = {12: 3.0, 24: 1.5, 36: 4.0}


def per_unit(current: float, values: np.ndarray, rate: float = 2.0) -> np.ndarray:
    return np.abs(values - current) * rate


FRAME = pd.DataFrame({"Housing": ["own", "own", "rent", None], "Income": [1.0, 2.0, np.nan, 3.0]})
CODEBOOK = codebook_of(FRAME)
TENANTS = Reference(names=CODEBOOK.names, values=CODEBOOK.encode(FRAME), codebook=CODEBOOK)
HOUSING = np.array([[MISSING, 0.0, 1.0]] * 3)  # missing, own, rent
HOUSED = np.array([[MISSING], [0.0], [1.0]])
GAP, GAPS = np.array([[MISSING, 1.0]] * 2), np.array([[MISSING], [1.0]])
PRICED = [[0.0, 9.0, 1.0], [2.0, 0.0, 1.0], [2.0, 9.0, 0.0]]


def known(current: float, values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values) == np.isnan(current), 0.0, 7.0)


@pytest.mark.parametrize(
    ("people", "tables", "default", "column", "values", "current", "expected"),
    [
        # Moves are charged, staying is not, and needs no entry.
        (PEOPLE, {"Term": TERM}, None, 0, [[12, 24, 36]] * 2, [[12], [24]], [[0, 1.5, 4], [3, 0, 4]]),
        (PEOPLE, {"Term": TERM}, None, 0, [[12, 13]], [[13]], [[3, 0]]),
        # A float32 column finds the price of what was typed.
        (PEOPLE, {"Term": {0.1: 2, 1e300: 1}}, None, 0, [[np.float32(0.1), 0.1, 1e300]], [[9]], [[2, 2, 1]]),
        (PEOPLE, {"Loan": per_unit}, None, 1, [[1, 2], [1, 2]], [[1], [2]], [[0, 2], [2, 0]]),
        (PEOPLE, {"Term": TERM}, 7, 0, [[12, 48]], [[12]], [[0, 7]]),
        (PEOPLE, {"Term": TERM}, 7, 1, [[1, 2]], [[1]], [[0, 7]]),
        *(
            (TENANTS, {"Housing": {"own": 9, "rent": 1, nothing: 2}}, None, 0, HOUSING, HOUSED, PRICED)
            for nothing in (None, np.nan, pd.NA)
        ),
        (TENANTS, {"Income": {1: 5, None: 2}}, None, 1, GAP, GAPS, [[0, 5], [2, 0]]),
        (TENANTS, {"Income": {1: 5}}, 3, 0, HOUSING, HOUSED, 3 * (1 - np.eye(3))),
        (TENANTS, {"Income": known}, None, 1, GAP, GAPS, [[0, 7], [7, 0]]),
    ],
)
def test_a_table_charges_what_it_says_also_in_another_process(
    people: Reference, tables: Any, default: Any, column: int, values: Any, current: Any, expected: Any
) -> None:
    fitted = pickle.loads(pickle.dumps(CostTable("effort", tables, default=default).fit(people)))
    assert (fitted.name, fitted.join) == ("effort", Join.SUM)
    found = fitted.costs(column, np.array(values, dtype=float), np.array(current, dtype=float))
    assert found.tolist() == np.array(expected, dtype=float).tolist()


def test_a_function_cannot_harm_the_values() -> None:
    def careless(current: float, values: np.ndarray) -> np.ndarray:
        values -= current
        return np.abs(values)

    values = np.array([[1.0, 2.0]])
    CostTable("effort", {"Loan": careless}).fit(PEOPLE).costs(1, values, np.array([[1.0]]))
    assert values.tolist() == [[1.0, 2.0]]


def test_a_function_sees_labels() -> None:
    seen = []

    def by_label(current: object, values: np.ndarray) -> np.ndarray:
        seen.append((current, values.tolist()))
        return np.array([float(value != current) for value in values])

    costs = CostTable("effort", {"Housing": by_label}).fit(TENANTS).costs(0, HOUSING, HOUSED)
    assert costs.tolist() == (1 - np.eye(3)).tolist()
    assert seen == [(now, [None, "own", "rent"]) for now in (None, "own", "rent")]


def test_a_label_that_only_a_person_has_is_a_place_to_start() -> None:
    book = codebook_of(FRAME)
    people = Reference(names=book.names, values=book.encode(FRAME), codebook=book)
    fitted = CostTable("effort", {"Housing": {"own": 9, "rent": 1}}).fit(people)
    boat = book["Housing"].encode(["boat"])
    values = np.array([[0.0, 1.0, boat[0]]])
    assert fitted.costs(0, values, boat[:, None]).tolist() == [[9.0, 1.0, 0.0]]


def test_a_one_hot_group_costs_what_its_columns_do() -> None:
    tables = {"Term": {0: 1.0, 1: 2.0}, "Loan": {0: 4.0, 1: 8.0}}
    before, after = np.array([[[1.0, 0.0]]]), np.array([[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]])
    added = CostTable("effort", tables).fit(PEOPLE).switch((0, 1), before, after)
    assert added.tolist() == [[0.0, 9.0, 1.0]]
    largest = CostTable("effort", tables, join="max").fit(PEOPLE).switch((0, 1), before, after)
    assert largest.tolist() == [[0.0, 8.0, 1.0]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"rnt": 1}, "a cost for 'Housing' = 'rnt', a label that does not occur.* Did you mean 'rent'"),
        ({1: 1}, "has a cost for 'Housing' = 1, a label that"),
        ({"own": 1, None: 1}, "no cost for 'Housing' = 'rent', which the policy allows"),
        ({"own": 1, "rent": 1}, "no cost for 'Housing' = missing, which the policy allows"),
        (lambda c, v: np.array([x == c for x in v]) + 0.0, "from missing to missing costs 1; staying"),
        (
            lambda c, v: np.array([x == "rent" and c == "own" for x in v]) * -1.0,
            "from 'own' to 'rent' costs -1",
        ),
    ],
)
def test_a_mistake_with_labels_is_named(table: object, message: str) -> None:
    with pytest.raises(InvalidObjective, match=message):
        CostTable("effort", {"Housing": table}).fit(TENANTS).costs(0, HOUSING, HOUSED)  # type: ignore[dict-item]


def price(table: CostTable, column: int = 1) -> None:
    table.fit(PEOPLE).costs(column, np.array([[1.0, 2.0]]), np.array([[1.0]]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CostTable("effort", {}), "dict of feature → table with at least one entry, got {}"),
        (lambda: CostTable("", {"Term": TERM}), "needs a name"),
        (lambda: CostTable("effort", {"Term": TERM}, join="mean"), "must be 'sum' or 'max', got 'mean'"),
        (lambda: CostTable("effort", {"Term": {}}), "dict of value → cost or a function"),
        (lambda: CostTable("effort", {"Term": 3}), "table of 'Term' must be a dict"),
        (lambda: CostTable("effort", {"Term": {12: -1}}), "'effort' at Term = 12 is -1"),
        (lambda: CostTable("effort", {"Term": {12: np.nan}}), "'effort' at Term = 12 is nan"),
        (
            lambda: CostTable("effort", {"Term": {"long": 1}}).fit(PEOPLE),
            "values of 'Term' must be finite numbers that float64 holds exactly, got 'long'",
        ),
        (
            lambda: CostTable("effort", {"Term": {np.inf: 1}}).fit(PEOPLE),
            "values of 'Term' must be finite numbers",
        ),
        (lambda: CostTable("effort", {"Term": {None: -1}}), "'effort' at Term = None is -1"),
        (lambda: CostTable("effort", {"Term": TERM}, default=-1), "the default of 'effort' is -1"),
        (lambda: CostTable("effort", {"Trem": TERM}).fit(PEOPLE), "a table for 'Trem'.*Did you mean 'Term'"),
        (partial(price, CostTable("effort", {"Term": TERM})), r"no cost for 'Loan' = 2, .*fix\('Loan'\)"),
        (partial(price, CostTable("effort", {"Term": TERM}), 0), "no cost for 'Term' = 2"),
        (
            partial(price, CostTable("e", {"Loan": lambda c, v: v - 5})),
            "'Loan' from 1 to 1 costs -4; staying",
        ),
        (
            partial(price, CostTable("e", {"Loan": lambda c, v: c - v})),
            "from 1 to 2 costs -1; costs must be",
        ),
        (partial(price, CostTable("e", {"Loan": lambda c, v: 0 * v + 1})), "costs 1; staying must cost 0"),
        (partial(price, CostTable("e", {"Loan": lambda c, v: v[:1]})), "2 costs for 2 values, got shape"),
    ],
)
def test_a_mistake_is_named_with_its_fix(call: object, message: str) -> None:
    with pytest.raises(InvalidObjective, match=message):
        call()  # type: ignore[operator]
