"""Say where anyone may move: the axes and the candidates that all people share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from p2ce.arrays import FloatArray, IntArray
from p2ce.errors import InvalidActions, nearest
from p2ce.problem.actions import ActionSet


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BaseGrid:
    """The axes of the grid, one per feature that may change, before any person stands on it.

    Axes are in alphabetical order of name, so that the order of the columns can change no answer.

    >>> candidates = {"Loan": [500, 1000], "Age": [30, 40, 50]}
    >>> grid = BaseGrid.from_candidates(candidates, columns=["Loan", "Sex", "Age"])
    >>> grid.names, grid.columns.tolist(), grid.width
    (('Age', 'Loan'), [2, 0], 4)
    """

    names: tuple[str, ...]
    columns: IntArray  # (m,) position of each axis among the model's columns
    values: tuple[FloatArray, ...]  # ascending candidates of each axis
    direction: IntArray  # (m,) -1 down only, 0 either way, +1 up only
    lengths: IntArray  # (m,) number of candidates of each axis
    table: FloatArray  # (m, width) all candidates, each axis repeating its last one to the end

    @property
    def width(self) -> int:
        """Room for the longest axis and a current value that is not on it."""
        return int(self.table.shape[1])

    @property
    def axis_count(self) -> int:
        return len(self.names)

    @classmethod
    def from_candidates(
        cls,
        candidates: Mapping[str, Sequence[float] | FloatArray],
        *,
        columns: Sequence[str],
        direction: Mapping[str, int] | None = None,
    ) -> "BaseGrid":
        """Build a grid from plain data: name → candidates, in any order; a missing direction is 0."""
        names = tuple(sorted(candidates))
        position = {name: place for place, name in enumerate(columns)}
        for name in names:
            if name not in position:
                raise InvalidActions(
                    f"{name!r} may change but is no column of the model. {nearest(name, columns)}"
                )
        values = tuple(np.unique(np.asarray(candidates[name], dtype=np.float64)) for name in names)
        for name, axis in zip(names, values, strict=True):
            if not len(axis) or not np.isfinite(axis).all():
                raise InvalidActions(
                    f"Axis {name!r} needs finite candidates, at least one. Fix it or name values()."
                )
        turns = direction or {}
        width = max((len(axis) for axis in values), default=0) + 1
        rows = [np.append(axis, np.full(width - len(axis), axis[-1])) for axis in values]
        return cls(
            names=names,
            columns=np.array([position[name] for name in names], dtype=np.int64),
            values=values,
            direction=np.array([int(turns.get(name, 0)) for name in names], dtype=np.int64),
            lengths=np.array([len(axis) for axis in values], dtype=np.int64),
            table=np.array(rows, dtype=np.float64).reshape(len(rows), width),
        )


def grid_of(actions: ActionSet, *, columns: Sequence[str] | None = None) -> BaseGrid:
    """Build the grid of an action set; ``columns`` are the model's, by default the action set's own.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"Term": [6, 12, 24], "Age": [20, 40, 60]})
    >>> grid_of(ActionSet.infer(people).fix("Age")).names
    ('Term',)
    """
    movable = [feature for feature in actions.features if not feature.fixed]
    return BaseGrid.from_candidates(
        {feature.name: feature.candidates() for feature in movable},
        columns=actions.names if columns is None else columns,
        direction={feature.name: int(feature.direction) for feature in movable},
    )
