"""Read what people give to their own objectives, and say what is wrong with it."""

import math
from typing import get_args

from p2ce.errors import InvalidObjective
from p2ce.grid.candidate_costs import Join
from p2ce.objectives.objective import Unit
from p2ce.visible import echoed


def read_join(join: str, *, name: str) -> Join:
    """Return the join that a user wrote as text."""
    try:
        return Join(join)
    except ValueError:
        raise InvalidObjective(
            f"Objective {echoed(name)} joins features by 'sum' or 'max', not {echoed(join)}."
        ) from None


def read_name(name: object) -> str:
    """Return the name of a user's own objective, which becomes a column."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidObjective(
            f"An objective needs a name, got {echoed(name)}. Give a short text: name='own_cost'."
        )
    return name


def read_cost(given: object, *, what: str) -> float:
    """Return a cost or weight, which must be a finite number of at least 0."""
    try:
        cost = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        cost = math.nan
    if not math.isfinite(cost) or cost < 0:
        raise InvalidObjective(
            f"Costs must be finite numbers of 0 or more, but {what} is {echoed(given)}. Correct it."
        )
    return cost


def read_category(given: object, *, name: str) -> float:
    """Return what a changed category counts in a distance."""
    return read_cost(given, what=f"category of {echoed(name)}")


def read_unit(given: object, *, name: str) -> Unit:
    """Return the unit that a user wrote as text."""
    for known in get_args(Unit):
        if isinstance(given, str) and given == known:
            unit: Unit = known
            return unit
    raise InvalidObjective(
        f"The unit of {echoed(name)} is 'robust', 'std' or 'own', not {echoed(given)}: deviations without "
        "the tails of a column, plain standard deviations, or the feature's own unit."
    )
