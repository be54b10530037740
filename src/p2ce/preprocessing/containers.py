"""Follow columns through what holds other transformers: Pipeline, ColumnTransformer, FeatureUnion."""

from typing import Any

import numpy as np

from p2ce.errors import UnsupportedModel
from p2ce.preprocessing.fold import Fold, some_columns, transformed
from p2ce.preprocessing.input_maps import Strand
from p2ce.visible import echoed


def pipeline(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow one transformer after the other."""
    last = len(step.steps) - 1
    for place, (_, one) in enumerate(step.steps):
        strands = fold.follow(one, strands, given)
        if place < last and one is not None and not isinstance(one, str):
            given = transformed(one, given)
    return strands


def columns(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow each transformer on its own columns; its outputs follow those of the one before."""
    if step.transformer_weights:
        raise UnsupportedModel("This ColumnTransformer weighs its transformers, which cannot be read yet.")
    found: list[Strand] = []
    for name, one, chosen in step.transformers_:
        places = [int(place) for place in step._transformer_to_input_indices[name]]
        if (isinstance(one, str) and one == "drop") or not places:
            continue
        if np.isscalar(chosen):
            raise UnsupportedModel(
                f"This ColumnTransformer hands the single column {echoed(chosen)} over as a series, which no "
                f"transformer here can be read on. Name it in a list: [{echoed(chosen)}]."
            )
        found += fold.follow(one, [strands[place] for place in places], some_columns(given, places))
    return found


def union(step: Any, strands: list[Strand], given: Any, fold: Fold) -> list[Strand]:
    """Follow every transformer on all columns."""
    if step.transformer_weights:
        raise UnsupportedModel("This FeatureUnion weighs its transformers, which cannot be read yet.")
    found: list[Strand] = []
    for _, one in step.transformer_list:
        if not (isinstance(one, str) and one == "drop"):
            found += fold.follow(one, strands, given)
    return found
