"""Parse the model's own decision threshold: scikit-learn's threshold classifiers.

``FixedThresholdClassifier`` and ``TunedThresholdClassifierCV`` wrap another classifier. Let s be the score
that it reports for one of two classes, the positive class, and t the wrapper's threshold. ``predict`` returns
the positive class if ``s >= t``, and the other class if ``s < t``. This file makes the search decide by the
same comparison of the same floats.

* **The target is the positive class.** ``s >= t`` is already the contract of this library: the inner
  classifier is parsed for this class and this threshold. NumPy compares scores in single precision with a
  Python number in single precision, so t is first rounded to the precision of that comparison. In float64,
  both sides are then exact.
* **The target is the other class.** ``s < t`` is not a comparison of the other class's own score with 1 - t:
  that score is rounded separately, and 1 - s is the same float for many small s. So the inner classifier is
  still parsed for the positive class, and the parsed score c is negated. If ``c >= accept_from``, the model
  decides ``s >= t``. If ``c < reject_below``, it decides ``s < t``. For c' = -c, the first is a certified
  rejection at ``c' <= -accept_from``, and the second a certified acceptance at ``c' > -reject_below``. In
  floats, ``c' > x`` is ``c' >= next(x)`` and ``c' <= x`` is ``c' < next(x)``, where next is the next larger
  float. So the new thresholds are ``accept_from' = next(-reject_below)`` and
  ``reject_below' = next(-accept_from)``. Negation is exact, and the sum of negated terms in the same order is
  exactly the negated sum: -c is computed as precisely as c. Between the two thresholds, and in all
  verification, one call of the model returns s, and ``s < t`` decides. The reported score is the target
  class's own score. If it is on the wrong side of 1 - t (of -t for decision functions; 13 decimals are kept),
  which only rounding can cause, it is moved to the right side.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.checked_calls import require_probabilities
from p2ce.base.calls.library import library_class, overrides
from p2ce.base.calls.model_call import ModelCall, as_call, one_per_class, one_per_row, retried
from p2ce.base.visible import echoed
from p2ce.engine.scores.combined.combination import Combination, minus
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.input_forest import InputForestScore
from p2ce.engine.scores.linear_trees.linear_forest import LinearTreesScore
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.errors import BrokenPlugin, InvalidArgument, NotFitted, UnsupportedModel
from p2ce.models.contract.forest_margins import negated
from p2ce.models.contract.network_outputs import one_output
from p2ce.models.decisions.adapter import DECISION, PROBABILITY, Adapter, ParseRequest
from p2ce.models.decisions.row_format import choose_row_format
from p2ce.models.decisions.target_arguments import class_index, plain_classes
from p2ce.models.fitted import require_library_class

_NAMES = frozenset({"FixedThresholdClassifier", "TunedThresholdClassifierCV"})
# scikit-learn's searches over models delegate every call to the best one.
_SEARCHES = frozenset({"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"})
_FROZEN = frozenset({"FrozenEstimator"})
_PIPELINES = frozenset({"Pipeline"})
# Their probabilities are shares of votes, or of few rows, so exactly one half is common.
_VOTERS = frozenset(
    {
        *("DecisionTreeClassifier", "ExtraTreeClassifier", "RandomForestClassifier", "ExtraTreesClassifier"),
        *("KNeighborsClassifier", "RadiusNeighborsClassifier", "BaggingClassifier", "VotingClassifier"),
    }
)
_DIGITS = 13
_METHODS = {PROBABILITY: "predict_proba", DECISION: "decision_function"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnThreshold:
    """The class and the score by which a model's own ``predict`` decides."""

    classes: tuple[Any, Any]
    positive: int  # the index of the class that is predicted from the threshold on
    value: Any  # the threshold; its type determines the precision of scikit-learn's comparison
    scale: str


def recognises(model: object) -> bool:
    """Return whether a model is a scikit-learn threshold classifier."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the inner classifier, whose scores the wrapper reports unchanged."""
    require_library_class(model, root="sklearn", names=_NAMES)
    return request.parse(_inside(model), request)


