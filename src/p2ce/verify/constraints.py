"""Re-check every constraint on the final values, from what the user asked and nothing else."""

from collections.abc import Mapping

import numpy as np

from p2ce.arrays import BoolArray, FloatArray
from p2ce.problem.actions import ActionSet
from p2ce.problem.feature import shown


def broken_rules(
    actions: ActionSet, before: Mapping[str, float], after: Mapping[str, float], *, max_changes: int | None
) -> list[str]:
    """Say in words what a proposal breaks; an empty list means that it is allowed."""
    broken = []
    changed = [name for name in actions.names if after[name] != before[name]]
    for name in changed:
        feature = actions[name]
        if feature.allows(before[name], after[name]):
            continue
        move = f"{shown(before[name])} → {shown(after[name])}"
        if feature.fixed:
            broken.append(f"{name!r} is fixed, but goes {move}.")
        elif (after[name] - before[name]) * feature.direction < 0:
            way = "increase" if feature.direction > 0 else "decrease"
            broken.append(f"{name!r} may only {way}, but goes {move}.")
        else:
            broken.append(f"{name!r} goes {move}, outside of what within() and values() allow.")
    if max_changes is not None and len(changed) > max_changes:
        broken.append(f"{len(changed)} features change, at most {max_changes} may.")
    return broken


def allowed_rows(
    actions: ActionSet,
    names: tuple[str, ...],
    before: FloatArray,
    after: FloatArray,
    *,
    max_changes: int | None,
) -> BoolArray:
    """Tell for rows (n, d) whether every constraint holds, vectorised over the rows."""
    fine = np.ones(len(after), dtype=np.bool_)
    for row, column in zip(*np.nonzero(after != before), strict=True):
        feature = actions[names[column]]
        fine[row] &= feature.allows(float(before[row, column]), float(after[row, column]))
    if max_changes is not None:
        fine &= (after != before).sum(axis=1) <= max_changes
    return fine
