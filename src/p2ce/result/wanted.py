"""Put what is wanted of the model into words."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.result.numbers import readable, readable_score

if TYPE_CHECKING:
    from p2ce.result.explanation import Explanation

LEAD = "lead"
LEVEL = 1e-300  # below it, a lead only says which way a tie goes


def is_range(target: Any) -> bool:
    """Tell a wanted range of numbers from a wanted class."""
    return isinstance(target, tuple) and len(target) == 2


def must_win(explanation: "Explanation") -> bool:
    """Tell whether one of several classes has to be the one that the model predicts."""
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


def class_in_words(target: Any) -> str:
    """Write a class as a person would type it, without NumPy's wrapping.

    >>> class_in_words(np.str_("B")), class_in_words(np.int64(2))
    ("'B'", '2')
    """
    return repr(target.item() if isinstance(target, np.generic) else target)


def wanted_in_words(explanation: "Explanation") -> str:
    """Say in a few words what has to be reached."""
    target = explanation.target
    # A margin that the user asked for is the threshold of a lead.
    margin = readable(explanation.threshold) if explanation.threshold > 0 else ""
    by_all = "" if explanation.models == 1 else f" by all {explanation.models} models"
    if is_range(target):
        inside = f", {margin} or more from its ends" if margin else ""
        return f"prediction {range_in_words(target)}{inside}{by_all}"
    if must_win(explanation):
        return f"class {class_in_words(target)} must win" + (f" by {margin}" if margin else "")
    return f"{explanation.scale} of {class_in_words(target)} >= {readable(explanation.threshold)}"


def lead_in_words(lead: float, threshold: float = 0.0) -> str:
    """Say how far something is ahead or behind.

    >>> lead_in_words(-0.25), lead_in_words(0.5), lead_in_words(-5e-324)
    ('0.250 behind', '0.500 ahead', 'level, which is not enough')
    """
    if abs(lead) < LEVEL and threshold == 0.0:
        return "level, which is enough" if lead >= 0 else "level, which is not enough"
    # On its own side of the threshold, and with the sign in words.
    return f"{readable_score(abs(lead), abs(threshold), 0.0)} {'behind' if lead < 0 else 'ahead'}"
