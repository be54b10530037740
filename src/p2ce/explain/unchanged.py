"""Stand for an argument that is left out where None has a meaning of its own."""

from enum import Enum
from typing import Final


class Unchanged(Enum):
    """The type of `UNCHANGED`: what was said before holds."""

    UNCHANGED = "unchanged"

    def __repr__(self) -> str:
        return self.name


UNCHANGED: Final = Unchanged.UNCHANGED
