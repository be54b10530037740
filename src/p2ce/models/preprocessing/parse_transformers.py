"""Parse transformers into input maps, and check the maps against the transformers."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import CHECKED_ROWS, BoolArray, FloatArray
from p2ce.base.calls.library import without_warnings
from p2ce.base.visible import echoed
from p2ce.errors import P2CEError, UnsupportedModel
from p2ce.models.preprocessing import binning, containers, encoders, imputers, scalers, scorecards
from p2ce.models.preprocessing.category_tables import tabulate_labels, twins
from p2ce.models.preprocessing.fold import Fold, Follow
from p2ce.models.preprocessing.input_maps import InputMap, InputMaps, Operation, input_maps_of
from p2ce.models.preprocessing.operations import Cast, RejectMissing, ZeroIsMissing
from p2ce.models.preprocessing.tabulated import follow_tabulated
from p2ce.models.preprocessing.transform_rows import Preparation, as_codes, as_frame
from p2ce.tables.codebook import MISSING, Codebook, Coding, codebook_of

log = logging.getLogger("p2ce")


# The transformers that are supported in front of a model: by package, then by class name.
TRANSFORMERS: dict[str, dict[str, Follow]] = {
    "sklearn": {
        "Pipeline": containers.follow_pipeline,
        "ColumnTransformer": containers.follow_column_transformer,
        "FeatureUnion": containers.follow_union,
        "StandardScaler": scalers.follow_scaler,
        "MinMaxScaler": scalers.follow_scaler,
        "RobustScaler": scalers.follow_scaler,
        "MaxAbsScaler": scalers.follow_scaler,
        "KBinsDiscretizer": scalers.follow_bins,
        "Binarizer": scalers.follow_threshold,
        "FunctionTransformer": scalers.follow_function,
        "PowerTransformer": follow_tabulated,
        "QuantileTransformer": follow_tabulated,
        "SplineTransformer": follow_tabulated,
        "SimpleImputer": imputers.follow_imputer,
        "MissingIndicator": imputers.follow_indicator,
        "OneHotEncoder": encoders.follow_one_hot,
        "OrdinalEncoder": encoders.follow_ordinal,
        "TargetEncoder": encoders.follow_target,
    },
    "optbinning": {"BinningProcess": binning.follow_binning_process},
    "p2ce": {
        "CardPoints": scorecards.follow_card,
        "ScorecardBins": scorecards.follow_scorecard,
        "ScorecardPoints": scorecards.follow_scorecard,
    },
    "category_encoders": {
        "WOEEncoder": encoders.follow_category_encoders,
        "TargetEncoder": encoders.follow_category_encoders,
        "OrdinalEncoder": encoders.follow_category_encoders,
    },
}


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
    knows_unseen: bool  # whether all labels are known that a transformer distinguishes


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
    maps_by_input, fold = _follow(preparation)
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
        knows_unseen=fold.knows_unseen,
    )


def _follow(preparation: Preparation) -> tuple[list[InputMap], Fold]:
    """Follow the columns through all transformers."""
    fold = Fold(preparation.codebook.names, TRANSFORMERS, follow_tabulated)
    maps_by_input = [_start(place, coding) for place, coding in enumerate(preparation.codebook)]
    given = preparation.feed(preparation.reference.head(CHECKED_ROWS))
    with without_warnings():
        for step in preparation.steps:
            maps_by_input = fold.follow(step, maps_by_input, given)
            given = step.transform(given.copy())
    return maps_by_input, fold


def _start(place: int, coding: Coding) -> InputMap:
    """Return the input map of the column itself: labels for a category, its own type for numbers."""
    if coding.is_category:
        return InputMap(source=place, is_category=True, raw=True)
    dtype = coding.number_dtype
    narrow = dtype.kind == "f" and dtype.itemsize < 8
    return InputMap(source=place, operations=(Cast(dtype),) if narrow else ())


def build_input_maps(
    preparation: Preparation, maps_by_input: Sequence[InputMap], fold: Fold, inputs: Codebook
) -> tuple[InputMaps, Codebook]:
    """Tabulate the results for every label, and bundle the operations on numbers.

    Return the codebook of the inputs with codes for all labels that the transformers return.
    """
    for j, (input_map, coding) in enumerate(zip(maps_by_input, inputs, strict=True)):
        name = fold.columns[input_map.source]
        if preparation.codebook[name].is_date:
            raise UnsupportedModel(
                f"This Pipeline uses column {echoed(name)}, which holds dates. A model is supported natively "
                "on numbers and categories: compute a number from the date in the table, before the Pipeline."
            )
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
    """Compare the maps with the transformers on reference rows, on mixtures of them, and farther out.

    A transformer may reject what lies farther out: an encoder that was fitted on some numbers, or a function
    whose result overflows. Then each column is moved alone, and those that are rejected are reported.
    """
    codebook, labels = preparation.codebook, preparation.labels
    codes = codebook.encode(preparation.reference[list(labels)].head(CHECKED_ROWS))
    rng = np.random.default_rng(0)
    mixed = np.stack([rng.permutation(column) for column in codes.T], axis=1)
    far = mixed.copy()
    moved = [
        p
        for p, coding in enumerate(codebook)
        if not (coding.is_category or coding.is_date) and coding.number_dtype.kind == "f"
    ]
    for place in moved:
        column = 1e6 * mixed[:, place] + 0.1
        column[::2] = -7.3 * mixed[::2, place]
        far[:, place] = np.where(mixed[:, place] == MISSING, MISSING, column)
    for tried in (codes, mixed):
        rows = codebook.decode(tried, labels)
        _compare(maps, codebook, rows, as_codes(preparation.quietly(rows), inputs))
    if _reject(maps, preparation, inputs, far) is None:
        return
    for place in moved:
        alone = mixed.copy()
        alone[:, place] = far[:, place]
        if (error := _reject(maps, preparation, inputs, alone)) is not None:
            log.debug("%r is not compared far beyond the reference: %s", codebook.names[place], error)


def _reject(
    maps: InputMaps, preparation: Preparation, inputs: Codebook, tried: FloatArray
) -> Exception | None:
    """Return the error with which the transformers reject rows (n, d); compare the maps if they do not."""
    rows = preparation.codebook.decode(tried, preparation.labels)
    try:
        own = as_codes(preparation.quietly(rows), inputs)
    except Exception as error:  # transformers raise various errors for values that they reject
        return error
    _compare(maps, preparation.codebook, rows, own)
    return None


def _compare(maps: InputMaps, codebook: Codebook, rows: pd.DataFrame, own: FloatArray) -> None:
    """Raise if the maps differ from what the transformers return for some rows: codes (n, inputs)."""
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
