"""What an objective is: one cost per feature and value, joined over the features."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.visible import echoed
from p2ce.engine.grid.placement import Join
from p2ce.errors import InvalidObjective, P2CEError, what_happened
from p2ce.policy.features.spread import plain_spread, robust_spread
from p2ce.tables.codebook import MISSING, Codebook

Unit = Literal["robust", "std", "own"]  # the units of distances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reference:
    """The reference population that costs are measured against, with the model's columns in its order.

    Values are codes (see ``Codebook``): numbers themselves, ranks of labels, MISSING.
    """

    names: tuple[str, ...]
    values: FloatArray  # (N, d)
    # How each column is coded; None if all are numbers. An explained row may have labels with further codes:
    # see FittedObjective.with_codebook.
    codebook: Codebook | None = None
    _units: dict[Unit, FloatArray] = field(default_factory=dict, init=False, repr=False)  # measured once each

    @property
    def is_category(self) -> BoolArray:
        """Which columns hold categories, (d,)."""
        if self.codebook is None:
            return np.zeros(len(self.names), dtype=np.bool_)
        return self.codebook.is_category

    @property
    def number_count(self) -> int:
        """The number of numeric columns, fixed ones included; at least 1, since it is a divisor."""
        dates = 0 if self.codebook is None else len(self.codebook.dates)
        return max(1, int(np.count_nonzero(~self.is_category)) - dates)

    def unit(self, name: Unit) -> FloatArray:
        """Return the unit of distance of each column, (d,): measured on its known numbers; 1 for a category.

        "robust" is the population standard deviation of the column after clipping it to its 1st–99th
        percentile, so a few outliers do not make every change almost free. "std" is the plain standard
        deviation, as in the paper; it also replaces a robust one of 0. The unit is 1 where both are 0.
        "own" is 1 everywhere: the feature's own unit.
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
    """An objective fitted to the reference population: it prices every change of every column.

    Values are codes (see ``Codebook``): numbers themselves, ranks of labels, MISSING (−inf).
    """

    name: str
    join: Join
    keeps_the_rules: ClassVar[bool] = False  # True skips the check of every cost in ``price``

    @abstractmethod
    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Return the costs (n, w) of a column's values (n, w) for instances at current (n, 1).

        Costs are finite and at least 0, and staying costs exactly 0.
        """

    def switch(self, columns: tuple[int, ...], before: FloatArray, after: FloatArray) -> FloatArray:
        """Price changes of the k columns of a one-hot group: (n, 1, k), (n, w, k) → (n, w).

        The default joins the costs of the single columns.
        """
        each = [
            self._checked(column, after[:, :, place], before[:, :, place])
            for place, column in enumerate(columns)
        ]
        joined: FloatArray = np.max(each, axis=0) if self.join is Join.MAX else np.sum(each, axis=0)
        return joined

    def table(self, columns: IntArray, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price m columns at once: values (n, m, w) for instances at current (n, m, 1).

        The default prices them column by column.
        """
        costs = np.empty(values.shape)
        for axis, column in enumerate(columns):
            costs[:, axis] = self._checked(int(column), values[:, axis], current[:, axis])
        return costs

    def report(self, total: FloatArray) -> FloatArray:
        """Convert joined costs to the numbers that are reported; by default they are the same."""
        return total

    def with_codebook(self, codebook: Codebook) -> "FittedObjective":  # noqa: ARG002
        """Return the objective for rows with labels that the reference lacks, which this codebook decodes.

        The default is for costs that do not depend on what a label says.
        """
        return self

    def _checked(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        costs = self.costs(column, values, current)
        if not self.keeps_the_rules:
            _check_costs(self, column, values, current, costs)
        return costs


class Objective(ABC):
    """A measure of change. Subclass it to write a custom objective.

    ``fit`` learns what it needs from the reference population, and returns a ``FittedObjective``. A built-in
    objective is a frozen dataclass with one line in `p2ce.objectives`; its name, its place in files and its
    row in the documentation follow from the class.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the objective, and of its column in the results."""

    @property
    @abstractmethod
    def join(self) -> Join:
        """How the costs of the features are combined: by their sum or their maximum."""

    @abstractmethod
    def fit(self, reference: Reference) -> FittedObjective:
        """Learn what the costs need from the reference population, such as deviations or distributions."""

    @property
    def holds_functions(self) -> bool:
        """Whether a function of the caller prices a feature, so that a file cannot hold the objective."""
        return False

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Build the objective from the fields of its dataclass, as a file holds them."""
        return cls(**fields)


def fit_objective(objective: Objective, reference: Reference) -> FittedObjective:
    """Fit an objective; raise InvalidObjective for errors in a custom one, and for a wrong result."""
    with blamed(objective):
        fitted = objective.fit(reference)
        if not isinstance(fitted, FittedObjective):
            raise InvalidObjective(
                f"fit() of objective {echoed(objective.name)} must return a FittedObjective, got "
                f"{type(fitted).__name__}. Derive it from p2ce.extend.FittedObjective."
            )
        # The text "max" is not Join.MAX, so its costs would be added up.
        for one in (objective, fitted):
            if not isinstance(one.join, Join):
                raise InvalidObjective(
                    f"join of objective {echoed(objective.name)} must be Join.SUM or Join.MAX of "
                    f"p2ce.extend, got {echoed(one.join)} in {type(one).__name__}. Correct it there."
                )
        if (fitted.name, fitted.join) != (objective.name, objective.join):
            raise InvalidObjective(
                f"fit() of objective {echoed(objective.name)} must return the same name and join, "
                f"{echoed(objective.name)} and {objective.join}; got {echoed(fitted.name)} and "
                f"{fitted.join}. Pass both on."
            )
    return fitted


def price(
    fitted: Sequence[FittedObjective], *, columns: Sequence[int], values: FloatArray, current: FloatArray
) -> list[FloatArray]:
    """Price the candidates (n, m, width) of instances at current (n, m), once per objective.

    ``columns`` (m,) holds the model column of each axis.
    """
    axes = np.asarray(columns, dtype=np.int64)
    tables = []
    for objective in fitted:
        with blamed(objective):
            tables.append(objective.table(axes, values, current[:, :, None]))
    return tables


def reported(fitted: Sequence[FittedObjective], totals: FloatArray) -> FloatArray:
    """Convert totals (n, objectives) to the costs that are reported."""
    costs = []
    for place, objective in enumerate(fitted):
        with blamed(objective):
            costs.append(objective.report(totals[:, place]))
    return np.stack(costs, axis=1)


@contextmanager
def blamed(objective: "Objective | FittedObjective") -> Iterator[None]:
    """Raise InvalidObjective for errors in a custom objective; errors in a built-in one pass unchanged."""
    try:
        yield
    except P2CEError:
        raise
    except (Exception, SystemExit) as error:
        if type(objective).__module__.partition(".")[0] == __name__.partition(".")[0]:
            raise
        raise InvalidObjective(
            f"Objective {echoed(objective.name)} {what_happened(error)}. It must return a cost for every "
            "value that the policy allows."
        ) from error


def _check_costs(
    objective: FittedObjective, column: int, values: FloatArray, current: FloatArray, costs: FloatArray
) -> None:
    if np.shape(costs) != values.shape:
        raise InvalidObjective(
            f"Objective {echoed(objective.name)} returns costs of shape {np.shape(costs)} for values of "
            f"shape {values.shape}. Return one cost per value."
        )
    wrong = ~np.isfinite(costs) | (costs < 0) | ((values == current) & (costs != 0))
    if wrong.any():
        instance, index = (int(first) for first in np.argwhere(wrong)[0])
        now, then = current[instance, 0], values[instance, index]
        rule = "staying must cost 0" if now == then else "costs must be finite and 0 or more"
        raise InvalidObjective(
            f"Objective {echoed(objective.name)}: moving column {column} from {now:g} to {then:g} costs "
            f"{costs[instance, index]:g}; {rule}. Correct its costs()."
        )


def read_join(join: str, *, name: str) -> Join:
    """Return the join for the text that a user passed."""
    try:
        return Join(join)
    except ValueError:
        raise InvalidObjective(
            f"join of objective {echoed(name)} must be 'sum' or 'max', got {echoed(join)}."
        ) from None


def read_objective_name(name: object) -> str:
    """Return the name of a custom objective, which becomes a column of the results."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidObjective(
            f"An objective needs a name, got {echoed(name)}. Pass a short text: name='own_cost'."
        )
    return name


def read_cost(given: object, *, what: str) -> float:
    """Return a cost or weight; raise unless it is a finite number of at least 0."""
    try:
        cost = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        cost = math.nan
    if not math.isfinite(cost) or cost < 0:
        raise InvalidObjective(
            f"Costs must be finite numbers of at least 0, but {what} is {echoed(given)}. Correct it."
        )
    return cost


def read_category(given: object, *, name: str) -> float:
    """Return how many units a changed category counts in a distance."""
    return read_cost(given, what=f"category of {echoed(name)}")


def read_unit(given: object, *, name: str) -> Unit:
    """Return the unit for the text that a user passed."""
    for known in get_args(Unit):
        if isinstance(given, str) and given == known:
            unit: Unit = known
            return unit
    raise InvalidObjective(
        f"The unit of {echoed(name)} must be 'robust', 'std' or 'own', got {echoed(given)}. They stand for "
        "the standard deviation without a column's tails, the plain one, and the feature's own unit."
    )
