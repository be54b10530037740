"""Parse the decision threshold that a model brings with it: scikit-learn's threshold classifiers.

``FixedThresholdClassifier`` and ``TunedThresholdClassifierCV`` hold another classifier. Let s be the score
that it reports for one of two classes, the positive one, and t the wrapper's threshold: ``predict`` gives the
positive class where ``s >= t`` and the other one where ``s < t``. This file makes the search decide by the
same comparison of the same floats.

* **The positive class is wanted.** ``s >= t`` is the contract of this library already: the inner classifier
  is parsed for this class and this threshold. NumPy compares scores in single precision with a Python
  number in single precision, so t is rounded to the precision of that comparison first; in float64, both
  sides are then exact.
* **The other class is wanted.** ``s < t`` is not a comparison of the other class's own score with 1 - t: that
  score is rounded by itself, and 1 - s is the same float for many small s. So the inner classifier is parsed
  for the positive class all the same, and the parsed score c is negated. At ``c >= accept_from`` the model
  decides ``s >= t``, at ``c < reject_below`` it decides ``s < t``. For c' = -c the first is a certified
  rejection at ``c' <= -accept_from``, the second a certified acceptance at ``c' > -reject_below``. In floats
  ``c' > x`` is ``c' >= next(x)`` and ``c' <= x`` is ``c' < next(x)``, where next is the next float up: the
  new thresholds are ``accept_from' = next(-reject_below)`` and ``reject_below' = next(-accept_from)``.
  Negation is exact, and so is it in every sum of negated terms in the same order: -c is computed as
  precisely as c. Between the two thresholds, and in all
  verification, one call of the model gives s, and ``s < t`` decides. Reported is the wanted class's own
  score, moved to its side of 1 - t (of -t for decision functions; 13 decimals are kept) where it is not
  there by itself, which only rounding can bring about.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.adapters.checked_calls import one_per_class, one_per_row, outputs_of, require_probabilities
from p2ce.adapters.library import library_class, overrides
from p2ce.adapters.retries import retried
from p2ce.arrays import FloatArray
from p2ce.decisions.forest_margins import negated
from p2ce.decisions.model_adapter import DECISION, PROBABILITY, ModelAdapter, Request
from p2ce.decisions.network_outputs import one_output
from p2ce.decisions.row_format import RowFormat, choose_row_format
from p2ce.decisions.target_arguments import class_index, plain_classes
from p2ce.errors import InvalidArgument, NotFitted, UnsupportedModel
from p2ce.models.fitted import require_own
from p2ce.scores.network import NetworkScore
from p2ce.visible import echoed

_NAMES = frozenset({"FixedThresholdClassifier", "TunedThresholdClassifierCV"})
# scikit-learn's searches over models hand every call on to the best one.
_SEARCHES = frozenset({"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"})
_PIPELINES = frozenset({"Pipeline"})
# Their probabilities are shares of votes, or of few rows, so that exactly one half is common.
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
    """By which score, of which class, a model's own ``predict`` decides."""

    classes: tuple[Any, Any]
    positive: int  # place of the class that is predicted from the threshold on
    value: Any  # as scikit-learn compares it: its type decides in which precision
    scale: str


def recognises(model: object) -> bool:
    """Tell a scikit-learn threshold classifier."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


def parse(model: Any, request: Request) -> ModelAdapter:
    """Parse the classifier inside, whose scores the wrapper reports as they are."""
    require_own(model, root="sklearn", names=_NAMES)
    return request.parse(_inside(model), request)


def best_of(model: Any) -> Any:
    """Return the best model of a scikit-learn search, which takes all its calls; any other model as it is."""
    search = library_class(model, root="sklearn", names=_SEARCHES)
    if search is not None and hasattr(model, "best_estimator_") and not overrides(model, search):
        return model.best_estimator_
    return model


def _final_step(model: Any) -> Any:
    """Return the model that decides inside searches and Pipelines; any other model as it is."""
    model = best_of(model)
    pipeline = library_class(model, root="sklearn", names=_PIPELINES)
    if pipeline is not None and not overrides(model, pipeline):
        return _final_step(model.steps[-1][1])
    return model


def loses_ties(model: Any, found: ModelAdapter, target: Any) -> bool:
    """Tell whether the model counts votes, and gives a tie of two classes to the one that is not wanted.

    ``predict`` of scikit-learn takes the first of the most probable classes, so that the second one needs
    more than one half. Where votes are counted, ties are common, and the cheapest options often are ties.
    """
    model = _final_step(model)
    voter = library_class(model, root="sklearn", names=_VOTERS)
    if voter is None or overrides(model, voter) or found.scale != PROBABILITY or len(found.classes) != 2:
        return False
    return found.threshold == 0.5 and class_index(found.classes, target) == 1


def own_threshold(model: Any) -> OwnThreshold | None:
    """Find a model's own threshold, also at the end of a Pipeline or inside a search; None if it has none."""
    model = _final_step(model)
    wrapper = library_class(model, root="sklearn", names=_NAMES)
    if wrapper is None or overrides(model, wrapper):
        return None
    inside = _inside(model)
    classes = plain_classes(_classes(model, inside))
    if len(classes) != 2:
        return None  # such a wrapper predicts nothing
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
    """Take the classifier that is called; around a fitted one, the wrapper need not be fitted itself."""
    return getattr(model, "estimator_", model.estimator)


