"""Group the columns that move together: one-hot groups and linked features."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.grid.grouped_axis import Chain, Compound
from p2ce.engine.scores.score import FlatScore, Spending
from p2ce.errors import InvalidPolicy
from p2ce.policy.policy import Policy
from p2ce.policy.rules.linked import Linked, links_by_follower
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
    for name in codebook.dates:
        if not policy[name].fixed:
            raise InvalidPolicy(
                f"{echoed(name)} has the kind {policy[name].kind} in the policy and may change, but it holds "
                "dates in the reference frame. Fix it, or infer the policy from the reference frame."
            )
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


def moves_as_one(policy: Policy) -> bool:
    """Return whether any features move together."""
    return any(isinstance(rule, Linked | OneHot) for rule in policy.rules)


def with_own_levels(groups: Sequence[Compound], instance: FloatArray) -> tuple[Compound, ...]:
    """Add the current levels of an instance (d,) to groups that lack them, such as two columns at 1."""
    return tuple(_with_own_level(group, instance) for group in groups)


def _with_own_level(group: Compound, instance: FloatArray) -> Compound:
    if not np.isnan(group.codes_of(instance[None, :])[0]):
        return group
    return replace(
        group,
        levels=np.vstack([group.levels, instance[group.members]]),
        may_go_to=np.append(group.may_go_to, False),
        may_stay=None if group.may_stay is None else np.append(group.may_stay, False),
    )


def chains_of(policy: Policy, names: Sequence[str]) -> tuple[Chain, ...]:
    """Return the chains of linked features: all that is linked to each other, directly or not, is one."""
    causes = links_by_follower(policy.rules)
    chain_of: dict[str, frozenset[str]] = {}
    for links in causes.values():
        for link in links:
            joined = frozenset(link.columns).union(*(chain_of.get(name, ()) for name in link.columns))
            chain_of.update(dict.fromkeys(joined, joined))
    return tuple(_chain(sorted(members), causes, names) for members in dict.fromkeys(chain_of.values()))


def _chain(members: Sequence[str], causes: Mapping[str, Sequence[Linked]], names: Sequence[str]) -> Chain:
    drivers = [name for name in members if name not in causes]
    ordered, waiting = list(drivers), [name for name in members if name in causes]
    while waiting:
        # A follower comes after all its drivers. Links have no cycle, so one can always come next.
        after = next(name for name in waiting if all(link.driver in ordered for link in causes[name]))
        ordered.append(after)
        waiting.remove(after)
    counts = [name not in causes or causes[name][0].counts == "each" for name in ordered]
    return Chain(
        name=drivers[0],
        members=np.array([names.index(name) for name in ordered], dtype=np.int64),
        drivers=len(drivers),
        counted=np.array(counts),
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


def limits_of(
    compounds: Sequence[Compound],
    chains: Sequence[Chain],
    policy: Policy,
    codebook: Codebook,
    axes: Sequence[int],
    max_changes: int | None,
) -> list[FlatScore]:
    """Return the budgets of groups: for the number of changes, and for moves that a member forbids.

    ``axes`` are the positions of all columns that may change; compounds follow the user's columns, and the
    columns of chains, which have no values here, follow both.
    """
    first = len(codebook.names)
    width = first + len(compounds)
    found = []
    if max_changes is not None and any(chain.may_count_more for chain in chains):
        members = {int(member) for chain in chains for member in chain.members}
        counted = {int(member) for chain in chains for member in chain.members[chain.counted]}

        def changed(column: int, values: FloatArray, current: FloatArray) -> FloatArray:  # noqa: ARG001
            return np.where(values != current, 1.0, 0.0)

        columns = {column for column in axes if column < width}.difference(members) | counted
        found.append(_budget("changes", width, tuple(sorted(columns)), changed, max_changes + 0.5))
    for i, compound in enumerate(compounds):
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

            found.append(_budget(compound.name, width, (first + i,), forbidden, 0.5))
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


def moves(groups: Sequence[Compound | Chain], before: FloatArray, after: FloatArray) -> FloatArray:
    """Count the changes of rows (n, d); the members of a group count together."""
    changed: BoolArray = after != before
    total: FloatArray = changed.sum(axis=1).astype(np.float64)
    for group in groups:
        then, now = before[:, group.members], after[:, group.members]
        total += group.changes(then, now) - changed[:, group.members].sum(axis=1)
    return total
