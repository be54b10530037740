"""The record of a fitted estimate: how it prunes, and how often it misses."""

from dataclasses import dataclass

from p2ce.base.arrays import FloatArray
from p2ce.models.estimates.attributions import Attributor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate:
    """A calibrated SHAP estimate, fitted once for an explainer."""

    attributor: Attributor
    table: FloatArray  # (axes, width) the attribution of each base candidate
    personal: bool  # whether the single changes of each instance are also evaluated
    unit: float = 1.0  # of the residual
    residual: float = 0.0  # by how much the estimate is widened
    miss_rate: float | None = None
    sample_size: int | None = None
