"""Follow columns through encoders: each label, or each number that stands for one, by itself."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.errors import UnsupportedModel
from p2ce.preprocessing.fold import Fold, encoded, is_sparse, transformed
from p2ce.preprocessing.input_maps import Strand
from p2ce.preprocessing.operations import REJECT, Lookup
from p2ce.tables.cells import is_missing
from p2ce.visible import echoed


def one_hot(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow OneHotEncoder: a column per label, less the dropped one and the infrequent ones put together."""
    rare = getattr(step, "infrequent_categories_", None)
    counts = []
    for place, labels in enumerate(step.categories_):
        count = len(labels)
        if rare is not None and rare[place] is not None:
            count -= len(rare[place]) - 1
        if step.drop_idx_ is not None and step.drop_idx_[place] is not None:
            count -= 1
        counts.append(count)
    return _through(step, strands, given, fold, step.categories_, counts)


def ordinal(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow OrdinalEncoder: one number per label."""
    return _through(step, strands, given, fold, step.categories_, [1] * len(strands))


def target(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow TargetEncoder: one number per label, and per class if there are more than two."""
    each = len(step.classes_) if getattr(step, "target_type_", None) == "multiclass" else 1
    return _through(step, strands, given, fold, step.categories_, [each] * len(strands))


def of_category_encoders(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow WOEEncoder, TargetEncoder or OrdinalEncoder of category_encoders: some columns, all in place."""
    name = type(step).__name__
    for option in ("min_group_size", "composite_cols", "hierarchy", "drop_invariant"):
        if getattr(step, option, None):
            raise UnsupportedModel(f"This Pipeline contains {name} with {option}, which cannot be read.")
    if not isinstance(given, pd.DataFrame):
        raise UnsupportedModel(f"This Pipeline contains {name} fitted on an array. Fit it on a frame.")
    mappings = step.mapping if name == "OrdinalEncoder" else step.ordinal_encoder.mapping
    labels = {mapping["col"]: list(mapping["mapping"].index) for mapping in mappings}
    found = []
    for place, strand in enumerate(strands):
        known = labels.get(given.columns[place])
        found.append(strand if known is None else _one(step, place, place, 1, strand, given, fold, known)[0])
    return found


def _through(
    step: Any,
    strands: list[Strand],
    given: Any,
    fold: Fold,
    categories: Sequence[Any],
    counts: Sequence[int],
) -> list[Strand]:
    found: list[Strand] = []
    for place, (strand, labels, count) in enumerate(zip(strands, categories, counts, strict=True)):
        found += _one(step, place, len(found), count, strand, given, fold, list(labels))
    return found


def _one(
    step: Any, place: int, first: int, count: int, strand: Strand, given: Any, fold: Fold, labels: list[Any]
) -> list[Strand]:
    """Follow the column at ``place`` to the ``count`` columns that begin at ``first``."""
    if strand.is_category:
        if strand.raw:
            fold.knows(strand, labels)
        return [encoded(strand)] * count
    keys = _numbers(labels, strand, fold)
    # Whatever else the column may hold is treated alike, and missing values may be a label of their own.
    asked = np.concatenate([keys, [_other(keys), np.nan]])
    outputs = transformed(step, given[:1]).shape[1]
    told = tabulate(step, given, place, asked, outputs)[:, first : first + count]
    return [
        Strand(
            source=strand.source,
            operations=(*strand.operations, Lookup(keys, np.ascontiguousarray(told[:, [j]]))),
        )
        for j in range(count)
    ]


def _numbers(labels: list[Any], strand: Strand, fold: Fold) -> FloatArray:
    found = [label for label in labels if not is_missing(label)]
    if not all(isinstance(label, float | int | np.number | np.bool_) for label in found):
        raise UnsupportedModel(
            f"This Pipeline encodes labels such as {echoed(found[0])} in column "
            f"{echoed(fold.columns[strand.source])}, which holds numbers."
        )
    return np.unique(np.array(found, dtype=np.float64))


def _other(keys: FloatArray) -> float:
    """Find a whole number that is no key."""
    return float(np.floor(np.abs(keys).max(initial=0.0))) + 1.0


def tabulate(step: Any, given: Any, place: int, asked: FloatArray, outputs: int) -> FloatArray:
    """Ask an encoder what it makes of numbers in one column: (m,) → (m, outputs); infinite where it refuses.

    The last two, one that is no label and a missing one, are often refused, and asked about by themselves.
    """
    try:
        return _told(step, given, place, asked)
    except Exception:  # whatever a library raises about values that it refuses
        if len(asked) == 1:
            return np.full((1, outputs), REJECT)
    parts = np.split(asked, [len(asked) - 2, len(asked) - 1] if len(asked) > 2 else [1])
    return np.concatenate([tabulate(step, given, place, part, outputs) for part in parts if len(part)])


def _told(step: Any, given: Any, place: int, asked: FloatArray) -> FloatArray:
    rows: Any
    if isinstance(given, pd.DataFrame):
        rows = given.iloc[np.zeros(len(asked), dtype=np.int64)].reset_index(drop=True)
        dtype = given.dtypes.iloc[place]
        column = pd.Series(asked)
        if not np.isnan(asked).any() or not isinstance(dtype, np.dtype) or dtype.kind == "f":
            column = column.astype(dtype)
        rows = pd.concat(
            [rows.iloc[:, :place], column.rename(given.columns[place]), rows.iloc[:, place + 1 :]], axis=1
        )
    else:
        rows = np.repeat(given[:1], len(asked), axis=0)
        if np.isnan(asked).any() and rows.dtype.kind in "iub":
            rows = rows.astype(np.float64)
        rows[:, place] = asked
    told = transformed(step, rows)
    told = told.toarray() if is_sparse(told) else np.asarray(told, dtype=np.float64)
    return np.asarray(told, dtype=np.float64)
