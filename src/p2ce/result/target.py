"""Interpret the target of an explanation: a class, a range, or a threshold with its margin."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from p2ce.result.explanation import Explanation

LEAD = "lead"
LEVEL = 1e-300  # a smaller lead only says how a tie is resolved


def is_target_range(target: Any) -> bool:
    """Return whether a target is a range of numbers, not a class."""
    return isinstance(target, tuple) and len(target) == 2


def must_win(explanation: "Explanation") -> bool:
    """Return whether the model, which has several classes, has to predict the target class."""
    return explanation.scale == LEAD and explanation.models == 1 and not is_target_range(explanation.target)


def limit_of(explanation: "Explanation") -> float:
    """Return the number that the score must be at least, or at most."""
    limit = explanation.at_least if explanation.at_most is None else explanation.at_most
    assert limit is not None, "every explanation has one"
    return limit


def is_strict_limit(at_least: float | None, at_most: float | None) -> bool:
    """Return whether the limit itself is not accepted, because it is the next float inside a short number."""
    return is_strict(at_least) if at_least is not None else at_most is not None and is_strict(-at_most)


def wanted_ends(target: tuple[Any, Any]) -> tuple[float, ...]:
    """Return the finite ends of a wanted range. None and infinities leave an end open.

    >>> wanted_ends((100, None))
    (100.0,)
    """
    return tuple(float(end) for end in target if end is not None and math.isfinite(end))


def narrowed(explanation: "Explanation") -> tuple[Any, Any]:
    """Return the range that a prediction must lie in: the wanted one, narrowed by the margin at each end."""
    low, high = explanation.target
    margin = explanation.margin
    if not (math.isfinite(margin) and margin > 0):
        return low, high
    return (low if low is None else low + margin), (high if high is None else high - margin)


def shown_end(end: float) -> float:
    """Remove the rounding error of adding a margin, so 0.1 + 0.2 is shown as 0.3.

    >>> shown_end(0.1 + 0.2), shown_end(505)
    (0.3, 505)
    """
    return end if isinstance(end, int) or not math.isfinite(end) else float(f"{end:.12g}")


def is_strict(threshold: float) -> bool:
    """Return whether a threshold has to be exceeded, because it is the next float above a short number.

    >>> is_strict(float(np.nextafter(0.5, 1.0))), is_strict(0.5), is_strict(0.1 + 0.2)
    (True, False, True)
    """
    return bool(threshold == np.nextafter(shown_end(threshold), math.inf))
