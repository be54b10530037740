"""State what an objective is: one cost per feature and value, joined over the features."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.errors import InvalidObjective, P2CEError, what_happened
from p2ce.grid.candidate_costs import Join
from p2ce.problem.spread import plain_spread, robust_spread
from p2ce.tables.codebook import MISSING, Codebook
from p2ce.visible import echoed

Unit = Literal["robust", "std", "own"]  # in which distances count


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reference:
    """The people that costs are measured against: all the model's columns, in its order.

    Values are codes (``p2ce.tables.codebook``): numbers as they are, ranks of labels, MISSING.
    """

    names: tuple[str, ...]
    values: FloatArray  # (N, d)
    codebook: Codebook | None = None  # how each column is coded; None: all are numbers
    _units: dict[Unit, FloatArray] = field(default_factory=dict, init=False, repr=False)  # once measured

    @property
    def is_category(self) -> BoolArray:
        """Which columns hold categories, (d,)."""
        if self.codebook is None:
            return np.zeros(len(self.names), dtype=np.bool_)
        return self.codebook.is_category

    @property
    def number_count(self) -> int:
        """How many columns hold numbers, fixed ones included; at least 1, so that it can be divided by."""
        return max(1, int(np.count_nonzero(~self.is_category)))

    def unit(self, name: Unit) -> FloatArray:
        """Return how much of each column is a unit of distance, (d,): by its known numbers; 1 for a category.

        "robust" is the population standard deviation of the column after clipping it to its 1st–99th
        percentile, so that a few outliers do not make every change free; "std" the plain one, as in the
        paper, which also stands in where the robust one is 0; 1 where both are. "own" is 1 everywhere: the
        feature's own unit.
        """
        if name not in self._units:
            self._units[name] = self._measured(name)
        return self._units[name].copy()

    def _measured(self, name: Unit) -> FloatArray:
        units = np.ones(len(self.names))
        if name == "own":
            return units
        spread = robust_spread if name == "robust" else plain_spread
        for column in np.flatnonzero(~self.is_category):
            values = self.values[:, column]
            units[column] = spread(values[values != MISSING]) or 1.0
        return units


class FittedObjective(ABC):
    """An objective that knows the reference people: it prices every change of every column.

    Values are codes (``p2ce.tables.codebook``): numbers as they are, the rank of a label, MISSING (−inf).
    """

    name: str
    join: Join
    keeps_the_rules: ClassVar[bool] = False  # True spares the check of every cost in ``price``

    @abstractmethod
    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values (n, w) for instances at current (n, 1); staying costs exactly 0."""

    def switch(self, columns: tuple[int, ...], before: FloatArray, after: FloatArray) -> FloatArray:
        """Price changes of k columns that are one category, a one-hot group: (n, 1, k), (n, w, k) → (n, w).

        By default what the columns cost one by one, joined.
        """
        each = [
            self._checked(column, after[:, :, place], before[:, :, place])
            for place, column in enumerate(columns)
        ]
        joined: FloatArray = np.max(each, axis=0) if self.join is Join.MAX else np.sum(each, axis=0)
        return joined

    def table(self, columns: IntArray, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price m columns at once: values (n, m, w) for instances at current (n, m, 1).

        By default column by column.
        """
        costs = np.empty(values.shape)
        for axis, column in enumerate(columns):
            costs[:, axis] = self._checked(int(column), values[:, axis], current[:, axis])
        return costs

    def report(self, total: FloatArray) -> FloatArray:
        """Turn joined costs into the numbers that people see."""
        return total

    def _checked(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        costs = self.costs(column, values, current)
        if not self.keeps_the_rules:
            _check_costs(self, column, values, current, costs)
        return costs


class Objective(ABC):
    """A measure of change. ``name`` is what its column in the results is called."""

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
    """Price the candidates (n, m, width) of instances at current (n, m), once per objective.

    ``columns`` (m,) says which of the model's columns each axis is.
    """
    axes = np.asarray(columns, dtype=np.int64)
    tables = []
    for objective in fitted:
        with blamed(objective):
            tables.append(objective.table(axes, values, current[:, :, None]))
    return tables


@contextmanager
def blamed(objective: "Objective | FittedObjective") -> Iterator[None]:
    """Blame an objective of the user's for what it raises; an objective of this library is our own fault."""
    try:
        yield
    except P2CEError:
        raise
    except (Exception, SystemExit) as error:
        if type(objective).__module__.partition(".")[0] == __name__.partition(".")[0]:
            raise
        raise InvalidObjective(
            f"Objective {echoed(objective.name)} {what_happened(error)}. It has to give costs for every "
            "value that people may move to."
        ) from error


def _check_costs(
    objective: FittedObjective, column: int, values: FloatArray, current: FloatArray, costs: FloatArray
) -> None:
    if np.shape(costs) != values.shape:
        raise InvalidObjective(
            f"Objective {echoed(objective.name)} gives costs of shape {np.shape(costs)} for values of shape "
            f"{values.shape}. Return one cost per value."
        )
    wrong = ~np.isfinite(costs) | (costs < 0) | ((values == current) & (costs != 0))
    if wrong.any():
        person, index = (int(first) for first in np.argwhere(wrong)[0])
        now, then = current[person, 0], values[person, index]
        rule = "staying must cost 0" if now == then else "costs must be finite and 0 or more"
        raise InvalidObjective(
            f"Objective {echoed(objective.name)} gives column {column} from {now:g} to {then:g} the cost "
            f"{costs[person, index]:g}; {rule}. Correct its costs()."
        )
