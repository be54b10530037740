"""Measure what asking a model costs, and tell whether it can be asked about a whole grid."""

import time

from p2ce.arrays import FloatArray
from p2ce.verify.build import count_cells
from p2ce.verify.estimate import ask_rows
from p2ce.verify.setup import Setup

MEASURED_ROWS = 256
# Asking about every cell of a person's grid may take this long at worst; most searches ask about few.
LONGEST_SECONDS = 120.0


def takes_too_long(setup: Setup, per_row: float) -> bool:
    """Tell whether asking about every cell of a grid could take longer than anybody waits."""
    cells = count_cells(tuple(sorted(setup.grid.lengths.tolist())), setup.max_changes)
    return cells * per_row > LONGEST_SECONDS


def seconds_per_row(setup: Setup, rows: FloatArray) -> float:
    """Time calls of the user's own models about many rows; the first may still be loading something."""
    asked = ask_rows(setup)
    many = rows[:MEASURED_ROWS]
    taken = []
    for _ in range(2):
        begin = time.perf_counter()
        asked(many)
        taken.append(time.perf_counter() - begin)
    return min(taken) / len(many)
