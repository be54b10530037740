"""The number of features that change: c₃ of the paper."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.grid.placement import Join
from p2ce.objectives.objective import FittedObjective, Objective, Reference


@dataclass(frozen=True, slots=True)
class Changes(Objective):
    """The number of features that change, by any amount.

    A change from or to a missing value counts as a change, and a one-hot group counts as one feature.

    >>> import numpy as np
    >>> reference = Reference(names=("a",), values=np.array([[0.0], [4.0]]))
    >>> Changes().fit(reference).costs(0, np.array([[0.0, 1.0, 4.0]]), np.array([[1.0]])).tolist()
    [[1.0, 0.0, 1.0]]
    """

    name: ClassVar[str] = "changes"
    join: ClassVar[Join] = Join.SUM

    def fit(self, reference: Reference) -> FittedObjective:  # noqa: ARG002 (the others need it)
        """Return the fitted objective; it uses nothing from the reference data."""
        return FittedChanges(name=self.name, join=self.join)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedChanges(FittedObjective):
    """A cost of 1 for every value other than the current one."""

    keeps_the_rules: ClassVar[bool] = True
    name: str
    join: Join

    def costs(self, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        """Price a column's values."""
        return self.table(np.array([column]), values, current)

    def table(
        self,
        columns: IntArray,  # noqa: ARG002 (the others need it)
        values: FloatArray,
        current: FloatArray,
    ) -> FloatArray:
        """Price the values of several columns."""
        moved: FloatArray = (values != current).astype(np.float64)
        return moved

    def switch(
        self,
        columns: tuple[int, ...],  # noqa: ARG002 (the others need it)
        before: FloatArray,
        after: FloatArray,
    ) -> FloatArray:
        """Price a one-hot group, which counts as one feature."""
        switched: FloatArray = (before != after).any(axis=2).astype(np.float64)
        return switched
