"""The record of an explainer that is ready to attribute scores."""

from collections.abc import Callable
from dataclasses import dataclass

from p2ce.base.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadyExplainer:
    """Attributes the scores of rows to their columns: (n, d) → (n, d)."""

    explain: Callable[[FloatArray], FloatArray]
    evaluations: int = 0  # of the user's model, per explained row
