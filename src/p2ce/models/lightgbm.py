"""Read a LightGBM Booster or LGBMClassifier with a binary probability objective."""

from typing import Any

import numpy as np
from scipy.special import expit

from p2ce.arrays import FloatArray, IntArray
from p2ce.compiled.assemble import TreeNodes, assemble_forest
from p2ce.compiled.cuts import LIGHTGBM_ZERO, cut_of_lightgbm
from p2ce.compiled.library import library_class
from p2ce.compiled.links import logistic, sure_and_maybe
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

FAMILY = "LightGBM"
_NAMES = frozenset({"Booster", "LGBMClassifier"})
_CATEGORICAL, _DEFAULT_LEFT, _MISSING_ZERO = 1, 2, 4


def recognises(model: object) -> bool:
    """Tell a LightGBM Booster or LGBMClassifier."""
    return library_class(model, root="lightgbm", names=_NAMES) is not None


def read(model: Any, request: Request) -> ReadModel:
    """Read the trees that ``predict`` uses, up to the best iteration of early stopping."""
    kind = require_own(model, root="lightgbm", names=_NAMES)
    classifier = kind.__name__ == "LGBMClassifier"
    if classifier and not model.__sklearn_is_fitted__():
        raise NotFitted("This LGBMClassifier is not fitted. Call .fit(X, y) on it before passing it on.")
    booster = model.booster_ if classifier else model
    require_own(booster, root="lightgbm", names=_NAMES)
    classes = plain_classes(model.classes_) if classifier else (0, 1)
    _refuse_early_stop(model.get_params() if classifier else booster.params)

    used = booster.best_iteration if booster.best_iteration > 0 else -1
    header, blocks = _split_text(booster.model_to_string(num_iteration=used))
    sigmoid = _sigmoid(header, classes)
    index = binary_index(classes, request.target, family=FAMILY)
    sign = 1.0 if index == 1 else -1.0
    # Random-forest mode reports the mean of the trees; one by one otherwise, from zero, in float64.
    divisor = float(len(blocks)) if "average_output" in header else 1.0
    forest = assemble_forest([_tree(block, sign) for block in blocks])

    names = booster.feature_name()
    unnamed = names == [f"Column_{position}" for position in range(len(names))]
    # LightGBM turns blanks in names into underscores, so they are undone by looking at the reference.
    known = {str(label).replace(" ", "_"): str(label) for label in request.reference.columns}
    if unnamed and set(names) != set(known):
        columns = columns_by_count(len(names), request.reference)
    else:
        columns = columns_by_name([known.get(name, name) for name in names], request.reference)
    feed = feeder(columns, request.reference, named=not unnamed)

    threshold = probability_threshold(request.threshold)
    sure, maybe = sure_and_maybe(
        logistic(complement=index == 0, margin=lambda total: sigmoid * (total / divisor)), threshold
    )
    of_target = second_class_or_first(index)
    ask_second = asks(model.predict_proba, feed, index) if classifier else asks(booster.predict, feed, None)
    return ReadModel(
        family=FAMILY,
        score=CompiledScore(name="model", column_count=len(columns), forest=forest, sure=sure, maybe=maybe),
        columns=columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=ask_second if classifier else lambda frame: of_target(ask_second(frame)),
        report=lambda scores: of_target(np.asarray(expit(sigmoid * (scores * sign / divisor)))),
        tolerance=1e-12,
    )


def _refuse_early_stop(params: dict[str, Any]) -> None:
    if params.get("pred_early_stop"):
        raise UnsupportedModel(
            "LightGBM with pred_early_stop=True stops adding trees once a row looks decided, so its scores "
            "are not sums over all trees. Set pred_early_stop=False."
        )


def _split_text(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Cut LightGBM's model text into its header and one dictionary per tree."""
    trees, _, _ = text.partition("\nend of trees")
    header, *blocks = trees.split("\nTree=")
    return _fields(header), [_fields(block) for block in blocks]


def _fields(block: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in block.splitlines())
    return {key: value for key, _, value in pairs}


def _sigmoid(header: dict[str, str], classes: tuple[Any, ...]) -> float:
    """Find the factor in front of the margin, or refuse an objective that reports no probability."""
    name, *options = header.get("objective", "").split(" ")
    if name == "binary" and len(classes) == 2:
        given = dict(option.partition(":")[::2] for option in options)
        return float(given.get("sigmoid", "1"))
    if name == "cross_entropy":
        return 1.0
    raise UnsupportedModel(
        f"LightGBM with objective {name or 'of your own'!r} does not report the probability of one class "
        "out of two. Fit with objective='binary'."
    )


def _numbers(block: dict[str, str], key: str) -> FloatArray:
    return np.array(block.get(key, "").split(), dtype=np.float64)


def _tree(block: dict[str, str], sign: float) -> TreeNodes:
    if block.get("is_linear", "0") != "0":
        raise UnsupportedModel("LightGBM linear trees cannot be read yet. Fit with linear_tree=False.")
    leaves = _numbers(block, "leaf_value") * sign
    feature = _numbers(block, "split_feature").astype(np.int64)
    threshold = _numbers(block, "threshold")
    decision = _numbers(block, "decision_type").astype(np.int64)
    if (decision & _CATEGORICAL).any():
        raise UnsupportedModel(
            f"LightGBM splits column {feature[(decision & _CATEGORICAL) > 0][0]} by categories, which cannot "
            "be read yet. Fit on numbers, without categorical_feature."
        )
    inner = len(feature)
    blank = np.zeros(len(leaves))
    return TreeNodes(
        left=_children(block, "left_child", inner, len(leaves)),
        right=_children(block, "right_child", inner, len(leaves)),
        feature=np.concatenate([feature, blank.astype(np.int64)]),
        threshold=np.concatenate([_cuts(threshold, decision), blank]),
        value=np.concatenate([np.zeros(inner), leaves]),
    )


def _children(block: dict[str, str], key: str, inner: int, leaves: int) -> IntArray:
    """Number the leaves after the inner nodes; LightGBM writes leaf i as -1 - i."""
    child = _numbers(block, key).astype(np.int64)
    return np.concatenate([np.where(child >= 0, child, inner - 1 - child), np.full(leaves, -1)])


def _cuts(threshold: FloatArray, decision: IntArray) -> FloatArray:
    """Apply LightGBM's reading of zero; where zero means missing it goes its own way."""
    cuts = cut_of_lightgbm(threshold)
    zero_is_missing = ((decision >> 2) & 3) == _MISSING_ZERO >> 2
    if not zero_is_missing.any():
        return cuts
    goes_left = (decision & _DEFAULT_LEFT) > 0
    # Still a plain cut only if zero's neighbours on one side go the same way as zero itself.
    torn = zero_is_missing & np.where(goes_left, threshold < -LIGHTGBM_ZERO, threshold > LIGHTGBM_ZERO)
    if torn.any():
        raise UnsupportedModel(
            "LightGBM treats zero as missing here and sends it against its neighbours, which is not one cut. "
            "Fit with zero_as_missing=False."
        )
    near = np.abs(threshold) <= LIGHTGBM_ZERO
    below_band = np.nextafter(-LIGHTGBM_ZERO, -np.inf)
    special = np.where(near, np.where(goes_left, LIGHTGBM_ZERO, below_band), threshold)
    return np.where(zero_is_missing, special, cuts)
