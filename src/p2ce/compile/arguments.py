"""Store the arguments of an explainer as the caller passed them."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from p2ce.compile.own_plausibility import OfToday
from p2ce.compile.paper_settings import Mapocam
from p2ce.engine.scores.score import Bound
from p2ce.models.detectors.plausibility_forest import PlausibilityForest, settled
from p2ce.models.estimates.shap_estimate import ShapEstimate
from p2ce.objectives.objective_names import Objectives
from p2ce.policy.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """The arguments of an explainer, except the model and the reference.

    They are stored unchanged, except for a forest to fit: `plausibility` is then a `PlausibilityForest` that
    states its share of implausible rows.
    """

    policy: Policy | None
    target: Any  # None if the caller passed none: the names of the classes or of the label must then show it
    threshold: float | Sequence[float | None] | None
    margin: float
    scale: str | None
    objectives: Objectives
    max_changes: int | None
    plausibility: Any
    contamination: float | None
    plausibility_of_today: OfToday
    price_of_plausibility: bool
    method: Literal["exact"] | Mapocam
    ties: bool
    refine: bool
    bound: str | ShapEstimate | None
    random_state: int | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "plausibility", settled(self.plausibility, self.contamination))

    def stated(self) -> dict[str, Any]:
        """Return what an auditor needs to repeat an explanation, and the certificate does not state."""
        settings = {
            # None means "not stated", so a bound of None is written as a word, as in certificates.
            "bound": None if isinstance(self.method, Mapocam) else str(self.bound or Bound.NONE.value),
            "method": str(self.method) if isinstance(self.method, Mapocam) else None,
            "contamination": self._contamination,
            # The paper's algorithms ignore it.
            "plausibility_of_today": self.plausibility_of_today
            if self.plausibility is not None and not isinstance(self.method, Mapocam)
            else None,
            "price_of_plausibility": True if self.price_of_plausibility else None,
            "margin": self.margin or None,
            "random_state": self.random_state,
            "ties": True if self.ties else None,
            "refine": None if self.refine else False,
        }
        return {name: value for name, value in settings.items() if value is not None}

    @property
    def _contamination(self) -> float | str | None:
        own = getattr(self.plausibility, "contamination", None)
        share = own if self.contamination is None else self.contamination
        if isinstance(share, Real):
            return float(share)
        # A fitted detector may store any text.
        return own if isinstance(self.plausibility, PlausibilityForest) else None
