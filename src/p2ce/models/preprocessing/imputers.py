"""Follow columns through transformers for missing values: SimpleImputer, MissingIndicator."""

from typing import Any

import numpy as np

from p2ce.base.visible import echoed
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.fold import Fold, encoded, precision
from p2ce.models.preprocessing.input_maps import InputMap
from p2ce.models.preprocessing.operations import Cast, FillMissing, FlagMissing
from p2ce.tables.cells import is_missing


def follow_imputer(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow SimpleImputer: statistics replace missing values, and indicators are appended."""
    dtype = precision(given)
    found = []
    for input_map, statistic in zip(maps_by_input, step.statistics_, strict=True):
        if is_missing(statistic) and not step.keep_empty_features:
            continue  # the column was empty in fitting, so it has no output
        if input_map.is_category:
            if input_map.raw:
                fold.knows(input_map, [statistic, *_markers(step)])
            found.append(input_map)
            continue
        value = np.atleast_1d(np.asarray(statistic, dtype=np.float64)).astype(dtype)
        found.append(
            _extended(input_map, Cast(dtype), FillMissing(value, _marker(step, dtype, fold, input_map)))
        )
    if step.add_indicator:
        found += follow_indicator(step.indicator_, maps_by_input, given, fold)
    return found


def follow_indicator(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow MissingIndicator: an output for each column that it was fitted to indicate."""
    dtype = precision(given)
    found = []
    for place in step.features_.tolist():
        input_map = maps_by_input[place]
        if input_map.is_category:
            if input_map.raw:
                fold.knows(input_map, _markers(step))
            found.append(encoded(input_map))
        else:
            found.append(
                _extended(input_map, Cast(dtype), FlagMissing(_marker(step, dtype, fold, input_map)))
            )
    return found


def _extended(input_map: InputMap, *operations: Any) -> InputMap:
    return InputMap(source=input_map.source, operations=(*input_map.operations, *operations))


def _markers(step: Any) -> list[Any]:
    """Return the label that marks missing values, as a list; empty if it is an actual missing value."""
    return [] if is_missing(step.missing_values) else [step.missing_values]


def _marker(step: Any, dtype: np.dtype[Any], fold: Fold, input_map: InputMap) -> float:
    """Return the number that marks missing values; NaN if these are actual missing values."""
    marker = step.missing_values
    is_number = isinstance(marker, float | int | np.floating | np.integer) and not isinstance(marker, bool)
    if is_number and (np.isnan(marker) or dtype.type(marker) == np.float64(marker)):
        return float(marker)
    if marker is not None and is_missing(marker):
        return float("nan")  # pandas' NA
    raise UnsupportedModel(
        f"This Pipeline treats {echoed(marker)} as missing in column "
        f"{echoed(fold.columns[input_map.source])}, which holds numbers of {dtype}. Fit it with "
        "missing_values=np.nan, or with a number of this type."
    )
