"""Group the columns that move together: one-hot groups for all instances, linked features for each one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.grid.grouped_axis import Compound
from p2ce.engine.scores.score import FlatScore, Spending
from p2ce.errors import InvalidPolicy
from p2ce.policy.policy import Policy
from p2ce.policy.rules.linked import Linked
from p2ce.policy.rules.one_hot import OneHot
from p2ce.policy.rules.rule import Rule
from p2ce.tables.codebook import Codebook

if TYPE_CHECKING:
    import pandas as pd


def check_policy(policy: object, names: Sequence[str]) -> None:
    """Raise unless ``policy`` is a Policy for exactly the model's columns."""
    if not isinstance(policy, Policy):
        raise InvalidPolicy(
            f"policy must be a Policy, got {type(policy).__name__}. Start from p2ce.Policy.infer(X)."
        )
    stated, wanted = dict.fromkeys(policy.names), dict.fromkeys(names)
    missing = [name for name in wanted if name not in stated]
    extra = [name for name in stated if name not in wanted]
    if missing or extra:
        what = (
            f"lacks {echoed(missing[0])}" if missing else f"has {echoed(extra[0])}, which the model does not"
        )
        raise InvalidPolicy(
            f"The policy and the model have different columns: it {what}. "
            "Infer the policy from the data that the model was fitted on."
        )


def settle_groups(
    policy: Policy, codebook: Codebook, reference: "pd.DataFrame", known: Mapping[OneHot, OneHot]
) -> Policy:
    """Decide for every one-hot group, by the whole reference, whether it may be empty.

    ``known`` has the groups for which this is decided already.
    """

    def settled(rule: Rule) -> Rule:
        if not isinstance(rule, OneHot):
            return rule
        if rule in known:
            return known[rule]
        codes = codebook.of(rule.levels).encode(reference)
        return rule.settled(dict(zip(rule.levels, codes.T, strict=True)))

    check_policy(policy, codebook.names)
    return replace(policy, rules=tuple(map(settled, policy.rules)))


def one_hot_compounds(policy: Policy, codebook: Codebook) -> tuple[Compound, ...]:
    """Return a compound for every one-hot group: a level per column, and one with no column set."""
    found = []
    for rule in policy.rules:
        if isinstance(rule, OneHot):
            levels = np.vstack([np.eye(len(rule.levels)), np.zeros(len(rule.levels))])
            fixed = all(policy[name].fixed for name in rule.levels)
            may_stay = np.ones(len(levels), dtype=np.bool_)
            may_stay[-1] = rule.may_be_none is True
            found.append(
                Compound(
                    name=rule.name,
                    members=np.array([codebook.names.index(name) for name in rule.levels]),
                    levels=levels,
                    may_go_to=may_stay & (not fixed),
                    may_stay=may_stay,
                )
            )
    return tuple(found)


def has_links(policy: Policy) -> bool:
    """Return whether a feature is linked to another, and follows it by an amount per instance."""
    return any(isinstance(rule, Linked) for rule in policy.rules)


def moves_as_one(policy: Policy) -> bool:
    """Return whether any features move together."""
    return any(isinstance(rule, Linked | OneHot) for rule in policy.rules)


def compounds_for(
    policy: Policy, codebook: Codebook, groups: Sequence[Compound], instance: FloatArray
) -> tuple[Compound, ...]:
    """Return the compounds of one instance (d,): its one-hot groups, and a chain for every driver."""
    own = [_with_own_level(group, instance) for group in groups]
    links = [rule for rule in policy.rules if isinstance(rule, Linked)]
    followers = {rule.follower for rule in links}
    drivers = dict.fromkeys(rule.driver for rule in links if rule.driver not in followers)
    return (*own, *(_chain(driver, links, policy, codebook, instance) for driver in drivers))


def _with_own_level(group: Compound, instance: FloatArray) -> Compound:
    """Add the instance's current level if the group lacks it, for example with two columns at 1."""
    if not np.isnan(group.codes_of(instance[None, :])[0]):
        return group
    return replace(
        group,
        levels=np.vstack([group.levels, instance[group.members]]),
        may_go_to=np.append(group.may_go_to, False),
        may_stay=None if group.may_stay is None else np.append(group.may_stay, False),
    )


