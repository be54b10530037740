"""Parse an XGBoost Booster, a classifier or a regressor, including XGBoost's random forests."""

from typing import Any

import numpy as np
from scipy.special import expit, softmax

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import library_class
from p2ce.base.visible import echoed
from p2ce.engine.scores.error_bands import exponential, logistic
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.forest_margins import ForestMargin, ForestMargins
from p2ce.models.contract.margins import IDENTITY, ClassOutputs, NumberOutput, OutputLink, ParsedModel
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.xgboost.booster_json import (
    CLASSIFIERS,
    FAMILY,
    NAMES,
    REGRESSORS,
    XGBoostParts,
    xgboost_parts,
)
from p2ce.models.families.xgboost.trees import is_plain, library_rounding, our_rounding, start_of

_TWO_CLASSES = ("binary:logistic", "reg:logistic")
_SEVERAL_CLASSES = ("multi:softprob", "multi:softmax")
_IDENTITY = (
    "reg:squarederror",
    "reg:absoluteerror",
    "reg:pseudohubererror",
    "reg:squaredlogerror",
    "reg:quantileerror",
)
_EXPONENTIAL = ("count:poisson", "reg:gamma", "reg:tweedie")


def recognises(model: object) -> bool:
    """Return whether a model is an XGBoost Booster, a classifier or a regressor."""
    return library_class(model, root="xgboost", names=NAMES) is not None


def parse(model: Any, request: ParseRequest) -> ParsedModel:
    """Parse two classes, one class of several, or a predicted number, by the model's objective."""
    booster = xgboost_parts(model, request)
    # Trained with a custom objective, a Booster reports reg:squarederror, and predicts the sum too.
    is_number = booster.kind == "Booster" and booster.objective in _IDENTITY + _EXPONENTIAL
    outputs: ClassOutputs | NumberOutput
    if booster.kind in REGRESSORS or is_number:
        base_score, link = _prediction(booster)
        outputs = NumberOutput(
            predict=booster.predict(),
            link=link,
            scored=(0, 1) if is_number else (),
        )
    elif booster.objective in _SEVERAL_CLASSES and booster.groups > 2:
        base_score, outputs = "none", _several_classes(booster)
    else:
        base_score, outputs = "logistic", _two_classes(booster)
    margins = ForestMargins(
        columns=booster.columns,
        count=booster.groups,
        parse=lambda group: _margin(booster, group, base_score),
        precision=1e-6,
    )
    # XGBoost handles unknown labels by its own rules.
    return ParsedModel(
        family=FAMILY,
        margins=margins,
        outputs=outputs,
        knows_unseen_categories=False,
        codebook=booster.codebook,
    )


def _margin(booster: XGBoostParts, group: int, base_score: str) -> ForestMargin:
    """Parse the trees of one margin, and bound the rounding of XGBoost's float32 sum."""
    forest = booster.forest(group)
    start, start_error = start_of(booster.learner, group, base_score)
    largest = abs(start) + start_error
    theirs = library_rounding(forest, largest, in_order=is_plain(booster.learner))
    error = start_error + theirs
    return ForestMargin(
        forest=forest, offset=start, error=error, band=start_error + our_rounding(forest, largest) + theirs
    )


def _two_classes(booster: XGBoostParts) -> ClassOutputs:
    if booster.objective not in _TWO_CLASSES:
        raise UnsupportedModel(
            f"XGBoost with objective {echoed(booster.objective)} does not report the probability of one "
            "class out of two. Fit with objective='binary:logistic'."
        )

    classifier = booster.kind in CLASSIFIERS
    names = plain_classes(booster.model.classes_) if classifier else (0, 1)
    if len(names) != 2:
        raise UnsupportedModel(
            f"XGBoost with {len(names)} classes and one margin is not supported natively. Fit it on two "
            "classes, or with an objective for several."
        )
    return ClassOutputs(
        names=names,
        probabilities=booster.predict_proba if classifier else booster.predict().then(_both),
        single=True,
    )


def _several_classes(booster: XGBoostParts) -> ClassOutputs:
    count, classifier = booster.groups, booster.kind in CLASSIFIERS
    names = plain_classes(booster.model.classes_) if classifier else tuple(range(count))
    if len(names) != count:
        raise UnsupportedModel(
            f"This {booster.kind} has {len(names)} classes but grew trees for {count}. Fit without num_class."
        )

    margins = booster.predict(margin=True)
    by_margin = booster.objective == "multi:softmax"
    if classifier:
        probabilities = booster.predict_proba
    else:
        probabilities = margins.then(_softmax) if by_margin else booster.predict()
    return ClassOutputs(
        names=names,
        probabilities=probabilities,
        # With multi:softmax, XGBoost predicts by the margins, and computes probabilities afterwards.
        largest=margins if by_margin else probabilities,
        single=True,
    )


def _both(second: FloatArray) -> FloatArray:
    """Return both probabilities, subtracted in float32, as XGBClassifier does for its first class."""
    narrow = second.astype(np.float32)
    return np.column_stack([np.float32(1.0) - narrow, narrow]).astype(np.float64)


def _softmax(margins: FloatArray) -> FloatArray:
    """Return the softmax in float32, as XGBClassifier does."""
    return np.asarray(softmax(margins.astype(np.float32), axis=1), dtype=np.float64)


def _prediction(booster: XGBoostParts) -> tuple[str, OutputLink]:
    """Return what the base score is, and how XGBoost's prediction follows from a margin."""
    if booster.objective in _IDENTITY:
        return "none", IDENTITY
    if booster.objective in _EXPONENTIAL:
        return "exponential", OutputLink(exponential(np.float64, single=True), np.exp)
    if booster.objective in _TWO_CLASSES:
        return "logistic", OutputLink(
            logistic(complement=False, single=True), lambda margins: np.asarray(expit(margins))
        )
    raise UnsupportedModel(
        f"XGBoost with objective {echoed(booster.objective)} is not supported natively as a regressor. "
        f"Supported are {', '.join(_IDENTITY + _EXPONENTIAL)}."
    )
