"""An objective whose costs come from the user's own tables or functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import is_exact
from p2ce.engine.grid.placement import Join
from p2ce.errors import InvalidObjective, nearest, what_happened
from p2ce.objectives.objective import (
    FittedObjective,
    Objective,
    Reference,
    read_cost,
    read_join,
    read_objective_name,
)
from p2ce.policy.features.category_labels import as_cells
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import MISSING, Codebook, Coding

PriceOf: TypeAlias = Callable[[Any, npt.NDArray[Any]], Any]  # (current value, values (w,)) → costs (w,)
Priced: TypeAlias = tuple[tuple[Any, float], ...]  # the dict that the user passed: value and cost


@dataclass(frozen=True, slots=True, eq=False)
class PriceList:
    """The cost of moving to each value; values are codes."""

    values: FloatArray  # (k,) ascending
    costs: FloatArray  # (k,)


@dataclass(frozen=True, slots=True, init=False)
class CostTable(Objective):
    """Custom costs, feature by feature.

    Args:
        name: the name of the objective in the results.
        tables: feature → its costs. Costs must be finite and at least 0. They are either a dict of
            value → cost of moving there, or a function that takes the current value and an array of
            values and returns an array of their costs. Staying is free: a dict's entry for the current
            value is ignored, and a function must return 0 for it. The values of a category are its
            labels (a function receives them as an array of objects). A missing value is None or NaN in
            a dict; a function receives NaN for a missing number and None for a missing label. To run in
            several processes, a function must be picklable, so it cannot be a lambda.
        join: ``"sum"`` or ``"max"``: how the costs of the features are combined.
        default: the cost of a change that is not in ``tables``, because its feature has no table or its
            value is not in the dict. Without a default, such a change is an error; it is never free.

    >>> import numpy as np
    >>> reference = Reference(names=("Term", "Loan"), values=np.array([[12.0, 500.0], [24.0, 900.0]]))
    >>> def per_hundred(current, values):
    ...     return abs(values - current) / 100
    >>> tables = {"Term": {12: 0.0, 24: 1.5, 36: 4.0}, "Loan": per_hundred}
    >>> fitted = CostTable("own_cost", tables).fit(reference)
    >>> fitted.costs(0, np.array([[12.0, 24.0, 36.0]]), np.array([[12.0]])).tolist()
    [[0.0, 1.5, 4.0]]
    """

    name: str
    join: Join
    tables: tuple[tuple[str, Priced | PriceOf], ...]
    default: float | None

    @property
    def holds_functions(self) -> bool:
        """Whether a function of the caller prices at least one feature."""
        return any(callable(table) for _, table in self.tables)

    def __init__(
        self,
        name: str,
        tables: Mapping[str, Mapping[Any, float] | PriceOf],
        *,
        join: str = "sum",
        default: float | None = None,
    ) -> None:
        if not isinstance(tables, Mapping) or not tables:
            raise InvalidObjective(
                f"CostTable {echoed(name)} expects a dict of feature → table with at least one entry, "
                f"got {echoed(tables)}. Write CostTable('own_cost', {{'Term': {{12: 0, 24: 1.5}}}})."
            )
        set_field = object.__setattr__  # frozen for everyone else
        set_field(self, "name", read_objective_name(name))
        set_field(self, "join", read_join(join, name=name))
        set_field(
            self, "tables", tuple((str(key), _read_table(name, str(key), t)) for key, t in tables.items())
        )
        set_field(
            self,
            "default",
            None if default is None else read_cost(default, what=f"the default of {echoed(name)}"),
        )

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Build the objective from its fields: the tables, and the prices in each, are pairs."""
        return cls(**{**fields, "tables": {feature: dict(prices) for feature, prices in fields["tables"]}})

    def fit(self, reference: Reference) -> FittedObjective:
        """Find each table's column, and the code of each value that it prices."""
        codings = (None,) * len(reference.names) if reference.codebook is None else tuple(reference.codebook)
        coding_of = dict(zip(reference.names, codings, strict=True))
        for feature, _ in self.tables:
            if feature not in reference.names:
                raise InvalidObjective(
                    f"Objective {echoed(self.name)} has a table for {echoed(feature)}, which is not a column "
                    f"of the model. {nearest(feature, reference.names)}"
                )
        return FittedCostTable(
            name=self.name,
            join=self.join,
            features=reference.names,
            codings=codings,
            tables={
                feature: _price_list(self.name, feature, table, coding_of[feature])
                if isinstance(table, tuple)
                else table
                for feature, table in self.tables
            },
            default=self.default,
        )


