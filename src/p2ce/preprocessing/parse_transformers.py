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
from p2ce.preprocessing.input_maps import Lens, Operation, Strand, lens_of
from p2ce.preprocessing.operations import Refuse, ZeroIsMissing
from p2ce.preprocessing.transform_rows import CHECKED_ROWS, Preparation, as_codes, as_frame
from p2ce.tables.codebook import MISSING, Codebook, codebook_of
from p2ce.visible import echoed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenThrough:
    """What a model behind transformers gets to see, and by which lens."""

    preparation: Preparation
    names: tuple[str, ...]  # of the transformers, in their order
    rows: Any  # the reference as transformed: a frame, an array or a sparse matrix
    frame: pd.DataFrame  # the same as a frame
    inputs: Codebook  # how its columns are coded
    codes: FloatArray  # (n, inputs) its rows
    lens: Lens


def see_through(preparation: Preparation) -> SeenThrough:
    """Build the lens of the transformers, or refuse those that do not work column by column."""
    try:
        return _see_through(preparation)
    except (P2CEError, ImportError):
        raise
    except Exception as error:  # whatever a transformer of the user's may raise about rows that we made up
        raise UnsupportedModel(
            f"The transformers of this Pipeline cannot be followed: {type(error).__name__}: {error}"
        ) from error


def _see_through(preparation: Preparation) -> SeenThrough:
    strands, fold = preparation.follow()
    if fold.writes:
        preparation = preparation.with_copies()
    rows = preparation.quietly(preparation.reference)
    if rows.shape[1] != len(strands):
        raise UnsupportedModel(
            f"The transformers of this Pipeline give {rows.shape[1]} columns, where {len(strands)} are "
            "expected of them. Their library version may be unknown to this release of p2ce."
        )
    frame = as_frame(rows)
    inputs = codebook_of(frame)
    lens = build_lens(preparation, strands, fold, inputs)
    check_lens(lens, preparation, inputs)
    return SeenThrough(
        preparation=preparation,
        names=tuple(fold.names),
        rows=rows,
        frame=frame,
        inputs=inputs,
        codes=as_codes(rows, inputs),
        lens=lens,
    )


def build_lens(preparation: Preparation, strands: Sequence[Strand], fold: Fold, inputs: Codebook) -> Lens:
    """Tabulate what becomes of every label, and bundle what becomes of numbers."""
    for j, (strand, coding) in enumerate(zip(strands, inputs, strict=True)):
        name = fold.columns[strand.source]
        if strand.raw and not coding.is_category:
            raise UnsupportedModel(
                f"This Pipeline hands column {echoed(name)}, which holds categories, to its model as "
                "numbers. Make it a column of numbers, or encode it."
            )
        if coding.is_category and not strand.raw:
            raise UnsupportedModel(
                f"This Pipeline makes categories of column {echoed(name)} (input {j}), which cannot be read."
            )
    for source, labels in fold.known.items():
        # From now on all labels that an encoder tells apart have codes, and all others are alike to it.
        coding = preparation.codebook.codings[source]
        coding.encode([label for label in labels if label is not None])
        coding.encode(twins(coding))
    tables = tabulate_labels(preparation, strands, inputs)
    return lens_of(strands, tables, column_count=len(preparation.codebook.codings))


def check_lens(lens: Lens, preparation: Preparation, inputs: Codebook) -> None:
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
            told = as_codes(preparation.quietly(rows), inputs)
        except Exception:
            if must:
                raise
            continue  # an encoder that refuses what it has not seen, or numbers that overflow
        shown = lens.show(codebook.encode(rows))
        if not np.array_equal(shown, told, equal_nan=True):
            wrong = lens.strands[int(np.flatnonzero((shown != told).any(axis=0))[0])]
            raise UnsupportedModel(
                f"This Pipeline makes something else of column {echoed(codebook.names[wrong.source])} "
                "than is known of its transformers, so that it is asked instead of read. Their library's "
                "version may be unknown to this release of p2ce; please report it with the versions of both."
            )


def without_zeros(lens: Lens) -> Lens:
    """Take zeros for missing in all inputs: a sparse matrix does not hold them, and XGBoost takes it so."""
    return _changed(lens, np.ones(len(lens.strands), dtype=np.bool_), ZeroIsMissing(), 0.0, MISSING)


def refusing(lens: Lens, inputs: BoolArray) -> Lens:
    """Refuse missing values in some inputs (inputs,), as a model does that takes none."""
    return _changed(lens, inputs, Refuse(), MISSING, np.nan)


def _changed(lens: Lens, inputs: BoolArray, last: Operation, before: float, after: float) -> Lens:
    """Let one more operation follow in some inputs; in tables it replaces one value by another."""
    strands = [
        replace(strand, operations=(*strand.operations, last))
        if chosen and not strand.is_category
        else strand
        for strand, chosen in zip(lens.strands, inputs.tolist(), strict=True)
    ]
    tables = [
        table._replace(values=np.where(inputs[table.inputs] & (table.values == before), after, table.values))
        for table in lens.tables
    ]
    return lens_of(strands, tables, column_count=lens.column_count)
