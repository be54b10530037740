"""Infer the kind, range and candidates of each feature from a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed, listed
from p2ce.base.whole_numbers import INEXACT, LARGEST_EXACT, is_exact
from p2ce.errors import InvalidArgument, InvalidReference, nearest
from p2ce.policy.features.candidate_values import values_where_rows_are
from p2ce.policy.features.decimals import as_typed, round_step, to_dtype
from p2ce.policy.features.feature import (
    LARGEST_MAGNITUDE,
    FeaturePolicy,
    Kind,
    date_feature,
    shown_number,
)
from p2ce.tables.cells import plain_cell
from p2ce.tables.codebook import MISSING, Coding, coding_of

if TYPE_CHECKING:
    import pandas as pd


GridChoice = Literal["data", "paper"]
GRIDS = ("data", "paper")
WHOLE_SHARE = 0.9  # the smallest share of whole values in a column of counts; the rest was imputed
FEWEST_COUNTED, FEWEST_COUNTS = 20, 3  # rows and distinct whole values, to distinguish counts from ratios


@dataclass(frozen=True, kw_only=True, eq=False)
class EncodedColumns:
    """The columns of a table as codes, with the coding of each."""

    codings: tuple[Coding, ...]
    codes: tuple[FloatArray, ...]  # (n,) each, with MISSING for a missing value

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(coding.name for coding in self.codings)

    @cached_property
    def known(self) -> tuple[FloatArray, ...]:
        """The codes of each column that are not missing."""
        return tuple(values[values != MISSING] for values in self.codes)

    @cached_property
    def numbers(self) -> dict[str, FloatArray]:
        """The known values of the numeric columns."""
        pairs = zip(self.codings, self.known, strict=True)
        return {coding.name: values for coding, values in pairs if not (coding.is_category or coding.is_date)}


def encode_columns(frame: "pd.DataFrame") -> EncodedColumns:
    """Encode every column, and raise if one cannot be encoded."""
    columns = [frame.iloc[:, place] for place in range(len(column_names(frame)))]
    codings = tuple(_coding_of(column) for column in columns)
    codes = tuple(coding.encode(column) for coding, column in zip(codings, columns, strict=True))
    _reject_uneven(codings, codes)
    _reject_inexact(codings, columns, codes)
    _reject_infinite(codings, codes)
    encoded = EncodedColumns(codings=codings, codes=codes)
    _reject_unknown(codings, encoded.known)
    return encoded


def infer_features(
    columns: EncodedColumns,
    *,
    grid: GridChoice = "data",
    special: Mapping[str, tuple[float, ...]] | None = None,
) -> tuple[FeaturePolicy, ...]:
    """Infer the policy of every column from its values alone, in the table's order.

    >>> import pandas as pd
    >>> age, = infer_features(encode_columns(pd.DataFrame({"Age": range(18, 80)})))
    >>> age.kind, age.candidates()[:3].tolist()
    (<Kind.WHOLE: 'whole'>, [18.0, 19.0, 20.0])
    """
    if grid not in GRIDS:
        raise InvalidArgument(f"grid must be 'data' or 'paper', got {echoed(grid)}. {nearest(grid, GRIDS)}")
    return tuple(
        date_feature(coding.name)
        if coding.is_date
        else _infer_category(coding, values)
        if coding.is_category
        else infer_number(coding, values, grid, (special or {}).get(coding.name, ()))
        for coding, values in zip(columns.codings, columns.known, strict=True)
    )


def counts_made_fractional(columns: EncodedColumns, features: Sequence[FeaturePolicy]) -> tuple[str, ...]:
    """List the columns of counts that hold some fractions, probably from imputing a mean."""
    return tuple(
        feature.name
        for feature in features
        if feature.kind is Kind.WHOLE and not _is_whole(columns.numbers[feature.name]).all()
    )


def column_names(frame: "pd.DataFrame") -> tuple[str, ...]:
    """Return the frame's column names as text, after checking that it is a table with rows."""
    if not hasattr(frame, "columns") or not hasattr(frame, "iloc"):
        raise InvalidReference(
            f"The reference must be a pandas DataFrame, got {type(frame).__name__}. "
            f"Wrap it: pd.DataFrame(X, columns=[...])."
        )
    names = tuple(str(name) for name in frame.columns)
    if not names:
        raise InvalidReference(
            "The reference frame has no columns. Pass the columns that the model was fitted on."
        )
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InvalidReference(
            f"The reference frame has more than one column called {listed(twice)}. Rename or drop them."
        )
    if len(frame) == 0:
        raise InvalidReference(
            "The reference frame has no rows. Pass the people that the model was fitted on."
        )
    return names


