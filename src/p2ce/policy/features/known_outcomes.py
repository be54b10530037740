"""Check the labels of a reference: one known outcome for each row."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from p2ce.base.arrays import BoolArray
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, InvalidTarget
from p2ce.tables.cells import is_missing


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownOutcomes:
    """The outcomes of the reference's rows, as plain Python values, and the name of the label."""

    values: tuple[Any, ...]
    name: str | None

    def are(self, target: Any) -> BoolArray:
        """Return which labels equal a class, or are in a range (low, high), as an array (n,)."""
        if not isinstance(target, tuple | list):
            return np.array([bool(value == target) for value in self.values], dtype=np.bool_)
        low, high = target
        try:
            numbers = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidTarget(
                f"target={echoed(target)} is a range of numbers, but y holds labels such as "
                f"{echoed(self.values[0])}. Pass one of the labels as the target."
            ) from error
        above = np.ones(len(numbers), dtype=np.bool_) if low is None else numbers >= low
        return above if high is None else above & (numbers <= high)

    def require_classes(self, classes: tuple[Any, ...]) -> None:
        """Raise if a label is not one of the model's classes."""
        strange = [value for value in dict.fromkeys(self.values) if value not in classes]
        if strange:
            raise InvalidTarget(
                f"y holds {echoed(strange[0])}, which is not one of the model's classes "
                f"{listed(classes)}. Pass the labels that the model was fitted on."
            )


def known_outcomes(y: Any, *, rows: int, index: Any = None) -> KnownOutcomes:
    """Read labels from a Series, an array, a list or a table with one column.

    They must be in the order of the reference's rows. The reference's pandas ``index`` reveals a Series in
    another order.

    >>> known_outcomes([0, 1, 1], rows=3).values
    (0, 1, 1)
    """
    columns = getattr(y, "columns", None)
    if columns is not None:
        if len(columns) != 1:
            raise InvalidArgument(
                f"y must be one column of labels; got a table of {len(columns)} columns. Pass one of them."
            )
        y = y[columns[0]]
    if isinstance(y, str | bytes) or np.ndim(y) != 1:
        raise InvalidArgument(
            f"y must hold one label for each row of the reference; got {echoed(y)}. Pass a Series, an array "
            "or a list."
        )
    as_list = next((one for one in ("tolist", "to_list", "to_pylist") if hasattr(y, one)), None)
    values = tuple(y if as_list is None else getattr(y, as_list)())
    if len(values) != rows:
        raise InvalidArgument(
            f"y has {len(values):,} labels for the {rows:,} rows of the reference. Pass one for each row, in "
            "the same order."
        )
    if _is_reordered(y, index):
        raise InvalidArgument(
            "y has the index of the reference in another order, so its labels belong to other rows. Pass "
            "y.loc[X.index]."
        )
    strange = next((value for value in values if not isinstance(value, Hashable)), None)
    if strange is not None:
        raise InvalidArgument(
            f"y holds {echoed(strange)}, which is not a label. Pass texts, numbers or bools."
        )
    missing = sum(is_missing(value) for value in values)
    if missing:
        raise InvalidArgument(
            f"{missing:,} of the {rows:,} labels of y are missing. Remove these rows from the reference and "
            "from y."
        )
    name = getattr(y, "name", None)
    return KnownOutcomes(values=values, name=None if name is None else str(name))


def _is_reordered(y: Any, index: Any) -> bool:
    """Return whether a pandas Series has the labels of an index in another order."""
    own: Any = getattr(y, "index", None)
    if index is None or not hasattr(own, "equals") or own.equals(index):
        return False
    return bool(own.is_unique and index.is_unique and len(own.difference(index, sort=False)) == 0)
