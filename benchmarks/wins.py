"""Compare what an adversary found with the options of an explanation: is a heuristic row cheaper?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import p2ce
from benchmarks.adversary import HEURISTICS, Finds, Space
from p2ce.base.arrays import BoolArray, FloatArray

SHARE, SIGMA = 0.02, 0.02  # a row wins that is cheaper by more than this share and so many σ in total
MEAN, MAX = "mean distance", "max distance"
JUDGED = 20  # rows of an objective that are judged, the cheapest first, before the adversary gives up


@dataclass(frozen=True, slots=True, kw_only=True)
class Win:
    """A row that is allowed, accepted and plausible, and cheaper than the cheapest option."""

    person: Any  # the label of the row
    objective: str
    heuristic: str
    ours: float  # σ; infinite where the explanation has no option
    theirs: float
    changes: dict[str, tuple[Any, Any]]

    @property
    def ratio(self) -> float:
        """How many times as much the cheapest option costs."""
        return self.ours / self.theirs

    def __str__(self) -> str:
        moves = ", ".join(f"{name} {before} → {after}" for name, (before, after) in self.changes.items())
        ours = f"costs {self.ours:.3f} σ" if np.isfinite(self.ours) else "is missing"
        return (
            f"row {self.person}: {moves} costs {self.theirs:.3f} σ ({self.heuristic}); "
            f"the cheapest option by {self.objective} {ours}"
        )


def beats(theirs: float, ours: float) -> bool:
    """Return whether a cost is lower than another by more than 2 % and 0.02 σ.

    >>> beats(1.0, 1.03), beats(1.0, 1.019), beats(0.1, 0.11), beats(0.1, float("inf"))
    (True, False, False, True)
    """
    return ours - theirs > SIGMA and ours > (1.0 + SHARE) * theirs


def cheapest_total(explanation: p2ce.Explanation, space: Space, *, changes: int | None = None) -> float:
    """Return the smallest sum of moves, in σ, of the options with at most so many changes; inf if none."""
    options = [option for option in explanation if changes is None or len(option.changes) <= changes]
    return min((space.number_count * option.costs["mean_distance"] for option in options), default=np.inf)


def wins_over(
    explanation: p2ce.Explanation, finds: Finds, *, explainer: p2ce.Explainer, space: Space, row: pd.DataFrame
) -> Iterator[Win]:
    """Yield, for each objective, the cheapest row that beats every option and that the explainer accepts."""
    anything = np.ones(len(finds.rows), dtype=bool)
    largest = min((option.costs["max_distance"] for option in explanation), default=np.inf)
    contests: list[tuple[str, FloatArray, BoolArray, float]] = [
        (MEAN, finds.total, anything, cheapest_total(explanation, space)),
        (MAX, finds.largest, anything, largest),
    ]
    for size in range(1, space.max_changes + 1):
        name = f"{MEAN} with at most {size} change{'s' * (size > 1)}"
        cheapest = cheapest_total(explanation, space, changes=size)
        contests.append((name, finds.total, finds.changes <= size, cheapest))
    for objective, costs, eligible, cheapest in contests:
        places = np.flatnonzero(eligible)
        for place in places[np.argsort(costs[places], kind="stable")][:JUDGED].tolist():
            if not beats(costs[place], cheapest):
                break
            evaluation = explainer.evaluate(row, space.proposal(row, finds.rows[place]))
            if evaluation.ok:
                yield Win(
                    person=row.index[0],
                    objective=objective,
                    heuristic=list(HEURISTICS)[finds.heuristic[place]],
                    ours=float(cheapest),
                    theirs=float(costs[place]),
                    changes=evaluation.changes,
                )
                break
