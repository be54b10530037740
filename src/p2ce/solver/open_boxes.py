"""Keep the open boxes, as a stack or with the most promising first."""

from p2ce.jit import kernel
from p2ce.solver.workspace import FREE, OPEN, USED


@kernel
def has_room(work, more):
    """Tell whether ``more`` boxes can be pushed."""
    return work.state[OPEN] + more <= work.queue.shape[0]


@kernel
def push_box(work, key, best_first):
    """Copy the box at hand into a free slot and open it."""
    state = work.state
    queue = work.queue
    if state[FREE] > 0:
        state[FREE] -= 1
        slot = queue[state[FREE]].free
    else:
        slot = state[USED]
        state[USED] += 1
    for a in range(work.box.spans.shape[0]):
        work.boxes[slot, a].low = work.box.spans[a].low
        work.boxes[slot, a].high = work.box.spans[a].high
        work.boxes[slot, a].must = work.box.spans[a].must
    at = state[OPEN]
    state[OPEN] += 1
    if best_first:
        while at > 0 and queue[(at - 1) // 2].key > key:
            queue[at].key = queue[(at - 1) // 2].key
            queue[at].slot = queue[(at - 1) // 2].slot
            at = (at - 1) // 2
    queue[at].key = key
    queue[at].slot = slot


@kernel
def pop_box(work, best_first):
    """Make the next box the one at hand; return its key."""
    state = work.state
    queue = work.queue
    state[OPEN] -= 1
    count = state[OPEN]
    first = 0 if best_first else count
    key = queue[first].key
    slot = queue[first].slot
    if best_first and count > 0:
        at = 0
        while True:
            child = 2 * at + 1
            if child >= count:
                break
            if child + 1 < count and queue[child + 1].key < queue[child].key:
                child += 1
            if queue[child].key >= queue[count].key:
                break
            queue[at].key = queue[child].key
            queue[at].slot = queue[child].slot
            at = child
        queue[at].key = queue[count].key
        queue[at].slot = queue[count].slot
    queue[state[FREE]].free = slot
    state[FREE] += 1
    for a in range(work.box.spans.shape[0]):
        work.box.spans[a].low = work.boxes[slot, a].low
        work.box.spans[a].high = work.boxes[slot, a].high
        work.box.spans[a].must = work.boxes[slot, a].must
    return key
