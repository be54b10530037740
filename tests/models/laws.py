"""State the laws of every parsed model, and make the tables that they are tried on."""

import logging
import math
import warnings
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_wine

from p2ce.engine.scores.external import ACCEPT, REJECT
from p2ce.engine.scores.trees.cuts import LIGHTGBM_ZERO
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import MISSING, Codebook, codebook_of

JOBS = ("clerk", "cook", "king", "smith", "none of these")
TINY = np.array([0.0, -0.0, 1e-40, -1e-40, LIGHTGBM_ZERO, -LIGHTGBM_ZERO, 1e-300, 5e-324, -5e-324])
TINY = np.concatenate([TINY, np.nextafter(TINY, np.inf), np.nextafter(TINY, -np.inf)])
LARGE = np.array([1e6, -1e6, 1e15, -1e15, 16777217.0])


# Tables


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


def wine(columns: int = 6) -> tuple[pd.DataFrame, np.ndarray]:
    """Take some columns of the Wine data, scaled, and its three classes by name."""
    frame, label = load_wine(return_X_y=True, as_frame=True)
    frame = frame.iloc[:, :columns]
    return (frame - frame.mean()) / frame.std(), np.array(["barolo", "grignolino", "barbera"])[label]


def diabetes() -> tuple[pd.DataFrame, np.ndarray]:
    """Take the Diabetes data, its columns in standard deviations, and the number to predict."""
    frame, number = load_diabetes(return_X_y=True, as_frame=True)
    return frame / frame.std(), number.to_numpy()


# Rows on which a parsed model is most likely to be wrong


