"""Follow columns through binning: the output for a number changes at cuts and at special codes only."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.fold import Fold, encoded, extended, transformed
from p2ce.models.preprocessing.input_maps import InputMap
from p2ce.models.preprocessing.operations import StepTable
from p2ce.models.preprocessing.tabulated import (
    Tabulated,
    evaluate_columns,
    table_of,
    transformed_row_by_row,
)
from p2ce.tables.cells import is_missing

_LARGEST = float(np.finfo(np.float64).max)
_NAME = "BinningProcess"


def follow_binning_process(
    step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold
) -> list[InputMap]:
    """Follow optbinning's BinningProcess: one output for each selected variable."""
    return follow_process(step, step, maps_by_input, given, fold)


def follow_process(
    step: Any, process: Any, maps_by_input: list[InputMap], given: Any, fold: Fold
) -> list[InputMap]:
    """Follow a transformer with an output for each selected variable of a BinningProcess."""
    own = transformed(step, given[:1])
    kinds = own.dtypes if isinstance(own, pd.DataFrame) else [own.dtype]
    if not all(isinstance(kind, np.dtype) and kind.kind in "fiub" for kind in kinds):
        raise UnsupportedModel(
            "This BinningProcess returns the names of bins, which is not supported in front of a model. Use "
            'the metric "woe", or "indices" with a OneHotEncoder behind it.'
        )
    variables = {}  # by their places in the table
    for variable in process.get_support(indices=True):
        name = process.variable_names[int(variable)]
        place = list(given.columns).index(name) if isinstance(given, pd.DataFrame) else int(variable)
        variables[place] = process.get_binned_variable(name)
    ends = {
        place: stretch_ends(*_bins(binned))
        for place, binned in variables.items()
        if not maps_by_input[place].is_category and not _is_curved(binned)
    }
    tried = {place: tried_in(of_one) for place, of_one in ends.items()}
    values = evaluate_columns(step, given, tried, len(variables))
    found = []
    for j, (place, binned) in enumerate(variables.items()):
        input_map = maps_by_input[place]
        if input_map.is_category:
            found.append(_labels(input_map, binned, fold))
        elif place in ends:
            table = StepTable(ends[place], np.ascontiguousarray(values[place][:, [j]]))
            found.append(extended(input_map, table, name=_NAME, fold=fold))
        else:
            together = transformed_row_by_row(step, given, name=_NAME)
            curve = Tabulated(table_of(step, given, place, together, [j]), (j,))
            found.append(extended(input_map, curve, name=_NAME, fold=fold))
    return found


def _is_curved(binned: Any) -> bool:
    """Return whether a variable has a curve in each bin, and not a constant."""
    return "PWBinning" in type(binned).__name__


def _bins(binned: Any) -> tuple[Iterable[float], list[Any]]:
    """Return the last number of each bin of a variable, and its special codes and labels."""
    special = _codes(binned.special_codes)
    if binned.dtype == "categorical":
        return [], [*special, *(label for group in binned.splits for label in group)]
    return np.nextafter(np.asarray(binned.splits, dtype=np.float64), -np.inf), special  # bins are [a, b)


def _labels(input_map: InputMap, binned: Any, fold: Fold) -> InputMap:
    """Follow a column of labels, whose outputs are tabulated for every label."""
    if input_map.raw:
        is_known = not _is_curved(binned) and binned.dtype == "categorical"
        fold.knows(input_map, known_labels(_bins(binned)[1] if is_known else []))
        fold.knows_unseen = fold.knows_unseen and is_known  # labels that are numbers lie in any bin
    return encoded(input_map)


def known_labels(labels: Iterable[Any]) -> list[Any]:
    """Return labels without missing ones."""
    return [label for label in labels if not is_missing(label)]


def stretch_ends(cuts: Iterable[float], labels: Iterable[Any]) -> FloatArray:
    """Return the last number of every stretch: up to a cut, up to a label, and the label by itself."""
    keys = np.array([_number(label) for label in labels], dtype=np.float64)
    keys = keys[np.isfinite(keys)]
    return np.unique(
        np.concatenate([np.asarray(list(cuts), dtype=np.float64), np.nextafter(keys, -np.inf), keys])
    )


def tried_in(ends: FloatArray) -> FloatArray:
    """Return a number of every stretch, and a missing one."""
    return np.concatenate([ends, [_LARGEST, np.nan]])


def _codes(special: Any) -> list[Any]:
    """List the special codes of a variable: a list, or lists by name."""
    if special is None:
        return []
    groups = special.values() if isinstance(special, dict) else special
    return [code for group in groups for code in (group if np.ndim(group) else [group])]


def _number(label: Any) -> float:
    """Return a label as the number that it equals; NaN for text."""
    return float(label) if isinstance(label, int | float | np.number | np.bool_) else np.nan


def stretches_of(ends: FloatArray, values: FloatArray) -> FloatArray:
    """Return the ends at which a step function changes: (m,), (m + 1,) → cuts.

    A single number that differs from both sides, such as a special code, is no stretch.
    """
    upper = np.append(ends, np.inf)
    single = (
        np.append([False], np.nextafter(ends[:-1], np.inf) == ends[1:]) if len(ends) else np.zeros(0, bool)
    )
    kept = np.append(~single, True)
    upper, values = upper[kept], values[kept]
    same = (values[:-1] == values[1:]) | (np.isnan(values[:-1]) & np.isnan(values[1:]))
    return np.asarray(upper[:-1][~same])
