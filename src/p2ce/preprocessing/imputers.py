"""Follow columns through transformers of missing values: SimpleImputer, MissingIndicator."""

from typing import Any

import numpy as np

from p2ce.errors import UnsupportedModel
from p2ce.preprocessing.fold import Fold, encoded, precision
from p2ce.preprocessing.input_maps import Strand
from p2ce.preprocessing.operations import Cast, Fill, Flag
from p2ce.tables.cells import is_missing
from p2ce.visible import echoed


def imputer(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow SimpleImputer: statistics take the place of missing values, indicators come behind them."""
    dtype = precision(given)
    found = []
    for strand, statistic in zip(strands, step.statistics_, strict=True):
        if is_missing(statistic) and not step.keep_empty_features:
            continue  # the column was empty in fitting, and is left out
        if strand.is_category:
            if strand.raw:
                fold.knows(strand, [statistic, *_markers(step)])
            found.append(strand)
            continue
        value = np.atleast_1d(np.asarray(statistic, dtype=np.float64)).astype(dtype)
        found.append(_extended(strand, Cast(dtype), Fill(value, _marker(step, dtype, fold, strand))))
    if step.add_indicator:
        found += indicator(step.indicator_, strands, given, fold)
    return found


def indicator(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow MissingIndicator: a column for each of those that it was fitted to tell about."""
    dtype = precision(given)
    found = []
    for place in step.features_.tolist():
        strand = strands[place]
        if strand.is_category:
            if strand.raw:
                fold.knows(strand, _markers(step))
            found.append(encoded(strand))
        else:
            found.append(_extended(strand, Cast(dtype), Flag(_marker(step, dtype, fold, strand))))
    return found


def _extended(strand: Strand, *operations: Any) -> Strand:
    return Strand(source=strand.source, operations=(*strand.operations, *operations))


def _markers(step: Any) -> list[Any]:
    """List the label that means missing, if it is one."""
    return [] if is_missing(step.missing_values) else [step.missing_values]


def _marker(step: Any, dtype: np.dtype[Any], fold: Fold, strand: Strand) -> float:
    """Give the number that means missing; NaN where a missing value means so."""
    marker = step.missing_values
    is_number = isinstance(marker, float | int | np.floating | np.integer) and not isinstance(marker, bool)
    if is_number and (np.isnan(marker) or dtype.type(marker) == np.float64(marker)):
        return float(marker)
    if marker is not None and is_missing(marker):
        return float("nan")  # pandas' NA
    raise UnsupportedModel(
        f"This Pipeline takes {echoed(marker)} for missing in column "
        f"{echoed(fold.columns[strand.source])}, which holds "
        f"numbers of {dtype}. Read is missing_values=np.nan, or such a number."
    )
