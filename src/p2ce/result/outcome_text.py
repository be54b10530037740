"""Describe the wanted outcome in words."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.result.number_text import readable, readable_score

if TYPE_CHECKING:
    from p2ce.result.explanation import Explanation

LEAD = "lead"
LEVEL = 1e-300  # below it, a lead only says how a tie ends


def is_range(target: Any) -> bool:
    """Return whether a target is a range of numbers, not a class."""
    return isinstance(target, tuple) and len(target) == 2


def must_win(explanation: "Explanation") -> bool:
    """Return whether one of several classes has to be the one that the model predicts."""
    return explanation.scale == LEAD and explanation.models == 1 and not is_range(explanation.target)


def wanted_ends(target: tuple[Any, Any]) -> tuple[float, ...]:
    """Give the ends that a wanted range has; None and infinities leave it open.

    >>> wanted_ends((100, None))
    (100.0,)
    """
    return tuple(float(end) for end in target if end is not None and math.isfinite(end))


def range_in_words(target: tuple[Any, Any]) -> str:
    """Write a wanted range.

    >>> range_in_words((100, 200)), range_in_words((None, 1500.0)), range_in_words((100, math.inf))
    ('between 100 and 200', 'at most 1,500', 'at least 100')
    """
    low, high = (end is not None and math.isfinite(end) for end in target)
    if low and high:
        return f"between {readable(target[0])} and {readable(target[1])}"
    if low or high:
        return f"at least {readable(target[0])}" if low else f"at most {readable(target[1])}"
    return "any number"


def narrowed(explanation: "Explanation") -> tuple[Any, Any]:
    """Give the range that a prediction must lie in: the wanted one, less the margin on both sides."""
    low, high = explanation.target
    margin = explanation.margin
    if not (math.isfinite(margin) and margin > 0):
        return low, high
    return (low if low is None else low + margin), (high if high is None else high - margin)


def shown_end(end: float) -> float:
    """Leave out the digits that adding a margin made up: 0.1 + 0.2 is 0.3 to people.

    >>> shown_end(0.1 + 0.2), shown_end(505)
    (0.3, 505)
    """
    return end if isinstance(end, int) or not math.isfinite(end) else float(f"{end:.12g}")


def is_strict(threshold: float) -> bool:
    """Return whether a threshold has to be exceeded: it is the next float above a short number.

    >>> is_strict(float(np.nextafter(0.5, 1.0))), is_strict(0.5), is_strict(0.1 + 0.2)
    (True, False, True)
    """
    return bool(threshold == np.nextafter(shown_end(threshold), math.inf))


def threshold_in_words(threshold: float) -> str:
    """Write a threshold, and whether it has to be exceeded.

    >>> threshold_in_words(float(np.nextafter(0.5, 1.0))), threshold_in_words(0.5)
    ('more than 0.5', '0.5')
    """
    return f"more than {shown_end(threshold)}" if is_strict(threshold) else str(threshold)


def class_in_words(target: Any) -> str:
    """Write a class as a person would type it, without NumPy's wrapping.

    >>> class_in_words(np.str_("B")), class_in_words(np.int64(2))
    ("'B'", '2')
    """
    return repr(target.item() if isinstance(target, np.generic) else target)


def wanted_in_words(explanation: "Explanation") -> str:
    """Say in a few words what has to be reached."""
    target, count = explanation.target, explanation.models
    margin = f", a margin of {readable(explanation.margin)} included" if explanation.margin > 0 else ""
    models = "both models" if count == 2 else f"all {count} models"
    if is_range(target):
        wanted = range_in_words(target)
        if margin:
            ends = tuple(None if end is None else shown_end(end) for end in narrowed(explanation))
            wanted = f"{range_in_words((ends[0], ends[1]))}{margin}"
        return f"prediction {wanted}" + (f" by {models}" if count > 1 else "")
    if must_win(explanation):
        return f"class {class_in_words(target)} must win"
    if explanation.scale == LEAD:
        return f"{class_in_words(target)} by {models}, each beyond its own threshold{margin}"
    more = ">" if is_strict(explanation.threshold) and not margin else ">="
    threshold = readable(shown_end(explanation.threshold))
    return f"{explanation.scale} of {class_in_words(target)} {more} {threshold}{margin}"


def lead_in_words(lead: float, threshold: float = 0.0) -> str:
    """Say how far something is ahead or behind.

    >>> lead_in_words(-0.25), lead_in_words(0.5), lead_in_words(-5e-324)
    ('0.250 behind', '0.500 ahead', 'level, which is not enough')
    """
    if abs(lead) < LEVEL and threshold == 0.0:
        return "level, which is enough" if lead >= 0 else "level, which is not enough"
    # On its own side of the threshold, and with the sign in words.
    return f"{readable_score(abs(lead), abs(threshold), 0.0)} {'behind' if lead < 0 else 'ahead'}"
