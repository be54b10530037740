"""Find a person's front by asking the user's own model and detector about every point of the grid."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from p2ce import ActionSet, Explanation

SIGNIFICANT_BITS = 31  # costs count as equal when they agree in so many, about nine digits
MAX_JOINED = {"max_distance", "percentile_shift"}

Cell = tuple[float, ...]
Scorer = Callable[[pd.DataFrame], np.ndarray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The front as every point of the grid gives it."""

    costs: set[tuple[int, ...]]  # in whole quanta
    cells: set[Cell]  # every undominated point, equal ones included
    valid: int  # points that model and detector accept


def unit_of(column: np.ndarray) -> float:
    """Give the deviation of a column (n,) without its tails, straight from the definition."""
    distinct = len(np.unique(column))
    clipped = np.clip(column, *np.percentile(column, (1, 99))) if distinct > 2 else column
    if np.ptp(clipped) == 0:
        clipped = column
    return 1.0 if distinct == 1 else float(clipped.std())


def price_changes(name: str, before: np.ndarray, after: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Price each column's change (n, d), straight from the definitions; euclidean stays squared."""
    away = np.abs(after - before) / np.array([unit_of(column) for column in reference.T])
    if name == "mean_distance":
        return away / after.shape[1]
    if name == "max_distance":
        return away
    if name == "changes":
        return (after != before).astype(float)
    if name == "euclidean":
        return away**2
    assert name == "percentile_shift"
    shift = np.empty(after.shape)
    for column in range(after.shape[1]):
        people = np.sort(reference[:, column])

        def rank(values: np.ndarray, people: np.ndarray = people) -> np.ndarray:
            below = np.searchsorted(people, values, side="left")
            upto = np.searchsorted(people, values, side="right")
            return (below + upto) / 2.0 / len(people)

        shift[:, column] = np.abs(rank(after[:, column]) - rank(before[:, column]))
    return shift


def rounded(costs: np.ndarray) -> np.ndarray:
    """Round costs to significant bits, as whole numbers in the same order."""
    fraction, exponent = np.frexp(costs)
    whole = np.floor(fraction * 2.0**SIGNIFICANT_BITS + 0.5).astype(np.int64)
    step = np.int64(1) << (SIGNIFICANT_BITS - 1)  # from one power of two to the next
    return np.where(costs == 0.0, np.int64(-(1 << 62)), exponent.astype(np.int64) * step + whole)


def quanta_of(name: str, priced: np.ndarray) -> np.ndarray:
    """Join the columns' costs and round to what is compared."""
    return rounded(priced.max(axis=1) if name in MAX_JOINED else priced.sum(axis=1))


def reported_quanta(explanation: Explanation) -> list[tuple[int, ...]]:
    """Give the costs of an answer in whole quanta."""
    names = explanation.objectives
    costs = np.array([[option.costs[name] for name in names] for option in explanation], dtype=np.float64)
    squared = np.array([name == "euclidean" for name in names])
    costs = costs.reshape(-1, len(names))
    return [tuple(row) for row in rounded(np.where(squared, costs**2, costs)).tolist()]


def reachable_cells(person: Mapping[str, Any], actions: ActionSet, max_changes: int | None) -> np.ndarray:
    """List every point (n, d) that the constraints allow, without the person's own."""
    choices = []
    for feature in actions.features:
        now = float(person[feature.name])
        values = {now, *feature.candidates().tolist()}
        choices.append(sorted(value for value in values if (value - now) * feature.direction >= 0))
    cells = np.array(list(product(*choices)))
    moved = (cells != np.array([float(person[name]) for name in actions.names])).sum(axis=1)
    return cells[(moved >= 1) & (moved <= (len(choices) if max_changes is None else max_changes))]


def as_frame(cells: np.ndarray, reference: pd.DataFrame) -> pd.DataFrame:
    """Write points as rows of the reference's own column types."""
    return pd.DataFrame(
        {
            name: cells[:, column].astype(dtype)
            for column, (name, dtype) in enumerate(reference.dtypes.items())
        }
    )


def brute_force_front(
    person: Mapping[str, Any],
    reference: pd.DataFrame,
    actions: ActionSet,
    *,
    score: Scorer,
    threshold: float,
    is_plausible: Scorer | None,
    max_changes: int | None,
    objectives: Sequence[str],
) -> Truth:
    """Ask about everything."""
    cells = reachable_cells(person, actions, max_changes)
    if len(cells):
        frame = as_frame(cells, reference)
        valid = score(frame) >= threshold
        if is_plausible is not None:
            valid &= is_plausible(frame)
        cells = cells[valid]
    before = np.array([float(person[name]) for name in actions.names])
    people = reference.to_numpy(dtype=np.float64)
    costs = np.array(
        [
            quanta_of(name, price_changes(name, before[None, :].repeat(len(cells), 0), cells, people))
            if len(cells)
            else np.zeros(0, dtype=np.int64)
            for name in objectives
        ]
    ).T.reshape(-1, len(objectives))
    best = [
        row
        for row in range(len(cells))
        if not ((costs <= costs[row]).all(axis=1) & (costs < costs[row]).any(axis=1)).any()
    ]
    return Truth(
        costs={tuple(costs[row].tolist()) for row in best},
        cells={tuple(cells[row].tolist()) for row in best},
        valid=len(cells),
    )
