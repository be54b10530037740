"""Renumber the columns of a score, such as those of one model in the order of another."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.engine.scores.network.network import NetworkScore
from p2ce.engine.scores.score import FlatScore, seen_as_given
from p2ce.errors import UnsupportedModel


def in_columns_of(score: FlatScore, own: Sequence[str], names: Sequence[str]) -> FlatScore:
    """Renumber the columns of a flat score, from the order ``own`` to the order ``names``."""
    if tuple(own) == tuple(names):
        return score
    return _onto(score, places_of(own, names), len(names))


def places_of(own: Sequence[str], names: Sequence[str]) -> IntArray:
    """Return the places of some columns among all ``names``."""
    place = {name: column for column, name in enumerate(names)}
    return np.array([place[name] for name in own], dtype=np.int64)


def onto_columns(part: FlatScore | NetworkScore, columns: IntArray, count: int) -> FlatScore | NetworkScore:
    """Rewrite a score over some of ``count`` columns as one over all; a column may occur several times."""
    if np.array_equal(columns, np.arange(count)):
        return part
    if isinstance(part, FlatScore):
        return _onto(part, columns, count)
    return replace(
        part,
        column_count=count,
        see=_chosen_first(part.see, columns),
        sources=columns[part.sources],
    )


def _onto(score: FlatScore, columns: IntArray, count: int) -> FlatScore:
    forest, weights, see = score.forest, score.weights, score.see
    if see is not seen_as_given and len(np.unique(columns)) < len(columns):
        raise UnsupportedModel(
            "A member that transforms its inputs, and gets the same column several times, is not supported "
            "natively. Fit with bootstrap_features=False."
        )
    if forest is not None:
        # Leaves have feature -1, which selects the last entry.
        features = np.append(columns, -1).astype(np.int32)
        forest = replace(forest, feature=features[forest.feature])
    if weights is not None:
        spread = np.zeros(count)
        np.add.at(spread, columns, weights)
        weights = spread
    see = see if see is seen_as_given else _seen_through(see, columns)
    return replace(score, column_count=count, forest=forest, weights=weights, see=see, cuts=None)


def _chosen_first(
    see: Callable[[FloatArray], FloatArray], columns: IntArray
) -> Callable[[FloatArray], FloatArray]:
    """Extend ``see`` from some columns to all."""
    return lambda rows: see(np.ascontiguousarray(rows[:, columns]))


def _seen_through(
    see: Callable[[FloatArray], FloatArray], columns: IntArray
) -> Callable[[FloatArray], FloatArray]:
    """Extend ``see`` from a score's own columns, in its order, to all columns."""

    def seen(rows: FloatArray) -> FloatArray:
        shown = np.array(rows, dtype=np.float64)
        shown[:, columns] = see(np.ascontiguousarray(rows[:, columns]))
        return shown

    return seen
