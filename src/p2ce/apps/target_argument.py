"""Parse --target, a class or a range of a prediction, and find the column of labels."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.visible import echoed
from p2ce.errors import InvalidTarget, nearest
from p2ce.policy.inference.favourable_class import polarity
from p2ce.tables.table_files import Table

if TYPE_CHECKING:
    import pandas as pd


# Usual names of a label column that do not say what 1 means.
LABELS = frozenset({"y", "target", "label", "outcome", "class", "response"})


def read_target(model: Any, given: str | None) -> Any:
    """Find the class that a text means, or read a range ``low:high``; either end may be open.

    Without a text, return None: the explainer looks for the favourable class itself.

    >>> read_target(None, "1000:"), read_target(None, "yes")
    ((1000.0, None), 'yes')
    """
    if given is None:
        return None
    classes = _classes(model)
    if classes is None:
        return _number_range(given) or _scalar(given)
    found = _class_meant(given, classes)
    if found is not None:
        return found
    several = [_class_meant(part.strip(), classes) for part in given.split(",")]
    if len(several) > 1 and None not in several:
        return several
    hint = nearest(given, classes).replace("'", "")
    raise InvalidTarget(f"--target {echoed(given)} is not a class of the model. {hint}")


def meant_label(labels: "pd.Series[Any]", given: str) -> Any:
    """Find the label that a text means, or read a range ``low:high`` of numbers."""
    classes = sorted(set(labels.tolist()), key=str)
    found = _class_meant(given, classes)
    if found is None:
        found = _number_range(given)
    if found is None:
        raise InvalidTarget(
            f"--target {echoed(given)} is not a label of the column. {nearest(given, classes)}"
        )
    return found


def find_labels(model: Any, table: Table, names: Sequence[str]) -> "pd.Series[Any] | None":
    """Find the label column of a table: the one among ``names`` that holds only the model's classes.

    A model without class names is assumed to have 0 and 1. Many columns hold 0 and 1, so the name must also
    look like a label. Return None if no column fits, or more than one.
    """
    import pandas as pd

    classes = _classes(model) or [0, 1]
    named = all(isinstance(one, str) for one in classes)
    found = []
    for name in names:
        cells = table.frame[name].tolist()
        meant = {cell: _class_meant(str(cell).strip(), classes) for cell in set(cells)}
        called = named or polarity(name) or name.lower() in LABELS
        if called and 1 < len(meant) <= len(classes) and None not in meant.values():
            found.append(pd.Series([meant[cell] for cell in cells], name=name))
    return found[0] if len(found) == 1 else None


def _class_meant(given: str, classes: Sequence[Any]) -> Any:
    """Return the class that a text stands for, or None."""
    for known in classes:
        if str(known) == given or (str(known).lower() == given.lower() and isinstance(known, bool)):
            return known
    number = _scalar(given)
    for known in classes:
        if not isinstance(number, str) and not isinstance(known, str) and bool(known == number):
            return known
    return None


def _classes(model: Any) -> list[Any] | None:
    try:
        found = getattr(model, "classes_", None)
    except Exception:  # a property of a custom class
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
            f"--target {echoed(given)} is not a range. Write low:high, such as 1000:2000 or 1000:"
        ) from None
    return ends[0], ends[1]


def _scalar(given: str) -> Any:
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given
