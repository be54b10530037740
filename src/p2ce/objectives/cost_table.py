"""What does every value cost, by the user's own table?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.costs import Join
from p2ce.errors import InvalidObjective, nearest
from p2ce.objectives.arguments import read_cost, read_join, read_name
from p2ce.objectives.base import FittedObjective, Objective, Reference

PriceOf: TypeAlias = Callable[[float, FloatArray], Any]  # (current value, values (w,)) → costs (w,)


@dataclass(frozen=True, slots=True, eq=False)
class PriceList:
    """What moving to each value costs."""

    values: FloatArray  # (k,) ascending
    costs: FloatArray  # (k,)


@dataclass(frozen=True, slots=True, init=False, eq=False)
class CostTable(Objective):
    """Your own costs, feature by feature.

    Args:
        name: what the objective is called in the results.
        tables: feature → a dict of value → cost of moving there, or a function of the current value
            and an array of values that gives their costs. Costs are finite and 0 or more; staying is
            free, so that a dict's entry for the current value is not charged and a function must
            give 0 for it. Work on several processes needs a function that can be pickled: not a lambda.
        join: ``"sum"`` or ``"max"`` over the features.
        default: the cost of a change that no table prices: a feature without a table, or a value
            missing in its dict. Without a default such a change is an error, never silently free.

    >>> import numpy as np
    >>> people = Reference(names=("Term", "Loan"), values=np.array([[12.0, 500.0], [24.0, 900.0]]))
    >>> def per_hundred(current, values):
    ...     return abs(values - current) / 100
    >>> tables = {"Term": {12: 0.0, 24: 1.5, 36: 4.0}, "Loan": per_hundred}
    >>> fitted = CostTable("effort", tables).fit(people)
    >>> fitted.costs(0, np.array([[12.0, 24.0, 36.0]]), np.array([[12.0]])).tolist()
    [[0.0, 1.5, 4.0]]
    """

    name: str
    join: Join
    tables: tuple[tuple[str, PriceList | PriceOf], ...]
    default: float | None

    def __init__(
        self,
        name: str,
        tables: Mapping[str, Mapping[float, float] | PriceOf],
        *,
        join: str = "sum",
        default: float | None = None,
    ) -> None:
        if not isinstance(tables, Mapping) or not tables:
            raise InvalidObjective(
                f"CostTable {name!r} expects a dict of feature → table, got {tables!r}. "
                f"Write CostTable('effort', {{'Term': {{12: 0, 24: 1.5}}}})."
            )
        set_field = object.__setattr__  # frozen for everyone else
        set_field(self, "name", read_name(name))
        set_field(self, "join", read_join(join, name=name))
        set_field(
            self, "tables", tuple((str(key), _read_table(name, str(key), t)) for key, t in tables.items())
        )
        set_field(
            self, "default", None if default is None else read_cost(default, what=f"the default of {name!r}")
        )

    def fit(self, reference: Reference) -> FittedObjective:
        """Find each table's column."""
        for feature, _ in self.tables:
            if feature not in reference.names:
                raise InvalidObjective(
                    f"Objective {self.name!r} prices {feature!r}, which is no column of the model. "
                    f"{nearest(feature, reference.names)}"
                )
        return FittedCostTable(
            name=self.name,
            join=self.join,
            features=reference.names,
            tables=dict(self.tables),
            default=self.default,
        )


@dataclass(frozen=True, slots=True, eq=False)
class FittedCostTable(FittedObjective):
    """The user's tables by feature."""

    keeps_the_rules: ClassVar[bool] = True  # checks its own, and names the feature
    name: str
    join: Join
    features: tuple[str, ...]  # the model's columns
    tables: dict[str, PriceList | PriceOf]
    default: float | None

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values, and refuse what a cost may not be."""
        feature = self.features[column]
        table = self.tables.get(feature)
        if isinstance(table, PriceList):
            return self._from_list(feature, table, values, current)
        if table is None:
            self._refuse_unpriced(feature, values, values != current)
            return np.where(values == current, 0.0, self.default or 0.0)
        return np.stack(
            [
                self._asked(feature, table, row, float(now))
                for row, (now,) in zip(values, current, strict=True)
            ]
        )

    def _from_list(
        self, feature: str, table: PriceList, values: FloatArray, current: FloatArray
    ) -> FloatArray:
        found = np.minimum(np.searchsorted(table.values, values), len(table.values) - 1)
        listed = table.values[found] == values
        moved = values != current
        self._refuse_unpriced(feature, values, moved & ~listed)
        return np.where(moved, np.where(listed, table.costs[found], self.default or 0.0), 0.0)

    def _refuse_unpriced(
        self, feature: str, values: FloatArray, unpriced: "np.typing.NDArray[np.bool_]"
    ) -> None:
        if self.default is None and unpriced.any():
            raise InvalidObjective(
                f"Objective {self.name!r} has no cost for {feature!r} = {values[unpriced][0]:g}, which "
                f"people may move to. Add it to the table, give CostTable a default=, or fix({feature!r})."
            )

    def _asked(self, feature: str, table: PriceOf, values: FloatArray, current: float) -> FloatArray:
        costs = np.asarray(table(current, values.copy()), dtype=np.float64)
        if costs.shape != values.shape:
            raise InvalidObjective(
                f"Objective {self.name!r}: the function for {feature!r} must give {len(values)} costs for "
                f"{len(values)} values, got shape {costs.shape}. Return one cost per value."
            )
        wrong = ~np.isfinite(costs) | (costs < 0) | ((values == current) & (costs != 0))
        if wrong.any():
            first = int(np.argmax(wrong))
            rule = "staying must cost 0" if values[first] == current else "costs must be finite and 0 or more"
            raise InvalidObjective(
                f"Objective {self.name!r} gives {feature!r} from {current:g} to {values[first]:g} the cost "
                f"{costs[first]:g}; {rule}. Correct the function for {feature!r}."
            )
        return costs + 0.0  # −0 would print as such


def _read_table(name: str, feature: str, table: object) -> PriceList | PriceOf:
    if isinstance(table, Mapping) and table:
        return _price_list(name, feature, table)
    if callable(table):
        return table
    raise InvalidObjective(
        f"Objective {name!r}: the table of {feature!r} must be a dict of value → cost or a function "
        f"of (current, values), got {table!r}."
    )


def _price_list(name: str, feature: str, table: Mapping[Any, Any]) -> PriceList:
    prices: dict[float, float] = {}
    for value, cost in table.items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        if not np.isfinite(number):
            raise InvalidObjective(
                f"Objective {name!r}: the values of {feature!r} must be finite numbers, got {value!r}. "
                f"Use the numbers that the column holds."
            )
        prices[number] = read_cost(cost, what=f"{name!r} at {feature} = {value}")
    # A float32 column holds another 0.1 than the one that was typed; its price is the same.
    with np.errstate(over="ignore"):
        held = {float(np.float32(number)): cost for number, cost in prices.items()}
    prices = {**held, **prices}
    values = np.array(sorted(prices))
    return PriceList(values=values, costs=np.array([prices[value] for value in values.tolist()]))
