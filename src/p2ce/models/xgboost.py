"""Read an XGBoost Booster or XGBClassifier with a logistic objective."""

import contextlib
import json
import math
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from p2ce.arrays import FloatArray
from p2ce.compiled.assemble import TreeNodes, assemble_forest, largest_leaves
from p2ce.compiled.cuts import cut_of_float32_below
from p2ce.compiled.forest import Forest
from p2ce.compiled.library import library_class
from p2ce.compiled.links import logistic, summation_error, sure_and_maybe, widened
from p2ce.compiled.score import CompiledScore
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.reading import (
    PROBABILITY,
    Ask,
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

FAMILY = "XGBoost"
_NAMES = frozenset({"Booster", "XGBClassifier", "XGBRFClassifier"})
_OBJECTIVES = ("binary:logistic", "reg:logistic")
_UNIT = 2.0**-24  # half a unit in the last place of float32, in which XGBoost computes


def recognises(model: object) -> bool:
    """Tell an XGBoost Booster, XGBClassifier or XGBRFClassifier."""
    return library_class(model, root="xgboost", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the trees that the model's own prediction uses, up to the best iteration for a classifier."""
    kind = require_own(model, root="xgboost", names=_NAMES)
    classifier = kind.__name__ != "Booster"
    if classifier and not model.__sklearn_is_fitted__():
        raise NotFitted("This XGBClassifier is not fitted. Call .fit(X, y) on it before passing it on.")
    if classifier and not math.isnan(model.missing):
        raise UnsupportedModel(
            f"This XGBClassifier treats the value {model.missing!r} as missing, which is not one cut per "
            "split. Fit with missing=np.nan."
        )
    booster = model.get_booster() if classifier else model
    require_own(booster, root="xgboost", names=_NAMES)
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    classes = plain_classes(model.classes_) if classifier else (0, 1)
    index = binary_index(classes, request.target, family=FAMILY)
    _refuse_other_objectives(learner)
    sign = 1.0 if index == 1 else -1.0

    trees = _trees_in_use(model if classifier else None, learner)
    forest = assemble_forest([_tree(tree, weight, sign) for tree, weight in trees]) if trees else None
    start, start_error = _start(learner)
    threshold = probability_threshold(request.threshold)
    band = start_error + _rounding(forest, abs(start) + start_error, in_order=_is_plain(learner))
    sure, maybe = widened(*sure_and_maybe(logistic(complement=index == 0, single=True), threshold), band)

    columns = (
        columns_by_name(booster.feature_names, request.reference)
        if booster.feature_names
        else columns_by_count(int(booster.num_features()), request.reference)
    )
    of_target = second_class_or_first(index)
    return ReadModel(
        family=FAMILY,
        score=CompiledScore(
            name="model",
            column_count=len(columns),
            offset=sign * start,
            forest=forest,
            weights=np.zeros(len(columns)) if forest is None else None,  # not a single tree was grown
            sure=sure,
            maybe=maybe,
        ),
        columns=columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=_ask(model, booster, request.reference, columns, index, classifier=classifier),
        report=lambda scores: of_target(np.asarray(expit(scores * sign))),
        tolerance=1e-6 + band,
    )


def _ask(
    model: Any,
    booster: Any,
    reference: pd.DataFrame,
    columns: tuple[str, ...],
    index: int,
    *,
    classifier: bool,
) -> Ask:
    feed = feeder(columns, reference, named=bool(booster.feature_names))
    if classifier:
        return asks(model.predict_proba, feed, index)

    def ask(frame: pd.DataFrame) -> FloatArray:
        import xgboost

        second = booster.predict(xgboost.DMatrix(feed(frame)))
        # Subtracted in float32, as XGBClassifier does for its first class.
        return np.asarray(second if index == 1 else np.float32(1.0) - second, dtype=np.float64)

    return ask


def _refuse_other_objectives(learner: dict[str, Any]) -> None:
    name = learner["objective"]["name"]
    targets = int(learner["learner_model_param"].get("num_target", "1"))
    if name not in _OBJECTIVES or targets != 1:
        raise UnsupportedModel(
            f"XGBoost with objective {name!r} does not report the probability of one class out of two. "
            "Fit with objective='binary:logistic'."
        )
    if learner["gradient_booster"]["name"] not in ("gbtree", "dart"):
        raise UnsupportedModel(
            "XGBoost with booster='gblinear' has no trees to read. Use a scikit-learn linear model."
        )


def _trees_in_use(classifier: Any | None, learner: dict[str, Any]) -> list[tuple[dict[str, Any], float]]:
    """List the trees with their dropout weights; a classifier stops after its best iteration."""
    booster = learner["gradient_booster"]
    inner = booster["gbtree"]["model"] if booster["name"] == "dart" else booster["model"]
    trees = inner["trees"]
    weights = _dropout_weights(learner) or [1.0] * len(trees)
    used = len(trees)
    if classifier is not None:
        with contextlib.suppress(AttributeError):  # there is none without early stopping
            used = int(inner["iteration_indptr"][classifier.best_iteration + 1])
    return [
        (tree, float(np.float32(weight))) for tree, weight in zip(trees[:used], weights[:used], strict=True)
    ]


def _start(learner: dict[str, Any]) -> tuple[float, float]:
    """Turn the base score, a probability, into a margin, with the error that float32 makes in doing so."""
    stored = json.loads(learner["learner_model_param"]["base_score"])
    share = float(np.float32(stored[0] if isinstance(stored, list) else stored))
    if not 0.0 < share < 1.0:
        raise UnsupportedModel(
            f"XGBoost with base_score={share!r} starts from an infinite margin. Fit it again."
        )
    margin = -math.log(1.0 / share - 1.0)
    # 1/share and the subtraction err relative to 1/share, which log sees relative to 1/share - 1.
    return margin, 4.0 * _UNIT * (1.0 / (1.0 - share) + abs(margin))


def _is_plain(learner: dict[str, Any]) -> bool:
    """Tell plain boosting from DART, whose ways of predicting add up in different orders."""
    return learner["gradient_booster"]["name"] == "gbtree" and not _dropout_weights(learner)


def _dropout_weights(learner: dict[str, Any]) -> list[float] | None:
    """Find DART's tree weights: beside the trees in XGBoost 3.2, among their parameters in 3.4."""
    booster = learner["gradient_booster"]
    found: list[float] | None = booster.get("weight_drop") or booster.get("model", {}).get("weight_drop")
    return found


def _rounding(forest: Forest | None, start: float, *, in_order: bool) -> float:
    """Bound the float32 rounding of XGBoost's sum, and the float64 rounding of ours.

    Plain trees are added one by one after the base score, so each addition errs by half a unit of the
    partial sum that it makes, and partial sums lie between the sums of the smallest and of the largest
    leaves. DART multiplies by dropout weights and adds in an order of its own: the general bound.
    """
    if forest is None:
        return 0.0
    count = forest.tree_count
    largest = float(largest_leaves(forest).sum())
    ours = summation_error(count + 1, start + largest)
    if not in_order:
        return ours + summation_error(count + 3, start + largest, unit=_UNIT)
    leaf = forest.feature < 0
    least = np.cumsum(np.minimum.reduceat(np.where(leaf, forest.value, np.inf), forest.root))
    most = np.cumsum(np.maximum.reduceat(np.where(leaf, forest.value, -np.inf), forest.root))
    partial = float((start + np.maximum(np.abs(least), np.abs(most))).sum())
    # A rounded partial sum is itself larger than the true one by at most the error so far.
    return ours + _UNIT * partial * (1.0 + 2.0 * count * _UNIT + 2.0**-40)


def _tree(tree: dict[str, Any], weight: float, sign: float) -> TreeNodes:
    if any(tree.get("split_type", [])):
        raise UnsupportedModel(
            "XGBoost splits by categories here, which cannot be read yet. Fit on numbers only."
        )
    left = np.array(tree["left_children"], dtype=np.int64)
    # Leaves keep their value where inner nodes keep their threshold; both are float32 numbers.
    stored = np.array(tree["split_conditions"], dtype=np.float64).astype(np.float32)
    return TreeNodes(
        left=left,
        right=np.array(tree["right_children"], dtype=np.int64),
        feature=np.array(tree["split_indices"], dtype=np.int64),
        threshold=cut_of_float32_below(np.where(left >= 0, stored, 0.0)),
        value=sign * weight * stored.astype(np.float64),
    )