def hard_rows(
    found: Adapter,
    reference: pd.DataFrame,
    book: Codebook,
    nullable: Collection[str],
    *,
    unseen: bool,
    far: bool = True,
) -> np.ndarray:
    """Place rows of codes at split thresholds and their neighbours, at all labels, unseen ones and gaps."""
    rng = np.random.default_rng(1)
    rows = book.encode(reference)[rng.integers(0, len(reference), 500)]
    for place, coding in enumerate(book):
        chosen = np.flatnonzero(rng.random(len(rows)) < 0.5)
        if coding.labels is not None:
            choices = np.arange(float(len(coding.labels)))
            if unseen and found.knows_unseen_categories:
                choices = np.append(choices, coding.encode(["never seen", "nor this"]))
        else:
            choices = np.concatenate(
                [rows[:, place], _near(found, book.names[place], coding.number_dtype.kind, far=far)]
            )
        if coding.name in nullable:
            choices = np.append(choices, np.full(max(1, len(choices) // 5), MISSING))
        rows[chosen, place] = rng.choice(choices, len(chosen))
    return rows


def _near(found: Adapter, name: str, kind: str, *, far: bool) -> np.ndarray:
    """List values at the cuts of a column, next to them in both precisions, next to zero, and far out."""
    if kind == "b":
        return np.array([0.0, 1.0])
    column = found.columns.index(name)
    parts = [part for score in found.scores for part in getattr(score, "parts", [score])]
    forests = [getattr(part.flat, "forest", None) for part in parts]
    of_each = [one.threshold[one.feature == column] for one in forests if one is not None]
    bins = [getattr(part.flat, "cuts", None) for part in parts]
    of_each += [cuts[column] for cuts in bins if cuts is not None and cuts[column] is not None]
    cuts = np.unique(np.concatenate(of_each or [np.zeros(0)]))
    cuts = cuts[np.abs(cuts) < 1e30]
    if kind in "iu":
        return np.concatenate([np.floor(cuts), np.ceil(cuts), np.floor(cuts) + 1.0])
    single = cuts.astype(np.float32)
    beside = [np.nextafter(single, np.float32(end)).astype(np.float64) for end in (np.inf, -np.inf)]
    own = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), single.astype(np.float64)]
    return np.concatenate([*own, *beside, TINY, LARGE if far and found.reach is None else TINY])


def edge_rows(found: Adapter, reference: pd.DataFrame, *, count: int = 25) -> pd.DataFrame:
    """Walk from rejected to accepted rows of numbers by halves, down to neighbouring floats."""
    if codebook_of(reference).is_category.any() or reference.isna().any(axis=None):
        return reference
    rng = np.random.default_rng(0)
    values = reference.to_numpy(dtype=np.float64)
    accepted = found.evaluate(reference) >= found.threshold
    if accepted.all() or not accepted.any():
        return reference
    inside = values[rng.choice(np.flatnonzero(accepted), count)]
    outside = values[rng.choice(np.flatnonzero(~accepted), count)]
    kept = []
    for step in range(56):
        middle = (inside + outside) / 2.0
        rows = pd.DataFrame(middle, columns=reference.columns).astype(reference.dtypes)
        accepts = found.evaluate(rows) >= found.threshold
        inside = np.where(accepts[:, None], middle, inside)
        outside = np.where(accepts[:, None], outside, middle)
        if step % 8 == 0 or step > 46:
            kept += [inside, outside]
    return pd.DataFrame(np.concatenate(kept), columns=reference.columns).astype(reference.dtypes)


# Laws


class Certified(NamedTuple):
    """What the scores of a parsed model certify about rows, each (n,)."""

    accepted: np.ndarray
    rejected: np.ndarray
    value: np.ndarray  # of the first score


def certified(found: Adapter, codes: np.ndarray) -> Certified:
    """Compare all scores with their thresholds."""
    accepted, rejected = np.ones(len(codes), dtype=bool), np.zeros(len(codes), dtype=bool)
    values = []
    for score in found.scores:
        found_by = score.evaluate_rows(codes)
        values.append(found_by.value)
        accepted &= found_by.verdict == ACCEPT
        rejected |= found_by.verdict == REJECT
    return Certified(accepted, rejected, values[0])


def assert_conforms(
    model: Any,
    reference: pd.DataFrame,
    *,
    nullable: Collection[str] | None = None,
    undecided: float = 0.0,
    edge: bool = False,
    unseen: bool = True,
    far: bool = True,
    **wanted: Any,
) -> tuple[Adapter, pd.DataFrame]:
    """Check what is certified, reported and evaluated, on the reference, at thresholds and next to them.

    ``undecided`` is the share of the usual rows that may be left to the model. ``far`` also tries numbers far
    beyond the reference, which a logarithm would reject. ``wanted`` is passed to
    `parse_model`.
    """
    book = codebook_of(reference)
    if nullable is None:
        nullable = {name for name in book.names if reference[name].isna().any()}
    found = parse_model(model, reference=reference, codebook=book, nullable=nullable, **wanted)
    assert found.score is not None, found.black_box_because
    new = {coding.name: ["never seen", "nor this"] for coding in book if coding.is_category}
    book = (found.codebook or book).with_labels(new)
    codes = np.concatenate(
        [hard_rows(found, reference, book, nullable, unseen=unseen, far=far), book.encode(reference)]
    )
    rows = book.decode(codes, reference.columns)
    _assert_certified(found, book, rows, undecided)
    if edge:
        beside = edge_rows(found, reference)
        _assert_certified(found, book, beside, 1.0)
        rows = pd.concat([rows, beside], ignore_index=True).astype(reference.dtypes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a frame, where a part of a Pipeline was fitted on an array
        _assert_evaluated(model, found, rows, wanted.get("target", 1))
    return found, rows


def _assert_certified(found: Adapter, book: Codebook, rows: pd.DataFrame, undecided: float) -> None:
    own = found.evaluate(rows)
    accepted = own >= found.threshold
    proven = certified(found, book.of(found.columns).encode(rows))
    assert not accepted[proven.rejected].any(), "a certified rejection is accepted by the model"
    if found.decides:
        assert accepted[proven.accepted].all(), "a certified acceptance is rejected by the model"
        left = float(np.mean(~proven.accepted & ~proven.rejected))
        assert left <= undecided, f"{left:.1%} of the rows are undecided"
    if found.report is not None:
        error = np.abs(found.report(proven.value) - own) / np.maximum(1.0, np.abs(own))
        known = np.isfinite(error)
        assert (error[known] <= found.tolerance).all(), f"the reported value is off by {error[known].max()}"


def _assert_evaluated(model: Any, found: Adapter, rows: pd.DataFrame, target: Any) -> None:
    """What is evaluated has to be what the model's own methods say."""
    takes_frames = hasattr(model, "feature_names_in_") or not hasattr(model, "n_features_in_")
    given = rows if takes_frames else rows[list(found.columns)].to_numpy()
    own = found.evaluate(rows)
    own = -own if found.negated else own
    if not hasattr(model, "predict") or not hasattr(model, "get_params"):
        return  # a Booster or a module: what its outputs mean is not for it to say
    if not found.classes:
        assert found.predict is not None
        predicted = np.asarray(model.predict(given), dtype=np.float64).reshape(-1)
        assert (found.predict(rows) == predicted).all()
        low, high = (
            (-math.inf if target[0] is None else target[0]),
            (math.inf if target[1] is None else target[1]),
        )
        assert ((own >= 0.0) == ((low <= predicted) & (predicted <= high))).all()
        assert len(found.scores) == np.isfinite([low, high]).sum()
        return
    if isinstance(target, list):
        probabilities = np.asarray(model.predict_proba(given), dtype=np.float64)
        wanted = [list(found.classes).index(one) for one in target]
        assert np.abs(own - probabilities[:, wanted].sum(axis=1).clip(max=1.0)).max() <= 1e-15
        return
    index = list(found.classes).index(target)
    if found.scale == "lead":
        assert ((own >= 0.0) == (np.ravel(model.predict(given)) == target)).all()
        assert len(found.scores) == len(found.classes) - 1
    elif found.scale == "probability":
        probabilities = np.asarray(model.predict_proba(given), dtype=np.float64)
        if probabilities.ndim == 1:  # pyGAM reports that of the second class only
            probabilities = np.column_stack([1.0 - probabilities, probabilities])
        # Threads add a forest's trees in any order.
        assert np.abs(own - probabilities[:, index]).max() <= 1e-15
    else:
        values = np.asarray(model.decision_function(given), dtype=np.float64)
        assert (own == (values[:, index] if values.ndim == 2 else (1.0 if index else -1.0) * values)).all()


def assert_black_box(model: Any, frame: pd.DataFrame, why: str, **wanted: Any) -> None:
    """Check that a model that no family supports is a black box, and that the log says why."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    log, ear = logging.getLogger("p2ce"), Ear(logging.INFO)
    before = log.level
    log.addHandler(ear)
    log.setLevel(logging.INFO)
    try:
        found = parse_model(model, reference=frame, **wanted)
    finally:
        log.removeHandler(ear)
        log.setLevel(before)
    assert found.score is None
    assert found.family == f"black box ({type(model).__name__})"
    assert any(why in one for one in heard), heard
