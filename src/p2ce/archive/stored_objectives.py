"""Write objectives as JSON, and read them back; those of the user's own have to be given again."""

from collections.abc import Sequence
from typing import Any

from p2ce.archive.stored_values import Damaged, read_value, take, write_value
from p2ce.errors import InvalidArgument
from p2ce.objectives import (
    Changes,
    CostTable,
    Euclidean,
    MaxDistance,
    MeanDistance,
    Objective,
    PercentileShift,
    WeightedDistance,
)
from p2ce.visible import echoed

OWN = "own"
# What each is made from besides its name, join and tables.
PARAMETERS: dict[type[Objective], tuple[str, ...]] = {
    Changes: (),
    Euclidean: ("unit", "category"),
    MaxDistance: ("unit", "category"),
    MeanDistance: ("unit", "category"),
    PercentileShift: (),
    WeightedDistance: ("name", "join", "unit", "default", "category"),
    CostTable: ("name", "join", "default"),
}
TYPES = {made_by.__name__: made_by for made_by in PARAMETERS}


def write_objective(objective: Objective) -> dict[str, Any]:
    """Give an objective of this library as JSON; of another only what it is called."""
    made_by = type(objective)
    if made_by not in PARAMETERS:
        return {"type": OWN, "name": objective.name, "what": f"an object of {qualified(made_by)}"}
    written: dict[str, Any] = {"type": made_by.__name__}
    for name in PARAMETERS[made_by]:
        value = getattr(objective, name)
        written[name] = str(value) if isinstance(value, str) else write_value(value, name)
    if isinstance(objective, WeightedDistance):
        written["weights"] = [[feature, weight] for feature, weight in objective.weights]
    if isinstance(objective, CostTable):
        function_of = next((feature for feature, table in objective.tables if callable(table)), None)
        if function_of is not None:
            what = f"a CostTable with a function for {echoed(function_of)}"
            return {"type": OWN, "name": objective.name, "what": what}
        try:
            written["tables"] = [[feature, _prices(table)] for feature, table in objective.tables]
        except InvalidArgument:
            what = "a CostTable with values that a file cannot keep"
            return {"type": OWN, "name": objective.name, "what": what}
    return written


def _prices(table: Any) -> list[list[Any]]:
    return [[write_value(value, "a value"), cost] for value, cost in table]


def read_objectives(written: Sequence[Any]) -> tuple[tuple[Objective, ...] | None, str]:
    """Give the objectives, or None and which of them only the user has."""
    own = [one for one in written if take(one, "type", str) == OWN]
    if own:
        return None, "; ".join(f"{echoed(take(one, 'name', str))}, {take(one, 'what', str)}" for one in own)
    return tuple(_read_objective(one) for one in written), ""


def _read_objective(written: Any) -> Objective:
    made_by = TYPES.get(take(written, "type", str))
    if made_by is None:
        raise Damaged(f"an objective {echoed(written['type'], most=40)}")
    kinds = (bool, int, float, str, dict, type(None))
    given = {name: read_value(take(written, name, *kinds)) for name in PARAMETERS[made_by]}
    if made_by is WeightedDistance:
        return WeightedDistance(dict(take(written, "weights", list)), **given)
    if made_by is CostTable:
        tables = {
            feature: {read_value(value): cost for value, cost in prices}
            for feature, prices in take(written, "tables", list)
        }
        return CostTable(given.pop("name"), tables, **given)
    return made_by(**given)


def qualified(made_by: type) -> str:
    """Name a class with its module."""
    return f"{made_by.__module__}.{made_by.__qualname__}"
