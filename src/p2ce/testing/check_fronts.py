"""Compare the fronts that `Explainer` finds with those that brute force finds by evaluating every cell."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.comparing import quanta
from p2ce.compile.batch import place_and_price
from p2ce.engine.solver.brute_force import front_among
from p2ce.explainer import Explainer, problems_of
from p2ce.result import Explanation
from p2ce.result.status import Status
from p2ce.testing.failing import require
from p2ce.testing.subject import shown

MAX_CHANGES = 3


class Fronts(NamedTuple):
    """How many fronts were compared, and how many points they have."""

    people: int
    points: int


def check_fronts(
    explainers: Mapping[str, Explainer], people: pd.DataFrame, accepts: Callable[[pd.DataFrame], BoolArray]
) -> Fronts:
    """Compare every explainer's front of people with brute force, and with each other.

    ``accepts`` calls the user's own objects. All explainers have the same grid, costs and columns.
    """
    points = 0
    for at in range(len(people)):
        row = people.iloc[[at]]
        fronts = {}
        for how, explainer in explainers.items():
            fronts[how] = explainer.explain(row)
            which = f"The front that was found {how} for {shown(row.iloc[0])}"
            _require_proof(fronts[how], which)
            truth = _costs_by_brute_force(explainer, row, accepts)
            _require_equal(fronts[how], truth, which)
            points += len(truth)
        first, *others = fronts
        for how in others:
            one, other = ([option.values for option in fronts[name]] for name in (first, how))
            require(
                repr(one) == repr(other),  # a missing value does not equal itself
                f"The same {len(one)} points must be found {first} and {how}; got {one} and {other} for "
                f"{shown(row.iloc[0])}. The two disagree about some cell.",
            )
    return Fronts(len(people), points // max(len(explainers), 1))


def _costs_by_brute_force(
    explainer: Explainer, row: pd.DataFrame, accepts: Callable[[pd.DataFrame], BoolArray]
) -> FloatArray:
    """Return the costs (points, objectives) of the front among all cells, by the solver's slow twin."""
    problem = problems_of(explainer).own
    batch = place_and_price(problem, problem.codebook.encode(row))
    cells = front_among(
        lambda cells: accepts(problem.frame(batch.rows(np.zeros(len(cells), dtype=np.int64), cells))),
        batch.placement,
        batch.tables,
        0,
        max_changes=problem.max_changes or len(problem.grid.columns),
    )
    costs = batch.tables.totals(np.zeros(len(cells), dtype=np.int64), cells)
    for place, objective in enumerate(problem.objectives):
        costs[:, place] = objective.report(costs[:, place])
    return costs


def _same_costs(one: FloatArray, other: FloatArray) -> bool:
    """Return whether two fronts (points, objectives) hold the same costs, in any order.

    A reported cost may be a root, or another function of what is compared. So costs that differ by a rounding
    step are equal.
    """
    near = np.all(np.abs(quanta(one)[:, None, :] - quanta(other)[None, :, :]) <= 1, axis=2)
    return bool(near.any(axis=0).all() and near.any(axis=1).all())


def _require_proof(found: Explanation, which: str) -> None:
    proven = found.certificate is not None and found.certificate.proven
    require(
        found.status in (Status.OPTIMAL, Status.NO_RECOURSE) and proven,
        f"{which} must be proven; its status is {found.status}"
        + ("" if found.certificate is None else f", with {found.certificate.discrepancies} discrepancies")
        + ". The user's own object contradicts its parsed scores.",
    )


def _require_equal(found: Explanation, truth: FloatArray, which: str) -> None:
    names = found.objectives
    costs = np.array([[option.costs[name] for name in names] for option in found]).reshape(-1, len(names))
    require(
        len(costs) == len(truth),
        f"{which} must have the {len(truth)} points that evaluating every cell gives, with costs "
        f"{truth.tolist()}; got {len(costs)}: {costs.tolist()}. A bound is too low, or a score is off.",
    )
    require(
        _same_costs(costs, truth),
        f"{which} must have the costs that evaluating every cell gives: expected {truth.tolist()}, got "
        f"{costs.tolist()} (columns {', '.join(names)}). A bound is too low, or a score is off.",
    )
