"""Adapt a black-box model: its probabilities, decision values, predictions, or a plain callable."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.checked_calls import REBATCHED, REPEATED, check_repeats, require_probabilities, some_rows
from p2ce.base.calls.model_call import (
    ModelCall,
    as_call,
    of_class,
    one_class_per_row,
    one_per_class,
    one_per_row,
    require_time,
    retried,
)
from p2ce.base.calls.retries import Retries
from p2ce.base.visible import echoed
from p2ce.errors import (
    InvalidArgument,
    InvalidOutput,
    InvalidTarget,
    P2CEError,
    UnsupportedModel,
    what_happened,
)
from p2ce.models.decisions.adapter import DECISION, LEAD, PROBABILITY, Adapter, Evaluate, ParseRequest
from p2ce.models.decisions.decision import (
    BEHIND,
    Decision,
    as_limited,
    decide_class,
    decide_number,
    decide_win,
)
from p2ce.models.decisions.row_format import (
    REGRESSOR,
    ChosenFormat,
    attribute_of,
    choose_row_format,
    declared_classes,
    declared_kind,
    name_of,
    predicted_classes,
    votes_for,
    votes_in_pairs,
)
from p2ce.models.decisions.target_arguments import (
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
from p2ce.models.families.torch import family as torch_family
from p2ce.tables.codebook import MISSING

# The methods that are tried, in this order, unless the caller chose a scale.
_SCORING = {PROBABILITY: "predict_proba", DECISION: "decision_function"}


def is_callable(model: object) -> bool:
    """Return whether a model is callable, or has a method that scores or predicts rows."""
    if isinstance(model, type):
        return False
    return callable(model) or any(_has(model, name) for name in (*_SCORING.values(), "predict"))


def adapt_black_box(model: Any, request: ParseRequest, *, scored: tuple[Any, ...] = ()) -> Adapter:
    """Choose how to call the model and which output counts, and check that the outputs repeat.

    ``predict_proba`` is preferred to ``decision_function``, unless ``request.scale`` says otherwise, and both
    are preferred to ``predict`` and to calling the model itself. A regressor predicts a number. A classifier
    that only predicts is reduced to whether it predicts the target. The values of a callable are used
    unchanged. They are probabilities with a threshold of 0.5 if all values on the reference lie in [0, 1];
    otherwise the caller must pass a threshold. Or they are numbers, and ``target=(low, high)`` is their
    wanted range. ``scored`` holds the two classes whose score a predicted number may be.
    """
    kind = declared_kind(model)
    if _has(model, "predict") and (kind == REGRESSOR or (kind is None and is_range(request.target))):
        return _by_number(model, request, scored)
    offered = tuple(scale for scale, method in _SCORING.items() if _has(model, method))
    if not offered and (not _has(model, "predict") or (kind is None and callable(model))):
        require_scale(request, (), name=name_of(model))
        return _by_calling(model, request)
    require_scale(request, offered, name=name_of(model))
    if not offered:
        return _by_votes(model, request)
    return _by_scores(model, request, request.scale or offered[0])


def _has(model: Any, name: str) -> bool:
    return callable(attribute_of(model, name))


def adapt_module(module: Any, request: ParseRequest) -> Adapter:
    """Adapt a PyTorch module: its outputs are logits, and must not look like probabilities."""
    name = type(module).__name__
    try:
        columns, decision = torch_family.decide_module(module, request)
        if not is_range(request.target):
            rows = some_rows(request.reference).to_numpy(dtype=np.float64, na_value=np.nan)
            _reject_probabilities(torch_family.run_module(module, rows), name)
    except P2CEError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InvalidOutput(
            f"model ({name}) {what_happened(error)} when evaluated on rows of "
            f"{request.reference.shape[1]} columns."
        ) from error
    single = any(str(part.dtype) != "torch.float64" for part in module.parameters())
    call = f"model ({name})"
    decision = replace(decision, evaluate=replace(decision.evaluate, name=call))
    found = _adapter(name, columns, decision, request, call, single=False)
    return replace(found, tolerance=max(REBATCHED if single else REPEATED, found.tolerance))


def _reject_probabilities(outputs: FloatArray, name: str) -> None:
    """Raise if outputs are probabilities, which a second logistic function or softmax would distort."""
    inside = bool((outputs >= 0.0).all() and (outputs <= 1.0).all())
    several = outputs.ndim == 2 and outputs.shape[1] > 1
    if inside and (not several or np.allclose(outputs.sum(axis=1), 1.0, atol=1e-3)):
        raise UnsupportedModel(
            f"The outputs of this {name} must be logits, but on the reference all lie in [0, 1]. If they are "
            "probabilities, pass a function that returns them: "
            "lambda rows: module(torch.as_tensor(rows, dtype=torch.float32))."
        )


def as_black_box(found: Adapter, request: ParseRequest) -> Adapter:
    """Return a parsed model as a black box, which is only evaluated."""
    call = f"model ({found.family})"
    evaluate = _of_copies(found.evaluate, call)
    predict = None if found.predict is None else _of_copies(found.predict, call)
    tolerance = _repeats_within(evaluate, predict, found.classes, request, call, single=False)
    _check_missing(evaluate, request)
    return replace(
        found,
        score=None,
        also=(),
        decides=True,
        family=_family(found.family),
        evaluate=evaluate,
        predict=predict,
        report=_unchanged,
        tolerance=max(found.tolerance, tolerance),
        score_tolerance=request.score_tolerance,
        reach=None,
    )


def _of_copies(evaluate: Evaluate, call: str) -> ModelCall:
    """Return a call of the model on copies of rows, with failures retried."""
    return retried(replace(as_call(evaluate, name=call), name=call, copies=True))


def _by_scores(model: Any, request: ParseRequest, scale: str) -> Adapter:
    """Adapt a classifier by its probabilities or decision values."""
    method = getattr(model, _SCORING[scale])
    call = f"model.{_SCORING[scale]}"
    classes = declared_classes(model)
    chosen = choose_row_format(model, method, request, call)
    sample = chosen.outputs
    columns = sample.shape[1] if sample.ndim == 2 else 1
    if scale == PROBABILITY:
        one_per_class(sample, len(sample), call=call, classes=None if classes is None else len(classes))
    if classes is None:
        classes = tuple(range(max(2, columns)))
    if len(classes) > 2 and getattr(model, "decision_function_shape", None) == "ovo" and scale == DECISION:
        raise UnsupportedModel(
            f"{type(model).__name__} with decision_function_shape='ovo' compares classes in pairs, so no "
            "column belongs to the target. Fit with decision_function_shape='ovr'."
        )
    is_table = len(classes) > 2 or columns > 1
    check = partial(one_per_class, classes=len(classes)) if is_table else one_per_row
    values = _call(method, chosen, call, check)
    if scale == PROBABILITY:
        values = values.then(partial(require_probabilities, call=call))
    decision = decide_class(
        request,
        classes=classes,
        probabilities=values if scale == PROBABILITY else None,
        decision_values=values if scale == DECISION else None,
        name=name_of(model),
    )
    settled = _as_predicted(model, request, chosen, decision) if decision.scale == LEAD else None
    return _settled(model, request, chosen, decision, call, evaluate=settled)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SettledLead:
    """Two calls of a classifier: its scores show by how much the target leads, ``predict`` whether it wins.

    ``predict`` breaks ties by its own rules. It is called on all rows, or only where the target leads.
    """

    lead: ModelCall
    vote: ModelCall  # 1 for a prediction of the target, -1 for any other
    only_leaders: bool
    parts: ClassVar[int] = 2  # calls of the model

    def settle_lead(self, frame: pd.DataFrame) -> FloatArray:
        """Return how far the target is ahead: at least 0 where ``predict`` returns it."""
        values = self.lead(frame)
        chosen = np.flatnonzero(values >= -REPEATED) if self.only_leaders else np.arange(len(frame))
        if len(chosen):
            require_time()
            rows = frame.iloc[chosen].reset_index(drop=True) if self.only_leaders else frame
            wins = self.vote(rows) > 0.0
            values[chosen] = np.where(
                wins, np.maximum(values[chosen], 0.0), np.minimum(values[chosen], BEHIND)
            )
        return values

    __call__ = settle_lead


def _as_predicted(
    model: Any, request: ParseRequest, chosen: ChosenFormat, decision: Decision
) -> SettledLead | None:
    """Use ``predict`` to decide which class wins; None if the model cannot predict.

    If it chooses the largest value on the whole reference, it is only evaluated on rows where the target
    leads. Kernel machines are always evaluated: pairs of classes vote, which may differ from the largest
    value on any row.
    """
    classes = declared_classes(model)
    if classes is None or not _has(model, "predict"):
        return None
    retries = Retries()
    lead = replace(decision.evaluate, retries=retries)
    vote = replace(_votes(model, chosen, _wanted(classes, decision), "model.predict"), retries=retries)
    some = some_rows(request.reference)
    agrees = bool(((lead(some) >= 0.0) == (vote(some) > 0.0)).all())
    return SettledLead(lead=lead, vote=vote, only_leaders=agrees and not votes_in_pairs(model))


def _wanted(classes: tuple[Any, ...], decision: Decision) -> tuple[Any, ...]:
    return tuple(classes[place] for place in decision.indices or (decision.index,))


def _votes(model: Any, chosen: ChosenFormat, wanted: tuple[Any, ...], call: str) -> ModelCall:
    """Return the call of ``predict`` that compares its classes with the wanted ones."""
    votes = _call(model.predict, chosen, call, one_class_per_row)
    return votes.then(partial(votes_for, wanted=wanted))


def _by_number(model: Any, request: ParseRequest, scored: tuple[Any, ...]) -> Adapter:
    """Adapt a regressor by its prediction."""
    call = "model.predict"
    if not scored:
        # A class as the target is the more likely mistake, so it is checked first.
        checked_range(request, name=name_of(model))
    chosen = choose_row_format(model, model.predict, request, call)
    sample = chosen.outputs
    if sample.ndim == 2 and sample.shape[1] > 1:
        raise UnsupportedModel(
            f"{name_of(model)} predicts {sample.shape[1]} numbers per row. Fit a model for one number, "
            "or pass a function that returns one."
        )
    predict = _call(model.predict, chosen, call, one_per_row)
    decision = decide_number(request, predict, scored=scored, name=name_of(model))
    return _settled(model, request, chosen, decision, call)


def _by_votes(model: Any, request: ParseRequest) -> Adapter:
    """Adapt a classifier that only predicts: the value is 1 if it predicts the target, otherwise -1."""
    call = "model.predict"
    if has_limit(request):
        given = "at_least" if request.at_most is None else "at_most"
        raise InvalidArgument(
            f"{name_of(model)} only predicts classes, and has no score that {given}="
            f"{echoed(getattr(request, given))} could limit. Leave it out: then the model must predict the "
            "target."
        )
    require_no_margin(request)
    classes = declared_classes(model)
    if classes is None:
        classes = predicted_classes(model, request, call)
    indices = class_indices(classes, request.target) or (class_index(classes, request.target),)
    chosen = choose_row_format(model, model.predict, request, call, one_class_per_row)
    votes = _votes(model, chosen, tuple(classes[place] for place in indices), call)
    decision = Decision(evaluate=votes, scale=LEAD, threshold=0.0, classes=classes)
    return _settled(model, request, chosen, decision, call, single=False)


def _by_calling(model: Any, request: ParseRequest) -> Adapter:
    """Adapt a callable that returns one number per row, or one per row and class."""
    call = "model(rows)"
    chosen = choose_row_format(model, model, request, call)
    sample = chosen.outputs
    columns = sample.shape[1] if sample.ndim == 2 else 1
    if is_range(request.target) and columns == 1:
        number = _call(model, chosen, call, one_per_row)
        decision = decide_number(request, number, name=name_of(model))
        return _settled(model, request, chosen, decision, call)
    if columns > 2 and class_indices(range(columns), request.target):
        values = _call(model, chosen, call, partial(one_per_class, classes=columns))
        inside = bool((sample >= 0.0).all() and (sample <= 1.0).all())
        decision = decide_class(
            request,
            classes=tuple(range(columns)),
            probabilities=values if inside else None,
            decision_values=None if inside else values,
            name=name_of(model),
        )
        return _settled(model, request, chosen, decision, call)
    index = _callable_index(columns, request.target)
    if columns == 1:
        scale, threshold = _callable_scale(sample.reshape(-1), request)
        evaluate = _as_taken(_call(model, chosen, call, one_per_row), scale, request)
        decision = Decision(
            evaluate=as_limited(evaluate, request),
            scale=scale,
            threshold=threshold,
            classes=(0, 1),
            negated=request.at_most is not None,
        )
        return _settled(model, request, chosen, decision, call)
    values = _call(model, chosen, call, partial(one_per_class, classes=columns))
    classes = tuple(range(columns))
    target = values.then(partial(of_class, index=index))
    if columns > 2 and not has_limit(request):
        require_no_margin(request)
        inside = bool((sample >= 0.0).all() and (sample <= 1.0).all())
        decision = decide_win(values, classes=classes, index=index, predict=target if inside else None)
    else:
        scale, threshold = _callable_scale(sample[:, index], request)
        evaluate = _as_taken(target, scale, request)
        decision = Decision(
            evaluate=as_limited(evaluate, request),
            scale=scale,
            threshold=threshold,
            classes=classes,
            negated=request.at_most is not None,
        )
    return _settled(model, request, chosen, decision, call)


def _call(method: Any, chosen: ChosenFormat, call: str, check: Any) -> ModelCall:
    """Return the call of a method that receives copies of rows in the chosen format."""
    return ModelCall(name=call, method=method, rows=chosen.rows, copies=True, check=check)


def _callable_index(columns: int, target: Any) -> int:
    """Return the column that a callable returns for the target; its classes are column numbers."""
    if target is None and columns <= 2:  # a function is assumed to score the favourable outcome
        return columns - 1
    if columns > 1:
        return class_index(range(columns), target)
    if np.ndim(target) == 0 and bool(target == 1):
        return 0
    raise InvalidTarget(
        f"The callable returns one number per row, the score to reach, so target={echoed(target)} cannot "
        "select another class. Pass a callable that scores the wanted class, and leave target at 1."
    )


def _callable_scale(values: FloatArray, request: ParseRequest) -> tuple[str, float]:
    """Treat values that all lie in [0, 1] as probabilities; other values need a threshold."""
    low, high = float(values.min()), float(values.max())
    wanted = abs(decision_threshold(replace(request, margin=0.0)))
    if low >= 0.0 and high <= 1.0 and (not has_limit(request) or wanted <= 1.0):
        return PROBABILITY, probability_threshold(request)
    if not has_limit(request):
        raise InvalidArgument(
            f"The callable's values on the reference range from {low:.4g} to {high:.4g}, so they are not "
            "probabilities. Pass the lowest value that it accepts, such as at_least=0.0 for log-odds."
        )
    return DECISION, decision_threshold(request)


def _as_taken(evaluate: ModelCall, scale: str, request: ParseRequest) -> ModelCall:
    """Require probabilities of a callable that was assumed to return them; with a threshold, accept any."""
    taken = scale == PROBABILITY and not has_limit(request)
    return evaluate.then(partial(require_probabilities, call=evaluate.name)) if taken else evaluate


def _settled(
    model: Any,
    request: ParseRequest,
    chosen: ChosenFormat,
    decision: Decision,
    call: str,
    *,
    evaluate: SettledLead | None = None,
    single: bool | None = None,
) -> Adapter:
    single = chosen.outputs.dtype == np.float32 if single is None else single
    return _adapter(name_of(model), chosen.columns, decision, request, call, single=single, evaluate=evaluate)


def _adapter(
    name: str,
    columns: tuple[str, ...],
    decision: Decision,
    request: ParseRequest,
    call: str,
    *,
    single: bool,
    evaluate: Evaluate | None = None,
) -> Adapter:
    """Check that outputs repeat. ``evaluate`` stands in for the decision's own call, if both are needed."""
    if evaluate is None:
        evaluate = retried(decision.evaluate)
    predict = None if decision.predict is None else retried(decision.predict)
    tolerance = _repeats_within(evaluate, predict, decision.classes, request, call, single=single)
    _check_missing(evaluate, request)
    return Adapter(
        family=_family(name),
        score=None,
        columns=columns,
        scale=decision.scale,
        threshold=decision.threshold,
        classes=decision.classes,
        evaluate=evaluate,
        negated=decision.negated,
        predict=predict,
        report=_unchanged,
        tolerance=tolerance,
        score_tolerance=request.score_tolerance,
    )


