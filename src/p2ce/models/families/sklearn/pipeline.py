"""Parse a scikit-learn Pipeline whose transformers work column by column, in front of a supported model.

The scores of the inner model are rewritten as functions of the table's own columns, with the same proofs: see
`preprocessing.input_maps` and `preprocessing.behind`. Any other pipeline is a black box.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, IntArray
from p2ce.base.calls.library import library_class
from p2ce.base.calls.model_call import ModelCall, as_call
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.score import Bound
from p2ce.engine.scores.trees.tree_nodes import parsing
from p2ce.errors import UnsupportedModel
from p2ce.models.decisions.adapter import Adapter, Evaluate, ParseRequest
from p2ce.models.decisions.row_format import columns_by_count, row_format
from p2ce.models.families.sklearn.estimator import estimator_columns, require_fitted
from p2ce.models.fitted import require_library_class
from p2ce.models.preprocessing.behind import REACH_FACTOR, ModelInputs, behind, number_behind
from p2ce.models.preprocessing.fold import is_sparse
from p2ce.models.preprocessing.input_maps import InputMaps, may_be_missing
from p2ce.models.preprocessing.parse_transformers import (
    ParsedTransformers,
    parse_transformers,
    rejecting_missing,
    without_zeros,
)
from p2ce.models.preprocessing.rewrite import reach_of_inputs
from p2ce.models.preprocessing.transform_rows import Preparation, Transformed

_NAMES = frozenset({"Pipeline"})


def recognises(model: object) -> bool:
    """Return whether a model is a scikit-learn Pipeline."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the last step, and write its scores in terms of the table's own columns."""
    require_library_class(model, root="sklearn", names=_NAMES)
    with parsing("This Pipeline"):
        steps = [step for _, step in model.steps[:-1] if not _does_nothing(step)]
        _, last = model.steps[-1]
    if _does_nothing(last):
        raise UnsupportedModel(
            "This Pipeline ends without a model. Pass one whose last step is a classifier or a regressor."
        )
    if not steps:
        return request.parse(last, request)
    require_fitted(model)
    columns, named = _columns(steps[0], request.reference)
    return parse_behind(steps, last, request, columns=columns, named=named)


def parse_behind(
    steps: Sequence[Any],
    last: Any,
    request: ParseRequest,
    *,
    columns: tuple[str, ...],
    named: bool = True,
    takes_table: bool = False,
) -> Adapter:
    """Parse a model behind transformers, and write its scores in terms of the table's own columns.

    If it ``takes_table``, the calls of ``last`` receive the table, and not what the transformers return.
    """
    seen = parse_transformers(_preparation(steps, columns, request, named=named))
    maps = seen.maps
    if is_sparse(seen.rows) and type(last).__module__.partition(".")[0] == "xgboost":
        if (seen.rows.data == 0).any():
            raise UnsupportedModel(
                "This Pipeline passes zeros to XGBoost, which treats some of them as missing."
            )
        maps = without_zeros(maps)

    nullable = np.array([name in request.nullable for name in columns], dtype=np.bool_)
    reach = request.reach[positions(columns, request.reference)]
    input_reach, proven = reach_of_inputs(maps, reach, seen.codes, REACH_FACTOR)
    inside, maps = _parse_inside(last, replace(request, reach=input_reach), seen, maps, nullable)
    if inside.score is None:
        raise UnsupportedModel(
            f"The last step of this Pipeline ({inside.family}) has no score, so the Pipeline is evaluated as "
            "a whole. Return a score from parse() of its family."
        )
    codebook = request.codebook.with_labels(_labels_inside(inside, seen))
    if codebook is not request.codebook:  # the tables need a line for each of these labels
        request = replace(request, codebook=codebook)
        return parse_behind(steps, last, request, columns=columns, named=named, takes_table=takes_table)
    evaluated = partial(_through, seen) if not takes_table else lambda call: call
    inputs = ModelInputs(maps=maps, nullable=nullable, proven=proven, reach=input_reach)
    is_category = seen.preparation.codebook.is_category
    return replace(
        inside,
        family=f"{inside.family} behind {', '.join(seen.names)}" if seen.names else inside.family,
        columns=columns,
        evaluate=evaluated(inside.evaluate),
        predict=None if inside.predict is None else evaluated(inside.predict),
        score=behind(inside.score, inputs),
        also=tuple(behind(score, inputs) for score in inside.also),
        number=number_behind(inside.number, inside.scores, inputs),
        codebook=request.codebook.with_codings_of(seen.preparation.codebook),
        knows_unseen_categories=inside.knows_unseen_categories and seen.knows_unseen,
        # A table covers all labels, and any other label too.
        reach=None if inside.reach is None else np.where(is_category, np.inf, reach),
    )


