"""Describe an evidence file: its person and their grid, the code that made it, the checksum of every part."""

import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from p2ce.compile.batch import place_and_price
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.lay_out import for_instance, on_finest_grid, with_codebook
from p2ce.compile.row_limits import explained_rows
from p2ce.compile.within_reach import reaching
from p2ce.explainer import Explainer, problems_of
from p2ce.result.certificate import FINEST
from p2ce.result.explanation import Explanation
from p2ce.tables.codebook import Codebook
from p2ce.tables.encode import encode_row
from p2ce.tables.json_values import Value

FORMAT: Literal["p2ce.evidence/1"] = (
    "p2ce.evidence/1"  # increases if an old reader could misread the new format
)
RECORD, EXPLANATION, POLICY = "evidence.json", "explanation.json", "policy.yaml"
EXPLAINER, README, MODEL = "explainer.p2ce", "readme.txt", "model/"
SIGNATURE = "signature.json"  # covers all other parts, so the record cannot list it


@dataclass(frozen=True, slots=True, kw_only=True)
class GridAxis:
    """An axis of the grid: one feature, or several that move together, with the person's possible moves."""

    features: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]  # for each move, a value per feature


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRecord:
    """The content of `evidence.json`."""

    format: Literal["p2ce.evidence/1"] = FORMAT
    id: Value = None  # of the person, if there is one
    package: str  # the version of p2ce that made the explanation
    code: str  # SHA-256 of the sources of that version
    written_by: str  # SHA-256 of the sources that wrote this file, and the words of its readme
    versions: dict[str, str]  # library → version
    hashes: dict[str, str]  # "model" (by its scores), "model_file", "policy", "reference", "input" → SHA-256
    labels: dict[str, tuple[Value, ...]]  # of each category column, in the order of the codes
    grid: tuple[GridAxis, ...] | None = None  # None if the file was written without the model
    parts: dict[str, str]  # name → SHA-256, of all parts except this one and the signature


def plain_json(content: dict[str, Any]) -> bytes:
    """Write a part of an evidence file as JSON. The same content gives the same bytes."""
    return json.dumps(content, indent=1, allow_nan=False).encode()


def grid_of_instance(explainer: Explainer, explanation: Explanation) -> tuple[GridAxis, ...]:
    """Return the axes of an explanation's grid; raise if another explainer made it."""
    problems = problems_of(explainer)
    problem = problems.of_explanation(explanation, call="evidence.save", narrows=False)
    row = encode_row(explanation.person, problem.codebook)
    problem, values = with_codebook(problem, row.codebook), row.values
    problem = _searched(reaching(problems.known.compiled, problem, values), explanation)
    batch = place_and_price(problem, explained_rows(problem, explanation, values))
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
    """Return the columns that an axis moves. Groups come after the other columns."""
    first = len(problem.names)
    if column < first:
        return [column]
    members: list[int] = problem.groups[column - first].members.tolist()
    return members
