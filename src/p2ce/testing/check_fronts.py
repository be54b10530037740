"""Compare the fronts that `Explainer` finds on a small grid with those that brute force finds."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.comparing import quanta
from p2ce.compile.batch import place_and_price
from p2ce.compile.lay_out import with_codebook
from p2ce.engine.solver.brute_force import front_among
from p2ce.explainer import Explainer, problems_of
from p2ce.policy.inference.infer_features import encode_columns, infer_features
from p2ce.policy.policy import Policy
from p2ce.result import Explanation
from p2ce.result.certificate import Status
from p2ce.testing.probe_rows import with_unusual
from p2ce.testing.reports import require
from p2ce.testing.subject import Subject, row_text

MAX_CHANGES = 3
AXES, CANDIDATES = 4, 7
TRIED_ROWS = 64


class ComparedFronts(NamedTuple):
    """How many fronts were compared, and how many points they have."""

    people: int  # as the public reports call it
    points: int


def check_fronts(
    explainers: Mapping[str, Explainer], rows: pd.DataFrame, accepts: Callable[[pd.DataFrame], BoolArray]
) -> ComparedFronts:
    """Compare every explainer's front of rows with brute force, and with each other.

    ``accepts`` calls the user's own objects. All explainers have the same grid, costs and columns.
    """
    points = 0
    for at in range(len(rows)):
        row = rows.iloc[[at]]
        fronts = {}
        for how, explainer in explainers.items():
            fronts[how] = explainer.explain(row)
            which = f"The front that was found {how} for {row_text(row.iloc[0])}"
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
                f"{row_text(row.iloc[0])}. The two disagree about some cell.",
            )
    return ComparedFronts(len(rows), points // max(len(explainers), 1))


def _costs_by_brute_force(
    explainer: Explainer, row: pd.DataFrame, accepts: Callable[[pd.DataFrame], BoolArray]
) -> FloatArray:
    """Return the costs (points, objectives) of the front among all cells, by the solver's slow twin."""
    values, codebook = problems_of(explainer).own.codebook.encode_all(row)
    problem = with_codebook(problems_of(explainer).own, codebook)
    batch = place_and_price(problem, values)
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


def small_actions(subject: Subject, reference: pd.DataFrame, rng: np.random.Generator) -> Policy:
    """Let only the columns change that move the scores most, to a few values each."""
    policy = Policy(features=infer_features(encode_columns(reference)))  # whatever the columns are called
    axes = _strongest(subject, rng)
    choices = {}
    for column in axes:
        name = subject.columns[column]
        values = policy[name].candidates()
        some = np.linspace(0, len(values) - 1, min(CANDIDATES, len(values))).round().astype(int)
        choices[name] = values[np.unique(some)].tolist()
    others = [name for name in policy.names if name not in choices]
    return policy.candidates(choices).fix(*others)


def _strongest(subject: Subject, rng: np.random.Generator) -> list[int]:
    """Rank columns by how far the scores move if the values of other rows are put into them."""
    rows = subject.reference[rng.integers(0, len(subject.reference), TRIED_ROWS)]
    others = subject.reference[rng.integers(0, len(subject.reference), TRIED_ROWS)]
    own = np.clip(subject.evaluate(rows), -1e300, 1e300)
    moved = []
    for column in range(rows.shape[1]):
        changed = rows.copy()
        changed[:, column] = others[:, column]
        moved.append(float(np.abs(np.clip(subject.evaluate(changed), -1e300, 1e300) - own).mean()))
    return [int(column) for column in np.argsort(moved)[::-1][:AXES]]


def choose_rejected(subject: Subject, count: int, rng: np.random.Generator) -> FloatArray:
    """Choose rows that the subject rejects: the nearest, the farthest, and others; (n, own columns).

    They come from the reference, but some have a missing value or an unseen category.
    """
    rows = subject.reference[rng.permutation(len(subject.reference))[:500]]
    rows = with_unusual(subject, rows, rng)
    results = subject.evaluate(rows)
    rejected = np.flatnonzero(~subject.accepts(results))
    if not len(rejected):
        return rows[:0]
    order = rejected[np.argsort(results[rejected])[::-1]]
    chosen = list(dict.fromkeys([*order[:1].tolist(), *order[-1:].tolist(), *rejected.tolist()]))
    return np.asarray(rows[chosen[:count]], dtype=np.float64)
