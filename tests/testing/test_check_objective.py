"""Is each mistake of an objective found, with what to do?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from p2ce import objectives
from p2ce.errors import InvalidObjective
from p2ce.extend import MISSING, FittedObjective, FloatArray, Join, Objective, Reference, check_objective
from p2ce.objectives.objective_names import objectives_by_name

FRAME = pd.DataFrame(
    {
        "income": [10.0, np.nan, 30.0, 50.0, np.nan],
        "housing": ["own", "rent", "rent", None, "free"],
        "age": [20, 30, 40, 50, 60],
    }
)


@dataclass(frozen=True)
class Own(Objective):
    """An objective whose fitted half is as broken as its name says."""

    fault: str = ""
    name: str = "own"
    join: Join = Join.SUM

    def fit(self, reference: Reference) -> FittedObjective:
        return FittedOwn(
            fault=self.fault, name="other" if self.fault == "name" else self.name, join=self.join
        )


@dataclass(frozen=True)
class FittedOwn(FittedObjective):
    """One for each change, but for the fault."""

    fault: str
    name: str
    join: Join

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        moved = np.where(values == current, 0.0, 1.0)
        if self.fault == "missing":
            return np.where(values == MISSING, np.nan, moved)
        if self.fault == "stays":
            return moved + 1.0
        if self.fault == "negative":
            return -moved
        if self.fault == "shape":
            return moved[:, 0]
        if self.fault == "batch":
            return moved * (1.0 + np.arange(len(values))[:, None])
        return moved

    def table(self, columns: Any, values: FloatArray, current: FloatArray) -> FloatArray:
        costs = super().table(columns, values, current)
        return costs * 2.0 if self.fault == "table" else costs

    def report(self, total: FloatArray) -> FloatArray:
        return -total if self.fault == "report" else total


@pytest.mark.parametrize(
    "objective",
    [
        *(make() for make in objectives_by_name().values()),
        objectives.WeightedDistance({"income": 2.0}, join="max"),
        objectives.CostTable("own", {"housing": {"own": 3.0}}, default=1.0),
        Own(),
    ],
    ids=lambda objective: objective.name,
)
def test_built_in_objectives_conform(objective: Objective) -> None:
    report = check_objective(objective, FRAME)
    assert report.columns == 3
    assert report.family == objective.name
    assert str(report).startswith(f"{objective.name}: conforms")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("missing", "costs nan. A missing value is -inf: give it a cost"),
        ("stays", "0 for no change; moving column"),
        ("negative", "at least 0"),
        ("shape", "one cost per value, of shape"),
        ("batch", "must price each value by itself"),
        ("table", "table.. of objective 'own' must return the costs.. of each column"),
        ("report", "must keep the order of the joined costs"),
        ("name", "must return the same name and join, 'own' and sum; got 'other' and sum"),
    ],
)
def test_a_mistake_is_found(fault: str, message: str) -> None:
    with pytest.raises((AssertionError, InvalidObjective), match=message):
        check_objective(Own(fault), FRAME)


def test_missing_values_are_tried_wherever_a_column_holds_them() -> None:
    known = pd.DataFrame({"rate": [0.1, 0.2, 0.3], "rooms": [1, 2, 3]})
    with pytest.raises(AssertionError, match=r"moving column 0 from .* to -inf costs nan"):
        check_objective(Own("missing"), known)
    check_objective(Own("missing"), known[["rooms"]])


def test_the_name_and_the_join_are_checked_first() -> None:
    with pytest.raises(AssertionError, match="name of an objective must be a short text; got ''"):
        check_objective(Own(name=""), FRAME)
    for join in ("mean", "max"):  # the text "max" would be added up
        with pytest.raises(
            InvalidObjective, match=rf"must be Join.SUM or Join.MAX of .*, got '{join}' in Own"
        ):
            check_objective(Own(join=join), FRAME)  # type: ignore[arg-type]


def test_an_objective_must_reach_other_processes() -> None:
    @dataclass(frozen=True)
    class Local(Own):
        pass

    with pytest.raises(AssertionError, match=r"must be picklable.*top level of a module"):
        check_objective(Local(), FRAME)
