"""Compare the cheapest options of default explanations with those of a grid that is twenty times finer.

The fine grid is made for each person: steps of 0.005 σ up to 1 σ away, and of 0.5 % of the distance beyond,
to the ends of the reference. A step of a default grid is about 0.1 σ. Whole columns keep whole numbers. The
grid also holds the values of all known rows: the explanation's own options, those of the parsed model on its
default grid, and what the heuristics found. So its cheapest option never costs more than any of these.
Functions and predicates are compared with the same model, parsed and without the predicate.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pandas as pd

import p2ce
from benchmarks.adversary import Finds, Space
from benchmarks.measures import Row, statuses
from benchmarks.wins import beats, cheapest_total
from p2ce.base.arrays import FloatArray
from p2ce.policy.features.feature import Kind

STEP, NEAR, GROWTH = 0.005, 1.0, 1.005  # σ; up to where steps are even; the ratio of neighbours beyond
KNOWN_ROWS = 50  # of the heuristics, the cheapest first, whose values the grid holds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FineResult:
    """What the fine grid says about one person."""

    ours: float  # σ in total; infinite without an option
    fine: float
    explanation: p2ce.Explanation
    seconds: float


def fine_values(space: Space, column: int, *, current: float, known: Iterable[float]) -> FloatArray:
    """Return the candidates of one column of numbers for a person, ascending."""
    low, high, unit = space.low[column], space.high[column], space.unit[column]
    reach = max(high - current, current - low, unit) / unit
    even = np.arange(STEP, NEAR, STEP)
    beyond = NEAR * GROWTH ** np.arange(np.ceil(np.log(max(reach, NEAR)) / np.log(GROWTH)) + 1)
    away = unit * np.concatenate([even, beyond])
    values = np.concatenate([current - away, current + away, [low, high], list(known)])
    values = space.rounded(values, column)
    return np.unique(values[(values >= low) & (values <= high)])


def explain_finely(
    explainer: p2ce.Explainer,
    space: Space,
    row: pd.DataFrame,
    explanations: Iterable[p2ce.Explanation],
    finds: Finds,
    *,
    time_limit: float,
) -> FineResult:
    """Explain one person on their fine grid, by the first objective of an explainer."""
    ours, *others = explanations
    names = [str(name) for name in row.columns]
    frames = [one.to_frame(kind="pandas")[names] for one in (ours, *others) if len(one)]
    known = np.concatenate([finds.rows[:KNOWN_ROWS], *(space.codebook.encode(frame) for frame in frames)])
    current = space.codebook.encode(row)[0]
    values = {
        names[column]: fine_values(space, column, current=current[column], known=known[:, column])
        for column in np.flatnonzero(space.movable).tolist()
        if explainer.policy[names[column]].kind in (Kind.NUMBER, Kind.WHOLE)
    }
    start = perf_counter()
    fine = explainer.explain(row, policy=explainer.policy.candidates(values), time_limit=time_limit)
    seconds = perf_counter() - start
    return FineResult(
        ours=cheapest_total(ours, space),
        fine=cheapest_total(fine, space),
        explanation=fine,
        seconds=seconds,
    )


def figures_of(results: list[FineResult]) -> Row:
    """Summarise by how much the default's cheapest options cost more than those of the fine grid."""
    pairs = [(one.ours, one.fine) for one in results if np.isfinite(one.ours) and np.isfinite(one.fine)]
    ratios = [ours / fine for ours, fine in pairs] or [1.0]
    return {
        "fine: statuses": statuses([one.explanation for one in results]),
        "fine: median ratio": float(np.median(ratios)),
        "fine: worst ratio": max(ratios),
        "fine: worst difference, σ": max((ours - fine for ours, fine in pairs), default=0.0),
        "fine: beyond 2 % and 0.02 σ": f"{sum(beats(fine, ours) for ours, fine in pairs)}/{len(results)}",
        "fine: options where the default has none": sum(
            np.isinf(one.ours) and np.isfinite(one.fine) for one in results
        ),
        "fine: seconds per person": float(np.mean([one.seconds for one in results])),
    }
