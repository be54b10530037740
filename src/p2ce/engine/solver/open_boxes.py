"""The open boxes of a search, as a stack or as a heap with the most promising first."""

from p2ce.engine.kernels.jit import kernel
from p2ce.engine.solver.search_state import FREE, OPEN, USED, CurrentBox, SearchState


@kernel
def push_box(search: SearchState, box: CurrentBox, key: float, best_first: bool) -> None:
    """Copy the current box to a free slot and open it."""
    state = search.state
    heap = search.heap
    if state[FREE] > 0:
        state[FREE] -= 1
        slot = heap[state[FREE]].free
    else:
        slot = state[USED]
        state[USED] += 1
    for a in range(box.spans.shape[0]):
        search.boxes[slot, a].low = box.spans[a].low
        search.boxes[slot, a].high = box.spans[a].high
        search.boxes[slot, a].must = box.spans[a].must
    at = state[OPEN]
    state[OPEN] += 1
    if best_first:
        while at > 0 and heap[(at - 1) // 2].key > key:
            heap[at].key = heap[(at - 1) // 2].key
            heap[at].slot = heap[(at - 1) // 2].slot
            at = (at - 1) // 2
    heap[at].key = key
    heap[at].slot = slot


@kernel
def pop_box(search: SearchState, box: CurrentBox, best_first: bool) -> float:
    """Make the next box the current one; return its key."""
    state = search.state
    heap = search.heap
    state[OPEN] -= 1
    count = state[OPEN]
    first = 0 if best_first else count
    key: float = heap[first].key
    slot = heap[first].slot
    if best_first and count > 0:
        at = 0
        while True:
            child = 2 * at + 1
            if child >= count:
                break
            if child + 1 < count and heap[child + 1].key < heap[child].key:
                child += 1
            if heap[child].key >= heap[count].key:
                break
            heap[at].key = heap[child].key
            heap[at].slot = heap[child].slot
            at = child
        heap[at].key = heap[count].key
        heap[at].slot = heap[count].slot
    heap[state[FREE]].free = slot
    state[FREE] += 1
    for a in range(box.spans.shape[0]):
        box.spans[a].low = search.boxes[slot, a].low
        box.spans[a].high = search.boxes[slot, a].high
        box.spans[a].must = search.boxes[slot, a].must
    return key
