"""Check models behind preprocessing of real tables: what is proven is what the pipeline itself says."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from p2ce.errors import InvalidOutput
from p2ce.models.parse_model import ModelAdapter, parse_model
from p2ce.scores.external import ACCEPT, REJECT
from p2ce.scores.score import FlatScore
from p2ce.scores.score_rows import score_rows
from p2ce.tables.codebook import MISSING, Codebook, codebook_of
from tests.models.laws import assert_black_box
from tests.preprocessing.tables import COMPLETE, INCOMPLETE, LABELS, NUMBERS, hot, on, table

MODELS = {
    "linear": lambda: LogisticRegression(max_iter=2000),
    "forest": lambda: RandomForestClassifier(n_estimators=7, max_depth=5, random_state=0),
    "network": lambda: MLPClassifier((12, 8), max_iter=25, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=9),
}


def fitted(before, last, frame, label):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_pipeline(before, last).fit(frame, label)


def rows_to_try(found: ModelAdapter, frame: pd.DataFrame, book: Codebook) -> pd.DataFrame:
    """Mix the columns, take every label, and go to splits and beside them."""
    rng = np.random.default_rng(3)
    codes = np.stack([rng.choice(column, 700) for column in book.encode(frame).T], axis=1)
    for place, coding in enumerate(book):
        if coding.is_category or coding.number_dtype.kind != "f":
            continue
        forests = [score.forest for score in found.scores if getattr(score, "forest", None) is not None]
        cuts = [forest.threshold[forest.feature == found.columns.index(coding.name)] for forest in forests]
        cut = np.concatenate([*cuts, codes[:9, place]])
        cut = cut[np.isfinite(cut) & (np.abs(cut) < 1e9)]
        near = np.concatenate([cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf)])
        codes[::3, place] = rng.choice(near, len(codes[::3]))
    if any(frame.isna().any()):
        for place, name in enumerate(book.names):
            if frame[name].isna().any():
                codes[1::5, place] = MISSING
    return book.decode(codes, frame.columns)


def judged(score: Any, codes: np.ndarray) -> np.ndarray:
    if not isinstance(score, FlatScore):
        return score.evaluate_rows(codes).verdict
    values = score_rows(score, codes)
    return np.where(values >= score.accept_from, ACCEPT, np.where(values < score.reject_below, REJECT, 0))


def assert_reads(model: Any, frame: pd.DataFrame, *, doubts: float = 0.02, **options: Any) -> ModelAdapter:
    """Check a reading on hard rows: what it is sure of is so, and it seldom is in doubt."""
    book = codebook_of(frame)
    found = parse_model(model, reference=frame, codebook=book, **options)
    assert found.score is not None, "the pipeline was only asked"
    rows = rows_to_try(found, frame, book)
    codes = book.of(found.columns).encode(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = found.evaluate(rows)
    verdicts = np.array([judged(score, codes) for score in found.scores])
    accepted = answers >= found.threshold
    if found.decides:
        assert accepted[(verdicts == ACCEPT).all(axis=0)].all()
        assert (verdicts == 0).any(axis=0).mean() <= doubts
    assert not accepted[(verdicts == REJECT).any(axis=0)].any()
    if found.report is not None and isinstance(found.score, FlatScore):
        error = np.abs(found.report(score_rows(found.score, codes)) - answers)
        assert (error <= found.tolerance * np.maximum(1.0, np.abs(answers))).all()
    return found


@pytest.mark.parametrize("last", MODELS)
@pytest.mark.parametrize("name", [*COMPLETE, *INCOMPLETE])
def test_what_is_sure_is_what_the_pipeline_says(name, last):
    missing = name in INCOMPLETE
    frame, label = table(missing=missing)
    if name == "passed on" and last in ("linear", "network"):
        with pytest.raises(ValueError, match="NaN"):  # scikit-learn itself refuses it
            fitted(INCOMPLETE[name](), MODELS[last](), frame, label)
        return
    model = fitted({**COMPLETE, **INCOMPLETE}[name](), MODELS[last](), frame, label)
    if name == "functions" and last in ("forest", "histogram"):
        assert_black_box(model, frame, "not known that it never decreases")
        return
    for threshold in (None, 0.37, 0.81):
        found = assert_reads(model, frame, threshold=threshold)
    assert found.columns == tuple(frame.columns)
    answers = model.predict_proba(frame)[:, 1]
    assert np.array_equal(found.evaluate(frame[frame.columns[::-1]]), answers)


@pytest.mark.parametrize("last", ["linear", "forest", "network"])
def test_an_unknown_label_is_what_the_pipeline_makes_of_it(last):
    frame, label = table()
    model = fitted(hot(), MODELS[last](), frame, label)
    book = codebook_of(frame)
    found = parse_model(model, reference=frame, codebook=book)
    people = frame.head(50).assign(job="stranger")
    verdicts = judged(found.score, book.of(found.columns).encode(people))
    assert (verdicts == np.where(found.evaluate(people) >= 0.5, ACCEPT, REJECT)).all()


@pytest.mark.parametrize("last", ["linear", "network"])
def test_a_refused_label_proves_nothing(last):
    frame, label = table()
    model = fitted(hot(handle_unknown="error"), MODELS[last](), frame, label)
    book = codebook_of(frame)
    found = parse_model(model, reference=frame, codebook=book)
    people = frame.head(5).assign(job="stranger")
    assert (judged(found.score, book.of(found.columns).encode(people)) == 0).all()
    with pytest.raises(InvalidOutput, match="unknown categories"):
        found.evaluate(people)


def test_several_classes_and_regressors_keep_their_scores():
    frame, _ = table()
    classes = np.array(["low", "middle", "high"])[np.digitize(frame["income"], [2500.0, 3500.0])]
    for last in (LogisticRegression(max_iter=3000), MODELS["forest"](), MODELS["network"]()):
        found = assert_reads(fitted(hot(), last, frame, classes), frame, target="high", doubts=0.1)
        assert found.predict is not None
        assert (found.evaluate(frame) >= 0).tolist() == [
            one == "high" for one in _predicted(hot(), last, frame, classes)
        ]
    number = frame["income"].to_numpy() / 100.0 + frame["balance"].to_numpy()
    for last in (Ridge(), GradientBoostingRegressor(n_estimators=9)):
        model = fitted(hot(), last, frame, number)
        found = assert_reads(model, frame, target=(20.0, 40.0))
        assert len(found.scores) == 2
        assert found.predict is not None
        assert np.array_equal(found.predict(frame), model.predict(frame))


def _predicted(before, last, frame, label):
    return fitted(before, last, frame, label).predict(frame)


def test_a_pipeline_in_a_pipeline():
    frame, label = table()
    inner = make_pipeline(MinMaxScaler(), MODELS["forest"]())
    found = assert_reads(fitted(hot(sparse_output=False), inner, frame, label), frame)
    assert (
        found.family == "scikit-learn random forest behind MinMaxScaler behind StandardScaler, OneHotEncoder"
    )


def test_a_function_beyond_what_is_proven_is_left_to_the_pipeline():
    frame, label = table()
    model = fitted(on(FunctionTransformer(np.log1p), NUMBERS[:2]), LogisticRegression(), frame, label)
    book = codebook_of(frame)
    found = parse_model(model, reference=frame, codebook=book)
    codes = book.of(found.columns).encode(frame.head(3))
    assert (judged(found.score, codes) != 0).all()
    codes[:, found.columns.index("income")] = -5.0  # whose logarithm is no number
    assert (judged(found.score, codes) == 0).all()


def test_missing_numbers_may_go_on_to_the_model():
    frame, label = table(missing=True)
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    model = fitted(on(labels, LABELS, "passthrough"), MODELS["histogram"](), frame, label)
    found = assert_reads(model, frame)
    assert found.family == "scikit-learn histogram gradient boosting behind OneHotEncoder"


def test_categories_may_go_on_to_the_model():
    lightgbm = pytest.importorskip("lightgbm")
    frame, label = table(missing=True)
    frame = frame.assign(job=frame["job"].astype("category"))
    scaled = on(StandardScaler(), NUMBERS, "passthrough").set_output(transform="pandas")
    last = lightgbm.LGBMClassifier(n_estimators=9, min_child_samples=5, verbose=-1)
    found = assert_reads(fitted(scaled, last, frame, label), frame)
    assert found.family == "LightGBM behind StandardScaler"


@pytest.mark.parametrize("sparse", [False, True])
def test_what_a_sparse_matrix_does_not_hold_is_missing_to_xgboost(sparse):
    xgboost = pytest.importorskip("xgboost")
    frame, label = table()
    before = hot(sparse_output=sparse)
    before.set_params(sparse_threshold=1.0 if sparse else 0.0, remainder="drop")
    model = fitted(before, xgboost.XGBClassifier(n_estimators=9, max_depth=3), frame, label)
    assert hasattr(model[0].transform(frame), "toarray") == sparse
    assert_reads(model, frame)


def test_an_encoder_on_its_own_in_front_of_a_model():
    frame, label = table()
    part = frame[["job", "home"]]
    found = assert_reads(fitted(OneHotEncoder(), MODELS["linear"](), part, label), part)
    assert found.family == "scikit-learn linear model (LogisticRegression) behind OneHotEncoder"
