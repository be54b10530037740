"""State the law of readings with several classes or a wanted range: they decide as the model does."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_wine

from p2ce.models.parse_model import ModelAdapter, parse_model
from p2ce.scores.external import ACCEPT, REJECT
from p2ce.scores.score import CompiledScore
from p2ce.scores.score_rows import score_rows


def wine(columns: int = 6) -> tuple[pd.DataFrame, np.ndarray]:
    """Take some columns of the Wine data, scaled, and its three classes by name."""
    frame, label = load_wine(return_X_y=True, as_frame=True)
    frame = frame.iloc[:, :columns]
    return (frame - frame.mean()) / frame.std(), np.array(["barolo", "grignolino", "barbera"])[label]


def diabetes() -> tuple[pd.DataFrame, np.ndarray]:
    """Take the Diabetes data, its columns in standard deviations, and the number to predict."""
    frame, number = load_diabetes(return_X_y=True, as_frame=True)
    return frame / frame.std(), number.to_numpy()


def rows_at_the_edge(
    found: ModelAdapter, frame: pd.DataFrame, *, count: int = 60, seed: int = 0
) -> pd.DataFrame:
    """Walk from refused to accepted rows by halves, down to neighbouring floats, and keep the last steps."""
    rng = np.random.default_rng(seed)
    values = frame.to_numpy(dtype=np.float64)
    accepted = found.evaluate(frame) >= found.threshold
    if accepted.all() or not accepted.any():
        return frame
    inside = values[rng.choice(np.flatnonzero(accepted), count)]
    outside = values[rng.choice(np.flatnonzero(~accepted), count)]
    kept = []
    for step in range(56):
        middle = (inside + outside) / 2.0
        says = found.evaluate(pd.DataFrame(middle, columns=frame.columns)) >= found.threshold
        inside = np.where(says[:, None], middle, inside)
        outside = np.where(says[:, None], outside, middle)
        if step % 8 == 0 or step > 40:
            kept += [inside, outside]
    return pd.DataFrame(np.concatenate(kept), columns=frame.columns)


def verdicts(found: ModelAdapter, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Say which rows all scores are sure of, and which one of them refuses."""
    codes = rows[list(found.columns)].to_numpy(dtype=np.float64)
    accept_from, refused = np.ones(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    for score in found.scores:
        if isinstance(score, CompiledScore):
            value = score_rows(score, codes)
            accept_from &= value >= score.accept_from
            refused |= value < score.reject_below
        else:
            said = score.evaluate_rows(codes).verdict
            accept_from &= said == ACCEPT
            refused |= said == REJECT
    return accept_from, refused


def assert_decides_as(
    model: Any, frame: pd.DataFrame, *, doubts: float = 0.02, useful: bool = False, **asked: Any
) -> tuple[ModelAdapter, pd.DataFrame]:
    """Check a reading on the reference, far from it, and where decisions flip; it is read as ``asked``."""
    found = parse_model(model, reference=frame, **asked)
    assert found.score is not None, "the model was only asked"
    far = frame * np.random.default_rng(1).uniform(-5.0, 5.0, frame.shape)
    usual = pd.concat([frame, far], ignore_index=True).astype(frame.dtypes)
    edge = rows_at_the_edge(found, frame).astype(frame.dtypes)
    for rows, limit in ((usual, doubts), (edge, 1.0)):
        accepted = found.evaluate(rows) >= found.threshold
        accept_from, refused = verdicts(found, rows)
        assert not (refused & accepted).any(), "what is surely too little was accepted"
        if found.decides:
            assert not (accept_from & ~accepted).any(), "what is surely enough was refused"
            assert np.mean(~accept_from & ~refused) <= limit, "the reading is too often in doubt"
        elif useful and limit < 1.0 and 0.5 <= found.threshold <= 0.99:
            assert refused.sum() >= 0.3 * (~accepted).sum(), "the bound is useless"
    return found, pd.concat([usual, edge], ignore_index=True)


def assert_wins(model: Any, frame: pd.DataFrame, target: Any, **options: Any) -> ModelAdapter:
    """Check that a class that must win is accepted exactly where ``predict`` gives it."""
    found, rows = assert_decides_as(model, frame, target=target, **options)
    given = rows if hasattr(model, "feature_names_in_") else rows.to_numpy()
    assert ((found.evaluate(rows) >= 0.0) == (model.predict(given) == target)).all()
    assert (found.scale, found.threshold) == ("lead", 0.0)
    assert len(found.scores) == len(found.classes) - 1
    if hasattr(model, "predict_proba"):
        column = list(found.classes).index(target)
        assert (found.predict(rows) == model.predict_proba(given)[:, column].astype(np.float64)).all()
    return found


def assert_reaches(model: Any, frame: pd.DataFrame, target: Any, thresholds: Any, **options: Any) -> None:
    """Check the bound on one of several probabilities, which only the model itself settles."""
    for threshold in thresholds:
        asked = {"target": target, "threshold": float(threshold), **options}
        found, _ = assert_decides_as(model, frame, useful=True, **asked)
        assert (found.scale, found.decides) == ("probability", False)


def assert_lies_within(model: Any, frame: pd.DataFrame, ranges: Any, **options: Any) -> None:
    """Check readings of a predicted number for several wanted ranges."""
    for wanted in ranges:
        found, rows = assert_decides_as(model, frame, target=wanted, **options)
        predicted = np.asarray(model.predict(rows), dtype=np.float64).reshape(-1)
        assert (found.predict(rows) == predicted).all()
        low, high = (
            (-np.inf if wanted[0] is None else wanted[0]),
            (np.inf if wanted[1] is None else wanted[1]),
        )
        assert ((found.evaluate(rows) >= 0.0) == ((low <= predicted) & (predicted <= high))).all()
        assert (found.scale, found.threshold, found.classes) == ("lead", 0.0, ())
        assert len(found.scores) == sum(np.isfinite([low, high]))
