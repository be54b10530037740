"""A distance in which some features are harder to move than others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from p2ce.base.visible import echoed
from p2ce.engine.grid.placement import Join
from p2ce.errors import InvalidObjective, nearest
from p2ce.objectives.distance import FittedDistance
from p2ce.objectives.objective import (
    FittedObjective,
    Objective,
    Reference,
    Unit,
    read_category,
    read_cost,
    read_join,
    read_objective_name,
    read_unit,
)


@dataclass(frozen=True, slots=True, init=False)
class WeightedDistance(Objective):
    """The sum of weight · |Δ|/unit over the features, or with ``join="max"`` the largest of these.

    Args:
        weights: feature → the cost of moving it by one unit, at least 0.
        name: the name of the objective in the results.
        join: ``"sum"`` or ``"max"``.
        unit: the unit in which each feature is measured. "robust" is the standard deviation of the column
            after clipping to its 1st–99th percentile, so a few outliers do not make every change almost
            free. "std" is the plain standard deviation, the paper's σ. "own" is the feature's own unit.
        default: the weight of every feature that is not in ``weights``.
        category: how many units a changed category counts, and a change from or to a missing value; the
            weight multiplies this. A one-hot group has the largest weight of its columns.

    >>> import numpy as np
    >>> reference = Reference(names=("a", "b"), values=np.array([[0.0, 1.0], [2.0, 5.0]]))
    >>> fitted = WeightedDistance({"a": 10.0}).fit(reference)
    >>> fitted.costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[10.0, 0.0, 30.0]]
    """

    name: str
    join: Join
    weights: tuple[tuple[str, float], ...]
    unit: Unit
    default: float
    category: float

    def __init__(
        self,
        weights: Mapping[str, float],
        *,
        name: str = "weighted_distance",
        join: str = "sum",
        unit: Unit = "robust",
        default: float = 1.0,
        category: float = 1.0,
    ) -> None:
        if not isinstance(weights, Mapping):
            raise InvalidObjective(
                f"WeightedDistance expects a dict of feature → weight, got {type(weights).__name__}. "
                f"Write WeightedDistance({{'Age': 2.0}})."
            )
        set_field = object.__setattr__  # frozen for everyone else
        set_field(self, "name", read_objective_name(name))
        set_field(self, "join", read_join(join, name=name))
        set_field(
            self,
            "weights",
            tuple(
                (str(key), read_cost(w, what=f"the weight of {echoed(key)}")) for key, w in weights.items()
            ),
        )
        set_field(self, "unit", read_unit(unit, name=self.name))
        set_field(self, "default", read_cost(default, what="the default weight"))
        set_field(self, "category", read_category(category, name=self.name))

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Self:
        """Build the objective from its fields: the weights are pairs."""
        return cls(**{**fields, "weights": dict(fields["weights"])})

    def fit(self, reference: Reference) -> FittedObjective:
        """Measure the unit of every column."""
        known = dict(self.weights)
        for feature in known:
            if feature not in reference.names:
                raise InvalidObjective(
                    f"Objective {echoed(self.name)} weighs {echoed(feature)}, which is not a column of the "
                    f"model. {nearest(feature, reference.names)}"
                )
        weight = np.array([known.get(feature, self.default) for feature in reference.names])
        one = reference.unit(self.unit)
        unit = np.divide(one, weight, out=np.full(len(weight), np.inf), where=weight > 0)
        return FittedDistance(
            name=self.name,
            join=self.join,
            unit=unit,
            flip=weight * self.category,
            is_category=reference.is_category,
        )
