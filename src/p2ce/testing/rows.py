"""Choose rows on which a reading could go wrong: mixed, at candidates, at splits and beside them."""

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compiled.cuts import LIGHTGBM_ZERO
from p2ce.compiled.links import first_score
from p2ce.compiled.score import CompiledScore, seen_as_given
from p2ce.grid.base_grid import BaseGrid, grid_of
from p2ce.problem.actions import ActionSet
from p2ce.testing.subject import Subject

# Where libraries tell zero from almost zero, or flush to it.
_SMALL = np.array([0.0, 1e-40, LIGHTGBM_ZERO, 1e-300, 5e-324])
TINY = np.concatenate([_SMALL, -_SMALL, np.nextafter(_SMALL, np.inf), np.nextafter(-_SMALL, -np.inf)])
# Beyond single precision; trees compare such values, sums of them say nothing about a score.
FAR = np.array([1e6, -1e6, 16777217.0, 1e15, -1e15])
# Splits behind a scaler are found by bisection: that many per column.
UNSEEN_CUTS = 6
FARTHEST = 1e9  # scalers overflow on the largest doubles


def grid_of_reference(subject: Subject) -> BaseGrid:
    """Make the grid that `Explainer` would make for the subject's own columns."""
    frame = subject.frame(subject.reference)[list(subject.labels[: len(subject.columns)])]
    return grid_of(ActionSet.infer(pd.DataFrame(frame)), columns=subject.columns)


def rows_to_check(subject: Subject, grid: BaseGrid, count: int, rng: np.random.Generator) -> FloatArray:
    """Give about ``count`` rows: of the reference, around it, and where a reading might go wrong."""
    share = max(1, count // 4)
    own = subject.reference[rng.integers(0, len(subject.reference), share)]
    parts = [own, _mixed(subject, share, rng), _at_candidates(subject, grid, share, rng)]
    if subject.score is not None:
        parts.append(_near_splits(subject, share, rng))
    return subject.held(np.concatenate(parts))


def _mixed(subject: Subject, count: int, rng: np.random.Generator) -> FloatArray:
    """Take every column from another person."""
    at = rng.integers(0, len(subject.reference), (count, subject.reference.shape[1]))
    return np.take_along_axis(subject.reference, at, axis=0)


def _at_candidates(subject: Subject, grid: BaseGrid, count: int, rng: np.random.Generator) -> FloatArray:
    """Move about a third of the columns to values that the search would try."""
    rows = subject.reference[rng.integers(0, len(subject.reference), count)].copy()
    for column, values in zip(grid.columns, grid.values, strict=True):
        moved = rng.random(count) < 1 / 3
        rows[moved, column] = rng.choice(values, int(moved.sum()))
    return rows


def _near_splits(subject: Subject, count: int, rng: np.random.Generator) -> FloatArray:
    """Put columns exactly at split thresholds and at their neighbours, in double and in single precision."""
    rows = subject.reference[rng.integers(0, len(subject.reference), count)].copy()
    every = np.arange(count)
    column = rng.integers(0, rows.shape[1], count)
    if isinstance(subject.score, CompiledScore) and subject.score.forest is not None:
        for split in range(rows.shape[1]):
            values = _around(_cuts(subject.score, split, rng), whole=_is_whole(subject, split))
            chosen = every[rng.random(count) < 0.5] if len(values) else every[:0]
            rows[chosen, split] = rng.choice(values, len(chosen)) if len(values) else 0.0
        far = rng.random(count) < 0.05
        rows[every[far], column[far]] = rng.choice(FAR, int(far.sum()))
    tiny = rng.random(count) < 0.2
    rows[every[tiny], column[tiny]] = rng.choice(TINY, int(tiny.sum()))
    return rows


def _is_whole(subject: Subject, column: int) -> bool:
    return subject.dtypes[subject.columns[column]].kind != "f"


def _around(cuts: FloatArray, *, whole: bool) -> FloatArray:
    """List values at the cuts and beside them."""
    if whole:
        return np.unique(np.concatenate([np.floor(cuts), np.floor(cuts) + 1.0, np.ceil(cuts) - 1.0]))
    single = cuts.astype(np.float32)
    beside = [np.nextafter(single, np.float32(end)).astype(np.float64) for end in (np.inf, -np.inf)]
    exact = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), single.astype(np.float64)]
    return np.asarray(np.concatenate([*exact, *beside]), dtype=np.float64)


def _cuts(score: CompiledScore, column: int, rng: np.random.Generator) -> FloatArray:
    """Give the values of the user at which some tree of the score splits a column."""
    assert score.forest is not None
    cuts = np.unique(score.forest.threshold[score.forest.feature == column])
    cuts = cuts[np.isfinite(cuts) & (np.abs(cuts) < FARTHEST)]
    if score.see is seen_as_given:
        return np.asarray(cuts)
    return np.array([_unseen(score, column, float(cut)) for cut in rng.permutation(cuts)[:UNSEEN_CUTS]])


def _unseen(score: CompiledScore, column: int, cut: float) -> float:
    """Find the first value of the user that the trees see above a cut."""
    row = np.ones((1, score.column_count))

    def above(value: float) -> bool:
        row[0, column] = np.clip(value, -FARTHEST, FARTHEST)
        return bool(score.see(row)[0, column] > cut)

    return float(np.clip(first_score(above), -FARTHEST, FARTHEST))
