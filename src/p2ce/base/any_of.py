"""Name several classes, any of which a model may predict."""

from dataclasses import dataclass
from typing import Any

FORM = "any_of"  # the key of its JSON form


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Several classes, any of which is wanted, in the order of the model.

    >>> print(AnyOf(("low", "mid"))), AnyOf(("low", "mid")).to_dict()
    low or mid
    (None, {'any_of': ['low', 'mid']})
    """

    classes: tuple[Any, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {FORM: list(self.classes)}

    def __str__(self) -> str:
        return " or ".join(map(str, self.classes))
