"""Define the review of a policy, and whether a policy is inferred, stated or reviewed."""

from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

from p2ce.base.visible import echoed
from p2ce.errors import InvalidPolicy

# Nothing is stated, something is stated, or everything was reviewed.
Basis: TypeAlias = Literal["inferred", "stated", "reviewed"]
INFERRED: Basis = "inferred"
STATED: Basis = "stated"
REVIEWED: Basis = "reviewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Who reviewed a policy, and when.

    >>> Review(by="Ana Souza, credit policy", on="2026-11-18").on
    '2026-11-18'
    """

    by: str
    on: str  # a date: 2026-11-18

    def __post_init__(self) -> None:
        if not isinstance(self.by, str) or not self.by.strip():
            raise InvalidPolicy(
                f"A review needs the name of the reviewer, got {echoed(self.by)}. Write reviewed_by: a name."
            )
        try:
            date.fromisoformat(self.on)
        except (TypeError, ValueError):
            raise InvalidPolicy(
                f"A review needs its date as year-month-day, got {echoed(self.on)}. "
                "Write reviewed_on: 2026-11-18."
            ) from None
