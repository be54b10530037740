"""Parse --target: a class as people write it, or a range of a predicted number."""

from typing import Any

import numpy as np

from p2ce.errors import InvalidTarget, nearest
from p2ce.visible import echoed


def read_target(model: Any, given: str | None) -> Any:
    """Find the class that a text means, or read a range ``low:high`` with either end left open.

    None, if none is given and there is a class 1, leaves the choice to the explainer, which may have doubts.

    >>> read_target(None, "1000:"), read_target(None, "yes")
    ((1000.0, None), 'yes')
    """
    classes = _classes(model)
    if classes is None:
        return None if given is None else _number_range(given) or _scalar(given)
    if given is None:
        if any(bool(known == 1) for known in classes):
            return None
        shown = ", ".join(map(str, classes))
        raise InvalidTarget(
            f"The model knows the classes {shown}. Say which one is wanted: --target {classes[-1]}"
        )
    for known in classes:
        if str(known) == given or (str(known).lower() == given.lower() and isinstance(known, bool)):
            return known
    number = _scalar(given)
    for known in classes:
        if not isinstance(number, str) and not isinstance(known, str) and bool(known == number):
            return known
    hint = nearest(given, classes).replace("'", "")
    raise InvalidTarget(f"--target {echoed(given)} is no class of the model. {hint}")


def _classes(model: Any) -> list[Any] | None:
    try:
        found = getattr(model, "classes_", None)
    except Exception:  # a property of the user's own
        return None
    if found is None or np.ndim(found) != 1 or not len(found):
        return None
    return list(np.asarray(found).tolist())


def _number_range(given: str) -> tuple[float | None, float | None] | None:
    low, colon, high = given.partition(":")
    if not colon:
        return None
    try:
        ends = tuple(float(end) if end.strip() else None for end in (low, high))
    except ValueError:
        raise InvalidTarget(
            f"--target {echoed(given)} is no range. Write low:high, such as 1000:2000 or 1000:"
        ) from None
    return ends[0], ends[1]


def _scalar(given: str) -> Any:
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given
