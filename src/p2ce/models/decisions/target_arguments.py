"""Check the target, the threshold and the scale that a caller passes, in the same way for all models."""

import math
import numbers
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from p2ce.base.any_of import AnyOf
from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, InvalidTarget, UnnamedTarget
from p2ce.models.decisions.adapter import ParseRequest

RANGE_ON_COMMAND_LINE = (
    "The model predicts a number. Pass the wanted range: --target 1000: or --target 10:20."
)


def plain_classes(classes: object) -> tuple[Any, ...]:
    """Return classes as plain Python values."""
    return tuple(np.asarray(classes).tolist())


def class_index(classes: Sequence[Any], target: Any) -> int:
    """Return the index of the target among the classes; `compile/settle_target.py` handles None."""
    if target is None:
        raise UnnamedTarget(f"Pass target=, one of {listed(classes)}.", classes=classes)
    for index, known in enumerate(classes):
        if not isinstance(target, list | tuple | dict) and np.ndim(target) == 0 and bool(known == target):
            return index
    if is_range(target) and len(target) == 2 and sum(end is None for end in target) == 1:
        low, high = target
        limit = f"at_least={echoed(low)}" if high is None else f"at_most={echoed(high)}"
        option = limit.replace("_", "-").replace("=", " ")
        raise InvalidTarget(
            f"target={echoed(target)} is a range, but the model has the classes {listed(classes)}. To limit "
            f"the probability of one of them, pass that class and the limit: target={echoed(classes[-1])}, "
            f"{limit}.",
            on_command_line=f"The model has the classes {listed(classes)}. To limit the probability of one "
            f"of them, pass that class and the limit: --target {classes[-1]} --{option}.",
        )
    shown = ", ".join(echoed(known, most=60) for known in classes)
    raise InvalidTarget(
        f"The model has the classes {shown}; target={echoed(target)} is none of them. Pass one of these."
    )


def class_indices(classes: Sequence[Any], target: Any) -> tuple[int, ...]:
    """Return the indices of several wanted classes, in order; empty if the target is a single class."""
    if isinstance(target, AnyOf):
        target = list(target.classes)
    if not isinstance(target, list | set | frozenset):
        return ()
    if not target:
        raise InvalidTarget(f"target is an empty list. Pass at least one of {listed(classes)}.")
    found = tuple(sorted({class_index(classes, one) for one in target}))
    if len(found) == len(classes):
        raise InvalidTarget(
            f"target={echoed(target)} holds all classes of the model, so every prediction is accepted. Leave "
            "out those that are not."
        )
    return found


def require_scale(request: ParseRequest, offered: tuple[str, ...], *, name: str) -> None:
    """Raise unless the scale is one of ``offered``, on which the model reports."""
    if request.scale is None or request.scale in offered:
        return
    known = " or ".join(f"scale={echoed(scale)}" for scale in offered)
    raise InvalidArgument(
        f"scale={echoed(request.scale)} is not a scale that this {name} reports. "
        + (f"Pass {known}, or leave scale out." if known else "Leave scale out.")
    )


def has_limit(request: ParseRequest) -> bool:
    """Return whether the caller stated what the number must be at least, or at most."""
    return request.at_least is not None or request.at_most is not None


def probability_threshold(request: ParseRequest) -> float:
    """Check the limit of a probability, at least one half by default, and move it inwards by the margin.

    It is negated for ``at_most``, as the number is.
    """
    name, limit, sign = _limit(request, default=0.5)
    if not 0.0 <= limit <= 1.0:
        advice = f" For {limit:g} %, write {limit / 100:g}." if 1.0 < limit <= 100.0 else ""
        if limit > 100.0:
            advice = " If it is in points of a scorecard, convert it to a probability."
        raise InvalidArgument(
            f"The model reports probabilities, so {name} must lie in [0, 1]; got {echoed(_stated(request))}."
            f"{advice}"
        )
    wanted = limit + sign * request.margin
    if not 0.0 <= wanted <= 1.0:
        raise InvalidArgument(
            f"margin={echoed(request.margin)} {'from' if sign < 0 else 'plus'} {name}={limit:g} is a "
            f"probability of {wanted:g}. Keep it in [0, 1]."
        )
    return sign * wanted


def decision_threshold(request: ParseRequest) -> float:
    """Check the limit of a decision value, at least zero by default, and move it inwards by the margin.

    It is negated for ``at_most``, as the number is.
    """
    name, limit, sign = _limit(request, default=0.0)
    if not math.isfinite(limit):
        raise InvalidArgument(
            f"The model reports decision values, so {name} must be finite; got {echoed(_stated(request))}."
        )
    return sign * (limit + sign * request.margin)


