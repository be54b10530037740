"""Determine what a model must reach: a threshold for a class, the win of a class, or a range of a number.

The rules are the same for parsed models and black boxes. A `Decision` is one call of the user's model that
returns a number per row, and the threshold that this number must reach.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.model_call import ModelCall, as_call, of_class, one_or_more, one_per_row
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, InvalidTarget, UnsupportedModel
from p2ce.models.decisions.adapter import DECISION, LEAD, PROBABILITY, Evaluate, EvaluateAll, ParseRequest
from p2ce.models.decisions.target_arguments import (
    RANGE_ON_COMMAND_LINE,
    Range,
    checked_range,
    class_index,
    class_indices,
    decision_threshold,
    has_limit,
    is_range,
    probability_threshold,
    require_no_margin,
    require_scale,
)

# In a tie of argmax, the earlier class wins: the target is behind by the smallest possible amount.
BEHIND = float(np.nextafter(0.0, -1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One call of the model that returns a number per row, and the threshold that the number must reach."""

    evaluate: ModelCall
    scale: str
    threshold: float
    classes: tuple[Any, ...] = ()
    index: int = 0  # the index of the target among the classes
    indices: tuple[int, ...] = ()  # of several wanted classes, any of which may win; empty for one
    negated: bool = False  # the number is minus what the model reports, which must be at most so much
    predict: ModelCall | None = None  # displayed together with a lead
    wanted: Range | None = None  # the range that a predicted number must lie in


def decide_class(
    request: ParseRequest,
    *,
    classes: tuple[Any, ...],
    probabilities: EvaluateAll | None = None,
    decision_values: EvaluateAll | None = None,
    largest: EvaluateAll | None = None,
    name: str,
) -> Decision:
    """Determine which score of a classifier counts.

    ``decision_values`` returns one number per row for two classes, otherwise one per class, as
    ``probabilities`` does. ``predict`` chooses the largest of ``largest``, by default of the first of these
    two that the model offers. Without a limit or a scale, the target must win if there are more than two
    classes.
    """
    offered = tuple(
        scale for scale, call in ((PROBABILITY, probabilities), (DECISION, decision_values)) if call
    )
    require_scale(request, offered, name=name)
    indices = class_indices(classes, request.target)
    index = indices[0] if indices else class_index(classes, request.target)
    if len(classes) < 2:
        raise UnsupportedModel(
            f"This {name} has only one class, so there is no other outcome to reach. "
            "Fit it on rows of at least two classes."
        )
    if len(indices) > 1:
        return _decide_any(
            request, probabilities, largest or probabilities or decision_values, classes, indices, name
        )
    by_default = offered[0]
    if len(classes) > 2 and not has_limit(request) and request.scale != DECISION:
        require_no_margin(request)
        compared = largest or probabilities or decision_values
        assert compared is not None, "a classifier reports probabilities or decision values"
        return decide_win(
            _per_class(compared, classes, name),
            classes=classes,
            index=index,
            predict=None if probabilities is None else _of_target(probabilities, classes, index, name),
        )
    scale = request.scale or by_default
    call = probabilities if scale == PROBABILITY else decision_values
    assert call is not None, "require_scale has checked that the scale is offered"
    check = probability_threshold if scale == PROBABILITY else decision_threshold
    return Decision(
        evaluate=as_limited(_of_target(call, classes, index, name), request),
        scale=scale,
        threshold=check(request),
        classes=classes,
        index=index,
        negated=request.at_most is not None,
    )


def _decide_any(
    request: ParseRequest,
    probabilities: EvaluateAll | None,
    compared: EvaluateAll | None,
    classes: tuple[Any, ...],
    indices: tuple[int, ...],
    name: str,
) -> Decision:
    """Require that one of several classes wins, or that their probabilities add up to a limit."""
    summed = None
    if probabilities is not None:
        summed = _per_class(probabilities, classes, name).then(partial(sum_of, indices=indices))
    if not has_limit(request):
        require_no_margin(request)
        assert compared is not None, "a classifier reports probabilities or decision values"
        return decide_win(
            _per_class(compared, classes, name),
            classes=classes,
            index=indices[0],
            indices=indices,
            predict=summed,
        )
    if summed is None or request.scale == DECISION:
        raise InvalidArgument(
            "A limit of several classes is about the sum of their probabilities, and decision values do not "
            'add up. Leave out the limit, or pass scale="probability" for a model that has predict_proba.'
        )
    return Decision(
        evaluate=as_limited(summed, request),
        scale=PROBABILITY,
        threshold=probability_threshold(request),
        classes=classes,
        index=indices[0],
        indices=indices,
        negated=request.at_most is not None,
    )


def as_limited(reported: ModelCall, request: ParseRequest) -> ModelCall:
    """Return the number to reach a threshold: minus what is reported if that must be at most so much."""
    return reported if request.at_most is None else reported.then(np.negative)


