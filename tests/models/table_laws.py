"""State the law of every reading on real tables: categories, missing values, several classes, numbers."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from p2ce.models.parse_model import ModelAdapter, parse_model
from p2ce.scores.score_rows import score_rows
from p2ce.tables.codebook import MISSING, Codebook, codebook_of

JOBS = ("clerk", "cook", "king", "smith", "none of these")


def table(seed: int = 0, rows: int = 400, missing: float = 0.1) -> tuple[pd.DataFrame, np.ndarray]:
    """Make a table of every kind of column, with missing values in some, and a number that depends on all."""
    rng = np.random.default_rng(seed)
    job = rng.choice(JOBS, rows, p=[0.4, 0.3, 0.2, 0.07, 0.03])
    grade = rng.choice(["low", "middle", "high"], rows)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": rng.lognormal(8.0, 0.5, rows),
            "job": pd.Series(job, dtype=object),
            "owner": rng.random(rows) < 0.5,
            "region": rng.integers(0, 6, rows),
            "grade": pd.Categorical(grade, categories=["low", "middle", "high"], ordered=True),
            "town": pd.Categorical(rng.choice(["Ulm", "Bonn", "Köln"], rows)),
            "balance": rng.normal(0.0, 1.0, rows).round(1),
        }
    )
    number = (
        frame["income"] / 1500.0
        + 2.0 * np.isin(job, ["cook", "smith"])
        + 1.5 * (frame["town"] == "Bonn")
        + frame["region"].isin([1, 4])
        + frame["balance"] ** 2
        + 1.5 * frame["owner"] * (frame["grade"] == "high")
        + rng.normal(0.0, 0.5, rows)
    ).to_numpy(dtype=np.float64, copy=True)
    for name in ("income", "job", "grade", "town", "balance"):
        gone = rng.random(rows) < missing
        frame.loc[gone, name] = np.nan
        number[gone] += 0.7 if name in ("income", "town") else -0.3
    return frame, number


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the columns of numbers, as floats."""
    return frame[["age", "income", "region", "balance"]].astype(np.float64)


def hard_rows(
    found: ModelAdapter, frame: pd.DataFrame, book: Codebook, nullable: Collection[str], *, seed: int = 1
) -> pd.DataFrame:
    """Place rows at split thresholds and their neighbours, at all labels, unseen ones and missing values."""
    rng = np.random.default_rng(seed)
    rows = book.encode(frame)[rng.integers(0, len(frame), 600)]
    for place, coding in enumerate(book):
        chosen = np.flatnonzero(rng.random(len(rows)) < 0.5)
        if coding.labels is not None:
            choices = np.arange(float(len(coding.labels)))
            if not isinstance(coding.dtype, pd.CategoricalDtype):
                choices = np.append(choices, coding.encode(["never seen", "nor this"]))
        else:
            choices = _near(found, book.names[place], coding.number_dtype.kind)
            choices = np.concatenate([rows[:, place], choices])
        if coding.name in nullable:
            choices = np.append(choices, np.full(max(1, len(choices) // 5), MISSING))
        rows[chosen, place] = rng.choice(choices, len(chosen))
    return book.decode(rows, frame.columns)


def _near(found: ModelAdapter, name: str, kind: str) -> np.ndarray:
    column = found.columns.index(name)
    forests = [score.forest for score in found.scores if score.forest is not None]
    cuts = np.concatenate([forest.threshold[forest.feature == column] for forest in forests] or [np.zeros(0)])
    cuts = np.unique(cuts[np.abs(cuts) < 1e30])
    if kind == "b":
        return np.array([0.0, 1.0])
    if kind in "iu":
        return np.concatenate([np.floor(cuts), np.ceil(cuts), np.floor(cuts) + 1.0])
    single = cuts.astype(np.float32)
    beside = [np.nextafter(single, np.float32(end)).astype(np.float64) for end in (np.inf, -np.inf)]
    own = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), single.astype(np.float64)]
    return np.concatenate([*own, *beside, [0.0, -0.0, 1e-40, 5e-324, 1e15, -1e15]])


def assert_decides(
    model: Any,
    frame: pd.DataFrame,
    *,
    target: Any = 1,
    threshold: float | None = None,
    scale: str | None = None,
    nullable: Collection[str] | None = None,
    doubts: float = 0.0,
) -> tuple[ModelAdapter, pd.DataFrame]:
    """Check that what a reading is sure of is what the model says, and that it seldom is in doubt."""
    book = codebook_of(frame)
    if nullable is None:
        nullable = {name for name in book.names if frame[name].isna().any()}
    options: dict[str, Any] = {"target": target, "threshold": threshold, "scale": scale}
    found = parse_model(model, reference=frame, codebook=book, nullable=nullable, **options)
    assert found.score is not None, "the model was only asked"
    rows = pd.concat([hard_rows(found, frame, book, nullable), frame], ignore_index=True)
    for name in frame.columns:
        rows[name] = rows[name].astype(frame[name].dtype)
    answers = found.evaluate(rows)
    codes = book.of(found.columns).encode(rows)
    scores = np.array([score_rows(score, codes) for score in found.scores])
    accept_from = np.all(
        [one >= score.accept_from for one, score in zip(scores, found.scores, strict=True)], axis=0
    )
    refused = np.any(
        [one < score.reject_below for one, score in zip(scores, found.scores, strict=True)], axis=0
    )
    accepted = answers >= found.threshold
    if found.decides:
        assert accepted[accept_from].all(), "what is surely enough was refused"
        assert np.mean(~accept_from & ~refused) <= doubts, "too much is in doubt"
    assert not accepted[refused].any(), "what is surely too little was accepted"
    if found.report is not None:
        error = np.abs(found.report(scores[0]) - answers)
        within = error <= found.tolerance * np.maximum(1.0, np.abs(answers))
        assert within.all(), f"the reported value is off by {error.max()}"
    return found, rows