def _coding_of(column: "pd.Series[Any]") -> Coding:
    try:
        return coding_of(column)
    except TypeError as error:
        raise InvalidReference(
            f"{echoed(str(column.name))} ({column.dtype}) holds cells that are not labels: {error}. "
            f"Convert each to text or a number before fitting the model, or drop the column from both."
        ) from error


def _reject_uneven(codings: Sequence[Coding], codes: Sequence[FloatArray]) -> None:
    for coding, values in zip(codings, codes, strict=True):
        if coding.is_date and np.isnan(values).any():
            name = echoed(coding.name)
            raise InvalidReference(
                f"{name} holds dates with fractions of a microsecond, or outside the years 1 to 9999. Round "
                f"them before fitting the model: X[{name}].dt.floor('us')."
            )


def _reject_inexact(
    codings: Sequence[Coding], columns: "Sequence[pd.Series[Any]]", codes: Sequence[FloatArray]
) -> None:
    for coding, column, values in zip(codings, columns, codes, strict=True):
        for row in np.flatnonzero(np.isnan(values)).tolist():
            if not is_exact(cell := plain_cell(column.iloc[row])):
                raise InvalidReference(
                    f"{echoed(coding.name)} holds {echoed(cell)} in row {row}, {INEXACT}. "
                    "Rescale the column. If it identifies people, make it the index: X = "
                    f"X.set_index({echoed(coding.name)})."
                )


def _reject_infinite(codings: Sequence[Coding], codes: Sequence[FloatArray]) -> None:
    counts = [int(np.count_nonzero(np.isnan(values))) for values in codes]
    found = ", ".join(
        f"{echoed(coding.name)} ({count})" for coding, count in zip(codings, counts, strict=True) if count
    )
    if found:
        raise InvalidReference(
            f"The reference frame has infinite values in {found}. "
            f"Make them missing, or drop the rows: frame.replace([inf, -inf], nan)."
        )


def _reject_unknown(codings: Sequence[Coding], known: Sequence[FloatArray]) -> None:
    found = ", ".join(repr(c.name) for c, values in zip(codings, known, strict=True) if not len(values))
    if found:
        raise InvalidReference(
            f"Every value is missing in {found}. "
            f"Drop the column here and from the model, or pass rows with known values."
        )


def _infer_category(coding: Coding, codes: FloatArray) -> FeaturePolicy:
    assert coding.labels is not None
    # Labels that a categorical declares, but no row has, are not candidates.
    labels = tuple(coding.labels[int(code)] for code in np.unique(codes))
    return FeaturePolicy(
        name=coding.name,
        kind=Kind.CATEGORY,
        dtype=coding.number_dtype,
        fixed=holds_date_objects(labels),
        low=0.0,
        high=float(len(labels) - 1),
        step=1.0,
        labels=labels,
        order=coding.labels if coding.ordered else None,
        holds_missing=coding.holds_missing,
    )


def holds_date_objects(labels: Sequence[Any]) -> bool:
    """Return whether the labels of a column of objects are dates."""
    return bool(labels) and all(isinstance(label, date) for label in labels)


