"""Parse transformers into input maps, and check the maps against the transformers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import CHECKED_ROWS, BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import P2CEError, UnsupportedModel
from p2ce.models.preprocessing.category_tables import tabulate_labels, twins
from p2ce.models.preprocessing.fold import Fold
from p2ce.models.preprocessing.input_maps import InputMap, InputMaps, Operation, input_maps_of
from p2ce.models.preprocessing.operations import RejectMissing, ZeroIsMissing
from p2ce.models.preprocessing.transform_rows import Preparation, as_codes, as_frame
from p2ce.tables.codebook import MISSING, Codebook, codebook_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParsedTransformers:
    """Parsed transformers: the input maps, and the reference as the model's inputs."""

    preparation: Preparation
    names: tuple[str, ...]  # the names of the transformers, in their order
    rows: Any  # the transformed reference: a frame, an array or a sparse matrix
    frame: pd.DataFrame  # the transformed reference as a frame
    inputs: Codebook  # how the frame's columns are coded
    codes: FloatArray  # (n, inputs) the frame's rows
    maps: InputMaps


def parse_transformers(preparation: Preparation) -> ParsedTransformers:
    """Build the input maps of the transformers; raise if one does not work column by column."""
    try:
        return _see_through(preparation)
    except (P2CEError, ImportError):
        raise
    except Exception as error:  # a user's transformer may raise any error for rows that we made up
        raise UnsupportedModel(
            f"The transformers of this Pipeline cannot be parsed: {type(error).__name__}: {error}"
        ) from error


def _see_through(preparation: Preparation) -> ParsedTransformers:
    maps_by_input, fold = preparation.follow()
    preparation = replace(preparation, codebook=_with_known_labels(preparation.codebook, fold))
    if fold.writes:
        preparation = preparation.with_copies()
    rows = preparation.quietly(preparation.reference)
    if rows.shape[1] != len(maps_by_input):
        raise UnsupportedModel(
            f"The transformers of this Pipeline return {rows.shape[1]} columns, but {len(maps_by_input)} "
            "were expected. This release of p2ce may not support the version of their library."
        )
    frame = as_frame(rows)
    maps, inputs = build_input_maps(preparation, maps_by_input, fold, codebook_of(frame))
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
) -> tuple[InputMaps, Codebook]:
    """Tabulate the results for every label, and bundle the operations on numbers.

    Return the codebook of the inputs with codes for all labels that the transformers return.
    """
    for j, (input_map, coding) in enumerate(zip(maps_by_input, inputs, strict=True)):
        name = fold.columns[input_map.source]
        if input_map.raw and not coding.is_category:
            raise UnsupportedModel(
                f"This Pipeline passes column {echoed(name)}, which holds categories, to its model as "
                "numbers. Convert it to numbers, or encode it."
            )
        if coding.is_category and not input_map.raw:
            raise UnsupportedModel(
                f"This Pipeline converts {echoed(name)} to categories (input {j}), which is not supported."
            )
    tables, inputs = tabulate_labels(preparation, maps_by_input, inputs)
    return input_maps_of(maps_by_input, tables, column_count=len(preparation.codebook.codings)), inputs


def _with_known_labels(codebook: Codebook, fold: Fold) -> Codebook:
    """Add codes for all labels that an encoder distinguishes. It treats all others in the same way."""
    codings = list(codebook)
    for source, labels in fold.known.items():
        known = codings[source].with_labels(labels)
        codings[source] = known.with_labels(twins(known))
    return codebook.with_codings(codings)


def check_input_maps(maps: InputMaps, preparation: Preparation, inputs: Codebook) -> None:
    """Compare the maps with the transformers on reference rows, on mixtures of them, and farther out."""
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
                f"This Pipeline transforms column {echoed(codebook.names[wrong.source])} differently from "
                "what is known of its transformers, so it is a black box. This release of p2ce may not "
                "support the version of their library; please report it with the versions of both."
            )


def without_zeros(maps: InputMaps) -> InputMaps:
    """Treat zeros as missing in all inputs: a sparse matrix does not store them, so XGBoost does the same."""
    return _changed(maps, np.ones(len(maps.maps_by_input), dtype=np.bool_), ZeroIsMissing(), 0.0, MISSING)


def rejecting_missing(maps: InputMaps, inputs: BoolArray) -> InputMaps:
    """Reject missing values in some inputs (inputs,), as a model that does not accept them would."""
    return _changed(maps, inputs, RejectMissing(), MISSING, np.nan)


def _changed(maps: InputMaps, inputs: BoolArray, last: Operation, before: float, after: float) -> InputMaps:
    """Append an operation to some inputs; in tables, replace one value by another."""
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
