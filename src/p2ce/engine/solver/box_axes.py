"""Find which axes of a box can, must or need not leave the current value of an instance."""

from p2ce.engine.kernels.jit import kernel
from p2ce.engine.scores.flat.flat_arrays import Record
from p2ce.engine.scores.flat.score_cells import Instance
from p2ce.engine.solver.search_state import CurrentBox


@kernel
def is_decided(span: Record, here: int) -> bool:
    """Return whether an axis must leave the current value in this box."""
    decided: bool = span.must == 1 or here < span.low or here > span.high
    return decided


@kernel
def list_axes(instance: Instance, box: CurrentBox) -> int:
    """List the axes that can or must leave the current value; return their number.

    An axis that must but cannot is listed too: pricing the box then shows that it is empty.
    """
    size = 0
    for a in range(box.spans.shape[0]):
        span = box.spans[a]
        here = instance.positions[a].here
        if span.low != here or span.high != here or span.must:
            box.axes[size] = a
            size += 1
    return size


@kernel
def stay_where_undecided(instance: Instance, box: CurrentBox) -> int:
    """Set every axis that need not change to the current value, and list the other axes again."""
    for a in range(box.spans.shape[0]):
        if not is_decided(box.spans[a], instance.positions[a].here):
            box.spans[a].low = instance.positions[a].here
            box.spans[a].high = instance.positions[a].here
    return list_axes(instance, box)


@kernel
def release_box(instance: Instance, box: CurrentBox) -> None:
    """Set every axis back to the current value."""
    for a in range(box.spans.shape[0]):
        box.spans[a].low = instance.positions[a].here
        box.spans[a].high = instance.positions[a].here
        box.spans[a].must = 0


@kernel
def most_cells(instance: Instance, box: CurrentBox, size: int, changes_left: int) -> float:
    """Return an upper bound of the number of cells in a box, as a float since it may be of any size."""
    cells = 1.0
    others = 0.0
    open_axes = 0
    for k in range(size):
        span = box.spans[box.axes[k]]
        if is_decided(span, instance.positions[box.axes[k]].here):
            cells *= span.high - span.low + 1
        else:
            others += span.high - span.low
            open_axes += 1
    for _ in range(min(changes_left, open_axes)):
        cells *= 1.0 + others
    return cells
