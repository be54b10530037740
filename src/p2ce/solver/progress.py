"""The progress of a search, for a listener that may stop it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a search over a batch of instances."""

    person: int  # the position of the current instance
    people: int
    found: int  # the number of points on its incumbent front
    open_boxes: int
    elapsed: float  # seconds since the search began


# Called from time to time; the search stops when it returns False.
Listener = Callable[[Progress], bool | None]