def _family(name: str) -> str:
    return f"black box ({name})"


def _repeats_within(
    evaluate: Evaluate,
    predict: Evaluate | None,
    classes: tuple[Any, ...],
    request: ParseRequest,
    call: str,
    *,
    single: bool,
) -> float:
    """Check that outputs repeat, and return by how much they may differ.

    For a predicted number, the tolerance is relative to the prediction, which may be large even if the end
    of the range is near.
    """
    rows = some_rows(request.reference)
    if predict is None or classes:
        return check_repeats(evaluate, rows, call=call, single=single, allowed=request.score_tolerance)
    largest = float(np.abs(predict(rows)).max(initial=1.0))
    allowed = request.score_tolerance
    return largest * check_repeats(predict, rows, call=call, single=single, allowed=allowed)


def _check_missing(evaluate: Evaluate, request: ParseRequest) -> None:
    """Evaluate rows with one missing value each, so an error is raised now and names the column."""
    codes = request.codebook.encode(request.reference.head(1))
    for place, name in enumerate(request.codebook.names):
        if name in request.nullable:
            lacking = np.where(codes == MISSING, 0.0, codes)
            lacking[0, place] = MISSING
            evaluate(request.codebook.decode(lacking, request.reference.columns))


def _unchanged(values: FloatArray) -> FloatArray:
    return values
