"""Define the evaluation of a proposed counterfactual."""

from dataclasses import dataclass
from typing import Any

from p2ce.result.counterfactual import AdmittedBy, Counterfactual
from p2ce.result.rendered import rendered
from p2ce.result.restriction import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Whether a proposed change is accepted, plausible and allowed, and what it costs.

    `ok` means that all three hold. `better` lists the options that dominate the proposal: they cost no more
    in any objective and less in at least one. It is None if no explanation was passed.
    """

    valid: bool  # the user's own model accepts it
    score: float
    # Plausible, or no less plausible than the person today. None if plausibility is not required: there is no
    # detector, or the method is p2ce.paper.Mapocam().
    plausible: bool | None
    plausibility: float | None  # the detector's value, if there is a detector
    admitted_by: AdmittedBy | None = None  # how it meets the plausibility requirement
    plausibility_today: float | None = None  # the detector's value for the person today, if it counts
    allowed: bool  # the policy allows it
    broken: tuple[Violation, ...]  # the restrictions that it breaks
    on_grid: bool  # every new value is a candidate of the grid
    changes: dict[str, tuple[Any, Any]]
    costs: dict[str, float]
    better: tuple[Counterfactual, ...] | None = None

    @property
    def ok(self) -> bool:
        """Whether the proposal is valid, plausible and allowed."""
        return self.valid and self.plausible is not False and self.allowed

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return rendered("evaluation_text", self)
