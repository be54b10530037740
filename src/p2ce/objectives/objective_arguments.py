"""Check the arguments of objectives, and report what is wrong with them."""

import math
from typing import get_args

from p2ce.base.visible import echoed
from p2ce.engine.grid.candidate_costs import Join
from p2ce.errors import InvalidObjective
from p2ce.objectives.objective import Unit


def read_join(join: str, *, name: str) -> Join:
    """Return the join for the text that a user passed."""
    try:
        return Join(join)
    except ValueError:
        raise InvalidObjective(
            f"join of objective {echoed(name)} must be 'sum' or 'max', got {echoed(join)}."
        ) from None


def read_name(name: object) -> str:
    """Return the name of a custom objective, which becomes a column of the results."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidObjective(
            f"An objective needs a name, got {echoed(name)}. Pass a short text: name='own_cost'."
        )
    return name


def read_cost(given: object, *, what: str) -> float:
    """Return a cost or weight; raise unless it is a finite number of at least 0."""
    try:
        cost = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        cost = math.nan
    if not math.isfinite(cost) or cost < 0:
        raise InvalidObjective(
            f"Costs must be finite numbers of at least 0, but {what} is {echoed(given)}. Correct it."
        )
    return cost


def read_category(given: object, *, name: str) -> float:
    """Return how many units a changed category counts in a distance."""
    return read_cost(given, what=f"category of {echoed(name)}")


def read_unit(given: object, *, name: str) -> Unit:
    """Return the unit for the text that a user passed."""
    for known in get_args(Unit):
        if isinstance(given, str) and given == known:
            unit: Unit = known
            return unit
    raise InvalidObjective(
        f"The unit of {echoed(name)} must be 'robust', 'std' or 'own', got {echoed(given)}. They stand for "
        "the standard deviation without a column's tails, the plain one, and the feature's own unit."
    )
