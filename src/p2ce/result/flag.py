"""Hold a flag of a counterfactual: something that a person who reviews it should look at."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from p2ce.result.rendered import rendered

FlagKind: TypeAlias = Literal[
    "against_association",  # the feature moves against the direction that goes with the favourable outcome
    "breaks_relation",  # the feature exceeds another, which it does nowhere in the data
]
Move: TypeAlias = Literal["up", "down"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One flag; `kind` says which of the other fields are set.

    A flagged counterfactual is valid: the model accepts it, and the policy allows it. But it asks for a
    change that the data speak against.

    >>> str(Flag(kind="against_association", feature="Income", direction="down"))
    'Income goes down, against its association with the favourable outcome'
    >>> str(Flag(kind="breaks_relation", feature="Paid", other="Owed"))
    'Paid exceeds Owed, which it does nowhere in the data'
    """

    kind: FlagKind
    feature: str
    direction: Move | None = None  # in which the feature moves
    other: str = ""  # the feature that it exceeds

    @property
    def code(self) -> str:
        """The flag as tables hold it.

        >>> Flag(kind="against_association", feature="Income", direction="down").code
        'against_association: Income down'
        >>> Flag(kind="breaks_relation", feature="Paid", other="Owed").code
        'breaks_relation: Paid > Owed'
        """
        what = f"> {self.other}" if self.kind == "breaks_relation" else f"{self.direction}"
        return f"{self.kind}: {self.feature} {what}"

    def __str__(self) -> str:
        return rendered("flag_line", self)
