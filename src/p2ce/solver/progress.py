"""Report the progress of a search to a listener, who may stop it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a search has come."""

    person: int  # position of the instance at hand
    people: int
    found: int  # points on its incumbent front
    open_boxes: int
    elapsed: float  # seconds since the search began


# Called now and then; the search stops when it returns False.
Listener = Callable[[Progress], bool | None]
