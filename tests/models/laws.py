"""State the law of every reading: what is proven about a score holds for the model's own answers."""

import logging
from typing import Any

import numpy as np
import pandas as pd

from p2ce.models.parse_model import ModelAdapter, parse_model
from p2ce.scores.cuts import LIGHTGBM_ZERO
from p2ce.scores.float_bisection import first_true
from p2ce.scores.score import seen_as_given
from p2ce.scores.score_rows import score_rows

TINY = np.array([0.0, -0.0, 1e-40, -1e-40, LIGHTGBM_ZERO, -LIGHTGBM_ZERO, 1e-300, 5e-324, -5e-324])
TINY = np.concatenate([TINY, np.nextafter(TINY, np.inf), np.nextafter(TINY, -np.inf)])


def people(seed: int = 0, rows: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """Make a small population with whole, binary, coarse and fine columns, and a label."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": rng.lognormal(8.0, 0.5, rows),
            "balance": rng.normal(0.0, 1.0, rows).round(1),
            "owner": rng.integers(0, 2, rows),
            "ratio": rng.normal(0.0, 0.01, rows),
        }
    )
    margin = (frame["income"] - 3000.0) / 1500.0 + frame["balance"] ** 2 - 1.0 + 50.0 * frame["ratio"]
    label = (margin + rng.normal(0.0, 0.7, rows) > 0.0).to_numpy().astype(int)
    return frame, label


def rows_near_splits(
    found: ModelAdapter, frame: pd.DataFrame, *, count: int = 300, seed: int = 1
) -> pd.DataFrame:
    """Place rows exactly at split thresholds and their neighbours in float64 and in float32."""
    rng = np.random.default_rng(seed)
    rows = frame[list(found.columns)].to_numpy(dtype=np.float64)[rng.integers(0, len(frame), count)].copy()
    every = np.arange(count)
    for column, value in _split_values(found, rng):
        chosen = every[rng.random(count) < 0.5] if len(value) else every[:0]
        rows[chosen, column] = rng.choice(value, len(chosen)) if len(value) else 0.0
    column = rng.integers(0, rows.shape[1], count)
    odd = rng.random(count) < 0.2
    rows[every[odd], column[odd]] = rng.choice(TINY, int(odd.sum()))
    if found.reach is None:
        large = rng.random(count) < 0.05
        rows[every[large], column[large]] = rng.choice(
            [1e6, -1e6, 1e30, -1e30, 16777217.0, 1e15], int(large.sum())
        )
    return pd.DataFrame(rows, columns=list(found.columns))


def _split_values(found: ModelAdapter, rng: np.random.Generator) -> list[tuple[int, np.ndarray]]:
    forest = found.score.forest
    if forest is None:
        return []
    values = []
    for column in range(found.score.column_count):
        cuts = np.unique(forest.threshold[forest.feature == column])
        cuts = cuts[np.isfinite(cuts)]
        if found.score.see is not seen_as_given:
            cuts = np.array([_unseen(found, column, cut) for cut in rng.permutation(cuts)[:6]])
        single = cuts.astype(np.float32)
        beside = [np.nextafter(single, np.float32(end)).astype(np.float64) for end in (np.inf, -np.inf)]
        values.append(
            (
                column,
                np.concatenate(
                    [
                        cuts,
                        np.nextafter(cuts, np.inf),
                        np.nextafter(cuts, -np.inf),
                        single.astype(np.float64),
                        *beside,
                    ]
                ),
            )
        )
    return values


def _unseen(found: ModelAdapter, column: int, cut: float) -> float:
    """Find the first value of the user that the model sees above a cut."""
    middle = np.ones((1, found.score.column_count))

    def above(value: float) -> bool:
        middle[0, column] = np.clip(value, -1e9, 1e9)  # scalers overflow on the largest doubles
        return bool(found.score.see(middle)[0, column] > cut)

    return float(np.clip(first_true(above), -1e9, 1e9))


def assert_reads(
    model: Any,
    frame: pd.DataFrame,
    *,
    target: Any = 1,
    band: float,
    error: float = 1e-12,
    thresholds: int = 5,
) -> ModelAdapter:
    """Check a reading on random rows and rows at thresholds, for several thresholds on the score."""
    found = parse_model(model, reference=frame, target=target)
    rows = pd.concat([rows_near_splits(found, frame), frame[list(found.columns)].astype(np.float64)])
    answers = found.evaluate(rows)
    scores = score_rows(found.score, rows.to_numpy(dtype=np.float64))
    assert np.abs(found.report(scores) - answers).max() <= error * max(1.0, np.abs(answers).max())
    asked = np.random.default_rng(2).choice(answers, thresholds)
    asked = np.concatenate([asked, np.nextafter(asked, np.inf), [found.threshold], [0.0, 1.0]])
    if found.scale == "probability":
        asked = asked[(asked >= 0.0) & (asked <= 1.0)]
    for threshold in asked:
        again = parse_model(model, reference=frame, target=target, threshold=float(threshold)).score
        accepted = answers >= threshold
        assert accepted[scores >= again.accept_from].all(), "a score that is surely enough was refused"
        assert not accepted[scores < again.reject_below].any(), "a score that is surely too low was accepted"
        assert again.reject_below <= again.accept_from
        # Where the probability saturates a single answer covers a wide range of scores.
        if 1e-3 < threshold < 1.0 - 1e-3:
            assert again.accept_from - again.reject_below <= band
    return found


def assert_only_asked(model: Any, frame: pd.DataFrame, why: str) -> None:
    """Check that a model that no family can read is asked instead, and that the log says why."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    log, ear = logging.getLogger("p2ce"), Ear(logging.INFO)
    before = log.level
    log.addHandler(ear)
    log.setLevel(logging.INFO)
    try:
        found = parse_model(model, reference=frame)
    finally:
        log.removeHandler(ear)
        log.setLevel(before)
    assert found.score is None
    assert found.family == f"black box ({type(model).__name__})"
    assert any(why in one for one in heard), heard
