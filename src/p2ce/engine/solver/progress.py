"""The progress of a search, for a listener that may stop it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a search, which a ``listener`` receives from time to time.

    Attributes:
        person: the position of the row that is being explained, from 0.
        people: the number of rows to explain.
        found: the number of counterfactuals found for this row so far.
        open_boxes: the number of boxes of the search space that remain open for this row.
        elapsed: the seconds since the search began.
    """

    person: int
    people: int
    found: int
    open_boxes: int
    elapsed: float


# Called from time to time; the search stops when it returns False.
Listener = Callable[[Progress], bool | None]
