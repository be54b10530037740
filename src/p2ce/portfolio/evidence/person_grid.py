"""List one person's possible moves on every axis of the searched grid, as plain values."""

import numpy as np

from p2ce.compile.batch import place_and_price
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.encode import encode_row
from p2ce.compile.lay_out import for_instance, on_finest_grid
from p2ce.compile.within_reach import reaching
from p2ce.explainer import Explainer, problems_of
from p2ce.portfolio.evidence.evidence_record import GridAxis
from p2ce.result.certificate import FINEST
from p2ce.result.explanation import Explanation
from p2ce.tables.codebook import Codebook
from p2ce.tables.json_values import Value


def grid_of_person(explainer: Explainer, explanation: Explanation) -> tuple[GridAxis, ...]:
    """Return the axes of an explanation's grid; raise if another explainer made it."""
    problems = problems_of(explainer)
    problem = problems.of_explanation(explanation, call="evidence.save")
    values = encode_row(explanation.person, problem.codebook).values
    problem = _searched(reaching(problems.known.compiled, problem, values), explanation)
    batch = place_and_price(problem, values)
    placed = batch.placement
    axes = []
    for axis, column in enumerate(problem.grid.columns.tolist()):
        places = np.arange(placed.lowest[0, axis], placed.highest[0, axis] + 1, dtype=np.int32)
        places = places[places != placed.position[0, axis]]
        cells = np.repeat(placed.position, len(places), axis=0)
        cells[:, axis] = places
        members = _members(problem, column)
        codes = batch.rows(np.zeros(len(cells), dtype=np.int64), cells)[:, members]
        codings = [problem.codebook.codings[member] for member in members]
        axes.append(
            GridAxis(
                features=tuple(coding.name for coding in codings),
                values=tuple(
                    tuple(coding.plain(code) for coding, code in zip(codings, move, strict=True))
                    for move in codes.tolist()
                ),
            )
        )
    return tuple(axes)


def labels_of_codes(codebook: Codebook) -> dict[str, tuple[Value, ...]]:
    """Return the labels of every category column in the order of the codes that detectors see."""
    return {coding.name: coding.labels for coding in codebook if coding.labels is not None}


def _searched(problem: Problem, explanation: Explanation) -> Problem:
    """Return the problem on the grid of the certificate."""
    if explanation.certificate is None or explanation.certificate.grid != FINEST:
        return problem
    finest = on_finest_grid(problem)
    assert finest is not None, "only a search on the finest grid names it"
    if not problem.is_personal:
        return finest
    return for_instance(finest, encode_row(explanation.person, problem.codebook).values[0])


def _members(problem: Problem, column: int) -> list[int]:
    """Return the columns that an axis moves. Compounds come after the other columns."""
    first = len(problem.names)
    if column < first:
        return [column]
    members: list[int] = problem.compounds[column - first].members.tolist()
    return members
