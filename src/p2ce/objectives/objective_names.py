"""Look up objectives by name, among those that `p2ce.objectives` lists."""

from collections.abc import Iterable, Sequence
from inspect import Parameter, isabstract, signature
from typing import TypeAlias

from p2ce import objectives as registry
from p2ce.base.visible import echoed
from p2ce.errors import InvalidObjective, nearest, similar
from p2ce.objectives.objective import Objective, read_join, read_objective_name

Objectives: TypeAlias = str | Objective | Sequence[str | Objective]  # what a caller may pass


def built_in() -> tuple[type[Objective], ...]:
    """Return the classes of all built-in objectives, in alphabetical order.

    >>> [cls.__name__ for cls in built_in()][:3]
    ['Changes', 'CostTable', 'Euclidean']
    """
    classes = {value for value in vars(registry).values() if isinstance(value, type)}
    found = (cls for cls in classes if issubclass(cls, Objective) and not isabstract(cls))
    return tuple(sorted(found, key=lambda cls: cls.__name__))


def objectives_by_name() -> dict[str, type[Objective]]:
    """Return the built-in objectives that need no arguments, by their names.

    >>> list(objectives_by_name())
    ['changes', 'euclidean', 'max_distance', 'mean_distance', 'percentile_shift']
    """
    return {cls().name: cls for cls in built_in() if not _needs_arguments(cls)}


def _needs_arguments(cls: type[Objective]) -> bool:
    return any(one.default is Parameter.empty for one in signature(cls).parameters.values())


def resolve(objectives: Objectives) -> tuple[Objective, ...]:
    """Return the objectives for names and objects, in the same order; a single one needs no list.

    >>> from p2ce.objectives import MaxDistance
    >>> [objective.name for objective in resolve(["changes", MaxDistance(unit="own")])]
    ['changes', 'max_distance_own_unit']
    """
    given = [objectives] if isinstance(objectives, str | Objective) else objectives
    if not isinstance(given, Iterable) or isinstance(given, set | frozenset):  # sets have no order
        raise InvalidObjective(
            f"objectives must be a list of names or Objective objects, got {echoed(objectives)}."
        )
    found = tuple(_resolve_one(one) for one in given)
    if not found:
        raise InvalidObjective(f"Expected at least one objective, got none. {_known()}")
    names = [objective.name for objective in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidObjective(
            f"Objective {echoed(twice[0])} is listed more than once. Remove one, or rename yours with name=."
        )
    return found


def same_objectives(some: Sequence[Objective], others: Sequence[Objective]) -> bool:
    """Return whether two lists hold the same objectives; a custom objective equals only itself."""
    return len(some) == len(others) and all(
        one is other or (type(one) is type(other) and type(one) in built_in() and one == other)
        for one, other in zip(some, others, strict=True)
    )


def is_data(objective: Objective) -> bool:
    """Return whether an objective is pure data: a built-in one that holds no function of the caller."""
    return type(objective) in built_in() and not objective.holds_functions


def _resolve_one(given: object) -> Objective:
    if isinstance(given, Objective):
        read_join(given.join, name=read_objective_name(given.name))
        return given
    if isinstance(given, type) and issubclass(given, Objective):
        raise InvalidObjective(
            f"objectives expects instances, got the class {given.__name__}. Write {given.__name__}()."
        )
    if not isinstance(given, str):
        raise InvalidObjective(
            f"An objective must be a name or an Objective object, got {echoed(given)}. "
            f"Wrap custom costs in p2ce.objectives.CostTable. {_known()}"
        )
    known = objectives_by_name()
    if given not in known:
        near = f" {nearest(given, known)}" if similar(given, known) else ""
        text = f"There is no objective named {echoed(given)}.{near}"
        raise InvalidObjective(
            f"{text} {_known()}",
            on_command_line=f"{text} Known names are {', '.join(known)}. Custom costs need Python.",
        )
    return known[given]()


def _known() -> str:
    own = ", ".join(cls.__name__ for cls in built_in() if _needs_arguments(cls))
    return f"Known names are {', '.join(map(repr, objectives_by_name()))}; for custom costs use {own}."
