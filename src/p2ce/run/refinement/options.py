"""Store options of the instances of a batch during refinement, and compare them."""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.base.comparing import quanta
from p2ce.engine.solver.undominated import undominated

LARGEST = 3  # changes of a combination that is tried, and of options that are compared by their number


class Options(NamedTuple):
    """Verified options of the instances of a batch, in any order."""

    instance: IntArray  # (m,)
    rows: FloatArray  # (m, d)
    totals: FloatArray  # (m, objectives)
    scores: FloatArray  # (m,) as reported
    plausibility: FloatArray  # (m,) NaN without a detector

    def taken(self, which: BoolArray | IntArray) -> "Options":
        """Return some of the options."""
        return Options(*(part[which] for part in self))  # type: ignore[arg-type]

    def joined(self, more: "Options") -> "Options":
        """Append other options."""
        return Options(*(np.concatenate(parts) for parts in zip(self, more, strict=True)))


def by_instance(options: Options) -> list[IntArray]:
    """List the positions of each instance's options."""
    order = np.argsort(options.instance, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(options.instance[order])) + 1) if len(order) else []


def undominated_options(options: Options) -> Options:
    """Keep the options that no other option of the same instance dominates; of equal ones, the first."""
    kept = []
    for mine in by_instance(options):
        costs = quanta(options.totals[mine])
        _, first = np.unique(costs, axis=0, return_index=True)
        first = np.sort(first)
        kept.append(mine[first[undominated(costs[first])]])
    return options.taken(np.concatenate([np.empty(0, dtype=np.int64), *kept]).astype(np.int64))


def bests_of(totals: FloatArray, changes: IntArray) -> list[tuple[float, int]]:
    """Return the least cost, and its position, of each objective and of the first by number of changes."""
    found = []
    for objective in range(totals.shape[1]):
        at = int(np.lexsort([*totals.T[::-1], totals[:, objective]])[0])
        found.append((float(totals[at, objective]), at))
    for most in range(1, LARGEST + 1):
        few = np.flatnonzero(changes <= most)
        if len(few):
            at = int(few[np.argmin(totals[few, 0])])
            found.append((float(totals[at, 0]), at))
        else:
            found.append((np.inf, -1))
    return found