def _chain(
    driver: str, links: Sequence[Linked], policy: Policy, codebook: Codebook, instance: FloatArray
) -> Compound:
    """Return the compound of a driver and all features that follow it: one level per candidate."""
    place = {name: column for column, name in enumerate(codebook.names)}
    here = instance[place[driver]]
    codes = np.union1d(policy[driver].codes(codebook[driver]), here)
    members, table = [driver], {driver: codes}
    counted = [True]
    waiting = [rule for rule in links if rule.driver == driver]
    while waiting:
        rule = waiting.pop(0)
        start, follower = instance[place[rule.driver]], instance[place[rule.follower]]
        table[rule.follower] = rule.follow(start, table[rule.driver], follower, codebook)
        members.append(rule.follower)
        counted.append(rule.counts == "each")
        waiting += [other for other in links if other.driver == rule.follower]
    levels = np.column_stack([table[name] for name in members])
    # A level is a candidate only if every member may take its value there, if its column can hold this value,
    # and if no follower leaves its own range.
    before = np.array([instance[place[name]] for name in members])
    fine = np.array(
        [
            _allowed(policy, codebook, members, before, level)
            and _followers_keep(policy, members[1:], before[1:], level[1:])
            for level in levels
        ]
    )
    keep = fine | (codes == here)
    return Compound(
        name=driver,
        members=np.array([place[name] for name in members]),
        levels=levels[keep],
        may_go_to=fine[keep],
        is_category=False,
        counted=np.array(counted),
    )


def _allowed(
    policy: Policy, codebook: Codebook, names: Sequence[str], before: FloatArray, after: FloatArray
) -> bool:
    if np.isnan(after).any():
        return False
    for name, then, now in zip(names, before.tolist(), after.tolist(), strict=True):
        coding = codebook[name]
        if then != now and not policy[name].allows(coding.plain(then), coding.plain(now)):
            return False
    return True


def _followers_keep(policy: Policy, names: Sequence[str], before: FloatArray, after: FloatArray) -> bool:
    """Return whether every follower that moves keeps its own range, kind, step and values."""
    return all(
        then == now or policy[name].keeps(now)
        for name, then, now in zip(names, before.tolist(), after.tolist(), strict=True)
    )


def limits_of(
    compounds: Sequence[Compound],
    policy: Policy,
    codebook: Codebook,
    axes: Sequence[int],
    max_changes: int | None,
) -> list[FlatScore]:
    """Return the budgets of compounds: for the number of changes, and for moves that a member forbids.

    ``axes`` are the positions of all columns that may change; compounds follow the user's columns.
    """
    width = len(codebook.names) + len(compounds)
    found = []
    if max_changes is not None and any(compound.may_count_more for compound in compounds):
        first = len(codebook.names)

        def counted(column: int, values: FloatArray, current: FloatArray) -> FloatArray:
            if column < first:
                return np.where(values != current, 1.0, 0.0)
            compound = compounds[column - first]
            return compound.changes(compound.values_at(current), compound.values_at(values))

        found.append(_budget("changes", width, tuple(axes), counted, max_changes + 0.5))
    for i, compound in enumerate(compounds):
        if not compound.is_category:  # its levels are already those that this instance may move to
            continue
        charge = _forbidden_moves(compound, policy, codebook)
        if charge.any():

            def forbidden(
                column: int,  # noqa: ARG001
                values: FloatArray,
                current: FloatArray,
                charge: FloatArray = charge,
            ) -> FloatArray:
                paid: FloatArray = charge[current.astype(np.int64), values.astype(np.int64)]
                return paid

            found.append(_budget(compound.name, width, (len(codebook.names) + i,), forbidden, 0.5))
    return found


def _budget(name: str, width: int, columns: tuple[int, ...], of: object, limit: float) -> FlatScore:
    assert callable(of)
    return FlatScore(
        name=name,
        column_count=width,
        spending=Spending(columns=columns, of=of),
        accept_from=-limit,
        reject_below=-limit,
    )


def _forbidden_moves(compound: Compound, policy: Policy, codebook: Codebook) -> FloatArray:
    """Return charges of 1 for staying where no instance may stay, and for moves that a member forbids.

    The table (levels, levels) is indexed by from, to.
    """
    names = [codebook.names[member] for member in compound.members]
    size = len(compound.levels)
    charge = np.zeros((size, size))
    if compound.may_stay is not None:
        np.fill_diagonal(charge, ~compound.may_stay)
    for then in range(size):
        for now in np.flatnonzero(compound.may_go_to & (np.arange(size) != then)).tolist():
            fine = _allowed(policy, codebook, names, compound.levels[then], compound.levels[now])
            charge[then, now] = float(not fine)
    return charge


def moves(compounds: Sequence[Compound], before: FloatArray, after: FloatArray) -> FloatArray:
    """Count the changes of rows (n, d); the members of a compound count together."""
    changed: BoolArray = after != before
    total: FloatArray = changed.sum(axis=1).astype(np.float64)
    for compound in compounds:
        then, now = before[:, compound.members], after[:, compound.members]
        total += compound.changes(then, now) - changed[:, compound.members].sum(axis=1)
    return total
