"""Look up objectives by name."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from p2ce.base.visible import echoed
from p2ce.errors import InvalidObjective, nearest, similar
from p2ce.objectives.cost_table import CostTable
from p2ce.objectives.euclidean import Euclidean
from p2ce.objectives.max_distance import MaxDistance
from p2ce.objectives.mean_distance import MeanDistance
from p2ce.objectives.number_of_changes import Changes
from p2ce.objectives.objective import Objective
from p2ce.objectives.objective_arguments import read_join, read_name
from p2ce.objectives.percentile_shift import PercentileShift
from p2ce.objectives.weighted_distance import WeightedDistance

# Every objective has its own file in this folder. Those that need no arguments also have a name.
NAMED: dict[str, Callable[[], Objective]] = {
    "mean_distance": MeanDistance,
    "max_distance": MaxDistance,
    "changes": Changes,
    "percentile_shift": PercentileShift,
    "euclidean": Euclidean,
}
WITH_ARGUMENTS: tuple[type[Objective], ...] = (CostTable, WeightedDistance)
Objectives: TypeAlias = str | Objective | Sequence[str | Objective]  # what a caller may pass
_OURS = (*NAMED.values(), *WITH_ARGUMENTS)


def resolve(objectives: Objectives) -> tuple[Objective, ...]:
    """Return the objectives for names and objects, in the same order; a single one needs no list.

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
        one is other or (type(one) is type(other) and type(one) in _OURS and one == other)
        for one, other in zip(some, others, strict=True)
    )


def is_data(objective: Objective) -> bool:
    """Return whether an objective is pure data: a built-in one that holds no function of the caller."""
    return type(objective) in _OURS and not (isinstance(objective, CostTable) and objective.holds_functions)


def _resolve_one(given: object) -> Objective:
    if isinstance(given, Objective):
        read_join(given.join, name=read_name(given.name))
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
    if given not in NAMED:
        near = f" {nearest(given, NAMED)}" if similar(given, NAMED) else ""
        text = f"There is no objective named {echoed(given)}.{near}"
        raise InvalidObjective(
            f"{text} {_known()}",
            on_command_line=f"{text} Known names are {', '.join(NAMED)}. Custom costs need Python.",
        )
    return NAMED[given]()


def _known() -> str:
    own = ", ".join(cls.__name__ for cls in WITH_ARGUMENTS)
    return f"Known names are {', '.join(map(repr, NAMED))}; for custom costs use {own}."
