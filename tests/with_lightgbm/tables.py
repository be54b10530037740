"""Make tables with categories and missing values, and state the law of readings over their codes."""

from typing import Any

import numpy as np
import pandas as pd

from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.models.parse_model import parse_model
from p2ce.scores.score import CompiledScore
from p2ce.scores.score_rows import score_rows
from p2ce.tables.codebook import MISSING, Codebook, codebook_of
from tests.models.laws import TINY

JOBS = ["cook", "clerk", "pilot", "nurse", "smith", "baker", "judge"]
ODD = np.array(
    [-2.0, -1.0, -0.5, 0.5, 2.5, 31.0, 32.0, 39.999, 40.0, 64.0, 1e6, 2.0**24, 2.0**31, 1e10, 1e30]
)


def table(rows: int = 500, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Make people with categories, an ordered one, codes, gaps and zeros, and a wealth to be learned."""
    rng = np.random.default_rng(seed)
    gaps = rng.random((rows, 4)) < 0.15
    job = rng.choice(JOBS, rows, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05])
    grade = rng.integers(0, 4, rows)
    code = rng.integers(0, 40, rows).astype(float)
    income = rng.lognormal(0.0, 0.7, rows)
    balance = np.where(rng.random(rows) < 0.4, 0.0, rng.normal(0.0, 1.0, rows).round(1))
    children = pd.array(rng.integers(0, 5, rows), dtype="Int64")
    children[gaps[:, 3]] = pd.NA
    frame = pd.DataFrame(
        {
            "job": pd.Categorical(
                np.where(gaps[:, 0], None, job.astype(object)), categories=sorted(JOBS, reverse=True)
            ),
            "grade": pd.Categorical.from_codes(
                np.where(gaps[:, 1], -1, grade), ["low", "fair", "good", "best"], ordered=True
            ),
            "code": code,
            "income": np.where(gaps[:, 2], np.nan, income),
            "balance": balance,
            "children": children,
            "age": rng.integers(18, 80, rows),
            "owner": rng.random(rows) < 0.5,
        }
    )
    wealth = (
        np.isin(job, ["cook", "nurse", "judge"])
        + 0.6 * (code % 3 == 0)
        + 0.3 * grade
        + np.where(gaps[:, 2], 0.9, 0.5 * income)
        + 0.7 * (balance == 0.0)
        - 0.2 * gaps[:, 0]
        + 0.3 * gaps[:, 3]
        + rng.normal(0.0, 0.2, rows)
    )
    return frame, pd.Series(wealth)


def rows_everywhere(
    found: ModelAdapter,
    reference: pd.DataFrame,
    book: Codebook,
    *,
    count: int = 500,
    missing: tuple[str, ...] = (),
    unseen: bool = True,
) -> pd.DataFrame:
    """Place rows at thresholds and beside, at every label, unseen ones, and where nothing is known."""
    rng = np.random.default_rng(1)
    codes = book.encode(reference)[rng.integers(0, len(reference), count)]
    for place, coding in enumerate(book):
        if coding.is_category:
            values = np.arange(len(coding.labels), dtype=float)
            if unseen:
                values = np.append(values, coding.encode(["never heard of", "nor of this"]))
        else:
            values = _values(found, coding.name)
        if coding.name in missing:
            values = np.append(values, [MISSING] * (1 + len(values) // 4))
        chosen = rng.random(count) < 0.5
        codes[chosen, place] = rng.choice(values, int(chosen.sum()))
        if not coding.is_category and coding.number_dtype.kind in "iub":
            whole = np.clip(np.rint(codes[:, place]), 0, 1 if coding.number_dtype.kind == "b" else 1e6)
            codes[:, place] = np.where(codes[:, place] == MISSING, MISSING, whole)
    return book.decode(codes, reference.columns)


def _values(found: ModelAdapter, name: str) -> np.ndarray:
    column = found.columns.index(name)
    cuts = [
        score.forest.threshold[score.forest.feature == column]
        for score in found.scores
        if score.forest is not None
    ]
    cuts = np.unique(np.concatenate([*cuts, [0.0]]))
    cuts = cuts[np.isfinite(cuts) & (np.abs(cuts) < 1e300)]
    single = cuts.astype(np.float32)
    beside = [np.nextafter(single, np.float32(end)).astype(float) for end in (np.inf, -np.inf)]
    near = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), single.astype(float), *beside]
    return np.concatenate([*near, TINY, ODD])


def verdicts(found: ModelAdapter, rows: pd.DataFrame, book: Codebook) -> tuple[np.ndarray, np.ndarray]:
    """Say which rows the reading accepts for sure, and which it refuses."""
    codes = book.of(found.columns).encode(rows)
    values = [score_rows(score, codes) for score in found.scores if isinstance(score, CompiledScore)]
    assert len(values) == len(found.scores)
    reached = [value >= score.accept_from for value, score in zip(values, found.scores, strict=True)]
    missed = [value < score.reject_below for value, score in zip(values, found.scores, strict=True)]
    return np.all(reached, axis=0) & found.decides, np.any(missed, axis=0)


def assert_law(
    model: Any,
    reference: pd.DataFrame,
    *,
    error: float = 1e-15,
    most_doubt: float = 0.0,
    missing: tuple[str, ...] = (),
    unseen: bool = True,
    **wanted: Any,
) -> ModelAdapter:
    """Check that what is proven about scores holds for the model's own answers, everywhere."""
    book = codebook_of(reference)
    found = parse_model(model, reference=reference, codebook=book, nullable=missing, **wanted)
    rows = rows_everywhere(found, reference, book, missing=missing, unseen=unseen)
    answers = found.evaluate(rows)
    accepted = answers >= found.threshold
    accept_from, refused = verdicts(found, rows, book)
    assert accepted[accept_from].all(), "a row that is surely accepted was refused"
    assert not accepted[refused].any(), "a row that is surely refused was accepted"
    if found.decides:
        assert (~accept_from & ~refused).mean() <= most_doubt, "too much is left to the model"
    if found.report is not None:
        codes = book.of(found.columns).encode(rows)
        far = np.abs(found.report(score_rows(found.score, codes)) - answers)
        assert (far <= error * np.maximum(1.0, np.abs(answers))).all()
    return found
