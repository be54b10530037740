"""Read off a table of people what each feature is like and where it may move."""

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidOption, InvalidReference, UnsupportedColumn, nearest
from p2ce.problem.decimals import as_typed, round_step, to_dtype
from p2ce.problem.feature import LARGEST_MAGNITUDE, FeatureActions, Kind, shown

if TYPE_CHECKING:  # The stages below the explainer do without pandas; a frame is asked, never built.
    import pandas as pd

Grid = Literal["round", "paper"]
GRIDS = ("round", "paper")
LARGEST_EXACT_WHOLE = 2**53  # above it float64 no longer tells neighbouring whole numbers apart


def infer_features(frame: "pd.DataFrame", *, grid: Grid = "round") -> tuple[FeatureActions, ...]:
    """Give the actions of every column, in the frame's order.

    >>> import pandas as pd
    >>> age, = infer_features(pd.DataFrame({"Age": range(18, 80)}))
    >>> age.kind, age.step
    (<Kind.WHOLE: 'whole'>, 2.0)
    """
    if grid not in GRIDS:
        raise InvalidOption(f"grid must be 'round' or 'paper', not {grid!r}. {nearest(grid, GRIDS)}")
    names = column_names(frame)
    dtypes = {name: number_dtype(frame.iloc[:, j].dtype) for j, name in enumerate(names)}
    _refuse_other_columns(frame, dtypes)
    columns = {name: _as_floats(frame.iloc[:, j]) for j, name in enumerate(names)}
    _refuse_missing(columns)
    return tuple(_infer_one(name, dtypes[name], values, grid) for name, values in columns.items())


def column_names(frame: "pd.DataFrame") -> tuple[str, ...]:
    """Give the frame's column names as text, after checking that there is a table at all."""
    if not hasattr(frame, "columns") or not hasattr(frame, "iloc"):
        raise InvalidReference(
            f"The reference must be a pandas DataFrame, not {type(frame).__name__}. "
            f"Wrap it: pd.DataFrame(X, columns=[...])."
        )
    names = tuple(str(name) for name in frame.columns)
    if not names:
        raise InvalidReference(
            "The reference frame has no columns. Give the columns that the model was fitted on."
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidReference(
            f"The reference frame has more than one column called {', '.join(map(repr, twice))}. "
            f"Rename or drop them."
        )
    if len(frame) == 0:
        raise InvalidReference(
            "The reference frame has zero rows. Give the people that the model was fitted on."
        )
    return names


def number_dtype(dtype: Any) -> "np.dtype[Any] | None":
    """Give the NumPy dtype of a number or bool column (pandas' nullable ones too), None for any other."""
    plain = getattr(dtype, "numpy_dtype", dtype)
    if isinstance(plain, np.dtype) and plain.kind in "biuf" and plain.itemsize <= 8:
        return plain
    return None


def _refuse_other_columns(frame: "pd.DataFrame", dtypes: "dict[str, np.dtype[Any] | None]") -> None:
    others = [
        f"{name!r} ({frame.iloc[:, j].dtype})"
        for j, (name, dtype) in enumerate(dtypes.items())
        if dtype is None
    ]
    if others:
        raise UnsupportedColumn(
            f"Expected columns of numbers or bools, got {', '.join(others)}. Categorical columns are not "
            f"supported yet: encode them as numbers before fitting the model, or drop them from both."
        )


def _as_floats(column: "pd.Series[Any]") -> FloatArray:
    values: FloatArray = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def _refuse_missing(columns: dict[str, FloatArray]) -> None:
    bad = {name: int(np.count_nonzero(~np.isfinite(values))) for name, values in columns.items()}
    found = ", ".join(f"{name!r} ({count})" for name, count in bad.items() if count)
    if found:
        raise InvalidReference(
            f"The reference frame has missing or infinite values in {found}. "
            f"Fill them in, or drop the rows: frame.replace([inf, -inf], nan).dropna()."
        )


def _infer_one(name: str, dtype: "np.dtype[Any] | None", values: FloatArray, grid: Grid) -> FeatureActions:
    assert dtype is not None  # the other columns were refused before
    kind = _kind(dtype, values)
    if kind is Kind.WHOLE and np.abs(values).max() > LARGEST_EXACT_WHOLE and dtype.kind in "iu":
        raise InvalidReference(
            f"{name!r} holds whole numbers up to {shown(float(np.abs(values).max()))}, beyond 2**53, where "
            f"float64 mixes up neighbours. Rescale the column, or drop it if it is an identifier."
        )
    if np.abs(values).max() > LARGEST_MAGNITUDE:
        raise InvalidReference(
            f"{name!r} holds values beyond {LARGEST_MAGNITUDE:g}, whose differences leave float64. "
            f"Rescale the column."
        )
    low, high = _range(values, kind, dtype)
    step, anchor = _step_and_anchor(low, high, kind, grid, extent=float(np.ptp(values)))
    return FeatureActions(name=name, kind=kind, dtype=dtype, low=low, high=high, step=step, anchor=anchor)


def _kind(dtype: "np.dtype[Any]", values: FloatArray) -> Kind:
    both = values.min() == 0 and values.max() == 1 and bool(np.isin(values, (0.0, 1.0)).all())
    if dtype.kind == "b" or both:
        return Kind.BINARY
    return Kind.WHOLE if bool((values == np.floor(values)).all()) else Kind.NUMBER


def _range(values: FloatArray, kind: Kind, dtype: "np.dtype[Any]") -> tuple[float, float]:
    if kind is Kind.BINARY:  # both values count, however rare one of them is
        return float(values.min()), float(values.max())
    low, high = (float(end) for end in np.percentile(values, (1, 99)))
    if kind is Kind.WHOLE and ceil(low) > floor(high):
        return float(floor(low)), float(
            ceil(high)
        )  # a handful of rows: 2 and 3 have percentiles 2.01 and 2.99
    return to_dtype(low, dtype), to_dtype(high, dtype)


def _step_and_anchor(
    low: float, high: float, kind: Kind, grid: Grid, *, extent: float
) -> tuple[float, float]:
    if kind is Kind.BINARY:
        return 1.0, 0.0
    whole = kind is Kind.WHOLE
    if low == high:
        # Only within() can give such a column room; its one value stays a candidate then.
        width = as_typed(extent) or abs(as_typed(low)) or Fraction(20)
        return round_step(width, whole=whole), low
    width = as_typed(high) - as_typed(low)
    if grid == "round":
        return round_step(width, whole=whole), 0.0
    return (float(ceil(width / 20)), float(ceil(low))) if whole else (_twentieth(width), low)


def _twentieth(width: Fraction) -> float:
    step = float(width / 20)
    # Rounded down, so that twenty steps still end inside the range.
    return max(5e-324, step if as_typed(step) * 20 <= width else float(np.nextafter(step, 0.0)))