def _parse_inside(
    last: Any, request: ParseRequest, seen: ParsedTransformers, maps: InputMaps, nullable: BoolArray
) -> tuple[Adapter, InputMaps]:
    """Parse the model on its inputs, some of which may be missing."""
    labels = [str(label) for label in seen.frame.columns]

    def parse_with(missing: BoolArray) -> Adapter:
        names = frozenset(label for label, may in zip(labels, missing, strict=True) if may)
        found = request.parse(
            last,
            replace(request, reference=seen.frame, codebook=seen.inputs, codes=seen.codes, nullable=names),
        )
        if found.columns != tuple(labels):
            raise UnsupportedModel(
                "This Pipeline's model expects the transformed columns in another order. Fit the Pipeline as "
                "a whole."
            )
        return found

    missing = may_be_missing(maps, nullable, unseen=True)
    expected = may_be_missing(maps, nullable, unseen=False)
    try:
        return parse_with(missing), maps
    except UnsupportedModel:
        if np.array_equal(missing, expected):
            raise
        found = parse_with(expected)
        if any(_has_trees(score) for score in found.scores):
            raise  # trees may accept missing values
    # A sum or a network accepts none: it rejects inputs that are missing only for an unknown label.
    return found, rejecting_missing(maps, missing & ~expected)


def _has_trees(score: Any) -> bool:
    if isinstance(score, CombinedScore):
        return any(map(_has_trees, score.parts))
    return bool(score.bound is Bound.TREE_LEAVES)


def _labels_inside(inside: Adapter, seen: ParsedTransformers) -> dict[str, tuple[Any, ...]]:
    """Return the labels that only the last step knows, of columns that reach it unchanged."""
    inputs = seen.inputs if inside.codebook is None else inside.codebook
    names = seen.preparation.codebook.names
    found: dict[str, tuple[Any, ...]] = {}
    for input_map, before, after in zip(seen.maps.maps_by_input, seen.inputs, inputs, strict=True):
        if input_map.raw:
            new = after.unseen[len(before.unseen) :]
            found[names[input_map.source]] = (*found.get(names[input_map.source], ()), *new)
    return found


def _does_nothing(step: Any) -> bool:
    return step is None or (isinstance(step, str) and step == "passthrough")


def _columns(step: Any, reference: pd.DataFrame) -> tuple[tuple[str, ...], bool]:
    """Return the columns in the order of the first transformer, and whether it was fitted on a frame."""
    if getattr(step, "feature_names_in_", None) is None and not hasattr(step, "n_features_in_"):
        return columns_by_count(reference.shape[1], reference), True  # it accepts any input
    return estimator_columns(step, reference)


def _preparation(
    steps: Sequence[Any], columns: tuple[str, ...], request: ParseRequest, *, named: bool
) -> Preparation:
    codebook = request.codebook.of(columns)
    if not named and (codebook.is_category.any() or codebook.dates):
        raise UnsupportedModel(
            "This Pipeline was fitted on an array that holds labels or dates. Fit it on a frame with "
            "named columns."
        )
    by_name = {str(label): label for label in request.reference.columns}
    return Preparation(
        steps=tuple(steps),
        feed=row_format(columns, request.reference, named=named),
        codebook=codebook,
        labels=pd.Index([by_name[name] for name in columns], tupleize_cols=False),
        reference=request.reference,
    )


def _through(seen: ParsedTransformers, evaluate: Evaluate) -> ModelCall:
    """Extend a call of the last step to the whole pipeline: its transformers, then the step's own method."""
    call = as_call(evaluate, name="model (Pipeline)")
    labels = pd.Index(list(seen.frame.columns), tupleize_cols=False)
    return replace(
        call, rows=Transformed(preparation=seen.preparation, labels_inside=labels, inner=call.rows)
    )


def positions(columns: Sequence[str], reference: pd.DataFrame) -> IntArray:
    """Return the positions of a model's columns among those of the reference."""
    place = {str(label): at for at, label in enumerate(reference.columns)}
    return np.array([place[name] for name in columns], dtype=np.int64)
