"""Parse scikit-learn's StackingClassifier with a linear final estimator: weighted sums of probabilities.

The final estimator is parsed on what the members report, as if that were the table. Each of its scores is a
weighted sum of the members' probabilities, and a negative weight takes minus the probability. So its sums
become combined scores, with the thresholds that it certifies.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.calls.checked_calls import some_rows
from p2ce.base.calls.library import library_class, without_warnings
from p2ce.base.calls.model_call import ModelCall, as_call
from p2ce.engine.scores.combined.combination import Combination, Ends, joined, minus, score_of
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.score import FlatScore, seen_as_given
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.ensemble import Members, with_labels_of_members
from p2ce.models.decisions.adapter import NO_CODES, NOT_GIVEN, PROBABILITY, Adapter, ParseRequest
from p2ce.models.decisions.target_arguments import class_index, class_indices, plain_classes
from p2ce.models.families.sklearn.estimator import estimator_call, estimator_columns, require_fitted
from p2ce.models.families.sklearn.members import family_of
from p2ce.models.fitted import require_library_class

_NAMES = frozenset({"StackingClassifier"})
_LARGEST = 1.0 + 1e-6  # no probability is larger, not even with the error of its interval


def recognises(model: object) -> bool:
    """Return whether a model is scikit-learn's StackingClassifier."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


@with_labels_of_members
def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the final estimator on the members' probabilities, and then the members."""
    require_library_class(model, root="sklearn", names=_NAMES)
    require_fitted(model)
    if not isinstance(model.classes_, np.ndarray):
        raise UnsupportedModel("This StackingClassifier has several outputs. Fit one model for each.")
    classes = plain_classes(model.classes_)
    stacked = [one for one in model.estimators_ if not isinstance(one, str)]
    methods = [how for how in model.stack_method_ if how is not None]
    _require_probabilities(model, stacked, methods, len(classes))
    members = Members(request=request, columns=estimator_columns(model, request.reference)[0])
    final = _final(model, request, classes)

    shown = range(1, 2) if len(classes) == 2 else range(len(classes))
    inputs = [(one, plain_classes(one.classes_)[index]) for one in stacked for index in shown]
    scores = []
    for score in final.scores:
        if not (isinstance(score, FlatScore) and score.weights is not None and score.see is seen_as_given):
            raise UnsupportedModel(
                f"A StackingClassifier that ends in {type(model.final_estimator_).__name__} is not supported "
                "natively, only one with a linear final estimator, such as LogisticRegression."
            )
        numbers = [members.of_class(one, target, PROBABILITY) for one, target in inputs]
        total = _weighted(numbers, score.weights, score.offset)
        scores.append(score_of(total, accept_from=score.accept_from, reject_below=score.reject_below))
    return _behind_members(model, final, scores, members, request, family_of("StackingClassifier", stacked))


def _require_probabilities(model: Any, stacked: list[Any], methods: list[str], count: int) -> None:
    if model.passthrough:
        raise UnsupportedModel(
            "A StackingClassifier with passthrough=True is not supported natively. Fit it without."
        )
    if any(how != "predict_proba" for how in methods):
        raise UnsupportedModel(
            "A StackingClassifier is supported natively over members with predict_proba. Leave out the "
            "others, or calibrate them."
        )
    if any(len(one.classes_) != count for one in stacked):
        raise UnsupportedModel(
            "A member of this StackingClassifier does not know all classes. Fit all on rows of every class."
        )


def _final(model: Any, request: ParseRequest, classes: tuple[Any, ...]) -> Adapter:
    """Parse the final estimator on the members' probabilities of some rows, for the same target."""
    last = model.final_estimator_
    known, several = plain_classes(last.classes_), class_indices(classes, request.target)
    rows = estimator_call(model, "transform", request.reference)
    with without_warnings():
        reported = np.asarray(rows.method(rows.rows(some_rows(request.reference))), dtype=np.float64)
    names = getattr(last, "feature_names_in_", range(reported.shape[1]))
    frame = pd.DataFrame(reported, columns=[str(name) for name in names])
    inside = replace(
        request,
        reference=frame,
        codebook=NOT_GIVEN,
        codes=NO_CODES,
        nullable=frozenset(),
        reach=np.full(reported.shape[1], _LARGEST),
        target=[known[place] for place in several] or known[class_index(classes, request.target)],
    )
    return request.parse(last, inside)


def _weighted(numbers: list[Combination], weights: np.ndarray, offset: float) -> Combination:
    """Return the weighted sum of numbers; the final estimator's thresholds allow for its rounding."""
    signed = [
        minus(number) if weight < 0.0 else number
        for number, weight in zip(numbers, weights.tolist(), strict=True)
    ]
    scale = np.abs(weights)

    def ends(values: np.ndarray) -> Ends:
        # Ends may lie just outside [0, 1], or of minus a probability, outside [-1, 0].
        total = offset + np.clip(values, -_LARGEST, _LARGEST) @ scale
        return total, total

    return joined(signed, ends)


def _behind_members(
    model: Any,
    final: Adapter,
    scores: list[Any],
    members: Members,
    request: ParseRequest,
    family: str,
) -> Adapter:
    """Return the final estimator's adapter with scores over the table, and the calls of the whole model."""

    def whole(call: Any) -> ModelCall:
        last = as_call(call, name="model")
        own = estimator_call(model, last.method.__name__, request.reference)
        return replace(last, name=own.name, method=own.method, rows=own.rows, alone=members.alone)

    # The value of a combined score is the sum that the final estimator reports from.
    has_sum = all(isinstance(score, CombinedScore) for score in scores)
    return replace(
        final,
        family=f"scikit-learn {family}",
        score=scores[0],
        also=tuple(scores[1:]),
        columns=members.columns,
        classes=plain_classes(model.classes_),
        evaluate=whole(final.evaluate),
        predict=None if final.predict is None else whole(final.predict),
        report=final.report if has_sum else None,
        number=final.number._replace(slope=None) if has_sum and final.number is not None else None,
        tolerance=final.tolerance + members.tolerance,
        reach=members.reach,
        knows_unseen_categories=members.know_unseen_categories,
        codebook=request.codebook,
    )
