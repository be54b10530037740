"""Choose a few rejected people and a grid so small that brute force can evaluate all of it."""

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.policy.inference.infer_features import encode_columns, infer_features
from p2ce.policy.policy import Policy
from p2ce.testing.probe_rows import with_unusual
from p2ce.testing.subject import Subject

AXES, CANDIDATES = 4, 7
TRIED_ROWS = 64


def small_actions(subject: Subject, reference: pd.DataFrame, rng: np.random.Generator) -> Policy:
    """Let only the columns change that move the scores most, to a few values each."""
    policy = Policy(features=infer_features(encode_columns(reference)))  # whatever the columns are called
    axes = _strongest(subject, rng)
    choices = {}
    for column in axes:
        name = subject.columns[column]
        values = policy[name].candidates()
        some = np.linspace(0, len(values) - 1, min(CANDIDATES, len(values))).round().astype(int)
        choices[name] = values[np.unique(some)].tolist()
    others = [name for name in policy.names if name not in choices]
    return policy.candidates(choices).fix(*others)


def _strongest(subject: Subject, rng: np.random.Generator) -> list[int]:
    """Rank columns by how far the scores move if other people's values are put into them."""
    rows = subject.reference[rng.integers(0, len(subject.reference), TRIED_ROWS)]
    others = subject.reference[rng.integers(0, len(subject.reference), TRIED_ROWS)]
    own = np.clip(subject.evaluate(rows), -1e300, 1e300)
    moved = []
    for column in range(rows.shape[1]):
        changed = rows.copy()
        changed[:, column] = others[:, column]
        moved.append(float(np.abs(np.clip(subject.evaluate(changed), -1e300, 1e300) - own).mean()))
    return [int(column) for column in np.argsort(moved)[::-1][:AXES]]


def rejected_rows(subject: Subject, count: int, rng: np.random.Generator) -> FloatArray:
    """Choose people that the subject rejects: the nearest, the farthest, and others; (n, own columns).

    They come from the reference, but some have a missing value or an unseen category.
    """
    rows = subject.reference[rng.permutation(len(subject.reference))[:500]]
    rows = with_unusual(subject, rows, rng)
    results = subject.evaluate(rows)
    rejected = np.flatnonzero(~subject.accepts(results))
    if not len(rejected):
        return rows[:0]
    order = rejected[np.argsort(results[rejected])[::-1]]
    chosen = list(dict.fromkeys([*order[:1].tolist(), *order[-1:].tolist(), *rejected.tolist()]))
    return np.asarray(rows[chosen[:count]], dtype=np.float64)
