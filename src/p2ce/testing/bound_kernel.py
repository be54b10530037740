"""Bound boxes by a compiled score, exactly as the search does."""

from typing import Any

from p2ce.engine.kernels.jit import entry
from p2ce.engine.scores.flat.score_cells import instance_of
from p2ce.engine.solver.box_axes import list_axes
from p2ce.engine.solver.upper_bounds import is_infeasible


@entry
def drop_boxes(
    flat: Any,
    instances: Any,
    owner: Any,
    low: Any,
    high: Any,
    must: Any,
    changes_left: Any,
    box: Any,
    few: Any,
    walk: Any,
    counters: Any,
    out: Any,
) -> None:
    """Write for every box whether the first score's bound prunes it."""
    for b in range(owner.shape[0]):
        instance = instance_of(instances, owner[b])
        for a in range(box.spans.shape[0]):
            span = box.spans[a]
            span.low = low[b, a]
            span.high = high[b, a]
            span.must = 1 if must[b, a] else 0
        size = list_axes(instance, box)
        out[b] = is_infeasible(
            flat, 0, instance, box.spans, box.axes, size, changes_left[b], few, walk, counters
        )
