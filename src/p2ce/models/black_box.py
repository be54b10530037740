"""Ask a model that nobody can look into: its probabilities, decisions, predictions, or a plain callable."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.adapters.checked_calls import (
    REBATCHED,
    REPEATED,
    answers_of,
    check_repeats,
    one_per_class,
    one_per_row,
    some_rows,
)
from p2ce.adapters.retries import retried
from p2ce.arrays import FloatArray
from p2ce.decisions.black_box_decision import (
    Question,
    about_number,
    about_probability,
    about_winning,
    is_range,
)
from p2ce.decisions.model_adapter import (
    DECISION,
    LEAD,
    PROBABILITY,
    Evaluate,
    ModelAdapter,
    Request,
    class_index,
    decision_threshold,
    probability_threshold,
)
from p2ce.decisions.row_format import (
    REGRESSOR,
    Way,
    attribute_of,
    choose_way,
    classes_of,
    kind_of,
    name_of,
    votes_in_pairs,
)
from p2ce.decisions.targets import BEHIND, EvaluateAll, class_ask, read_range, refuse_scale
from p2ce.decisions.votes import predicted_classes, predictions
from p2ce.errors import (
    InvalidOutput,
    InvalidTarget,
    InvalidThreshold,
    P2CEError,
    UnsupportedModel,
    what_happened,
)
from p2ce.models.torch import family as torch_network
from p2ce.tables.codebook import MISSING
from p2ce.visible import echoed

# What is tried, in this order, unless the caller chose a scale.
_SCORING = {PROBABILITY: "predict_proba", DECISION: "decision_function"}


def can_be_asked(model: object) -> bool:
    """Tell whether a model has a method that scores or predicts rows, or is one."""
    if isinstance(model, type):
        return False
    return callable(model) or any(_has(model, name) for name in (*_SCORING.values(), "predict"))


def read(model: Any, request: Request) -> ModelAdapter:
    """Settle how the model is asked, which of its answers counts, and that it answers the same again.

    ``predict_proba`` comes before ``decision_function``, unless ``request.scale`` says otherwise, and both
    before ``predict`` and calling the model itself. A regressor predicts a number; a classifier that only
    predicts says whether it is the target. A callable's values are taken as they are: probabilities with a
    threshold of 0.5 where all of the reference lies in [0, 1], and otherwise only with a threshold that the
    caller gives; or numbers, of which ``target=(low, high)`` is the wanted range.
    """
    kind = kind_of(model)
    if _has(model, "predict") and (kind == REGRESSOR or (kind is None and is_range(request.target))):
        return _read_number(model, request)
    offered = tuple(scale for scale, method in _SCORING.items() if _has(model, method))
    if not offered and (not _has(model, "predict") or (kind is None and callable(model))):
        refuse_scale(request, (), name=name_of(model))
        return _read_callable(model, request)
    refuse_scale(request, offered, name=name_of(model))
    if not offered:
        return _read_votes(model, request)
    if (request.scale or offered[0]) == PROBABILITY:
        return _read_probabilities(model, request)
    return _read_decisions(model, request)


def _has(model: Any, name: str) -> bool:
    return callable(attribute_of(model, name))


def read_module(module: Any, request: Request) -> ModelAdapter:
    """Settle how a PyTorch module is asked: its outputs are logits, and must not look like anything else."""
    name = type(module).__name__
    try:
        found = torch_network.ask_module(module, request)
        if not is_range(request.target):
            rows = some_rows(request.reference).to_numpy(dtype=np.float64, na_value=np.nan)
            _refuse_probabilities(torch_network.run_module(module, rows), name)
    except P2CEError:
        raise
    except (Exception, SystemExit) as error:
        raise InvalidOutput(
            f"model ({name}) {what_happened(error)} when asked about rows of "
            f"{request.reference.shape[1]} columns."
        ) from error
    single = any(str(part.dtype) != "torch.float64" for part in module.parameters())
    tolerance = REBATCHED if single else found.tolerance
    return as_opaque(replace(found, family=name, tolerance=tolerance), request)


def _refuse_probabilities(outputs: FloatArray, name: str) -> None:
    """Refuse outputs that a second logistic function or softmax would squash without anybody noticing."""
    inside = bool((outputs >= 0.0).all() and (outputs <= 1.0).all())
    several = outputs.ndim == 2 and outputs.shape[1] > 1
    if inside and (not several or np.allclose(outputs.sum(axis=1), 1.0, atol=1e-3)):
        raise UnsupportedModel(
            f"The outputs of this {name} have to be logits, but on the reference all lie in [0, 1]. If they "
            "are probabilities, pass a function that returns them: "
            "lambda rows: module(torch.as_tensor(rows, dtype=torch.float32))."
        )


def as_opaque(found: ModelAdapter, request: Request) -> ModelAdapter:
    """Forget what is known about the inside of a model that was read, and only ask it from now on."""
    call = f"model ({found.family})"

    def ask(frame: pd.DataFrame) -> FloatArray:
        answers = answers_of(found.ask, frame.copy(), call=call)
        return one_per_row(answers, len(frame), call=call, rows=frame)

    asked = retried(ask)
    predict = None if found.predict is None else retried(found.predict)
    tolerance = _steadiness(asked, predict, found.classes, request, call, single=False)
    tolerance = max(found.tolerance, tolerance)
    _check_missing(asked, request)
    return replace(
        found,
        score=None,
        also=(),
        decides=True,
        family=f"opaque ({found.family})",
        ask=asked,
        predict=predict,
        report=_as_it_is,
        tolerance=tolerance,
        reach=None,
    )


def _read_probabilities(model: Any, request: Request) -> ModelAdapter:
    call = "model.predict_proba"
    classes = classes_of(model)
    way, sample = choose_way(model, model.predict_proba, request, call)
    known = None if classes is None else len(classes)
    answers = one_per_class(sample, len(sample), known, call=call)
    classes = tuple(range(answers.shape[1])) if classes is None else classes
    index = class_index(classes, request.target)
    question = about_probability(
        request, _columns(model.predict_proba, way, call, len(classes)), classes=classes, index=index
    )
    if question.scale == LEAD:
        question = _as_predicted(model, request, way, question, index)
    return _settled(model, request, way, question, call)


def _read_decisions(model: Any, request: Request) -> ModelAdapter:
    call = "model.decision_function"
    classes = classes_of(model)
    way, sample = choose_way(model, model.decision_function, request, call)
    columns = sample.shape[1] if sample.ndim == 2 else 1
    if classes is None:
        classes = tuple(range(max(2, columns)))
    index = class_index(classes, request.target)
    if len(classes) > 2 and getattr(model, "decision_function_shape", None) == "ovo":
        raise UnsupportedModel(
            f"{type(model).__name__} with decision_function_shape='ovo' compares classes in pairs, so no "
            "column belongs to the target. Fit with decision_function_shape='ovr'."
        )
    if len(classes) > 2 or columns > 1:
        ask_all = _columns(model.decision_function, way, call, len(classes))
        if len(classes) > 2 and request.threshold is None and request.scale is None:
            question = about_winning(ask_all, classes=classes, index=index)
            question = _as_predicted(model, request, way, question, index)
            return _settled(model, request, way, question, call)
        ask = class_ask(ask_all, index)
    else:
        second, sign = _numbers(model.decision_function, way, call), 1.0 if index == 1 else -1.0

        def ask(frame: pd.DataFrame) -> FloatArray:
            return sign * second(frame)

    threshold = decision_threshold(request.threshold)
    question = Question(ask=ask, scale=DECISION, threshold=threshold, classes=classes)
    return _settled(model, request, way, question, call)


def _as_predicted(model: Any, request: Request, way: Way, question: Question, index: int) -> Question:
    """Let ``predict`` have the last word about who wins: ties, say, go by rules of its own.

    Where it picks the largest value on all of the reference, only those who lead are put to it. Kernel
    machines let pairs of classes vote, which may differ from the largest value at any row.
    """
    classes = classes_of(model)
    if classes is None or not _has(model, "predict"):
        return question
    lead, target = question.ask, classes[index]

    def settled(frame: pd.DataFrame, values: FloatArray) -> FloatArray:
        wins = predictions(model, way.feed(frame), "model.predict") == target
        return np.where(wins, np.maximum(values, 0.0), np.minimum(values, BEHIND))

    def ask_about_leaders(frame: pd.DataFrame) -> FloatArray:
        values = lead(frame)
        chosen = np.flatnonzero(values >= -REPEATED)
        if len(chosen):
            values[chosen] = settled(frame.iloc[chosen].reset_index(drop=True), values[chosen])
        return values

    rows = some_rows(request.reference)
    values = retried(lead)(rows)
    agrees = bool(((retried(lambda given: settled(given, values))(rows) >= 0.0) == (values >= 0.0)).all())
    if agrees and not votes_in_pairs(model):
        return replace(question, ask=ask_about_leaders)
    return replace(question, ask=lambda frame: settled(frame, lead(frame)))


def _read_number(model: Any, request: Request) -> ModelAdapter:
    """Ask a regressor for its prediction."""
    call = "model.predict"
    read_range(
        request, name=name_of(model)
    )  # a class as the target is the likelier slip, so it is told first
    way, sample = choose_way(model, model.predict, request, call)
    if sample.ndim == 2 and sample.shape[1] > 1:
        raise UnsupportedModel(
            f"{name_of(model)} predicts {sample.shape[1]} numbers per row. Fit one model for the wanted one, "
            "or pass a function that returns it."
        )
    question = about_number(request, _numbers(model.predict, way, call), name=name_of(model))
    return _settled(model, request, way, question, call)


def _read_votes(model: Any, request: Request) -> ModelAdapter:
    """Ask a classifier that only predicts whether it predicts the target: 1 if so, and else -1."""
    call = "model.predict"
    if request.threshold is not None:
        raise InvalidThreshold(
            f"{name_of(model)} only predicts classes, without a score that could reach "
            f"threshold={echoed(request.threshold)}. Leave it out: the target then has to be predicted."
        )
    classes = classes_of(model)
    if classes is None:
        classes = predicted_classes(model, request, call)
    target = classes[class_index(classes, request.target)]

    def votes(given: Any) -> FloatArray:
        return np.where(predictions(model, given, call) == target, 1.0, -1.0)

    way, _ = choose_way(model, votes, request, call)
    question = Question(ask=_numbers(votes, way, call), scale=LEAD, threshold=0.0, classes=classes)
    return _settled(model, request, way, question, call)


def _read_callable(model: Any, request: Request) -> ModelAdapter:
    call = "model(rows)"
    way, sample = choose_way(model, model, request, call)
    columns = sample.shape[1] if sample.ndim == 2 else 1
    if is_range(request.target) and columns == 1:
        question = about_number(request, _numbers(model, way, call), name=name_of(model))
        return _settled(model, request, way, question, call)
    index = _callable_index(columns, request.target)
    if columns == 1:
        scale, threshold = _callable_scale(sample.reshape(-1), request.threshold)
        ask = _numbers(model, way, call)
        question = Question(ask=ask, scale=scale, threshold=threshold, classes=(0, 1))
        return _settled(model, request, way, question, call)
    ask_all, classes = _columns(model, way, call, columns), tuple(range(columns))
    if columns > 2 and request.threshold is None:
        inside = bool((sample >= 0.0).all() and (sample <= 1.0).all())
        predict = class_ask(ask_all, index) if inside else None
        question = about_winning(ask_all, classes=classes, index=index, predict=predict)
    else:
        scale, threshold = _callable_scale(sample[:, index], request.threshold)
        ask = class_ask(ask_all, index)
        question = Question(ask=ask, scale=scale, threshold=threshold, classes=classes)
    return _settled(model, request, way, question, call)


def _columns(method: Callable[[Any], Any], way: Way, call: str, count: int) -> EvaluateAll:
    """Build the call that gives one column per class."""

    def ask(frame: pd.DataFrame) -> FloatArray:
        found = answers_of(method, way.feed(frame), call=call, rows=frame)
        return one_per_class(found, len(frame), count, call=call, rows=frame)

    return ask


def _numbers(method: Callable[[Any], Any], way: Way, call: str) -> Evaluate:
    """Build the call that gives one number per row."""

    def ask(frame: pd.DataFrame) -> FloatArray:
        found = answers_of(method, way.feed(frame), call=call, rows=frame)
        return one_per_row(found, len(frame), call=call, rows=frame)

    return ask


def _callable_index(columns: int, target: Any) -> int:
    """Find the column that a callable reports for the target; there, classes are column numbers."""
    if columns > 1:
        return class_index(range(columns), target)
    if np.ndim(target) == 0 and bool(target == 1):
        return 0
    raise InvalidTarget(
        f"The callable answers with one number per row, the score to be reached; target={echoed(target)} "
        "cannot choose another. Pass a callable that scores the wanted class, and leave target at 1."
    )


def _callable_scale(values: FloatArray, threshold: float | None) -> tuple[str, float]:
    """Take values that all lie in [0, 1] for probabilities; of others nobody knows what is enough."""
    low, high = float(values.min()), float(values.max())
    asked = decision_threshold(threshold)
    if low >= 0.0 and high <= 1.0 and (threshold is None or 0.0 <= asked <= 1.0):
        return PROBABILITY, probability_threshold(threshold)
    if threshold is None:
        raise InvalidThreshold(
            f"The callable's values on the reference run from {low:.4g} to {high:.4g}, so they are no "
            "probabilities. Say from which value on it accepts: threshold=0.0, say, for log-odds."
        )
    return DECISION, asked


def _settled(model: Any, request: Request, way: Way, question: Question, call: str) -> ModelAdapter:
    single = way.precision == np.float32
    ask = retried(question.ask)
    predict = None if question.predict is None else retried(question.predict)
    tolerance = _steadiness(ask, predict, question.classes, request, call, single=single)
    _check_missing(ask, request)
    return ModelAdapter(
        family=f"opaque ({name_of(model)})",
        score=None,
        columns=way.columns,
        scale=question.scale,
        threshold=question.threshold,
        classes=question.classes,
        ask=ask,
        predict=predict,
        report=_as_it_is,
        tolerance=tolerance,
    )


def _steadiness(
    ask: Evaluate,
    predict: Evaluate | None,
    classes: tuple[Any, ...],
    request: Request,
    call: str,
    *,
    single: bool,
) -> float:
    """Check that answers repeat, and say how far they may differ.

    A predicted number is compared with itself, as it may be large where the end of the range is near.
    """
    rows = some_rows(request.reference)
    if predict is None or classes:
        return check_repeats(ask, rows, call=call, single=single)
    largest = float(np.abs(predict(rows)).max(initial=1.0))
    return largest * check_repeats(predict, rows, call=call, single=single)


def _check_missing(ask: Evaluate, request: Request) -> None:
    """Ask about rows that miss one value each, so that a refusal is heard now, and names the column."""
    codes = request.codebook.encode(request.reference.head(1))
    for place, name in enumerate(request.codebook.names):
        if name in request.may_miss:
            lacking = np.where(codes == MISSING, 0.0, codes)
            lacking[0, place] = MISSING
            ask(request.codebook.decode(lacking, request.reference.columns))


def _as_it_is(values: FloatArray) -> FloatArray:
    return values
