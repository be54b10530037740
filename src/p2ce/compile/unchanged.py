"""Represent an omitted argument, if None has its own meaning."""

from enum import Enum
from typing import Final


class Unchanged(Enum):
    """The type of `UNCHANGED`: the earlier setting applies."""

    UNCHANGED = "unchanged"

    def __repr__(self) -> str:
        return self.name


UNCHANGED: Final = Unchanged.UNCHANGED
