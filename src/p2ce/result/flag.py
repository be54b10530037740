"""Define a flag of a counterfactual: an objection for a reviewer to check."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from p2ce.result.rendered import rendered

FlagKind: TypeAlias = Literal[
    "against_association",  # the feature moves against its association with the favourable outcome
    "breaks_relation",  # the feature exceeds another one, which it never does in the data
]
Move: TypeAlias = Literal["up", "down"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """An objection to a counterfactual that the data raise.

    A flagged counterfactual is valid: the model accepts it, and the policy allows it. But it requires a
    change that contradicts the data. `kind` says which of the other fields are set.

    >>> str(Flag(kind="against_association", feature="Income", direction="down"))
    'Income goes down, against its association with the favourable outcome'
    >>> str(Flag(kind="breaks_relation", feature="Paid", other="Owed"))
    'Paid exceeds Owed, which happens nowhere in the data'
    """

    kind: FlagKind
    feature: str
    direction: Move | None = None  # how the feature moves
    other: str = ""  # the feature that it exceeds

    @property
    def code(self) -> str:
        """The flag as written in tables.

        >>> Flag(kind="against_association", feature="Income", direction="down").code
        'against_association: Income down'
        >>> Flag(kind="breaks_relation", feature="Paid", other="Owed").code
        'breaks_relation: Paid > Owed'
        """
        what = f"> {self.other}" if self.kind == "breaks_relation" else f"{self.direction}"
        return f"{self.kind}: {self.feature} {what}"

    def __str__(self) -> str:
        return rendered("flag_line", self)
