"""Follow columns through transformers that contain others: Pipeline, ColumnTransformer, FeatureUnion."""

from typing import Any

import numpy as np

from p2ce.base.visible import echoed
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.fold import Fold, some_columns, transformed
from p2ce.models.preprocessing.input_maps import InputMap


def follow_pipeline(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow one transformer after another."""
    last = len(step.steps) - 1
    for place, (_, one) in enumerate(step.steps):
        maps_by_input = fold.follow(one, maps_by_input, given)
        if place < last and one is not None and not isinstance(one, str):
            given = transformed(one, given)
    return maps_by_input


def follow_column_transformer(
    step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold
) -> list[InputMap]:
    """Follow each transformer on its own columns; the outputs are joined in the same order."""
    if step.transformer_weights:
        raise UnsupportedModel("This ColumnTransformer weighs its transformers, which is not supported.")
    found: list[InputMap] = []
    for name, one, chosen in step.transformers_:
        places = [int(place) for place in step._transformer_to_input_indices[name]]
        if (isinstance(one, str) and one == "drop") or not places:
            continue
        if np.isscalar(chosen):
            raise UnsupportedModel(
                f"This ColumnTransformer passes the single column {echoed(chosen)} as a series, which is not "
                f"supported. Select it with a list: [{echoed(chosen)}]."
            )
        found += fold.follow(one, [maps_by_input[place] for place in places], some_columns(given, places))
    return found


def follow_union(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow every transformer on all columns."""
    if step.transformer_weights:
        raise UnsupportedModel("This FeatureUnion weighs its transformers, which is not supported.")
    found: list[InputMap] = []
    for _, one in step.transformer_list:
        if not (isinstance(one, str) and one == "drop"):
            found += fold.follow(one, maps_by_input, given)
    return found
