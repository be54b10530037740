"""Compare labels of categories, and write them for readers."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from p2ce.base.visible import as_text
from p2ce.tables.cells import label_key


def place_of(label: Any, labels: Sequence[Any]) -> int | None:
    """Return a label's position in a list, or None.

    >>> place_of("rent", ["own", "rent"]), place_of("boat", ["own", "rent"])
    (1, None)
    """
    wanted = label_key(label)
    return next((place for place, one in enumerate(labels) if label_key(one) == wanted), None)


def as_cells(labels: Sequence[Any]) -> "np.ndarray[tuple[int], np.dtype[Any]]":
    """Put each label, unchanged, into a cell of an array."""
    cells = np.empty(len(labels), dtype=object)
    cells[:] = labels
    return cells


def shown_labels(labels: Iterable[Any]) -> str:
    """Write the first few labels of a list.

    >>> shown_labels(["own", "rent", 3])
    'own, rent, 3'
    """
    texts = [as_text(label) for label in labels]
    return ", ".join(texts[:6]) + (", …" if len(texts) > 6 else "")
