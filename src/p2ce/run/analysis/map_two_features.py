"""Evaluate an instance over two features at once, for a map."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.compile.compiled_problem import ParsedProblem
from p2ce.compile.evaluate_rows import judge_rows, score_frame
from p2ce.compile.own_plausibility import own_plausibility
from p2ce.errors import InvalidArgument, nearest
from p2ce.result.analysis import LEAST_PEOPLE, Density, FeatureMap
from p2ce.result.explanation import Explanation
from p2ce.run.verify.constraints import check_constraints
from p2ce.tables.codebook import MISSING, Coding

MOST_BLOCKS = 16  # blocks along each axis, in which rows are counted
TAILS = (1.0, 99.0)  # percentiles of the population at which the map ends


def feature_map(
    problem: ParsedProblem,
    explanation: Explanation,
    instance: FloatArray,
    columns: tuple[str, str],
    *,
    population: FloatArray,
    size: int,
) -> FeatureMap:
    """Evaluate an instance (1, d) with two columns at all values, and everything else unchanged.

    Linked features stay unchanged too, even where the policy does not allow that.
    """
    across, up = (_place(problem, name) for name in columns)
    if across == up:
        raise InvalidArgument(f"A map needs two different features, got {echoed(columns[0])} twice.")
    ticks = [
        _ticks(problem, explanation, float(instance[0, column]), column, population, size)
        for column in (across, up)
    ]
    shape = len(ticks[1]), len(ticks[0])
    rows = np.repeat(instance, shape[0] * shape[1], axis=0)
    rows[:, across] = np.tile(ticks[0], shape[0])
    rows[:, up] = np.repeat(ticks[1], shape[1])
    frame = problem.frame(rows)
    # A map proves nothing, so values close to a threshold are not evaluated twice.
    scored = score_frame(problem, frame, closely=False)
    own = own_plausibility(problem, instance)
    judged = judge_rows(problem, own, np.zeros(len(rows), dtype=np.int64), rows, frame, closely=False)
    allowed = check_constraints(problem, np.repeat(instance, len(rows), axis=0), rows, frame).allowed
    codings = problem.codebook.codings[across], problem.codebook.codings[up]
    return FeatureMap(
        explanation=explanation,
        columns=(problem.names[across], problem.names[up]),
        values=(_plain(ticks[0], codings[0]), _plain(ticks[1], codings[1])),
        scores=problem.direction * scored.scores.reshape(shape),
        accepted=scored.accepted.reshape(shape),
        plausible=None if problem.required_detector is None else judged.admitted.reshape(shape),
        allowed=allowed.reshape(shape),
        density=_density(population[:, [across, up]], ticks, codings),
    )


def _density(rows: FloatArray, ticks: Sequence[FloatArray], codings: Sequence[Coding]) -> Density:
    """Count rows (n, 2) in blocks of cells, so large that one holds twice the least number on average."""
    rows = rows[(rows != MISSING).all(axis=1)]
    most = min(max(int(np.sqrt(len(rows) / (2 * LEAST_PEOPLE))), 2), MOST_BLOCKS)
    edges, places = [], []
    for side, (values, coding) in enumerate(zip(ticks, codings, strict=True)):
        borders = np.concatenate([values[:1], values[:-1] / 2 + values[1:] / 2, values[-1:]])
        blocks = np.arange(len(values) + 1)
        if coding.labels is None and len(values) > most:
            # The borders of cells that are nearest to those of blocks of equal width.
            blocks = np.unique(
                np.abs(borders - np.linspace(borders[0], borders[-1], most + 1)[:, None]).argmin(1)
            )
        cells = np.searchsorted(borders[1:-1], rows[:, side], side="right")
        inside = (rows[:, side] >= values[0]) & (rows[:, side] <= values[-1])
        places.append(np.where(inside, np.searchsorted(blocks, cells, side="right") - 1, -1))
        edges.append(tuple(blocks.tolist()))
    counts = np.zeros((len(edges[1]) - 1, len(edges[0]) - 1), dtype=np.int64)
    seen = (places[0] >= 0) & (places[1] >= 0)
    np.add.at(counts, (places[1][seen], places[0][seen]), 1)
    counts[counts < LEAST_PEOPLE] = 0
    return Density(edges=(edges[0], edges[1]), people=counts)


def _place(problem: ParsedProblem, name: object) -> int:
    if str(name) not in problem.names:
        raise InvalidArgument(
            f"{echoed(str(name))} is not a column of the model. {nearest(name, problem.names)}"
        )
    place = problem.names.index(str(name))
    if problem.codebook.codings[place].is_date:
        raise InvalidArgument(
            f"{echoed(str(name))} holds dates, which stay as they are. Map another feature."
        )
    return place


def _ticks(
    problem: ParsedProblem,
    explanation: Explanation,
    own: float,
    column: int,
    population: FloatArray,
    size: int,
) -> FloatArray:
    """Return the values at which an axis is evaluated: labels of the reference, or numbers.

    The numbers include the instance's own value, if it is known, and those of the counterfactuals.
    """
    coding, name = problem.codebook.codings[column], problem.names[column]
    if coding.labels is not None:
        return np.arange(len(coding.labels), dtype=np.float64)
    known = population[:, column][population[:, column] != MISSING]
    changed: list[Any] = [option.values[name] for option in explanation if name in option.changes]
    marks = np.array([own, *(value for value in changed if value is not None)], dtype=np.float64)
    marks = marks[np.isfinite(marks)]
    distinct = np.unique(known)
    if set(distinct.tolist()) <= {0.0, 1.0}:
        return np.unique(np.concatenate([distinct, marks]))
    ends = np.concatenate([np.percentile(known, TAILS), marks]) if len(known) else marks
    if not len(ends):
        raise InvalidArgument(f"{echoed(name)} has no known value, so there is nothing to draw.")
    ticks = np.linspace(ends.min(), ends.max(), size)
    if coding.number_dtype.kind in "biu":
        ticks = np.round(ticks)
    elif coding.number_dtype.kind == "f":
        ticks = ticks.astype(coding.number_dtype).astype(np.float64)
    return np.unique(np.concatenate([ticks, marks]))


def _plain(ticks: FloatArray, coding: Coding) -> tuple[Any, ...]:
    return tuple(coding.plain(float(tick)) for tick in ticks)
