"""Hold the verdict on a proposed counterfactual."""

from dataclasses import dataclass
from typing import Any

from p2ce.result.counterfactual import AdmittedBy, Counterfactual
from p2ce.result.rendered import rendered
from p2ce.result.restriction import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """How a proposal stands: with the model, the detector, the constraints and the options known.

    `ok` means that it could be followed as it is. `better` lists the options that cost no more in any
    objective and less in one; None when they were not requested.
    """

    valid: bool  # the user's own model accepts it
    score: float
    # Plausible, or no less so than the person is today. None when plausibility is not required: no detector,
    # or method=p2ce.paper.Mapocam().
    plausible: bool | None
    plausibility: float | None  # the detector's own value, if there is one
    admitted_by: AdmittedBy | None = None  # which rule of plausibility it keeps
    plausibility_today: float | None = None  # of the person as they are, where that counts
    allowed: bool
    broken: tuple[Violation, ...]  # what it breaks
    on_grid: bool  # every change goes to one of the grid's candidates
    changes: dict[str, tuple[Any, Any]]
    costs: dict[str, float]
    better: tuple[Counterfactual, ...] | None = None

    @property
    def ok(self) -> bool:
        """Return whether the proposal is valid, plausible and allowed."""
        return self.valid and self.plausible is not False and self.allowed

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return rendered("evaluation_text", self)
