"""Read a LightGBM Booster, LGBMClassifier or LGBMRegressor."""

from typing import Any

import numpy as np
from scipy.special import expit

from p2ce.adapters.library import library_class
from p2ce.decisions.model_adapter import (
    PROBABILITY,
    ModelAdapter,
    Request,
    binary_index,
    plain_classes,
    probability_threshold,
    second_class_or_first,
)
from p2ce.decisions.targets import refuse_scale, score_or_range
from p2ce.errors import UnsupportedModel
from p2ce.models.lightgbm.booster_parts import FAMILY, NAMES, Parts, take_apart
from p2ce.models.lightgbm.model_text import read_tree
from p2ce.models.lightgbm.targets_lightgbm import AS_IT_IS, EXPONENTIAL, SEVERAL, read_regressor, read_several
from p2ce.models.sklearn.fitted_attributes import asks
from p2ce.scores.assemble import assemble_forest
from p2ce.scores.error_bands import logistic, sure_and_maybe
from p2ce.scores.score import CompiledScore
from p2ce.visible import echoed


def recognises(model: object) -> bool:
    """Tell a LightGBM Booster, LGBMClassifier or LGBMRegressor."""
    return library_class(model, root="lightgbm", names=NAMES) is not None


def read(model: Any, request: Request) -> ModelAdapter:
    """Read two classes, one class of several, or a predicted number, by the model's objective."""
    parts = take_apart(model, request)
    if parts.kind == "LGBMRegressor":
        return read_regressor(parts, request)
    own_objective = not parts.objective and parts.per_round == 1  # a function: its sums are all there is
    if own_objective or (parts.kind == "Booster" and parts.objective in AS_IT_IS + EXPONENTIAL):
        return score_or_range(
            request,
            lambda wanted: read_regressor(parts, wanted),
            classes=(0, 1) if parts.kind == "Booster" else plain_classes(parts.model.classes_),
            name=f"LightGBM {parts.kind}",
        )
    refuse_scale(request, (PROBABILITY,), name=f"LightGBM {parts.kind}")
    if parts.objective in SEVERAL and parts.per_round > 2:
        return read_several(parts, request)
    return _read_two(parts, request)


def _read_two(parts: Parts, request: Request) -> ModelAdapter:
    classifier = parts.kind == "LGBMClassifier"
    classes = plain_classes(parts.model.classes_) if classifier else (0, 1)
    sigmoid = _sigmoid(parts, classes)
    index = binary_index(classes, request.target, family=FAMILY)
    sign = 1.0 if index == 1 else -1.0
    # Random-forest mode reports the mean of the trees; one by one otherwise, from zero, in float64.
    divisor = parts.divisor
    forest = assemble_forest([read_tree(block, parts.seen, factor=sign) for block in parts.blocks])
    threshold = probability_threshold(request.threshold)
    accept_from, reject_below = sure_and_maybe(
        logistic(complement=index == 0, margin=lambda total: sigmoid * (total / divisor)), threshold
    )
    of_target = second_class_or_first(index)
    ask = asks(parts.call, parts.feed, index if classifier else None)
    return ModelAdapter(
        family=FAMILY,
        score=CompiledScore(
            name="model",
            column_count=len(parts.columns),
            forest=forest,
            accept_from=accept_from,
            reject_below=reject_below,
        ),
        columns=parts.columns,
        scale=PROBABILITY,
        threshold=threshold,
        classes=classes,
        ask=ask if classifier else lambda frame: of_target(ask(frame)),
        report=lambda scores: of_target(np.asarray(expit(sigmoid * (scores * sign / divisor)))),
        tolerance=1e-12,
    )


def _sigmoid(parts: Parts, classes: tuple[Any, ...]) -> float:
    """Find the factor in front of the margin, or refuse an objective that reports no probability."""
    if parts.objective == "binary" and len(classes) == 2:
        return float(parts.options.get("sigmoid", "1"))
    if parts.objective == "cross_entropy":
        return 1.0
    raise UnsupportedModel(
        f"LightGBM with objective {echoed(parts.objective or 'of your own')} does not report the "
        "probability of one class out of two. Fit with objective='binary'."
    )
