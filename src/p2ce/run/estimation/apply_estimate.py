"""Apply a fitted estimate to instances of a batch: it prunes like an additive score, but proves nothing."""

from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.compile.batch import Batch
from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import Placement
from p2ce.models.estimates.calibration import FittedEstimate, widen_estimate
from p2ce.models.estimates.instance_gains import Gains, lay_out_gains

if TYPE_CHECKING:  # the kernels load Numba, which takes a second
    from p2ce.engine.scores.flat.flat_arrays import FlatInstances


def gains_of(estimate: FittedEstimate, grid: BaseGrid, placement: Placement, values: FloatArray) -> Gains:
    """Estimate what each candidate of instances (n, d) adds to their scores."""
    return lay_out_gains(
        estimate.attributor, estimate.table, grid, placement, values, personal=estimate.personal
    )


def with_estimate(batch: Batch, instances: IntArray, flat: "FlatInstances") -> "FlatInstances":
    """Append the widened estimate to the scores of some instances. The batch keeps what it evaluates."""
    from p2ce.engine.scores.estimate_score import add_estimate

    problem = batch.problem
    estimate = problem.estimate
    assert estimate is not None
    base, gains, singles = gains_of(
        estimate, problem.grid, batch.placement.of(instances), batch.values[instances]
    )
    if batch.known is not None:
        batch.known[instances] = singles
    base, gains = widen_estimate(base, gains, estimate.residual, estimate.unit)
    threshold = float(estimate.attributor.to_scale(np.array([problem.threshold]))[0])
    return add_estimate(flat, gains, threshold - base)
