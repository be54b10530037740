"""Rewrite scores for grouped features: terms of single members become terms of the group's level."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.grid.grouped_axis import Compound
from p2ce.engine.scores.score import FlatScore, Spending, seen_as_given
from p2ce.engine.scores.trees.assemble import resplit
from p2ce.engine.scores.trees.forest import Forest
from p2ce.engine.scores.trees.steps import steps_of_codes


def onto_compounds(score: FlatScore, compounds: Sequence[Compound]) -> FlatScore:
    """Rewrite a score to use levels instead of members; the compounds' columns follow its own."""
    if not compounds:
        return score
    first = score.column_count
    width = first + len(compounds)
    if score.spending is not None:
        return replace(score, column_count=width, spending=_spending(score.spending, compounds, first))
    shown = [_shown(score, compound) for compound in compounds]
    if score.forest is not None:
        see = score.see if score.see is seen_as_given else _seen_beside(score.see, first)
        forest = _forest(score.forest, compounds, shown, first)
        return replace(score, column_count=width, forest=forest, see=see)
    see = _contributions(score, compounds, shown)
    return replace(score, column_count=width, weights=np.ones(width), see=see, cuts=None)


def _shown(score: FlatScore, compound: Compound) -> FloatArray:
    """Return the score's inputs for the members at every level: (levels, k)."""
    rows = np.zeros((len(compound.levels), score.column_count))
    rows[:, compound.members] = compound.levels
    return np.ascontiguousarray(score.see(rows)[:, compound.members])


def _seen_beside(see: Callable[[FloatArray], FloatArray], first: int) -> Callable[[FloatArray], FloatArray]:
    """Extend ``see`` so that the columns of levels pass unchanged."""
    return lambda rows: np.concatenate([see(np.ascontiguousarray(rows[:, :first])), rows[:, first:]], axis=1)


def _forest(forest: Forest, compounds: Sequence[Compound], shown: list[FloatArray], first: int) -> Forest:
    """Convert splits of members to splits of levels; this is exact, since all levels are known."""
    steps = {}
    feature, threshold = forest.feature.astype(np.int64), forest.threshold.copy()
    for place, (compound, seen) in enumerate(zip(compounds, shown, strict=True)):
        for k, member in enumerate(compound.members.tolist()):
            nodes = np.flatnonzero(forest.feature == member)
            feature[nodes] = first + place
            if (seen[1:, k] >= seen[:-1, k]).all():
                # Values never decrease with the level, so a split stays one cut.
                threshold[nodes] = np.searchsorted(seen[:, k], forest.threshold[nodes], side="right") - 0.5
                continue
            for node in nodes.tolist():
                left = np.flatnonzero(seen[:, k] <= forest.threshold[node]).tolist()
                steps[node] = steps_of_codes(left, len(seen), unseen_left=False, missing_left=False)
    return resplit(forest, feature, threshold, steps)


def _contributions(
    score: FlatScore, compounds: Sequence[Compound], shown: list[FloatArray]
) -> Callable[[FloatArray], FloatArray]:
    """Return the term of each column; the terms of members count for their compound.

    The products are the same as before, but added in another order, which the score's band covers.
    """
    assert score.weights is not None
    weights, see, first = score.weights, score.see, score.column_count
    tables = [seen @ weights[compound.members] for seen, compound in zip(shown, compounds, strict=True)]

    def contributions(rows: FloatArray) -> FloatArray:
        added = np.empty(rows.shape)
        added[:, :first] = weights * see(np.ascontiguousarray(rows[:, :first]))
        for place, (compound, table) in enumerate(zip(compounds, tables, strict=True)):
            added[:, compound.members] = 0.0
            added[:, first + place] = table[rows[:, first + place].astype(np.int64)]
        return added

    return contributions


def _spending(spending: Spending, compounds: Sequence[Compound], first: int) -> Spending:
    """Count the spending of members for their compound."""
    compound_of = {member: place for place, one in enumerate(compounds) for member in one.members.tolist()}
    places = {compound_of[column] for column in spending.columns if column in compound_of}
    columns = [column for column in spending.columns if column not in compound_of]

    def of(column: int, values: FloatArray, current: FloatArray) -> FloatArray:
        if column < first:
            return spending.of(column, values, current)
        compound = compounds[column - first]
        then, now = compound.values_at(current), compound.values_at(values)
        total = np.zeros(values.shape)
        for k, member in enumerate(compound.members.tolist()):
            if member in spending.columns:
                total += spending.of(member, now[..., k], then[..., k])
        return total

    return Spending(columns=(*columns, *(first + place for place in sorted(places))), of=of)
