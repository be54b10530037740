"""Check every constraint on final values, only from what the user stated."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.compile.compiled_problem import ParsedProblem
from p2ce.compile.grouped_features import moves
from p2ce.compile.own_ranges import RowLimits
from p2ce.policy.features.describe_features import candidates_of, stated_change
from p2ce.policy.features.feature import Direction, FeaturePolicy
from p2ce.policy.rules.linked import AddedLinks
from p2ce.result.relaxations import Restriction, Violation
from p2ce.result.rule_data import rule_data
from p2ce.tables.codebook import MISSING, Codebook
from p2ce.tables.json_values import Value


class Constraints(NamedTuple):
    """Whether rows keep the constraints."""

    allowed: BoolArray  # (n,)
    rejected_by_predicate: BoolArray  # (n,) by a rule that is a function of the user
    broken_for_sure: BoolArray  # (n,) rows that break constraints that the solver should have kept


def check_constraints(
    problem: ParsedProblem,
    before: FloatArray,
    after: FloatArray,
    frame: pd.DataFrame,
    limits: RowLimits | None = None,
    instance: IntArray | None = None,
) -> Constraints:
    """Check rows against every constraint and rule: as codes (n, d), and as a frame.

    ``limits`` are those that the caller states for single instances, of which the rows are ``instance`` (n,).
    """
    allowed = allowed_rows(problem.features, problem.codebook, before, after)
    if limits is not None:
        assert instance is not None
        allowed &= limits.keep(instance, before, after)
    if problem.max_changes is not None:
        changes = (after != before).sum(axis=1)
        if problem.groups:
            changes = moves(problem.groups, before, after)
        allowed &= changes <= problem.max_changes
    for_sure = ~allowed
    denied = np.zeros(len(after), dtype=np.bool_)
    # A broken rule may have been inside its error band: large numbers leave its budgets few digits.
    for rule in problem.rules:
        if not rule.is_predicate:
            allowed &= rule.holds(problem.names, before, after)
        elif len(frame):
            denied |= ~rule.holds_frame(frame)
    return Constraints(allowed & ~denied, denied, for_sure)


def allowed_rows(
    features: Sequence[FeaturePolicy], codebook: Codebook, before: FloatArray, after: FloatArray
) -> BoolArray:
    """Return for which rows (n, d) every feature's own constraints hold."""
    fine = np.ones(len(after), dtype=np.bool_)
    changed = after != before
    for column in np.flatnonzero(changed.any(axis=0)).tolist():
        rows = np.flatnonzero(changed[:, column])
        then, now = before[rows, column], after[rows, column]
        fine[rows] &= features[column].allows_codes(codebook.codings[column], then, now)
    return fine


def violations(
    problem: ParsedProblem, before: FloatArray, after: FloatArray, frame: pd.DataFrame
) -> tuple[Violation, ...]:
    """Return the restrictions that a proposal (d,) breaks; if there are none, it is allowed."""
    broken = []
    for column in np.flatnonzero(after != before).tolist():
        coding, feature = problem.codebook.codings[column], problem.features[column]
        then, now = coding.plain(float(before[column])), coding.plain(float(after[column]))
        if not feature.allows(then, now):
            restriction = _broken(feature, float(before[column]), float(after[column]), then)
            broken.append(Violation(restriction=restriction, before=then, after=now))
    count = int(moves(problem.groups, before[None, :], after[None, :])[0])
    if problem.max_changes is not None and count > problem.max_changes:
        most = Restriction(kind="changes", most=problem.max_changes)
        broken.append(Violation(restriction=most, changes=count))
    for rule in problem.rules:
        holds = (
            rule.holds_frame(frame)
            if rule.is_predicate
            else rule.holds(problem.names, before[None, :], after[None, :])
        )
        if not holds[0]:
            # Several links of one feature are broken as one: only their sum says where it goes.
            data = rule_data(rule.rule) if isinstance(rule.rule, AddedLinks) else rule.data
            broken.append(Violation(restriction=Restriction(kind="rule", rule=data)))
    return tuple(one for place, one in enumerate(broken) if one not in broken[:place])


def _broken(feature: FeaturePolicy, before: float, after: float, value: Value) -> Restriction:
    """Return the restriction of a feature that forbids the move from one code to another."""
    if feature.fixed:
        return Restriction(kind="fixed", feature=feature.name)
    if before in feature.special and not feature.leaves_special:
        return Restriction(kind="special", feature=feature.name, value=value)
    if after == MISSING:
        return Restriction(kind="known", feature=feature.name)
    if before == MISSING and not feature.fillable:
        return Restriction(kind="missing", feature=feature.name)
    known = before != MISSING and before not in feature.special
    if known and (after - before) * feature.direction < 0:
        return only_one_way(feature)
    low, high = feature.own_range(before)
    if known and not low <= after <= high:
        return close_to_today(feature)
    return within(feature)


def only_one_way(feature: FeaturePolicy) -> Restriction:
    """Return the restriction of a feature to one direction."""
    direction: Literal["up", "down"] = "up" if feature.direction is Direction.UP else "down"
    return Restriction(kind="direction", feature=feature.name, direction=direction)


def close_to_today(feature: FeaturePolicy) -> Restriction:
    """Return the restriction of a feature to values close to the current one."""
    return Restriction(kind="change", feature=feature.name, within_change=stated_change(feature.change))


def within(feature: FeaturePolicy) -> Restriction:
    """Return the restriction of a feature to its range, or to the values that it may take."""
    if feature.choices is not None:
        known = candidates_of(feature)
        values = () if known is None else known.values
        return Restriction(kind="values", feature=feature.name, values=values)
    # As the user passed it: the ends in the column's own precision have digits that the user did not type.
    low, high = feature.stated_range or feature.ends()
    return Restriction(kind="range", feature=feature.name, low=low, high=high)
