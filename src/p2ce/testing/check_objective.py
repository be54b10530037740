"""Check that an objective conforms: costs are finite, 0 for no change, and the same in every call."""

import pickle

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.engine.grid.candidate_costs import Join
from p2ce.objectives.objective import FittedObjective, Objective, Reference, fit_objective
from p2ce.tables.codebook import MISSING, Codebook, codebook_of
from p2ce.testing.reports import ObjectiveReport, require

ROWS, WIDTH = 40, 12


def check_objective(
    objective: Objective, reference: pd.DataFrame, *, random_state: int = 0
) -> ObjectiveReport:
    """Check an objective as `p2ce.Explainer` would use it. Raise an AssertionError if it does not conform.

    An objective that `Explainer` rejects raises its InvalidObjective.

    Args:
        objective: the object that would be passed to ``Explainer(objectives=…)``.
        reference: the frame that would be passed to `Explainer`.
        random_state: the seed for the choice of rows.

    >>> import pandas as pd
    >>> from p2ce.objectives import MeanDistance
    >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Job": ["cook", "clerk", None, "cook"]})
    >>> print(check_objective(MeanDistance(), people))
    mean_distance: conforms
      costs: 960 of 2 columns, joined by their sum; largest 4.554
      copies: pickled
    """
    require(
        isinstance(objective.name, str) and bool(objective.name.strip()),
        f"name of an objective must be a short text; got {objective.name!r}.",
    )
    codebook = codebook_of(reference)
    rows = codebook.encode(reference)
    known = Reference(names=codebook.names, values=rows, codebook=codebook)
    fitted = fit_objective(objective, known)
    rng = np.random.default_rng(random_state)
    current = rows[rng.integers(0, len(rows), ROWS)]
    may_miss = np.array([coding.holds_missing for coding in codebook.codings])
    current[-2:, may_miss] = MISSING
    values = _candidates(rows, current, codebook, rng)
    values[1:-1, may_miss, -1] = MISSING  # of the last two, one stays missing and one becomes known
    costs = np.stack(
        [_costs(fitted, column, values[:, column], current[:, [column]]) for column in range(rows.shape[1])],
        axis=1,
    )
    _check_table(fitted, values, current, costs)
    _check_copy(objective, known, fitted, values, current)
    _check_report(fitted, costs)
    return ObjectiveReport(
        family=objective.name,
        join=str(objective.join),
        columns=rows.shape[1],
        costs=costs.size,
        largest=float(costs.max()),
    )


def _candidates(
    rows: FloatArray, current: FloatArray, codebook: Codebook, rng: np.random.Generator
) -> FloatArray:
    """Return values (n, d, w) of every column: today's, of other rows, and between or beyond these."""
    others = rows[rng.integers(0, len(rows), (ROWS, WIDTH))].transpose(0, 2, 1)
    values = np.concatenate([current[:, :, None], others[:, :, 1:]], axis=2)
    for column in np.flatnonzero(~codebook.is_category):
        known = values[:, column, WIDTH // 2 :]
        known[np.isfinite(known)] *= 1.5  # the first half keeps the values of the reference
    return values


def _costs(fitted: FittedObjective, column: int, values: FloatArray, current: FloatArray) -> FloatArray:
    costs = np.asarray(fitted.costs(column, values, current))
    name = f"costs() of objective {fitted.name!r}"
    require(
        costs.shape == values.shape,
        f"{name} must return one cost per value, of shape {values.shape}; got {costs.shape}.",
    )
    stays = values == current
    wrong = ~np.isfinite(costs) | (costs < 0) | (stays & (costs != 0))
    if wrong.any():
        row, place = (int(first) for first in np.argwhere(wrong)[0])
        require(
            False,
            f"{name} must return finite costs of at least 0, and 0 for no change; moving column {column} "
            f"from {current[row, 0]:g} to {values[row, place]:g} costs {costs[row, place]:g}. "
            "A missing value is -inf: give it a cost.",
        )
    again = np.asarray(fitted.costs(column, values, current))
    require(np.array_equal(costs, again), f"{name} must return the same costs each time; they differ.")
    turned = np.asarray(fitted.costs(column, values[::-1, ::-1], current[::-1]))[::-1, ::-1]
    require(
        np.array_equal(costs, turned),
        f"{name} must price each value by itself, but the costs of column {column} depend on the other "
        "values or rows of the call.",
    )
    return costs


def _check_table(fitted: FittedObjective, values: FloatArray, current: FloatArray, costs: FloatArray) -> None:
    columns = np.arange(values.shape[1])
    together = np.asarray(fitted.table(columns, values, current[:, :, None]))
    require(
        np.array_equal(together, costs),
        f"table() of objective {fitted.name!r} must return the costs() of each column; they differ.",
    )


def _check_copy(
    objective: Objective,
    reference: Reference,
    fitted: FittedObjective,
    values: FloatArray,
    current: FloatArray,
) -> None:
    """Require that worker processes get the same objective."""
    try:
        copy = pickle.loads(pickle.dumps(objective))
    except Exception as error:  # whatever pickling a user's object raises
        raise AssertionError(
            f"Objective {echoed(objective.name)} must be picklable, since worker processes receive it: "
            f"{error}. Define its class at the top level of a module, and hold no functions made by lambda."
        ) from error
    same = copy.fit(reference).costs(0, values[:, 0], current[:, [0]])
    require(
        np.array_equal(same, fitted.costs(0, values[:, 0], current[:, [0]])),
        f"A pickled copy of objective {objective.name!r} must return the same costs; they differ.",
    )


def _check_report(fitted: FittedObjective, costs: FloatArray) -> None:
    totals = np.sort(costs.max(axis=1).ravel() if fitted.join is Join.MAX else costs.sum(axis=1).ravel())
    reported = np.asarray(fitted.report(totals))
    require(
        reported.shape == totals.shape and bool((np.diff(reported) >= 0).all()),
        f"report() of objective {fitted.name!r} must keep the order of the joined costs, since the search "
        "compares these; a larger cost is reported as a smaller one.",
    )
