"""Build pandas columns from values of other libraries, in the equivalent type."""

from collections.abc import Sequence
from datetime import date, time, timedelta
from numbers import Number
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import is_exact
from p2ce.errors import P2CEError
from p2ce.tables.cells import is_missing

if TYPE_CHECKING:
    import pandas as pd

NO_CELLS = (date, time, timedelta, np.datetime64, np.timedelta64, list, dict, set, np.ndarray)
ErrorType: TypeAlias = type[P2CEError]  # the error to raise for a table that cannot be read


def unsupported(name: object, what: object, error: ErrorType) -> P2CEError:
    """Build the error for a column of an unsupported type."""
    return error(
        f"Expected columns of numbers, bools, categories, text or dates, got {echoed(str(name))} ({what}). "
        "Convert it (a duration into days, for example) before fitting the model, or drop it from both."
    )


def text_dtype() -> Any:
    """Return pandas' default type for text: `str` since pandas 3, object before."""
    import pandas as pd

    return pd.Series([""]).dtype


def text_column(values: Sequence[Any]) -> "pd.Series[Any]":
    """Build a column of text. None is a missing value."""
    import pandas as pd

    column: pd.Series[Any] = pd.Series(list(values), dtype=text_dtype())
    return column


def bool_column(values: Sequence[Any]) -> "pd.Series[Any]":
    """Build a column of bools, of the nullable type only if values are missing."""
    import pandas as pd

    return pd.Series(list(values), dtype="boolean" if any(value is None for value in values) else "bool")


def whole_column(filled: Any, missing: Any) -> "pd.Series[Any]":
    """Build a column of whole numbers, of the nullable type only if values are missing.

    ``filled`` holds an arbitrary number in place of each missing value.
    """
    import pandas as pd

    # Copied, since arrays of other libraries may be read-only.
    numbers, gaps = np.array(filled), np.array(missing, dtype=np.bool_)
    return pd.Series(pd.arrays.IntegerArray(numbers, gaps) if gaps.any() else numbers)


def category_column(values: Sequence[Any], labels: Sequence[Any], *, ordered: bool) -> "pd.Series[Any]":
    """Build a categorical column with all its labels, including those that no row has."""
    import pandas as pd

    known = [label for label in dict.fromkeys(labels) if label is not None]
    texts = all(isinstance(label, str) for label in known)
    index = pd.Index(known, dtype=text_dtype() if texts else None)
    return pd.Series(pd.Categorical(list(values), dtype=pd.CategoricalDtype(index, ordered=ordered)))


def date_column(stamps: Any, *, zone: Any = None) -> "pd.Series[Any]":
    """Build a column of dates. With a time zone, the stamps are those of UTC."""
    import pandas as pd

    index = pd.DatetimeIndex(stamps)
    return pd.Series(index if zone is None else index.tz_localize("UTC").tz_convert(zone))


def listed_column(name: object, values: Sequence[Any], error: ErrorType) -> "pd.Series[Any]":
    """Build a column of plain Python values, in the type that holds them all.

    Whole numbers stay whole even if some are missing, unlike in a DataFrame that pandas builds from a list.
    """
    import pandas as pd

    cells = [None if is_missing(value) else _unwrapped(value) for value in values]
    known = [cell for cell in cells if cell is not None]
    if known and all(isinstance(cell, date | np.datetime64) for cell in known):
        try:
            return date_column([pd.NaT if cell is None else pd.Timestamp(cell) for cell in cells])
        except ValueError as reason:
            raise unsupported(name, f"its dates do not fit together: {reason}", error) from reason
    for cell in known:
        odd_number = isinstance(cell, Number) and not isinstance(cell, int | float)
        if odd_number or isinstance(cell, NO_CELLS):
            raise unsupported(name, f"it holds {type(cell).__name__}, as in {echoed(cell)}", error)
    kinds = {bool if isinstance(cell, bool) else type(cell) for cell in known}
    if not known and any(isinstance(value, float) for value in values):
        kinds = {float}  # all values are NaN
    if kinds == {bool}:
        return bool_column(cells)
    if kinds == {int} and all(-(2**63) <= cell < 2**63 for cell in known):
        filled = np.array([0 if cell is None else cell for cell in cells], dtype=np.int64)
        return whole_column(filled, [cell is None for cell in cells])
    if kinds and kinds <= {int, float} and all(map(is_exact, known)):
        return pd.Series([np.nan if cell is None else float(cell) for cell in cells], dtype="float64")
    if kinds == {str}:
        return text_column(cells)
    held = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):  # one by one: a tuple is one cell
        held[place] = cell
    return pd.Series(held, dtype="object")


def _unwrapped(value: Any) -> Any:
    # A NumPy date would become a plain number.
    timed = isinstance(value, np.datetime64 | np.timedelta64)
    return value.item() if isinstance(value, np.generic) and not timed else value
