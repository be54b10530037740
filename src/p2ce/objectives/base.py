"""Say what an objective is: one cost per feature and value, joined over the features."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.costs import Join
from p2ce.errors import InvalidObjective


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reference:
    """The people that costs are measured against: all the model's columns, in its order."""

    names: tuple[str, ...]
    values: FloatArray  # (N, d)

    def spread(self) -> FloatArray:
        """Give the population standard deviation σ of each column, (d,); 0 counts as 1."""
        # Asked of the values, since rounding gives a constant column a deviation of 1e-17 or so.
        constant = self.values.min(axis=0) == self.values.max(axis=0)
        deviation = self.values.std(axis=0)
        return np.where(constant | (deviation == 0), 1.0, deviation)


class FittedObjective(ABC):
    """An objective that knows the reference people: it prices every change of every column."""

    name: str
    join: Join
    keeps_the_rules: ClassVar[bool] = False  # True spares the check of every cost in ``price``

    @abstractmethod
    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values (n, w) for people who stand at current (n, 1); staying costs exactly 0."""

    def report(self, total: FloatArray) -> FloatArray:
        """Turn joined costs into the numbers that people see."""
        return total


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedDistance(FittedObjective):
    """|Δ| counted in units of each column, as several objectives do."""

    keeps_the_rules: ClassVar[bool] = True
    name: str
    join: Join
    unit: FloatArray  # (d,) the distance that costs 1; infinite where moving is free

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values."""
        moved: FloatArray = np.abs(values - current)
        moved /= self.unit[column]
        return moved


class Objective(ABC):
    """A notion of effort. ``name`` is what its column in the results is called."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What people call it, and its column in the results."""

    @property
    @abstractmethod
    def join(self) -> Join:
        """How the costs of the features become one."""

    @abstractmethod
    def fit(self, reference: Reference) -> FittedObjective:
        """Learn from the reference people what the costs need: deviations, distributions, nothing."""


def price(
    fitted: Sequence[FittedObjective], *, columns: Sequence[int], values: FloatArray, current: FloatArray
) -> list[FloatArray]:
    """Price the candidates (n, m, width) of people who stand at current (n, m), once per objective.

    ``columns`` (m,) says which of the model's columns each axis is.
    """
    tables = [np.empty(values.shape) for _ in fitted]
    for axis, column in enumerate(columns):
        for objective, table in zip(fitted, tables, strict=True):
            here, now = values[:, axis], current[:, axis, None]
            costs = objective.costs(int(column), here, now)
            if not objective.keeps_the_rules:
                _check_costs(objective, int(column), here, now, costs)
            table[:, axis] = costs
    return tables


def _check_costs(
    objective: FittedObjective, column: int, values: FloatArray, current: FloatArray, costs: FloatArray
) -> None:
    if np.shape(costs) != values.shape:
        raise InvalidObjective(
            f"Objective {objective.name!r} gives costs of shape {np.shape(costs)} for values of shape "
            f"{values.shape}. Return one cost per value."
        )
    wrong = ~np.isfinite(costs) | (costs < 0) | ((values == current) & (costs != 0))
    if wrong.any():
        person, index = (int(first) for first in np.argwhere(wrong)[0])
        now, then = current[person, 0], values[person, index]
        rule = "staying must cost 0" if now == then else "costs must be finite and 0 or more"
        raise InvalidObjective(
            f"Objective {objective.name!r} gives column {column} from {now:g} to {then:g} the cost "
            f"{costs[person, index]:g}; {rule}. Correct its costs()."
        )