def best_of(model: Any) -> Any:
    """Return the model to which a search or a FrozenEstimator delegates; any other model unchanged."""
    frozen = library_class(model, root="sklearn", names=_FROZEN)
    if frozen is not None and not overrides(model, frozen):
        return best_of(model.estimator)
    search = library_class(model, root="sklearn", names=_SEARCHES)
    if search is not None and hasattr(model, "best_estimator_") and not overrides(model, search):
        return model.best_estimator_
    return model


def _final_step(model: Any) -> Any:
    """Return the model that decides inside searches and Pipelines; any other model unchanged."""
    model = best_of(model)
    pipeline = library_class(model, root="sklearn", names=_PIPELINES)
    if pipeline is not None and not overrides(model, pipeline):
        return _final_step(model.steps[-1][1])
    return model


def loses_ties(model: Any, found: Adapter, target: Any) -> bool:
    """Return whether the model counts votes, and a tie of two classes goes to the class that is not wanted.

    ``predict`` in scikit-learn returns the first of the most probable classes, so the second one needs more
    than one half. If votes are counted, ties are common, and the cheapest counterfactuals are often ties.
    """
    model = _final_step(model)
    voter = library_class(model, root="sklearn", names=_VOTERS)
    if voter is None or overrides(model, voter) or found.scale != PROBABILITY or len(found.classes) != 2:
        return False
    return found.threshold == 0.5 and class_index(found.classes, target) == 1


def own_threshold(model: Any) -> OwnThreshold | None:
    """Return a model's own threshold, even at the end of a Pipeline or in a search; None if it has none."""
    model = _final_step(model)
    wrapper = library_class(model, root="sklearn", names=_NAMES)
    if wrapper is None or overrides(model, wrapper):
        return None
    inside = _inside(model)
    classes = plain_classes(_classes(model, inside))
    if len(classes) != 2:
        return None  # such a wrapper cannot predict
    probabilities = getattr(inside, "predict_proba", None) is not None
    method = model.response_method
    if method == "auto":
        method = _METHODS[PROBABILITY if probabilities else DECISION]
    scale = PROBABILITY if method == _METHODS[PROBABILITY] else DECISION
    if wrapper.__name__ == "TunedThresholdClassifierCV":
        label, value = model._curve_scorer._get_pos_label(), model.best_threshold_
    else:
        label, value = model.pos_label, model.threshold
    if isinstance(value, str):  # "auto"
        value = 0.5 if scale == PROBABILITY else 0.0
    positive = 1 if label is None else class_index(classes, label)
    return OwnThreshold(classes=(classes[0], classes[1]), positive=positive, value=value, scale=scale)


def _inside(model: Any) -> Any:
    """Return the classifier that is called; if that is fitted, the wrapper itself need not be."""
    return getattr(model, "estimator_", model.estimator)


def _classes(model: Any, inside: Any) -> Any:
    tuned = hasattr(model, "scoring") and not hasattr(model, "best_threshold_")
    classes = None if tuned else getattr(inside, "classes_", None)
    if classes is None:
        raise NotFitted(f"This {type(model).__name__} is not fitted. Call .fit(X, y) on it first.")
    return classes


def parse_with_own_threshold(
    model: Any, own: OwnThreshold, request: ParseRequest, parse_any: Callable[[Any, ParseRequest], Adapter]
) -> Adapter:
    """Parse a model so that the target is reached exactly where ``predict`` returns it; see above.

    ``request.margin`` moves the threshold away from the target.
    """
    if request.scale not in (None, own.scale):
        raise InvalidArgument(
            f"scale={echoed(request.scale)} is not the score by which {type(model).__name__} decides "
            f"({_METHODS[own.scale]}). Pass at_least= too, or leave scale out."
        )
    index = class_index(own.classes, request.target)
    method = getattr(model, _METHODS[own.scale])
    call = f"model.{_METHODS[own.scale]}"
    chosen = choose_row_format(model, method, request, call)
    # If NumPy compares in single precision, the threshold is rounded to it.
    value = float(np.result_type(chosen.outputs.dtype, own.value).type(own.value))
    away = request.margin if index == own.positive else -request.margin
    threshold = value + away
    if own.scale == PROBABILITY and not 0.0 <= threshold <= 1.0:
        raise InvalidArgument(
            f"{type(model).__name__} decides by a threshold of {value:g} on a probability"
            + (f", and with margin={echoed(request.margin)} it is outside [0, 1]." if request.margin else ".")
            + " Pass an at_least= or margin= that an applicant can reach."
        )
    wanted = replace(
        request, target=own.classes[own.positive], at_least=threshold, scale=own.scale, margin=0.0
    )
    found = parse_any(model, wanted)
    if index == own.positive:
        return found
    alone = as_call(found.evaluate, name=call).alone
    reported = ModelCall(name=call, method=method, rows=chosen.rows, copies=True, alone=alone)
    return _turned(found, reported, own, threshold)


