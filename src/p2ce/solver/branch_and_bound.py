"""Solve a batch of instances by branch and bound: every undominated cell that all scores accept."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from p2ce.arrays import FloatArray, IntArray
from p2ce.solver.engine import Fronts, Listener, search_in_kernel
from p2ce.solver.waves import OutsideScore, search_in_waves

if TYPE_CHECKING:
    from p2ce.scores.flat_arrays import FlatInstances, ScoreLayout
    from p2ce.solver.workspace import Rules


def solve(
    layout: "ScoreLayout",
    instances: "FlatInstances",
    settings: "Rules",
    evaluators: Sequence[OutsideScore] | None = None,
    *,
    time_limits: FloatArray | None = None,
    work_limits: IntArray | None = None,
    listener: Listener | None = None,
) -> Fronts:
    """Find the front of every instance of the batch.

    Cells are evaluated inside the kernel, or, where there are ``evaluators``, go out to them in batches over
    many instances, in their order.
    """
    if evaluators is not None:
        return search_in_waves(
            layout,
            instances,
            settings,
            evaluators,
            limits=time_limits,
            most_work=work_limits,
            listener=listener,
        )
    return search_in_kernel(
        layout, instances, settings, limits=time_limits, most_work=work_limits, listener=listener
    )
