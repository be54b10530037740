"""Flag moves of a counterfactual that contradict the data, for a reviewer to check."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from p2ce.policy.features.feature import Direction
from p2ce.policy.inference.relations import Relation, broken_relations
from p2ce.policy.policy import Policy
from p2ce.result.counterfactual import Flag
from p2ce.tables.cells import is_missing


def flags_of(
    changes: Mapping[str, tuple[Any, Any]],
    values: Mapping[str, Any],
    policy: Policy,
    relations: Iterable[Relation] = (),
) -> tuple[Flag, ...]:
    """List the flags of a counterfactual.

    ``changes`` holds each changed feature before and after, ``values`` the whole row after the changes.
    ``relations`` hold in all of the data.
    """
    return (*_against(changes, policy), *_broken(changes, values, relations))


def _against(changes: Mapping[str, tuple[Any, Any]], policy: Policy) -> Iterator[Flag]:
    for name, (before, after) in changes.items():
        feature = policy[name]
        # A move from or to a missing or special value has no direction.
        if not feature.association or any(
            is_missing(one) or one in feature.special for one in (before, after)
        ):
            continue
        direction = Direction.UP if after > before else Direction.DOWN
        if direction != feature.association:
            yield Flag(
                kind="against_association",
                feature=name,
                direction="up" if direction is Direction.UP else "down",
            )


def _broken(
    changes: Mapping[str, tuple[Any, Any]], values: Mapping[str, Any], relations: Iterable[Relation]
) -> Iterator[Flag]:
    """Flag relations that the counterfactual breaks although the person does not."""
    before = {**values, **{name: then for name, (then, _) in changes.items()}}
    broken = broken_relations(relations, values)
    for relation in broken:
        known = not any(is_missing(before[name]) for name in (relation.lower, relation.upper))
        if known and not broken_relations([relation], before):
            yield Flag(kind="breaks_relation", feature=relation.lower, other=relation.upper)