def _per_class(call: EvaluateAll, classes: tuple[Any, ...], name: str) -> ModelCall:
    """Return a call that checks the number of classes, unless it checks something stricter already."""
    known = as_call(call, name=name)
    if known.check is not one_or_more:
        return known
    return replace(known, check=partial(one_or_more, classes=len(classes)))


def _of_target(call: EvaluateAll, classes: tuple[Any, ...], index: int, name: str) -> ModelCall:
    return _per_class(call, classes, name).then(partial(of_class, index=index))


def decide_win(
    compared: ModelCall,
    *,
    classes: tuple[Any, ...],
    index: int,
    indices: tuple[int, ...] = (),
    predict: ModelCall | None = None,
) -> Decision:
    """Return the decision that a class, or one of several, must be ahead of the best other class."""
    lead = partial(any_leads, indices=indices) if indices else partial(leads, index=index)
    return Decision(
        evaluate=compared.then(lead),
        scale=LEAD,
        threshold=0.0,
        classes=classes,
        index=index,
        indices=indices,
        predict=predict,
    )


def decide_number(
    request: ParseRequest, predict: Evaluate, *, scored: tuple[Any, ...] = (), name: str
) -> Decision:
    """Return the decision that the predicted number must lie in a range.

    ``scored`` holds the two classes whose score the number may be: a Booster does not say what its numbers
    mean. With a limit, the number is the score of the second class, and minus the number is that of the
    first, as for decision functions. ``number >= t`` is the range from t up, and ``-number >= t`` the range
    up to -t. Without a limit, the target must be a range.
    """
    number = as_call(predict, name=name)
    if number.check is one_or_more:
        number = replace(number, check=one_per_row)
    if not scored or is_range(request.target):
        wanted = checked_range(request, name=name)
        return Decision(
            evaluate=number.then(wanted.leads),
            scale=LEAD,
            threshold=0.0,
            predict=number,
            wanted=wanted,
        )
    if not has_limit(request):
        raise InvalidTarget(
            f"This {name} predicts numbers that are not probabilities, so target={echoed(request.target)} is "
            "not enough. If the numbers are scores of a class, pass as at_least= the lowest score that means "
            f"class {echoed(scored[-1])} (0.0 for log-odds). Otherwise pass the wanted range as target=(low, "
            "high), with None for an open end.",
            on_command_line=f"{RANGE_ON_COMMAND_LINE} If the number is the score of a class: --at-least 0",
        )
    require_scale(request, (DECISION,), name=name)
    threshold = decision_threshold(request)
    # The threshold defines from which number on the second class is meant, so nothing is left to guess.
    index = class_index(scored, scored[-1] if request.target is None else request.target)
    negated = request.at_most is not None
    rises = bool(index) != negated
    return Decision(
        evaluate=number if rises else number.then(np.negative),
        scale=DECISION,
        threshold=threshold,
        classes=scored,
        index=index,
        negated=negated,
        wanted=Range(threshold, np.inf) if rises else Range(-np.inf, -threshold),
    )


def sum_of(values: FloatArray, indices: tuple[int, ...]) -> FloatArray:
    """Add the columns (n, classes) of some classes: (n,). A sum of probabilities is at most 1."""
    added: FloatArray = np.asarray(values, dtype=np.float64)[:, list(indices)].sum(axis=1)
    return np.minimum(added, 1.0)


def any_leads(values: FloatArray, indices: tuple[int, ...]) -> FloatArray:
    """Compute how far the best of some classes is ahead of the best other one; at least 0 if it wins.

    Of equal values, the first class wins.

    >>> any_leads(np.array([[0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]), (1, 2)).tolist()
    [0.25, -5e-324, 0.5]
    """
    values = np.asarray(values, dtype=np.float64)
    others = [place for place in range(values.shape[1]) if place not in indices]
    ahead: FloatArray = values[:, list(indices)].max(axis=1) - values[:, others].max(axis=1)
    wins = np.isin(values.argmax(axis=1), indices)
    return np.where((ahead == 0.0) & ~wins, BEHIND, ahead)


def leads(values: FloatArray, index: int) -> FloatArray:
    """Compute how far a class is ahead of the best other one: (n, classes) → (n,); at least 0 if it wins.

    >>> leads(np.array([[0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]), 1).tolist()
    [0.25, -5e-324, 0.0]
    """
    # The difference of two different floats is never zero, so the sign is exact.
    values = np.asarray(values, dtype=np.float64)
    ahead: FloatArray = values[:, index] - np.delete(values, index, axis=1).max(axis=1)
    if index == 0:
        return ahead
    tied = (ahead == 0.0) & (values[:, :index].max(axis=1) == values[:, index])
    return np.where(tied, BEHIND, ahead)
