"""See a table through a pipeline's transformers: the lens, checked against the transformers themselves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray
from p2ce.errors import P2CEError, UnsupportedModel
from p2ce.preprocessing.category_tables import tabulate_labels, twins
from p2ce.preprocessing.fold import Fold
from p2ce.preprocessing.input_maps import InputMap, InputMaps, Operation, input_maps_of
from p2ce.preprocessing.operations import RejectMissing, ZeroIsMissing
from p2ce.preprocessing.transform_rows import CHECKED_ROWS, Preparation, as_codes, as_frame
from p2ce.tables.codebook import MISSING, Codebook, codebook_of
from p2ce.visible import echoed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParsedTransformers:
    """What a model behind transformers gets to see, and by which lens."""

    preparation: Preparation
    names: tuple[str, ...]  # of the transformers, in their order
    rows: Any  # the reference as transformed: a frame, an array or a sparse matrix
    frame: pd.DataFrame  # the same as a frame
    inputs: Codebook  # how its columns are coded
    codes: FloatArray  # (n, inputs) its rows
    maps: InputMaps


def parse_transformers(preparation: Preparation) -> ParsedTransformers:
    """Build the input maps of the transformers, or reject those that do not work column by column."""
    try:
        return _see_through(preparation)
    except (P2CEError, ImportError):
        raise
    except Exception as error:  # whatever a transformer of the user's may raise about rows that we made up
        raise UnsupportedModel(
            f"The transformers of this Pipeline cannot be followed: {type(error).__name__}: {error}"
        ) from error


def _see_through(preparation: Preparation) -> ParsedTransformers:
    maps_by_input, fold = preparation.follow()
    if fold.writes:
        preparation = preparation.with_copies()
    rows = preparation.quietly(preparation.reference)
    if rows.shape[1] != len(maps_by_input):
        raise UnsupportedModel(
            f"The transformers of this Pipeline give {rows.shape[1]} columns, where {len(maps_by_input)} are "
            "expected of them. Their library version may be unknown to this release of p2ce."
        )
    frame = as_frame(rows)
    inputs = codebook_of(frame)
    maps = build_input_maps(preparation, maps_by_input, fold, inputs)
    check_input_maps(maps, preparation, inputs)
    return ParsedTransformers(
        preparation=preparation,
        names=tuple(fold.names),
        rows=rows,
        frame=frame,
        inputs=inputs,
        codes=as_codes(rows, inputs),
        maps=maps,
    )


def build_input_maps(
    preparation: Preparation, maps_by_input: Sequence[InputMap], fold: Fold, inputs: Codebook
) -> InputMaps:
    """Tabulate what becomes of every label, and bundle what becomes of numbers."""
    for j, (input_map, coding) in enumerate(zip(maps_by_input, inputs, strict=True)):
        name = fold.columns[input_map.source]
        if input_map.raw and not coding.is_category:
            raise UnsupportedModel(
                f"This Pipeline hands column {echoed(name)}, which holds categories, to its model as "
                "numbers. Make it a column of numbers, or encode it."
            )
        if coding.is_category and not input_map.raw:
            raise UnsupportedModel(
                f"This Pipeline makes categories of {echoed(name)} (input {j}), which is not supported."
            )
    for source, labels in fold.known.items():
        # From now on all labels that an encoder tells apart have codes, and all others are alike to it.
        coding = preparation.codebook.codings[source]
        coding.encode([label for label in labels if label is not None])
        coding.encode(twins(coding))
    tables = tabulate_labels(preparation, maps_by_input, inputs)
    return input_maps_of(maps_by_input, tables, column_count=len(preparation.codebook.codings))


def check_input_maps(maps: InputMaps, preparation: Preparation, inputs: Codebook) -> None:
    """Compare the lens with the transformers on reference rows, on mixtures of these, and farther out."""
    codebook, labels = preparation.codebook, preparation.labels
    codes = codebook.encode(preparation.reference[list(labels)].head(CHECKED_ROWS))
    rng = np.random.default_rng(0)
    mixed = np.stack([rng.permutation(column) for column in codes.T], axis=1)
    far = mixed.copy()
    for place, coding in enumerate(codebook):
        if not coding.is_category and coding.number_dtype.kind == "f":
            moved = 1e6 * mixed[:, place] + 0.1
            moved[::2] = -7.3 * mixed[::2, place]
            far[:, place] = np.where(mixed[:, place] == MISSING, MISSING, moved)
    for tried, must in ((codes, True), (mixed, True), (far, False)):
        rows = codebook.decode(tried, labels)
        try:
            own = as_codes(preparation.quietly(rows), inputs)
        except Exception:
            if must:
                raise
            continue  # an encoder that rejects unseen values, or numbers that overflow
        shown = maps.show(codebook.encode(rows))
        if not np.array_equal(shown, own, equal_nan=True):
            wrong = maps.maps_by_input[int(np.flatnonzero((shown != own).any(axis=0))[0])]
            raise UnsupportedModel(
                f"This Pipeline makes something else of column {echoed(codebook.names[wrong.source])} "
                "than is known of its transformers, so that it is a black box. Their library's "
                "version may be unknown to this release of p2ce; please report it with the versions of both."
            )


def without_zeros(maps: InputMaps) -> InputMaps:
    """Take zeros for missing in all inputs: a sparse matrix does not hold them, and XGBoost takes it so."""
    return _changed(maps, np.ones(len(maps.maps_by_input), dtype=np.bool_), ZeroIsMissing(), 0.0, MISSING)


def rejecting_missing(maps: InputMaps, inputs: BoolArray) -> InputMaps:
    """RejectMissing missing values in some inputs (inputs,), as a model does that takes none."""
    return _changed(maps, inputs, RejectMissing(), MISSING, np.nan)


def _changed(maps: InputMaps, inputs: BoolArray, last: Operation, before: float, after: float) -> InputMaps:
    """Let one more operation follow in some inputs; in tables it replaces one value by another."""
    maps_by_input = [
        replace(input_map, operations=(*input_map.operations, last))
        if chosen and not input_map.is_category
        else input_map
        for input_map, chosen in zip(maps.maps_by_input, inputs.tolist(), strict=True)
    ]
    tables = [
        table._replace(values=np.where(inputs[table.inputs] & (table.values == before), after, table.values))
        for table in maps.tables
    ]
    return input_maps_of(maps_by_input, tables, column_count=maps.column_count)
