"""Identify models and tables by short texts, the same on any machine and in any kind of table."""

import hashlib
import itertools
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import FloatArray, evenly
from p2ce.tables import as_pandas
from p2ce.tables.codebook import MISSING, Codebook, Coding, codebook_of
from p2ce.tables.json_values import to_plain

if TYPE_CHECKING:
    from p2ce.compile.compiled_problem import ParsedProblem, Problem

MOST_ROWS = 64
ONE_BIT = 2.0**-23  # the last bit of a number in single precision, relative to the number
MOST_ROUNDINGS = 1 << 14  # tenths of a second
MANY_ROWS, FEW_ROWS = 1024, 16  # rows that are evaluated and priced to recognise a problem with certainty


def model_scores(problem: "ParsedProblem", rows: FloatArray) -> FloatArray:
    """Evaluate every model on at most 64 of the rows (n, d), spread evenly over them: (models, rows)."""
    frame = problem.frame(rows[evenly(len(rows), MOST_ROWS)])
    return np.stack([np.asarray(model.evaluate(frame), dtype=np.float64) for model in problem.models])


def model_fingerprint(problem: "ParsedProblem", rows: FloatArray) -> str:
    """Return the SHA-256 of the models' scores of some rows (n, d), to six significant digits.

    The last bits of a score may differ between machines. `same_scores` compares with a tolerance instead. The
    hash is a short name for people to compare.
    """
    return fingerprint_of(model_scores(problem, rows))


def problem_fingerprint(problem: "Problem", rows: FloatArray) -> str:
    """Return the SHA-256 of what a problem computes. It differs if two problems only look alike.

    It covers the parsed scores, and the results of models, detector, predicates and costs for many of the
    rows (n, d). Detectors of one class, functions of one name, and models that agree on a few rows may
    differ.
    """
    from p2ce.compile.batch import place_and_price
    from p2ce.compile.evaluate_rows import plausibility_of, score_frame
    from p2ce.compile.within_reach import shaped_for

    digest = hashlib.sha256()
    arrays: tuple[npt.NDArray[Any], ...] = problem.layout.flat
    for array in arrays:
        # The bytes between the fields of a record have no meaning.
        for part in [array[name] for name in array.dtype.names] if array.dtype.names else [array]:
            digest.update(np.ascontiguousarray(part).tobytes())
    some = rows[evenly(len(rows), MANY_ROWS)]
    frame = problem.frame(some)
    scores = score_frame(problem, frame, closely=False).each
    plausibility = plausibility_of(problem, some, frame, closely=False)
    digest.update(fingerprint_of(np.vstack([scores, plausibility])).encode())
    for rule in problem.rules:
        if rule.is_predicate:
            digest.update(np.asarray(rule.holds_frame(frame)).tobytes())
    few = rows[evenly(len(rows), FEW_ROWS)]
    few = few[shaped_for(problem, few)]
    if len(few):
        steps = place_and_price(problem, few).tables.steps
        digest.update(fingerprint_of(steps.reshape(len(few), -1)).encode())
    return digest.hexdigest()


def has_model_fingerprint(problem: "ParsedProblem", rows: FloatArray, fingerprint: str) -> bool:
    """Return whether the models' scores of some rows (n, d) have a fingerprint, up to the last bit of each.

    Another machine may round that bit in the other direction, and a few of the scores are so close to the
    middle between two texts that they then have another text. So both texts of these are tried.
    """
    scores = model_scores(problem, rows)
    known = {
        score: {_six_digits(score * by) for by in (1.0 - ONE_BIT, 1.0, 1.0 + ONE_BIT)}
        for score in dict.fromkeys(scores.ravel().tolist())
    }
    if math.prod(map(len, known.values())) > MOST_ROUNDINGS:
        return fingerprint_of(scores) == fingerprint
    return any(
        _hash_of(scores, dict(zip(known, texts, strict=True))) == fingerprint
        for texts in itertools.product(*known.values())
    )


def fingerprint_of(scores: FloatArray) -> str:
    """Return the SHA-256 of scores (models, rows), to six significant digits."""
    return _hash_of(scores, {score: _six_digits(score) for score in scores.ravel().tolist()})


def _six_digits(score: float) -> str:
    return f"{score + 0.0:.5e}"  # without −0


def _hash_of(scores: FloatArray, texts: dict[float, str]) -> str:
    """Return the SHA-256 of scores (models, rows), written as these texts."""
    written = [[texts.get(score, "nan") for score in of_one] for of_one in scores.tolist()]
    return hashlib.sha256(json.dumps(written).encode()).hexdigest()


def same_scores(first: FloatArray, second: FloatArray, *, allowed: float = 0.0) -> bool:
    """Return whether two sets of scores are of one model, up to differences between machines and batches.

    ``allowed`` is the difference that the user allows from call to call.
    """
    return first.shape == second.shape and bool(
        np.allclose(first, second, rtol=1e-5, atol=max(1e-6, allowed), equal_nan=True)
    )


def table_fingerprint(table: Any) -> str:
    """Return the SHA-256 of a table's names and values, the same for pandas, polars and Arrow.

    >>> import pandas as pd
    >>> columns = {"Age": [41, 23], "Housing": ["own", None]}
    >>> table_fingerprint(pd.DataFrame(columns)) == table_fingerprint(columns)
    True
    """
    frame, _ = as_pandas(table)
    book = codebook_of(frame)
    return codes_fingerprint(book, book.encode(frame))


def codes_fingerprint(codebook: Codebook, values: FloatArray) -> str:
    """Return the same hash of an encoded table: values (n, d)."""
    digest = hashlib.sha256()
    for coding, codes in zip(codebook, values.T, strict=True):
        labels: list[str] | None = None
        if coding.is_category:
            labels, codes = _named_alike(coding, codes)
        digest.update(json.dumps([coding.name, len(codes), labels]).encode())
        digest.update((codes + 0.0).astype("<f8").tobytes())
    return digest.hexdigest()


def _named_alike(coding: Coding, codes: FloatArray) -> tuple[list[str], FloatArray]:
    """Number labels by their names, unless their order means something, and drop unused ones."""
    assert coding.labels is not None
    texts = [json.dumps(to_plain(label)) for label in coding.labels]
    if coding.ordered:
        return ["ordered", *texts], codes
    used = np.unique(codes[codes != MISSING]).astype(np.int64)
    names = sorted(texts[place] for place in used)
    rank = np.zeros(len(texts))
    places = {name: place for place, name in enumerate(names)}
    rank[used] = [places[texts[place]] for place in used]
    known = codes != MISSING
    return names, np.where(known, rank[np.where(known, codes, 0.0).astype(np.int64)], MISSING)
