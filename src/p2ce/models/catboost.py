"""Read a CatBoostClassifier with numeric features."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from p2ce.compiled.assemble import TreeNodes, assemble_forest, largest_leaves
from p2ce.compiled.cuts import cut_of_float32_at_most
from p2ce.compiled.library import library_class
from p2ce.compiled.links import logistic, summation_error, sure_and_maybe, widened
from p2ce.compiled.score import CompiledScore
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.reading import (
    PROBABILITY,
    ReadModel,
    Request,
    binary_index,
    columns_by_count,
    columns_by_name,
    feeder,
    plain_classes,
    probability_threshold,
    second_class_or_first,
)
from p2ce.models.sklearn_common import asks, require_own

FAMILY = "CatBoost"
_NAMES = frozenset({"CatBoostClassifier"})
_OBJECTIVES = ("Logloss", "CrossEntropy")
_NUMERIC_SPLIT = "FloatFeature"


def recognises(model: object) -> bool:
    """Tell a CatBoostClassifier."""
    return library_class(model, root="catboost", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the trees from CatBoost's own JSON; leaves are float64, borders float32."""
    require_own(model, root="catboost", names=_NAMES)
    if not model.is_fitted():
        raise NotFitted("This CatBoostClassifier is not fitted. Call .fit(X, y) on it before passing it on.")
    _refuse_other_features(model)
    classes = plain_classes(model.classes_)
    index = binary_index(classes, request.target, family=FAMILY)
    sign = 1.0 if index == 1 else -1.0
    exported = _export(model)
    loss = exported["model_info"].get("params", {}).get("loss_function", {}).get("type")
    if loss not in _OBJECTIVES:
        raise UnsupportedModel(
            f"CatBoost with loss_function={loss!r} does not report the probability of one class out of two. "
            "Fit with loss_function='Logloss'."
        )
    factor, (bias,) = exported["scale_and_bias"]
    column_of = [one["flat_feature_index"] for one in exported["features_info"]["float_features"]]
    if "oblivious_trees" in exported:
        trees = [_symmetric(tree, column_of, sign * factor) for tree in exported["oblivious_trees"]]
    else:
        trees = [_nested(tree, column_of, sign * factor) for tree in exported["trees"]]
    forest = assemble_forest(trees) if trees else None

    threshold = probability_threshold(request.threshold)
    # CatBoost adds in float64, in an order of its own, then scales and adds the bias.
    magnitude = abs(bias) + (float(largest_leaves(forest).sum()) if forest is not None else 0.0)
    band = 2.0 * summation_error(len(trees) + 3, magnitude)
    link = logistic(complement=index == 0, slack=32.0)  # its exp is its own, a few units off at most
    sure, maybe = widened(*sure_and_maybe(link, threshold), band)

    names = list(model.feature_names_)
    unnamed = names == [str(position) for position in range(len(names))]
    if unnamed and set(names) != set(map(str, request.reference.columns)):
        columns = columns_by_count(len(names), request.reference)
    else:
        columns = columns_by_name(names, request.reference)
    of_target = second_class_or_first(index)
    return ReadModel(
        family=FAMILY,
        score=CompiledScore(
            name="model", column_count=len(columns), offset=sign * bias, forest=forest, sure=sure, maybe=maybe
        ),
        columns=columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=asks(model.predict_proba, feeder(columns, request.reference, named=not unnamed), index),
        report=lambda scores: of_target(np.asarray(expit(scores * sign))),
        tolerance=1e-9,
    )


def _refuse_other_features(model: Any) -> None:
    for kind, positions in (
        ("categorical", model.get_cat_feature_indices()),
        ("text", model.get_text_feature_indices()),
        ("embedding", model.get_embedding_feature_indices()),
    ):
        if len(positions):
            name = model.feature_names_[positions[0]]
            raise UnsupportedModel(
                f"CatBoost uses {name!r} as a {kind} feature, which cannot be read yet. "
                "Fit on numeric features only."
            )


def _export(model: Any) -> dict[str, Any]:
    """Let CatBoost write its JSON, which it only does to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        exported: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return exported


def _border(split: dict[str, Any]) -> float:
    if split["split_type"] != _NUMERIC_SPLIT:
        raise UnsupportedModel(
            f"CatBoost splits by {split['split_type']} here, which cannot be read yet. "
            "Fit on numeric features only."
        )
    return float(split["border"])


def _symmetric(tree: dict[str, Any], column_of: list[int], factor: float) -> TreeNodes:
    """Unfold an oblivious tree: all nodes of a level ask the same split, answers are the bits of the leaf."""
    splits = tree.get("splits") or []
    depth = len(splits)
    inner = 2**depth - 1
    level = np.repeat(np.arange(depth), 2 ** np.arange(depth))
    borders = np.array([_border(split) for split in splits])
    columns = np.array([column_of[split["float_feature_index"]] for split in splits], dtype=np.int64)
    node = np.arange(inner)
    leaf = np.arange(2**depth)
    # The first split is the lowest bit of the leaf number but the first turn on the way down.
    number = np.zeros_like(leaf)
    for bit in range(depth):
        number |= ((leaf >> (depth - 1 - bit)) & 1) << bit
    blank = np.zeros(len(leaf))
    cuts = cut_of_float32_at_most(borders) if depth else borders
    return TreeNodes(
        left=np.concatenate([2 * node + 1, np.full(len(leaf), -1)]),
        right=np.concatenate([2 * node + 2, np.full(len(leaf), -1)]),
        feature=np.concatenate([columns[level], blank.astype(np.int64)]),
        threshold=np.concatenate([cuts[level], blank]),
        value=np.concatenate(
            [np.zeros(inner), factor * np.array(tree["leaf_values"], dtype=np.float64)[number]]
        ),
    )


def _nested(tree: dict[str, Any], column_of: list[int], factor: float) -> TreeNodes:
    """Flatten a non-symmetric tree, which CatBoost writes as nested objects."""
    nodes = [tree]
    left: list[int] = []
    right: list[int] = []
    feature: list[int] = []
    border: list[float] = []
    value: list[float] = []
    for node in nodes:  # grows while it is walked
        split = node.get("split")
        if split is None:
            held = node["value"]
            value.append(factor * float(held[0] if isinstance(held, list) else held))
            left.append(-1)
            right.append(-1)
            feature.append(0)
            border.append(0.0)
            continue
        value.append(0.0)
        feature.append(column_of[split["float_feature_index"]])
        border.append(_border(split))
        left.append(len(nodes))
        right.append(len(nodes) + 1)
        nodes += [node["left"], node["right"]]
    return TreeNodes(
        left=np.array(left, dtype=np.int64),
        right=np.array(right, dtype=np.int64),
        feature=np.array(feature, dtype=np.int64),
        threshold=cut_of_float32_at_most(np.array(border)),
        value=np.array(value),
    )
