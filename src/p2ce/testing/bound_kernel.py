"""Put boxes to the bound of a compiled score, exactly as the search does."""

from typing import Any

from p2ce.jit import entry
from p2ce.scores.one_instance import instance_of
from p2ce.solver.explore_box import is_infeasible, list_axes


@entry
def drop_boxes(
    flat: Any, people: Any, owner: Any, low: Any, high: Any, must: Any, changes_left: Any, work: Any, out: Any
) -> None:
    """Write for every box whether the first score's bound would drop it."""
    for b in range(owner.shape[0]):
        me = instance_of(people, owner[b])
        for a in range(work.box.spans.shape[0]):
            span = work.box.spans[a]
            span.low = low[b, a]
            span.high = high[b, a]
            span.must = 1 if must[b, a] else 0
        size = list_axes(me, work.box)
        out[b] = is_infeasible(flat, 0, me, work.box, size, changes_left[b], work)
