"""Flag what a reviewer should look at in a counterfactual: moves that the data speak against."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from p2ce.problem.actions import ActionSet
from p2ce.problem.feature import Direction
from p2ce.result.flag import Flag
from p2ce.tables.cells import is_missing


def flags_of(
    changes: Mapping[str, tuple[Any, Any]],
    values: Mapping[str, Any],
    actions: ActionSet,
    relations: Iterable[tuple[str, str]] = (),
) -> tuple[Flag, ...]:
    """List the flags of a counterfactual.

    ``changes`` gives each changed feature before and after, ``values`` the whole row after. ``relations`` are
    pairs (a, b) of which a <= b holds in all of the data.
    """
    return (*_against(changes, actions), *_broken(changes, values, relations))


def _against(changes: Mapping[str, tuple[Any, Any]], actions: ActionSet) -> Iterator[Flag]:
    for name, (before, after) in changes.items():
        feature = actions[name]
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
    changes: Mapping[str, tuple[Any, Any]], values: Mapping[str, Any], relations: Iterable[tuple[str, str]]
) -> Iterator[Flag]:
    """Flag relations that the counterfactual breaks and the person does not."""
    for smaller, larger in relations:
        if smaller not in changes and larger not in changes:
            continue
        after = values[smaller], values[larger]
        before = tuple(changes[name][0] if name in changes else values[name] for name in (smaller, larger))
        if any(is_missing(one) for one in (*before, *after)):
            continue
        if before[0] <= before[1] and after[0] > after[1]:
            yield Flag(kind="breaks_relation", feature=smaller, other=larger)
