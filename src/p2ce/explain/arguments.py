"""Hold the arguments of an explainer as the caller passed them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

from p2ce.compilation.own_plausibility import OfToday
from p2ce.estimates.shap_estimate import ShapEstimate
from p2ce.objectives.objective_names import Objectives
from p2ce.problem.method import EXACT, Mapocam
from p2ce.problem.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """What the caller passed beside the model and the reference, unchanged."""

    policy: Policy | None
    target: Any  # None where none was given: names of classes or of the label have to say it then
    threshold: float | Sequence[float | None] | None
    margin: float
    scale: str | None
    objectives: Objectives
    max_changes: int | None
    plausibility: Any
    contamination: float | None
    plausibility_of_today: OfToday
    price_of_plausibility: bool
    method: str | Mapocam
    ties: bool
    refine: bool
    bound: str | ShapEstimate
    random_state: int | None

    def stated(self) -> dict[str, Any]:
        """Return what an auditor needs to repeat an explanation, and the certificate does not say."""
        forest = getattr(self.plausibility, "contamination", None)  # a fitted one may keep it as text
        contamination = forest if self.contamination is None else self.contamination
        settings = {
            "bound": str(self.bound) if isinstance(self.method, str) else None,
            "method": None if isinstance(self.method, str) else asdict(self.method),
            "contamination": float(contamination) if isinstance(contamination, Real) else None,
            # The paper's algorithms ignore it.
            "plausibility_of_today": self.plausibility_of_today
            if self.plausibility is not None and self.method == EXACT
            else None,
            "price_of_plausibility": True if self.price_of_plausibility else None,
            "margin": self.margin or None,
            "random_state": self.random_state,
            "ties": True if self.ties else None,
            "refine": None if self.refine else False,
        }
        return {name: value for name, value in settings.items() if value is not None}