def require_no_margin(request: ParseRequest) -> None:
    """Raise for a margin if one class must win: there is no scale on which to add it."""
    if request.margin:
        name = "score_tolerance" if request.score_tolerance else "margin"
        raise InvalidArgument(
            f"{name}={echoed(request.margin)} has no scale if class {echoed(request.target)} must win. "
            "Instead pass the at_least= that its probability must reach."
        )


class _Limit(NamedTuple):
    """A limit of what the model reports: its argument, the number, and 1 for a lower limit, else -1."""

    name: str
    limit: float
    sign: float


def _limit(request: ParseRequest, *, default: float) -> _Limit:
    """Return the one limit that the caller stated, or the default of ``at_least``."""
    if request.at_least is not None and request.at_most is not None:
        raise InvalidArgument(
            f"at_least={echoed(request.at_least)} and at_most={echoed(request.at_most)} limit one class. "
            "Pass one of them. Both together state a range only for a regressor."
        )
    if request.at_most is not None:
        return _Limit("at_most", limit_number("at_most", request.at_most), -1.0)
    stated = default if request.at_least is None else request.at_least
    return _Limit("at_least", limit_number("at_least", stated), 1.0)


def _stated(request: ParseRequest) -> object:
    return request.at_least if request.at_most is None else request.at_most


def limit_number(name: str, given: object) -> float:
    """Return a limit as a float; raise if it is not a number."""
    wrong = f"{name} must be a number; got {echoed(given)}."
    if isinstance(given, bool | np.bool_ | str | bytes):
        raise InvalidArgument(wrong)
    try:
        return float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(wrong) from None


class Range(NamedTuple):
    """The wanted range of predictions, with both ends; an infinite end is open."""

    low: float
    high: float

    @property
    def largest(self) -> float:
        """The largest magnitude of an end that is not open, at least 1."""
        return max([1.0, *(abs(end) for end in self if math.isfinite(end))])

    def leads(self, predicted: FloatArray) -> FloatArray:
        """Return how far inside predictions (n,) lie, from the nearer end; below 0 is outside."""
        predicted = np.asarray(predicted, dtype=np.float64)
        ends = []
        if self.low > -np.inf:
            ends.append(predicted - self.low)
        if self.high < np.inf:
            ends.append(self.high - predicted)
        nearest: FloatArray = np.minimum.reduce(ends)
        return nearest


def is_range(target: Any) -> bool:
    """Return whether a target is a range (low, high), and not a class."""
    return isinstance(target, tuple) or (
        isinstance(target, list)
        and len(target) == 2
        and all(end is None or isinstance(end, numbers.Real) for end in target)
    )


def checked_range(request: ParseRequest, *, name: str) -> Range:
    """Check the wanted range of a regressor, and narrow it by the margin; one end may be open."""
    target = request.target
    if has_limit(request):
        given = "at_least" if request.at_most is None else "at_most"
        raise InvalidArgument(
            f"This {name} is a regressor, and target={echoed(target)} already says what it must predict, so "
            f"{given}={echoed(_stated(request))} has no meaning. Pass only one of them: target=(low, high), "
            "or at_least= and at_most= without a target."
        )
    require_scale(request, (), name=f"{name}, a regressor,")
    if not is_range(target) or len(target) != 2:
        raise InvalidTarget(
            f"This {name} is a regressor: pass target=(low, high), the wanted range of its prediction, with "
            f"None for an open end; got {echoed(target)}.",
            on_command_line=RANGE_ON_COMMAND_LINE,
        )
    low, high = (_end(end, open_end) for end, open_end in zip(target, (-math.inf, math.inf), strict=True))
    if math.isinf(low) and math.isinf(high):
        raise InvalidTarget(
            f"target={echoed(target)} excludes nothing. Pass a number for at least one end of the range."
        )
    if low > high:
        raise InvalidTarget(
            f"target=(low, high) must have its ends in ascending order; got {echoed(target)}. Swap them.",
            on_command_line=f"--target {low:g}:{high:g} has its ends in descending order. Swap them.",
        )
    if low + request.margin > high - request.margin:
        raise InvalidArgument(
            f"margin={echoed(request.margin)} leaves nothing of the range {echoed(target)}. Lower it."
        )
    return Range(low + request.margin, high - request.margin)


def _end(end: Any, open_end: float) -> float:
    if end is None:
        return open_end
    is_number = isinstance(end, numbers.Real) and not isinstance(end, bool | np.bool_)
    if not is_number or math.isnan(end) or float(end) == -open_end:
        raise InvalidTarget(
            f"The ends of target=(low, high) must be numbers, or None for an open end; got {echoed(end)}.",
            on_command_line=RANGE_ON_COMMAND_LINE,
        )
    return float(end)
