"""Follow columns through encoders: label by label, or number by number if numbers are labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.fold import Fold, encoded, is_sparse, transformed
from p2ce.models.preprocessing.input_maps import InputMap
from p2ce.models.preprocessing.operations import REJECT, Lookup
from p2ce.tables.cells import is_missing


def follow_one_hot(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow OneHotEncoder: a column per label, without the dropped one, and one for all infrequent ones."""
    rare = getattr(step, "infrequent_categories_", None)
    counts = []
    for place, labels in enumerate(step.categories_):
        count = len(labels)
        if rare is not None and rare[place] is not None:
            count -= len(rare[place]) - 1
        if step.drop_idx_ is not None and step.drop_idx_[place] is not None:
            count -= 1
        counts.append(count)
    return _through(step, maps_by_input, given, fold, step.categories_, counts)


def follow_ordinal(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow OrdinalEncoder: one number for each label."""
    return _through(step, maps_by_input, given, fold, step.categories_, [1] * len(maps_by_input))


def follow_target(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow TargetEncoder: one number for each label, and for each class if there are more than two."""
    each = len(step.classes_) if getattr(step, "target_type_", None) == "multiclass" else 1
    return _through(step, maps_by_input, given, fold, step.categories_, [each] * len(maps_by_input))


def follow_category_encoders(
    step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold
) -> list[InputMap]:
    """Follow WOEEncoder, TargetEncoder or OrdinalEncoder of category_encoders, which replace some columns."""
    name = type(step).__name__
    for option in ("min_group_size", "composite_cols", "hierarchy", "drop_invariant"):
        if getattr(step, option, None):
            raise UnsupportedModel(f"This Pipeline contains {name} with {option}, which is not supported.")
    if not isinstance(given, pd.DataFrame):
        raise UnsupportedModel(f"This Pipeline contains {name} fitted on an array. Fit it on a frame.")
    mappings = step.mapping if name == "OrdinalEncoder" else step.ordinal_encoder.mapping
    labels = {mapping["col"]: list(mapping["mapping"].index) for mapping in mappings}
    found = []
    for place, input_map in enumerate(maps_by_input):
        known = labels.get(given.columns[place])
        found.append(
            input_map if known is None else _one(step, place, place, 1, input_map, given, fold, known)[0]
        )
    return found


def _through(
    step: Any,
    maps_by_input: list[InputMap],
    given: Any,
    fold: Fold,
    categories: Sequence[Any],
    counts: Sequence[int],
) -> list[InputMap]:
    found: list[InputMap] = []
    for place, (input_map, labels, count) in enumerate(zip(maps_by_input, categories, counts, strict=True)):
        found += _one(step, place, len(found), count, input_map, given, fold, list(labels))
    return found


def _one(
    step: Any,
    place: int,
    first: int,
    count: int,
    input_map: InputMap,
    given: Any,
    fold: Fold,
    labels: list[Any],
) -> list[InputMap]:
    """Follow the column at ``place`` to the ``count`` output columns that begin at ``first``."""
    if input_map.is_category:
        if input_map.raw:
            fold.knows(input_map, labels)
        return [encoded(input_map)] * count
    keys = _numbers(labels, input_map, fold)
    # All other values of the column are treated in the same way; a missing value may be a separate label.
    values = np.concatenate([keys, [_other(keys), np.nan]])
    outputs = transformed(step, given[:1]).shape[1]
    own = tabulate_encoder(step, given, place, values, outputs)[:, first : first + count]
    return [
        InputMap(
            source=input_map.source,
            operations=(*input_map.operations, Lookup(keys, np.ascontiguousarray(own[:, [j]]))),
        )
        for j in range(count)
    ]


def _numbers(labels: list[Any], input_map: InputMap, fold: Fold) -> FloatArray:
    found = [label for label in labels if not is_missing(label)]
    if not all(isinstance(label, float | int | np.number | np.bool_) for label in found):
        raise UnsupportedModel(
            f"This Pipeline encodes labels such as {echoed(found[0])} in column "
            f"{echoed(fold.columns[input_map.source])}, which holds numbers. Fit it on numbers."
        )
    return np.unique(np.array(found, dtype=np.float64))


def _other(keys: FloatArray) -> float:
    """Return a whole number that is not a key."""
    return float(np.floor(np.abs(keys).max(initial=0.0))) + 1.0


def tabulate_encoder(step: Any, given: Any, place: int, values: FloatArray, outputs: int) -> FloatArray:
    """Tabulate an encoder's outputs for numbers in one column: (m,) → (m, outputs); infinite where it raises.

    The last two numbers, one that is not a label and a missing one, are often rejected, so they are tried
    separately.
    """
    try:
        return _transformed_rows(step, given, place, values)
    except Exception:  # libraries raise various errors for values that they reject
        if len(values) == 1:
            return np.full((1, outputs), REJECT)
    parts = np.split(values, [len(values) - 2, len(values) - 1] if len(values) > 2 else [1])
    return np.concatenate(
        [tabulate_encoder(step, given, place, part, outputs) for part in parts if len(part)]
    )


def _transformed_rows(step: Any, given: Any, place: int, values: FloatArray) -> FloatArray:
    rows: Any
    if isinstance(given, pd.DataFrame):
        rows = given.iloc[np.zeros(len(values), dtype=np.int64)].reset_index(drop=True)
        dtype = given.dtypes.iloc[place]
        column = pd.Series(values)
        if not np.isnan(values).any() or not isinstance(dtype, np.dtype) or dtype.kind == "f":
            column = column.astype(dtype)
        rows = pd.concat(
            [rows.iloc[:, :place], column.rename(given.columns[place]), rows.iloc[:, place + 1 :]], axis=1
        )
    else:
        rows = np.repeat(given[:1], len(values), axis=0)
        if np.isnan(values).any() and rows.dtype.kind in "iub":
            rows = rows.astype(np.float64)
        rows[:, place] = values
    own = transformed(step, rows)
    own = own.toarray() if is_sparse(own) else np.asarray(own, dtype=np.float64)
    return np.asarray(own, dtype=np.float64)
