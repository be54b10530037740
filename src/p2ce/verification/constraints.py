"""Check every constraint on final values, from what the user states and nothing else."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.arrays import BoolArray, FloatArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.compilation.grouped_features import moves
from p2ce.problem.feature import FeatureActions, Kind
from p2ce.result.number_text import readable
from p2ce.tables.codebook import Codebook
from p2ce.visible import echoed


class Constraints(NamedTuple):
    """Whether rows keep the constraints."""

    allowed: BoolArray  # (n,)
    rejected_by_predicate: BoolArray  # (n,) by a rule that is a function of the user's
    broken_for_sure: BoolArray  # (n,) constraints that the solver should have kept


def check_constraints(
    problem: Problem, before: FloatArray, after: FloatArray, frame: pd.DataFrame
) -> Constraints:
    """Check rows (n, d) of codes, and the same as a frame, against every constraint and rule."""
    allowed = allowed_rows(problem.features, problem.codebook, before, after)
    if problem.max_changes is not None:
        allowed &= moves(problem.compounds, before, after) <= problem.max_changes
    for_sure = ~allowed
    denied = np.zeros(len(after), dtype=np.bool_)
    # A rule that breaks may have been inside its error band: large numbers leave its budgets few digits.
    for rule in problem.rules:
        if not rule.is_predicate:
            allowed &= rule.holds(problem.names, before, after)
        elif len(frame):
            denied |= ~rule.holds_frame(frame)
    return Constraints(allowed & ~denied, denied, for_sure)


def allowed_rows(
    features: Sequence[FeatureActions], codebook: Codebook, before: FloatArray, after: FloatArray
) -> BoolArray:
    """Tell for rows (n, d) whether every feature's own constraints hold."""
    fine = np.ones(len(after), dtype=np.bool_)
    codings = codebook.codings
    changed = after != before
    rows, columns = (part.tolist() for part in np.nonzero(changed))
    then = [codings[at].plain(code) for at, code in zip(columns, before[changed].tolist(), strict=True)]
    now = [codings[at].plain(code) for at, code in zip(columns, after[changed].tolist(), strict=True)]
    for row, column, old, new in zip(rows, columns, then, now, strict=True):
        fine[row] &= features[column].allows(old, new)
    return fine


def broken_rules(problem: Problem, before: FloatArray, after: FloatArray, frame: pd.DataFrame) -> list[str]:
    """Say in words what a proposal (d,) breaks; an empty list means that it is allowed."""
    broken = []
    changed = np.flatnonzero(after != before)
    for column in changed.tolist():
        coding = problem.codebook.codings[column]
        feature = problem.features[column]
        then, now = coding.plain(float(before[column])), coding.plain(float(after[column]))
        if feature.allows(then, now):
            continue
        name, move = coding.name, f"{readable(then)} → {readable(now)}"
        if feature.fixed:
            broken.append(f"{echoed(name)} is fixed, but goes {move}.")
        elif (
            feature.kind is not Kind.CATEGORY
            and np.isfinite([before[column], after[column]]).all()
            and (after[column] - before[column]) * feature.direction < 0
        ):
            way = "increase" if feature.direction > 0 else "decrease"
            broken.append(f"{echoed(name)} may only {way}, but goes {move}.")
        else:
            broken.append(f"{echoed(name)} goes {move}, outside of what within() and values() allow.")
    count = int(moves(problem.compounds, before[None, :], after[None, :])[0])
    if problem.max_changes is not None and count > problem.max_changes:
        broken.append(f"{count} features change, at most {problem.max_changes} may.")
    for rule in problem.rules:
        holds = (
            rule.holds_frame(frame)
            if rule.is_predicate
            else rule.holds(problem.names, before[None, :], after[None, :])
        )
        if not holds[0]:
            broken.append(f"The rule '{rule.rule.text()}' does not hold.")
    return broken