def infer_number(
    coding: Coding, values: FloatArray, grid: GridChoice, special: tuple[float, ...]
) -> FeaturePolicy:
    """Infer the range, the step and the candidates of a numeric column from its known values."""
    name, dtype = coding.name, coding.number_dtype
    values = values[~np.isin(values, special)] if special else values
    kind = _kind(dtype, values)
    if kind is Kind.WHOLE and np.abs(values).max() > LARGEST_EXACT and dtype.kind in "iu":
        raise InvalidReference(
            f"{echoed(name)} holds whole numbers up to {shown_number(float(np.abs(values).max()))}, beyond "
            "2**53, where float64 cannot represent every whole number. Rescale the column. If it identifies "
            f"people, make it the index: X = X.set_index({echoed(name)})."
        )
    if np.abs(values).max() > LARGEST_MAGNITUDE:
        raise InvalidReference(
            f"{echoed(name)} holds values beyond {LARGEST_MAGNITUDE:g}, whose differences overflow float64. "
            f"Rescale the column."
        )
    low, high = bulk = _bulk(values, kind, dtype)
    if kind is Kind.WHOLE and grid == "data":
        low, high = bulk = float(ceil(low)), float(floor(high))
    step, anchor = _step_and_anchor(low, high, kind, grid, extent=float(np.ptp(values)))
    inferred = None
    if grid == "data" and kind is not Kind.BINARY:
        whole = kind is Kind.WHOLE
        values = values[_is_whole(values)] if whole else values
        # The bulk decides how fine the candidates are, and the data decide how far they extend.
        low, high = float(values.min()), float(values.max())
        inferred = tuple(
            values_where_rows_are(values, bulk=bulk, step=step, whole=whole, dtype=dtype).tolist()
        )
    return FeaturePolicy(
        name=name,
        kind=kind,
        dtype=dtype,
        low=low,
        high=high,
        step=step,
        anchor=anchor,
        inferred=inferred,
        holds_missing=coding.holds_missing,
        special=special,
    )


def _kind(dtype: "np.dtype[Any]", values: FloatArray) -> Kind:
    both = values.min() == 0 and values.max() == 1 and bool(np.isin(values, (0.0, 1.0)).all())
    if dtype.kind == "b" or both:
        return Kind.BINARY
    whole = _is_whole(values)
    return Kind.WHOLE if bool(whole.all()) or is_count(values) else Kind.NUMBER


def _is_whole(values: FloatArray) -> BoolArray:
    return np.asarray(values == np.floor(values))


def is_count(values: FloatArray) -> bool:
    """Return whether the values are counts, of which some were imputed.

    >>> trades = np.tile([0.0, 1.0, 1.0, 2.0, 3.0], 20)
    >>> is_count(np.append(trades, 0.854)), is_count(np.append(trades / 4, 0.854))
    (True, False)
    """
    whole = _is_whole(values)
    if whole.all() or len(values) < FEWEST_COUNTED or np.count_nonzero(whole) < WHOLE_SHARE * len(values):
        return False
    known, counts = np.unique(values[whole], return_counts=True)
    # A ratio may be 0 in nearly all rows, so most values other than the most common one must be whole, too.
    others = int(counts.sum() - counts.max())
    fractions = values[~whole]
    few = len(known) >= FEWEST_COUNTS or len(np.unique(fractions)) == 1
    inside = bool(fractions.min() >= known[0] and fractions.max() <= known[-1])
    return few and inside and others >= len(fractions)


def _bulk(values: FloatArray, kind: Kind, dtype: "np.dtype[Any]") -> tuple[float, float]:
    """Return the 1st and the 99th percentile, or both values of a yes/no column."""
    if kind is Kind.BINARY:  # both values count, even if one of them is rare
        return float(values.min()), float(values.max())
    low, high = (float(end) for end in np.percentile(values, (1, 99)))
    if kind is Kind.WHOLE and ceil(low) > floor(high):
        return float(floor(low)), float(
            ceil(high)
        )  # with few rows: 2 and 3 have the percentiles 2.01 and 2.99
    return to_dtype(low, dtype), to_dtype(high, dtype)


def _step_and_anchor(
    low: float, high: float, kind: Kind, grid: GridChoice, *, extent: float
) -> tuple[float, float]:
    if kind is Kind.BINARY:
        return 1.0, 0.0
    whole = kind is Kind.WHOLE
    if low == high:
        # Only within() can add candidates to such a column. Its only value stays one.
        width = as_typed(extent) or abs(as_typed(low)) or Fraction(20)
        return round_step(width, whole=whole), low
    width = as_typed(high) - as_typed(low)
    if grid == "data":
        return round_step(width, whole=whole), 0.0
    return (float(ceil(width / 20)), float(ceil(low))) if whole else (_twentieth(width), low)


def _twentieth(width: Fraction) -> float:
    step = float(width / 20)
    # Rounded down, so twenty steps still end inside the range.
    return max(5e-324, step if as_typed(step) * 20 <= width else float(np.nextafter(step, 0.0)))
