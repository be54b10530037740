"""Choose rows on which an adapter could be wrong: mixed, at candidates, at splits and next to them."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.engine.grid.base_grid import BaseGrid, grid_of
from p2ce.engine.scores.score import FlatScore, seen_as_given
from p2ce.engine.scores.trees.cuts import LIGHTGBM_ZERO
from p2ce.engine.scores.trees.float_bisection import first_true
from p2ce.policy.inference.infer_features import encode_columns, infer_features
from p2ce.policy.policy import Policy
from p2ce.tables.codebook import MISSING
from p2ce.testing.subject import Subject

# Where libraries distinguish zero from almost zero, or flush numbers to zero.
_SMALL = np.array([0.0, 1e-40, LIGHTGBM_ZERO, 1e-300, 5e-324])
TINY = np.concatenate([_SMALL, -_SMALL, np.nextafter(_SMALL, np.inf), np.nextafter(-_SMALL, -np.inf)])
# Beyond single precision. Trees compare such values; sums of them show nothing about a score.
FAR = np.array([1e6, -1e6, 16777217.0, 1e15, -1e15])
# Splits behind a scaler are found by bisection: at most this many per column.
HIDDEN_CUTS = 6
UNUSUAL = 0.1
FARTHEST = 1e9  # scalers overflow on the largest doubles


class Unusual(NamedTuple):
    """How many rows have a missing value, and how many have an unseen category."""

    missing: int
    unseen: int


def grid_of_reference(subject: Subject) -> BaseGrid:
    """Make the grid of everything that the subject's own columns may do, whatever they are called."""
    frame = subject.frame(subject.reference)[list(subject.labels[: len(subject.columns)])]
    policy = Policy(features=infer_features(encode_columns(pd.DataFrame(frame))))
    return grid_of(policy, columns=subject.columns, codebook=subject.codebook.of(subject.columns))


def rows_to_check(subject: Subject, grid: BaseGrid, count: int, rng: np.random.Generator) -> FloatArray:
    """Return about ``count`` rows: of the reference, around it, and where an adapter might be wrong.

    Some have missing values in columns where values may be missing, or unseen categories where the subject
    accepts them.
    """
    share = max(1, count // 4)
    own = subject.reference[rng.integers(0, len(subject.reference), share)]
    parts = [own, _mixed(subject, share, rng), _at_candidates(subject, grid, share, rng)]
    if subject.scores:
        parts.append(_near_splits(subject, share, rng))
    return subject.held(with_unusual(subject, np.concatenate(parts), rng))


def unusual_of(subject: Subject, rows: FloatArray) -> Unusual:
    """Count the rows with a missing value, and those with an unseen category."""
    beyond = np.array([np.inf if coding.labels is None else len(coding.labels) for coding in subject.own])
    return Unusual(
        missing=int((rows == MISSING).any(axis=1).sum()), unseen=int((rows >= beyond).any(axis=1).sum())
    )


def _mixed(subject: Subject, count: int, rng: np.random.Generator) -> FloatArray:
    """Take every column from another row."""
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
    numbers = np.array([place for place, coding in enumerate(subject.own) if not coding.is_category])
    if not len(numbers):
        return rows
    column = numbers[rng.integers(0, len(numbers), count)]
    flat = [score.flat for score in subject.scores]
    trees = [score for score in flat if score is not None and score.forest is not None]
    if trees:
        for split in numbers.tolist():
            cuts = np.concatenate([_cuts(score, split, rng) for score in trees])
            values = _around(cuts, whole=subject.own[split].number_dtype.kind != "f")
            chosen = every[rng.random(count) < 0.5] if len(values) else every[:0]
            rows[chosen, split] = rng.choice(values, len(chosen)) if len(values) else 0.0
        far = rng.random(count) < 0.05
        rows[every[far], column[far]] = rng.choice(FAR, int(far.sum()))
    tiny = rng.random(count) < 0.2
    rows[every[tiny], column[tiny]] = rng.choice(TINY, int(tiny.sum()))
    return rows


def with_unusual(subject: Subject, rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Put missing values and unseen categories into a tenth of the rows, for each column that allows them."""
    rows = rows.copy()
    for column in subject.nullable:
        rows[rng.random(len(rows)) < UNUSUAL, column] = MISSING
    for column, code in subject.unseen.items():
        rows[rng.random(len(rows)) < UNUSUAL, column] = code
    return rows


def _around(cuts: FloatArray, *, whole: bool) -> FloatArray:
    """List values at the cuts and next to them."""
    if whole:
        return np.unique(np.concatenate([np.floor(cuts), np.floor(cuts) + 1.0, np.ceil(cuts) - 1.0]))
    single = cuts.astype(np.float32)
    beside = [np.nextafter(single, np.float32(end)).astype(np.float64) for end in (np.inf, -np.inf)]
    exact = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), single.astype(np.float64)]
    return np.asarray(np.concatenate([*exact, *beside]), dtype=np.float64)


def _cuts(score: FlatScore, column: int, rng: np.random.Generator) -> FloatArray:
    """Return the user's values at which some tree of the score splits a column."""
    assert score.forest is not None
    cuts = np.unique(score.forest.threshold[score.forest.feature == column])
    cuts = cuts[np.isfinite(cuts) & (np.abs(cuts) < FARTHEST)]
    if score.see is seen_as_given:
        return np.asarray(cuts)
    return np.array([_first_above(score, column, float(cut)) for cut in rng.permutation(cuts)[:HIDDEN_CUTS]])


def _first_above(score: FlatScore, column: int, cut: float) -> float:
    """Find the user's first value that the trees see above a cut."""
    row = np.ones((1, score.column_count))

    def above(value: float) -> bool:
        row[0, column] = np.clip(value, -FARTHEST, FARTHEST)
        return bool(score.see(row)[0, column] > cut)

    return float(np.clip(first_true(above), -FARTHEST, FARTHEST))