def _turned(found: Adapter, reported: ModelCall, own: OwnThreshold, threshold: float) -> Adapter:
    """Invert the parsed model of the positive class: rows below its threshold are accepted."""
    if found.also:
        raise BrokenPlugin(
            f"The parsed model ({found.family}) must have one score, since its threshold decides between two "
            f"classes; got {len(found.scores)}. Correct the family, or uninstall its package."
        )
    has_two = own.scale == PROBABILITY
    # It is displayed, so 1 - 0.8 must be 0.2 without a rounding error; the decision does not depend on it.
    limit = round(1.0 - threshold, _DIGITS) if has_two else -threshold
    if has_two:
        reported = replace(reported, check=partial(one_per_class, classes=2))
        reported = reported.then(partial(require_probabilities, call=reported.name))
    else:
        reported = replace(reported, check=one_per_row)
    black_box = found.score is None
    turned = partial(_turned_values, positive=own.positive, threshold=threshold, limit=limit)
    report = found.report
    if not black_box and report is not None:
        report = partial(_turned_report, report, has_two=has_two)
    return replace(
        found,
        score=None if found.score is None else _turned_score(found.score),
        threshold=limit,
        evaluate=retried(reported.then(turned)) if black_box else reported.then(turned),
        report=report,
        number=None,
    )


def _turned_values(values: FloatArray, *, positive: int, threshold: float, limit: float) -> FloatArray:
    """Return the score of the other class, on the side of ``limit`` that the positive class decides."""
    if values.ndim == 2:
        own, other = values[:, positive], values[:, 1 - positive]
    else:
        own = (1.0 if positive == 1 else -1.0) * values
        other = -own
    below = math.nextafter(limit, -math.inf)
    return np.where(own < threshold, np.maximum(other, limit), np.minimum(other, below))


def _turned_report(
    report: Callable[[FloatArray], FloatArray], scores: FloatArray, *, has_two: bool
) -> FloatArray:
    """Return what the positive class's report says about the other class."""
    reported = report(-scores)
    return 1.0 - reported if has_two else -reported


def _turned_score(score: Any) -> Any:
    """Negate a parsed score, and swap its certified thresholds."""
    accept_from, reject_below = _next_above_minus(score.reject_below), _next_above_minus(score.accept_from)
    if score.flat is not None:
        return replace(
            score,
            offset=-score.offset,
            forest=None if score.forest is None else negated(score.forest),
            weights=None if score.weights is None else -score.weights,
            accept_from=accept_from,
            reject_below=reject_below,
        )
    if isinstance(score, NetworkScore):
        last = one_output(score.layers[-1], 0, sign=-1.0)
        return replace(
            score, layers=(*score.layers[:-1], last), accept_from=accept_from, reject_below=reject_below
        )
    if isinstance(score, LinearTreesScore):
        return score.negated(accept_from=accept_from, reject_below=reject_below)
    if isinstance(score, CombinedScore):
        number = minus(Combination(parts=score.parts, reported=score.reported))
        return replace(
            score,
            parts=number.parts,
            reported=number.reported,
            accept_from=accept_from,
            reject_below=reject_below,
        )
    if isinstance(score, InputForestScore):
        return replace(
            score,
            offset=-score.offset,
            forest=negated(score.forest),
            accept_from=accept_from,
            reject_below=reject_below,
        )
    raise UnsupportedModel(f"A {type(score).__name__} behind its own threshold cannot be inverted.")


def _next_above_minus(threshold: float) -> float:
    """Return the smallest float above minus the threshold; plus infinity becomes minus infinity."""
    return -math.inf if threshold == math.inf else math.nextafter(-threshold, math.inf)
