"""Adapt a black-box model: its probabilities, decision values, predictions, or a plain callable."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.call_deadline import require_time
from p2ce.base.calls.checked_calls import (
    REBATCHED,
    REPEATED,
    check_repeats,
    one_per_class,
    one_per_row,
    outputs_of,
    require_probabilities,
    some_rows,
)
from p2ce.base.calls.retries import retried
from p2ce.base.visible import echoed
from p2ce.errors import (
    InvalidArgument,
    InvalidOutput,
    InvalidTarget,
    P2CEError,
    UnsupportedModel,
    what_happened,
)
from p2ce.models.contract.model_adapter import (
    DECISION,
    LEAD,
    PROBABILITY,
    Evaluate,
    EvaluateAll,
    ModelAdapter,
    Request,
)
from p2ce.models.decisions.decision import BEHIND, Decision, decide_class, decide_number, decide_win, of_class
from p2ce.models.decisions.row_format import (
    REGRESSOR,
    RowFormat,
    attribute_of,
    choose_row_format,
    classes_of,
    kind_of,
    name_of,
    votes_in_pairs,
)
from p2ce.models.decisions.target_arguments import (
    class_index,
    decision_threshold,
    is_range,
    probability_threshold,
    require_no_margin,
    require_scale,
    wanted_range,
)
from p2ce.models.decisions.votes import predicted_classes, predictions
from p2ce.models.families.torch import family as torch_family
from p2ce.tables.codebook import MISSING

# The methods that are tried, in this order, unless the caller chose a scale.
_SCORING = {PROBABILITY: "predict_proba", DECISION: "decision_function"}


def is_callable(model: object) -> bool:
    """Return whether a model is callable, or has a method that scores or predicts rows."""
    if isinstance(model, type):
        return False
    return callable(model) or any(_has(model, name) for name in (*_SCORING.values(), "predict"))


def adapt_black_box(model: Any, request: Request, *, scored: tuple[Any, ...] = ()) -> ModelAdapter:
    """Choose how to call the model and which output counts, and check that the outputs repeat.

    ``predict_proba`` is preferred to ``decision_function``, unless ``request.scale`` says otherwise, and both
    are preferred to ``predict`` and to calling the model itself. A regressor predicts a number. A classifier
    that only predicts is reduced to whether it predicts the target. The values of a callable are used
    unchanged. They are probabilities with a threshold of 0.5 if all values on the reference lie in [0, 1];
    otherwise the caller must pass a threshold. Or they are numbers, and ``target=(low, high)`` is their
    wanted range. ``scored`` holds the two classes whose score a predicted number may be.
    """
    kind = kind_of(model)
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


def adapt_module(module: Any, request: Request) -> ModelAdapter:
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
    decision = replace(decision, evaluate=_checked(decision.evaluate, call))
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


def as_black_box(found: ModelAdapter, request: Request) -> ModelAdapter:
    """Return a parsed model as a black box, which is only evaluated."""
    call = f"model ({found.family})"
    evaluate = retried(_checked(found.evaluate, call))
    predict = None if found.predict is None else retried(found.predict)
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
        reach=None,
    )


def _checked(evaluate: Evaluate, call: str) -> Evaluate:
    def checked(frame: pd.DataFrame) -> FloatArray:
        found = outputs_of(evaluate, frame.copy(), call=call)
        return one_per_row(found, len(frame), call=call, rows=frame)

    return checked


def _by_scores(model: Any, request: Request, scale: str) -> ModelAdapter:
    """Adapt a classifier by its probabilities or decision values."""
    method = getattr(model, _SCORING[scale])
    call = f"model.{_SCORING[scale]}"
    classes = classes_of(model)
    rows, sample = choose_row_format(model, method, request, call)
    columns = sample.shape[1] if sample.ndim == 2 else 1
    if scale == PROBABILITY:
        one_per_class(sample, len(sample), None if classes is None else len(classes), call=call)
    if classes is None:
        classes = tuple(range(max(2, columns)))
    if len(classes) > 2 and getattr(model, "decision_function_shape", None) == "ovo" and scale == DECISION:
        raise UnsupportedModel(
            f"{type(model).__name__} with decision_function_shape='ovo' compares classes in pairs, so no "
            "column belongs to the target. Fit with decision_function_shape='ovr'."
        )
    is_table = len(classes) > 2 or columns > 1
    values: EvaluateAll = (
        _columns(method, rows, call, len(classes)) if is_table else _numbers(method, rows, call)
    )
    if scale == PROBABILITY:
        values = _probabilities(values, call)
    decision = decide_class(
        request,
        classes=classes,
        probabilities=values if scale == PROBABILITY else None,
        decision_values=values if scale == DECISION else None,
        name=name_of(model),
    )
    if decision.scale == LEAD:
        decision = _as_predicted(model, request, rows, decision)
    return _settled(model, request, rows, decision, call)


def _as_predicted(model: Any, request: Request, rows: RowFormat, decision: Decision) -> Decision:
    """Use ``predict`` to decide which class wins, since it breaks ties by its own rules.

    If it chooses the largest value on the whole reference, it is only evaluated on rows where the target
    leads. Kernel machines are always evaluated: pairs of classes vote, which may differ from the largest
    value on any row.
    """
    classes = classes_of(model)
    if classes is None or not _has(model, "predict"):
        return decision
    lead, target = decision.evaluate, classes[decision.index]

    def settled(frame: pd.DataFrame, values: FloatArray) -> FloatArray:
        require_time()
        wins = predictions(model, rows.feed(frame), "model.predict") == target
        return np.where(wins, np.maximum(values, 0.0), np.minimum(values, BEHIND))

    def among_leaders(frame: pd.DataFrame) -> FloatArray:
        values = lead(frame)
        chosen = np.flatnonzero(values >= -REPEATED)
        if len(chosen):
            values[chosen] = settled(frame.iloc[chosen].reset_index(drop=True), values[chosen])
        return values

    some = some_rows(request.reference)
    values = retried(lead)(some)
    agrees = bool(((retried(lambda given: settled(given, values))(some) >= 0.0) == (values >= 0.0)).all())
    if agrees and not votes_in_pairs(model):
        return replace(decision, evaluate=among_leaders)
    return replace(decision, evaluate=lambda frame: settled(frame, lead(frame)))


def _by_number(model: Any, request: Request, scored: tuple[Any, ...]) -> ModelAdapter:
    """Adapt a regressor by its prediction."""
    call = "model.predict"
    if not scored:
        wanted_range(
            request, name=name_of(model)
        )  # a class as the target is the more likely mistake, so it is checked first
    rows, sample = choose_row_format(model, model.predict, request, call)
    if sample.ndim == 2 and sample.shape[1] > 1:
        raise UnsupportedModel(
            f"{name_of(model)} predicts {sample.shape[1]} numbers per row. Fit a model for one number, "
            "or pass a function that returns one."
        )
    decision = decide_number(
        request,
        _numbers(model.predict, rows, call),
        scored=scored,
        name=name_of(model),
    )
    return _settled(model, request, rows, decision, call)


def _by_votes(model: Any, request: Request) -> ModelAdapter:
    """Adapt a classifier that only predicts: the value is 1 if it predicts the target, otherwise -1."""
    call = "model.predict"
    if request.threshold is not None:
        raise InvalidArgument(
            f"{name_of(model)} only predicts classes, and has no score that could reach "
            f"threshold={echoed(request.threshold)}. Leave it out: then the model must predict the target."
        )
    require_no_margin(request)
    classes = classes_of(model)
    if classes is None:
        classes = predicted_classes(model, request, call)
    target = classes[class_index(classes, request.target)]

    def votes(given: Any) -> FloatArray:
        return np.where(predictions(model, given, call) == target, 1.0, -1.0)

    rows, _ = choose_row_format(model, votes, request, call)
    decision = Decision(evaluate=_numbers(votes, rows, call), scale=LEAD, threshold=0.0, classes=classes)
    return _settled(model, request, rows, decision, call)


def _by_calling(model: Any, request: Request) -> ModelAdapter:
    """Adapt a callable that returns one number per row, or one per row and class."""
    call = "model(rows)"
    rows, sample = choose_row_format(model, model, request, call)
    columns = sample.shape[1] if sample.ndim == 2 else 1
    if is_range(request.target) and columns == 1:
        decision = decide_number(request, _numbers(model, rows, call), name=name_of(model))
        return _settled(model, request, rows, decision, call)
    index = _callable_index(columns, request.target)
    if columns == 1:
        scale, threshold = _callable_scale(sample.reshape(-1), request)
        evaluate = _as_taken(_numbers(model, rows, call), scale, request, call)
        decision = Decision(evaluate=evaluate, scale=scale, threshold=threshold, classes=(0, 1))
        return _settled(model, request, rows, decision, call)
    values, classes = _columns(model, rows, call, columns), tuple(range(columns))
    if columns > 2 and request.threshold is None:
        require_no_margin(request)
        inside = bool((sample >= 0.0).all() and (sample <= 1.0).all())
        predict = of_class(values, index) if inside else None
        decision = decide_win(values, classes=classes, index=index, predict=predict)
    else:
        scale, threshold = _callable_scale(sample[:, index], request)
        evaluate = _as_taken(of_class(values, index), scale, request, call)
        decision = Decision(evaluate=evaluate, scale=scale, threshold=threshold, classes=classes)
    return _settled(model, request, rows, decision, call)


def _columns(
    method: Callable[[Any], Any],
    rows: RowFormat,
    call: str,
    count: int,
) -> EvaluateAll:
    """Build the call that returns one column per class."""

    def evaluate(frame: pd.DataFrame) -> FloatArray:
        found = outputs_of(method, rows.feed(frame), call=call, rows=frame)
        return one_per_class(found, len(frame), count, call=call, rows=frame)

    return evaluate


def _numbers(
    method: Callable[[Any], Any],
    rows: RowFormat,
    call: str,
) -> Evaluate:
    """Build the call that returns one number per row."""

    def evaluate(frame: pd.DataFrame) -> FloatArray:
        found = outputs_of(method, rows.feed(frame), call=call, rows=frame)
        return one_per_row(found, len(frame), call=call, rows=frame)

    return evaluate


def _probabilities(evaluate: EvaluateAll, call: str) -> EvaluateAll:
    """Check that a call returns values between 0 and 1. Other scores need not: log-odds may be infinite."""
    return lambda frame: require_probabilities(evaluate(frame), call=call)


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


def _callable_scale(values: FloatArray, request: Request) -> tuple[str, float]:
    """Treat values that all lie in [0, 1] as probabilities; other values need a threshold."""
    low, high = float(values.min()), float(values.max())
    wanted = decision_threshold(replace(request, margin=0.0))
    if low >= 0.0 and high <= 1.0 and (request.threshold is None or 0.0 <= wanted <= 1.0):
        return PROBABILITY, probability_threshold(request)
    if request.threshold is None:
        raise InvalidArgument(
            f"The callable's values on the reference range from {low:.4g} to {high:.4g}, so they are not "
            "probabilities. Pass the value from which on it accepts, such as threshold=0.0 for log-odds."
        )
    return DECISION, decision_threshold(request)


def _as_taken(evaluate: Evaluate, scale: str, request: Request, call: str) -> Evaluate:
    """Require probabilities of a callable that was assumed to return them; with a threshold, accept any."""
    taken = scale == PROBABILITY and request.threshold is None
    return _probabilities(evaluate, call) if taken else evaluate


def _settled(model: Any, request: Request, rows: RowFormat, decision: Decision, call: str) -> ModelAdapter:
    single = rows.precision == np.float32
    return _adapter(name_of(model), rows.columns, decision, request, call, single=single)


def _adapter(
    name: str, columns: tuple[str, ...], decision: Decision, request: Request, call: str, *, single: bool
) -> ModelAdapter:
    evaluate = retried(decision.evaluate)
    predict = None if decision.predict is None else retried(decision.predict)
    tolerance = _repeats_within(evaluate, predict, decision.classes, request, call, single=single)
    _check_missing(evaluate, request)
    return ModelAdapter(
        family=_family(name),
        score=None,
        columns=columns,
        scale=decision.scale,
        threshold=decision.threshold,
        classes=decision.classes,
        evaluate=evaluate,
        predict=predict,
        report=_unchanged,
        tolerance=tolerance,
    )


def _family(name: str) -> str:
    return f"black box ({name})"


def _repeats_within(
    evaluate: Evaluate,
    predict: Evaluate | None,
    classes: tuple[Any, ...],
    request: Request,
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
        return check_repeats(evaluate, rows, call=call, single=single)
    largest = float(np.abs(predict(rows)).max(initial=1.0))
    return largest * check_repeats(predict, rows, call=call, single=single)


def _check_missing(evaluate: Evaluate, request: Request) -> None:
    """Evaluate rows with one missing value each, so an error is raised now and names the column."""
    codes = request.codebook.encode(request.reference.head(1))
    for place, name in enumerate(request.codebook.names):
        if name in request.nullable:
            lacking = np.where(codes == MISSING, 0.0, codes)
            lacking[0, place] = MISSING
            evaluate(request.codebook.decode(lacking, request.reference.columns))


def _unchanged(values: FloatArray) -> FloatArray:
    return values
