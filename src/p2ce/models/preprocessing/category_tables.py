"""Tabulate the transformers' outputs for every label, for an unseen label, and for a missing one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.models.preprocessing.input_maps import InputMap, LabelTable
from p2ce.models.preprocessing.transform_rows import Preparation, as_codes
from p2ce.tables.codebook import MISSING, Codebook, Coding, GrowingCodebook


def twins(coding: Coding) -> list[Any]:
    """Return the bools for labels 0 and 1, and the numbers for bools: dictionaries treat them as equal."""
    assert coding.labels is not None
    known = [*coding.labels, *coding.unseen]
    plain = [label.item() if isinstance(label, np.generic) else label for label in known]
    found = [bool(label) for label in plain if isinstance(label, int | float) and label in (0, 1)]
    return [*found, *(int(label) for label in plain if isinstance(label, bool))]


def tabulate_labels(
    preparation: Preparation, maps_by_input: Sequence[InputMap], codebook: Codebook
) -> tuple[list[LabelTable], Codebook]:
    """Evaluate the transformers on each label, on an unseen label, and on a missing one.

    ``codebook`` is that of the model's inputs. It is returned with codes for all labels that the transformers
    return.
    """
    inputs = GrowingCodebook(codebook)
    columns = sorted({input_map.source for input_map in maps_by_input if input_map.is_category})
    codings = [preparation.codebook.codings[column] for column in columns]
    known = [np.arange(coding.count, dtype=np.float64) for coding in codings]
    unseen = [np.array([float(coding.count)]) for coding in codings]
    missing = [np.array([MISSING])] * len(columns)
    parts = [_evaluated(preparation, columns, codes, inputs) for codes in (known, unseen, missing)]
    tables = []
    for place, column in enumerate(columns):
        mine = np.array(
            [j for j, input_map in enumerate(maps_by_input) if input_map.source == column], dtype=np.int64
        )
        values = np.concatenate([part[place][:, mine] for part in parts])
        tables.append(LabelTable(column, mine, np.ascontiguousarray(values)))
    return tables, inputs.codebook


def _evaluated(
    preparation: Preparation, columns: Sequence[int], codes: Sequence[FloatArray], inputs: GrowingCodebook
) -> list[FloatArray]:
    """Transform rows that hold the codes of several columns; return (codes, inputs) for each column."""
    if not columns:
        return []
    longest = max(len(one) for one in codes)
    try:
        cells = {
            column: one[np.arange(longest) % len(one)] for column, one in zip(columns, codes, strict=True)
        }
        own = _transformed(preparation, cells, longest, inputs)
        return [own[: len(one)] for one in codes]
    except Exception:  # an encoder rejects some label, so each column is tried separately
        if len(columns) > 1:
            return [
                _evaluated(preparation, [column], [one], inputs)[0]
                for column, one in zip(columns, codes, strict=True)
            ]
    if longest == 1:
        return [np.full((1, len(inputs.codebook.codings)), np.nan)]
    single = [_evaluated(preparation, columns, [codes[0][[row]]], inputs)[0] for row in range(longest)]
    return [np.concatenate(single)]


def _transformed(
    preparation: Preparation, cells: dict[int, FloatArray], count: int, inputs: GrowingCodebook
) -> FloatArray:
    first = preparation.reference[list(preparation.labels)].iloc[np.zeros(count, dtype=np.int64)]
    first = first.reset_index(drop=True)
    parts = []
    for place, (label, coding) in enumerate(zip(preparation.labels, preparation.codebook, strict=True)):
        if place in cells:
            # The label after the last one stands for all unseen labels.
            wider = coding.with_labels([unseen_label(coding)])
            parts.append(pd.Series(wider.decode(cells[place])))
        else:
            parts.append(first.iloc[:, place])
        parts[-1] = parts[-1].rename(label)
    frame = pd.concat(parts, axis=1)
    frame.columns = preparation.labels
    return as_codes(preparation.quietly(frame), inputs)


def unseen_label(coding: Coding) -> Any:
    """Return a new label, of the same kind as the column's labels."""
    assert coding.labels is not None
    known = [*coding.labels, *coding.unseen]
    if known and all(isinstance(label, int | float | np.number) for label in known):
        return max(int(np.floor(float(abs(label)))) for label in known) + 1
    made = "unseen"
    while made in known:
        made += "_"
    return made