def _classes(model: Any, inside: Any) -> Any:
    tuned = hasattr(model, "scoring") and not hasattr(model, "best_threshold_")
    classes = None if tuned else getattr(inside, "classes_", None)
    if classes is None:
        raise NotFitted(
            f"This {type(model).__name__} is not fitted. Call .fit(X, y) on it before passing it on."
        )
    return classes


def parse_with_own_threshold(
    model: Any, own: OwnThreshold, request: Request, parse_any: Callable[[Any, Request], ModelAdapter]
) -> ModelAdapter:
    """Parse a model so that the target is reached exactly where ``predict`` gives it; see above.

    ``request.margin`` moves the threshold away from the target.
    """
    if request.scale not in (None, own.scale):
        raise InvalidArgument(
            f"scale={echoed(request.scale)} names another score than the one that {type(model).__name__} "
            f"decides by ({_METHODS[own.scale]}). Pass threshold= as well, or leave scale out."
        )
    index = class_index(own.classes, request.target)
    method = getattr(model, _METHODS[own.scale])
    call = f"model.{_METHODS[own.scale]}"
    rows, outputs = choose_row_format(model, method, request, call)
    # Where NumPy compares in single precision, the threshold is rounded to that.
    value = float(np.result_type(outputs.dtype, own.value).type(own.value))
    away = request.margin if index == own.positive else -request.margin
    threshold = value + away
    if own.scale == PROBABILITY and not 0.0 <= threshold <= 1.0:
        raise InvalidArgument(
            f"{type(model).__name__} decides by a threshold of {value:g} on a probability"
            + (
                f", and margin={echoed(request.margin)} on top of it leaves [0, 1]."
                if request.margin
                else "."
            )
            + " Pass a threshold= or margin= that an applicant can reach."
        )
    wanted = replace(
        request, target=own.classes[own.positive], threshold=threshold, scale=own.scale, margin=0.0
    )
    found = parse_any(model, wanted)
    return found if index == own.positive else _turned(found, method, rows, own, threshold, call)


def _turned(
    found: ModelAdapter,
    method: Callable[[Any], Any],
    rows: RowFormat,
    own: OwnThreshold,
    threshold: float,
    call: str,
) -> ModelAdapter:
    """Turn the parsed model of the positive class around: accepted is what stays below its threshold."""
    assert not found.also, "one of two classes is one score"
    has_two = own.scale == PROBABILITY
    # People read it, so that 1 - 0.8 is 0.2 and not a rounding error; the decision does not go by it.
    limit = round(1.0 - threshold, _DIGITS) if has_two else -threshold
    below = math.nextafter(limit, -math.inf)
    sign = 1.0 if own.positive == 1 else -1.0

    def evaluate(frame: pd.DataFrame) -> FloatArray:
        results = outputs_of(method, rows.feed(frame), call=call, rows=frame)
        if has_two:
            both = one_per_class(results, len(frame), 2, call=call, rows=frame)
            both = require_probabilities(both, call=call)
            positive, other = both[:, own.positive], both[:, 1 - own.positive]
        else:
            positive = sign * one_per_row(results, len(frame), call=call, rows=frame)
            other = -positive
        return np.where(positive < threshold, np.maximum(other, limit), np.minimum(other, below))

    def report(scores: FloatArray) -> FloatArray:
        assert found.report is not None
        reported = found.report(-scores)
        return 1.0 - reported if has_two else -reported

    black_box = found.score is None
    return replace(
        found,
        score=None if found.score is None else _turned_score(found.score),
        threshold=limit,
        evaluate=retried(evaluate) if black_box else evaluate,
        report=found.report if black_box or found.report is None else report,
    )


def _turned_score(score: Any) -> Any:
    """Negate a parsed score, and exchange what is certain about it."""
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
    raise UnsupportedModel(f"A {type(score).__name__} behind a threshold of its own cannot be turned around.")


def _next_above_minus(threshold: float) -> float:
    """Return the smallest float above minus the threshold; what is never reached becomes what always is."""
    return -math.inf if threshold == math.inf else math.nextafter(-threshold, math.inf)
