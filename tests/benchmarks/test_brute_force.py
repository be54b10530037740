"""The bar that everything is measured against finds the front that plain loops find."""

from itertools import product
from operator import le

import numpy as np
import pytest

pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.brute_force import BruteForce

CANDIDATES = (np.arange(0.0, 6.0, 0.75), np.array([0.0, 1.0]), np.arange(-1.0, 8.0, 1.25))
DEVIATION = np.array([2.0, 2.5, 3.0])
COLUMNS = np.array([0, 2, 3])  # column 1 never changes


def accepts(rows: np.ndarray) -> np.ndarray:
    return rows @ np.array([1.0, 5.0, 2.0, 0.7]) >= 9.0


def is_plausible(rows: np.ndarray) -> np.ndarray:
    return np.sin(3 * rows[:, 0] + rows[:, 3]) > -0.5


@pytest.mark.parametrize("max_changes", [1, 2, 3])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("category", [False, True])
def test_it_finds_what_loops_find(max_changes: int, scaled: bool, category: bool) -> None:
    is_category = np.array([category, False, False])
    longest_in = None if scaled else np.ones(3)
    bar = BruteForce(
        columns=COLUMNS,
        candidates=CANDIDATES,
        deviation=DEVIATION,
        longest_in=longest_in,
        column_count=4,
        max_changes=max_changes,
        accepts=accepts,
        is_plausible=is_plausible,
        is_category=is_category,
    )
    rng = np.random.default_rng(0)
    sizes = set()
    for _ in range(6):
        person = np.array([rng.integers(4), 0.3, rng.integers(2), rng.choice([-1.0, 0.5, 1.7])], dtype=float)
        found = bar.front(person)
        costs = []
        for values in product(
            *(np.append(axis, now) for axis, now in zip(CANDIDATES, person[COLUMNS], strict=True))
        ):
            row = person.copy()
            row[COLUMNS] = values
            changed = row != person
            if not 1 <= changed.sum() <= max_changes or not accepts(row[None])[0]:
                continue
            if not is_plausible(row[None])[0]:
                continue
            moved = np.abs(row - person)[COLUMNS]
            apart = np.where(is_category, moved > 0, moved / DEVIATION)
            longest = apart if scaled else np.where(is_category, moved > 0, moved)
            costs.append((apart.sum() / 4, longest.max(), float(changed.sum())))
        front = {
            cost for cost in costs if not any(other != cost and all(map(le, other, cost)) for other in costs)
        }
        expected = np.unique(np.array(sorted(front)).reshape(-1, 3), axis=0)
        np.testing.assert_allclose(found.quanta * found.quantum, expected, rtol=1e-7, atol=1e-9)
        assert found.equals(
            [dict(zip(("mean_distance", "max_distance", "changes"), cost, strict=True)) for cost in expected]
        )
        sizes.add(len(expected))
    assert max(sizes) > 1 or max_changes == 1
