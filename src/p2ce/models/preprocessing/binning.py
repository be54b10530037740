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
from p2ce.models.preprocessing.tabulated import Tabulated, evaluate_column, table_of
from p2ce.tables.cells import is_missing

_LARGEST = float(np.finfo(np.float64).max)


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
    chosen = [int(variable) for variable in process.get_support(indices=True)]
    found = []
    for j, variable in enumerate(chosen):
        name = process.variable_names[variable]
        place = list(given.columns).index(name) if isinstance(given, pd.DataFrame) else variable
        binned, input_map = process.get_binned_variable(name), maps_by_input[place]
        if "PWBinning" in type(binned).__name__:  # a curve in each bin
            if input_map.is_category:
                fold.knows_unseen = fold.knows_unseen and not input_map.raw
                found.append(encoded(input_map))
                continue
            table = table_of(step, given, place, len(chosen), name=type(binned).__name__)
            found.append(extended(input_map, Tabulated(table, (j,)), name="BinningProcess", fold=fold))
            continue
        labels = _codes(binned.special_codes)
        cuts: Any = []
        if binned.dtype == "categorical":
            labels += [label for group in binned.splits for label in group]
        else:
            cuts = np.nextafter(np.asarray(binned.splits, dtype=np.float64), -np.inf)  # bins are [a, b)
            if input_map.raw:  # labels that are numbers, or bools
                fold.knows_unseen = False
        found.append(follow_stretches(step, place, j, len(chosen), input_map, given, fold, cuts, labels))
    return found


def follow_stretches(
    step: Any,
    place: int,
    output: int,
    outputs: int,
    input_map: InputMap,
    given: Any,
    fold: Fold,
    cuts: Iterable[float],
    labels: Iterable[Any],
) -> InputMap:
    """Follow one column to one output, which changes only above ``cuts``, and at ``labels``.

    The output for numbers is evaluated once in every stretch, by the transformer itself.
    """
    if input_map.is_category:
        if input_map.raw:
            fold.knows(input_map, [label for label in labels if not is_missing(label)])
        return encoded(input_map)
    keys = np.array([_number(label) for label in labels], dtype=np.float64)
    keys = keys[np.isfinite(keys)]
    stretches = [np.asarray(list(cuts), dtype=np.float64), np.nextafter(keys, -np.inf), keys]
    ends = np.unique(np.concatenate(stretches))
    tried = np.concatenate([ends, [_LARGEST, np.nan]])
    values = evaluate_column(step, given, place, tried, outputs)[:, [output]]
    return extended(
        input_map, StepTable(ends, np.ascontiguousarray(values)), name=type(step).__name__, fold=fold
    )


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
