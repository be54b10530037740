"""Find the levels of linked features: where each instance can move them together, from its own values."""

from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.grid.grouped_axis import Chain, ChainLevels
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.policy import Policy
from p2ce.policy.rules.linked import follow, links_by_follower
from p2ce.tables.codebook import MISSING, Codebook

if TYPE_CHECKING:
    from p2ce.compile.own_ranges import RowLimits

MOST_LEVELS = 4096  # the kernels count candidates in 16 bits, and every axis of a batch gets as much room


def level_room(chain: Chain, policy: Policy, codebook: Codebook) -> int:
    """Return the most levels that an instance can have: each driver's candidates and its own value.

    Raise if several drivers have too many combinations of candidates.
    """
    counts = [len(one) + 1 for one in _candidates(chain, policy, codebook)]
    if len(counts) > 1 and prod(counts) > MOST_LEVELS:
        names = [codebook.names[member] for member in chain.members]
        followers = " and ".join(map(echoed, names[chain.drivers :]))
        sizes = " and ".join(
            f"{count - 1:,} of {echoed(name)}" for count, name in zip(counts, names, strict=False)
        )
        raise InvalidPolicy(
            f"{followers} is linked to several features, whose moves add up. Their candidates, {sizes}, have "
            f"{prod(counts):,} combinations with today's values, more than the {MOST_LEVELS:,} allowed. "
            f"Use a larger step() or fewer candidates() for them."
        )
    return prod(counts)


def stretches(chain: Chain, policy: Policy, codebook: Codebook) -> int:
    """Return into how many stretches of levels the conditions "at most" on members can split an axis.

    If one driver varies, every member rises, falls or stays, so the levels that satisfy conditions are one
    stretch, and perhaps the level at which the driver is missing, since its followers stay then. With several
    drivers, this holds for every combination of the others. If a driver moves a member in two ways, one of
    them may round, so any level may satisfy a condition or not.
    """
    names = [codebook.names[member] for member in chain.members]
    if _moves_in_two_ways(names, policy):
        return level_room(chain, policy, codebook)
    sizes = sorted(len(one) + 1 for one in _candidates(chain, policy, codebook))
    goes_missing = any(policy[name].may_go_missing for name in names[: chain.drivers])
    return prod(sizes[:-1]) * (2 if goes_missing else 1)


def _moves_in_two_ways(names: Sequence[str], policy: Policy) -> bool:
    """Return whether any driver reaches any of the members, in their order, by two chains of links."""
    causes = links_by_follower(policy.rules)
    ways: dict[str, Counter[str]] = {}
    for name in names:
        ways[name] = Counter({name: 1})
        for link in causes.get(name, ()):
            ways[name].update(ways[link.driver])
    return any(count > 1 for found in ways.values() for count in found.values())


def _candidates(chain: Chain, policy: Policy, codebook: Codebook) -> list[FloatArray]:
    """Return the candidates of each driver of a chain."""
    names = [codebook.names[member] for member in chain.members[: chain.drivers]]
    return [policy[name].codes(codebook[name]) for name in names]


def _order(candidates: list[FloatArray]) -> list[int]:
    """Return the order in which the drivers of a chain vary: the one with most candidates varies fastest."""
    return sorted(range(len(candidates)), key=lambda place: len(candidates[place]))


def levels_of(
    chain: Chain, policy: Policy, codebook: Codebook, values: FloatArray, limits: "RowLimits | None" = None
) -> ChainLevels:
    """Return the levels of instances (n, d), in the order of the drivers' values.

    A combination of the drivers' values is a level only if every member may take its value there, if its
    column can hold this value, and if no follower that moves leaves its own range. ``limits`` are those
    that a caller states for instances. The current values always are a level.
    """
    names = [codebook.names[member] for member in chain.members]
    now = values[:, chain.members]
    reached, is_level = _combinations(chain, policy, codebook, now)
    causes = links_by_follower(policy.rules)
    before = {name: now[:, place, None] for place, name in enumerate(names)}
    after = {name: reached[:, :, place] for place, name in enumerate(names[: chain.drivers])}
    for name in names[chain.drivers :]:
        after[name] = follow(causes[name], before, after, before[name], codebook)
    for place, name in enumerate(names):
        follows = place >= chain.drivers
        _keep_allowed(is_level, policy[name], codebook, before[name], after[name], follows=follows)
        if limits is not None:
            member = chain.members[[place]]
            moves = (after[name] != before[name]) & (after[name] != MISSING)
            is_level &= ~moves | (
                (after[name] >= limits.low[:, member]) & (after[name] <= limits.high[:, member])
            )
    table = np.stack([np.broadcast_to(after[name], is_level.shape) for name in names], axis=2)
    stays = (reached == now[:, None, : chain.drivers]).all(axis=2)
    # The own values come twice if they are candidates as well: the first of the two stays.
    first = stays & (np.cumsum(stays, axis=1) == 1)
    is_level = np.where(stays, first, is_level)
    order = np.argsort(~is_level, axis=1, kind="stable")
    count = is_level.sum(axis=1)
    slot = np.minimum(np.arange(is_level.shape[1]), count[:, None] - 1)
    kept = np.take_along_axis(order, slot, axis=1)
    return ChainLevels(
        values=np.ascontiguousarray(np.take_along_axis(table, kept[:, :, None], axis=1)),
        count=count,
        own=np.take_along_axis(np.cumsum(is_level, axis=1), first.argmax(axis=1)[:, None], axis=1)[:, 0] - 1,
    )


def _combinations(
    chain: Chain, policy: Policy, codebook: Codebook, now: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Return all combinations (n, width, drivers) of candidates and own values, and which are new."""
    candidates = _candidates(chain, policy, codebook)
    order = _order(candidates)
    sizes = [len(candidates[place]) + 1 for place in order]
    shape = (len(now), prod(sizes), chain.drivers)
    reached, is_new = np.empty(shape), np.ones(shape[:2], dtype=np.bool_)
    inner = shape[1]
    for place, size in zip(order, sizes, strict=True):
        grid = np.broadcast_to(candidates[place], (len(now), size - 1))
        line = np.sort(np.column_stack([grid, now[:, place]]), axis=1)
        repeated = np.column_stack([np.zeros(len(now), dtype=np.bool_), line[:, 1:] == line[:, :-1]])
        inner //= size
        at = np.arange(shape[1]) // inner % size
        reached[:, :, place] = line[:, at]
        is_new &= ~repeated[:, at]
    return reached, is_new


def _keep_allowed(
    is_level: BoolArray,
    feature: FeaturePolicy,
    codebook: Codebook,
    before: FloatArray,
    after: FloatArray,
    *,
    follows: bool,
) -> None:
    """Clear ``is_level`` (n, width), in place, where a member may not go from its current value (n, 1)."""
    is_level &= ~np.isnan(after)
    moved = np.nonzero(is_level & (before != after))
    if follows:
        is_level[moved] = feature.keeps_codes(after[moved])
        moved = np.nonzero(is_level & (before != after))
    then = np.broadcast_to(before, after.shape)[moved]
    is_level[moved] = feature.allows_codes(codebook[feature.name], then, after[moved])