@dataclass(frozen=True, slots=True, eq=False)
class FittedCostTable(FittedObjective):
    """The user's tables, by feature."""

    keeps_the_rules: ClassVar[bool] = True  # it checks its own costs, with the feature's name in the error
    name: str
    join: Join
    features: tuple[str, ...]  # the model's columns
    codings: tuple[Coding | None, ...]  # of each column; None for a number
    tables: dict[str, PriceList | PriceOf]
    default: float | None

    def with_codebook(self, codebook: Codebook) -> "FittedCostTable":
        """Return the same tables, whose functions see the labels of this codebook."""
        return replace(self, codings=codebook.of(self.features).codings)

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values, and reject invalid costs."""
        table = self.tables.get(self.features[column])
        if isinstance(table, PriceList):
            return self._from_list(column, table, values, current)
        if table is None:
            self._reject_unpriced(column, values, values != current)
            return np.where(values == current, 0.0, self.default or 0.0)
        return np.stack(
            [
                self._prices_by_function(column, table, row, float(now))
                for row, (now,) in zip(values, current, strict=True)
            ]
        )

    def _from_list(
        self, column: int, table: PriceList, values: FloatArray, current: FloatArray
    ) -> FloatArray:
        found = np.minimum(np.searchsorted(table.values, values), len(table.values) - 1)
        listed = table.values[found] == values
        moved = values != current
        self._reject_unpriced(column, values, moved & ~listed)
        return np.where(moved, np.where(listed, table.costs[found], self.default or 0.0), 0.0)

    def _reject_unpriced(self, column: int, values: FloatArray, unpriced: BoolArray) -> None:
        if self.default is None and unpriced.any():
            feature = self.features[column]
            raise InvalidObjective(
                f"Objective {echoed(self.name)} has no cost for {echoed(feature)} = "
                f"{self._shown(column, values[unpriced][0])}, which the policy allows. "
                f"Add it to the table, pass default= to CostTable, or fix({echoed(feature)})."
            )

    def _prices_by_function(
        self, column: int, table: PriceOf, values: FloatArray, current: float
    ) -> FloatArray:
        feature = self.features[column]
        now = self._as_users_see(column, np.array([current]))[0]
        try:
            costs = np.asarray(table(now, self._as_users_see(column, values)), dtype=np.float64)
        except (Exception, SystemExit) as error:
            raise InvalidObjective(
                f"Objective {echoed(self.name)}: the function for {echoed(feature)} "
                f"{what_happened(error)}. It must return a cost for every value that the policy allows."
            ) from error
        if costs.shape != values.shape:
            raise InvalidObjective(
                f"Objective {echoed(self.name)}: the function for {echoed(feature)} must return "
                f"{len(values)} costs for {len(values)} values, got shape {costs.shape}. Return one cost per "
                "value."
            )
        wrong = ~np.isfinite(costs) | (costs < 0) | ((values == current) & (costs != 0))
        if wrong.any():
            first = int(np.argmax(wrong))
            rule = "staying must cost 0" if values[first] == current else "costs must be finite and 0 or more"
            raise InvalidObjective(
                f"Objective {echoed(self.name)}: moving {echoed(feature)} from "
                f"{self._shown(column, current)} to {self._shown(column, values[first])} costs "
                f"{costs[first]:g}; {rule}. Correct the function for {echoed(feature)}."
            )
        return costs + 0.0  # turns −0, which would be printed as "-0", into 0

    def _as_users_see(self, column: int, codes: FloatArray) -> npt.NDArray[Any]:
        """Convert codes to labels, or to numbers with NaN where missing; always a copy."""
        coding = self.codings[column]
        if coding is not None and coding.is_category:
            return as_cells([coding.plain(code) for code in codes.tolist()])
        return np.where(codes == MISSING, np.nan, codes)

    def _shown(self, column: int, code: float) -> str:
        coding = self.codings[column]
        if code == MISSING:
            return "missing"
        return repr(coding.plain(code)) if coding is not None and coding.is_category else f"{code:g}"


def _read_table(name: str, feature: str, table: object) -> Priced | PriceOf:
    if isinstance(table, Mapping) and table:
        # fit() encodes the values: only the reference says which columns are categories.
        return tuple(
            (value, read_cost(cost, what=f"{echoed(name)} at {feature} = {value}"))
            for value, cost in table.items()
        )
    if callable(table):
        return table
    raise InvalidObjective(
        f"Objective {echoed(name)}: the table of {echoed(feature)} must be a dict of value → cost or a "
        f"function of (current, values), got {echoed(table)}."
    )


def _price_list(name: str, feature: str, table: Priced, coding: Coding | None) -> PriceList:
    is_category = coding is not None and coding.is_category
    prices = {}
    for value, cost in table:
        if is_missing(value):
            prices[MISSING] = cost
        elif coding is not None and is_category:
            prices[_label(name, feature, value, coding)] = cost
        else:
            prices[_number(name, feature, value)] = cost
    if not is_category:
        # The 0.1 of a float32 column differs from the 0.1 in the dict. Both have the same price.
        with np.errstate(over="ignore"):
            held = {float(np.float32(number)): cost for number, cost in prices.items()}
        prices = {**held, **prices}
    values = np.array(sorted(prices))
    return PriceList(values=values, costs=np.array([prices[value] for value in values.tolist()]))


def _label(name: str, feature: str, value: object, coding: Coding) -> float:
    code = coding.code_of(value)
    if code is None:
        raise InvalidObjective(
            f"Objective {echoed(name)} has a cost for {echoed(feature)} = {echoed(value)}, a label that does "
            f"not occur in the reference data. {nearest(value, coding.labels or ())}"
        )
    return code


def _number(name: str, feature: str, value: Any) -> float:
    try:
        number = float(value) if is_exact(value) else np.nan
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InvalidObjective(
            f"Objective {echoed(name)}: the values of {echoed(feature)} must be finite numbers that "
            f"float64 holds exactly, got {echoed(value)}. Use numbers that occur in the column."
        )
    return number
