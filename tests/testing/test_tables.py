"""Checks work on real tables, on several classes and on ranges, and catch what is read wrongly there."""

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.ensemble import IsolationForest as Fitted
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import OneClassSVM

from p2ce import IsolationForest
from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.detectors.parse_detector import parse_detector
from p2ce.models.parse_model import parse_model
from p2ce.scores.score import FlatScore
from p2ce.tables.codebook import codebook_of
from p2ce.testing import check_adapter, check_detector, check_model
from p2ce.testing.subject import subject_of_model
from tests.detectors.test_tables import encoder, people
from tests.testing.subjects import QUICK

TABLE = people().assign(housing=lambda frame: frame["housing"].astype("category"))
GOOD = ((TABLE["income"].fillna(2000.0) > 3000.0) | (TABLE["housing"] == "own")).astype(int)
WINE, KIND = load_wine(return_X_y=True, as_frame=True)


def histogram(frame: pd.DataFrame = TABLE) -> Any:
    return HistGradientBoostingClassifier(max_iter=8, random_state=0).fit(frame, GOOD)


def formula(frame: pd.DataFrame) -> np.ndarray:
    return np.where(frame["housing"].eq("own") | frame["income"].fillna(0.0).gt(3000.0), 0.75, 0.25)


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (histogram, "tree leaves"),
        (lambda: make_pipeline(encoder(), LogisticRegression()).fit(TABLE, GOOD), None),
        (lambda: formula, "none (black box)"),
    ],
    ids=["histogram", "pipeline", "callable"],
)
def test_models_of_tables_conform(make: Callable[[], Any], bound: str | None) -> None:
    report = check_model(make(), TABLE, **QUICK)
    assert bound is None or report.bound == bound
    assert report.people == QUICK["people"]
    assert min(report.missing, report.unseen) > 30
    assert "with missing values" in str(report)


def test_labels_that_a_model_rejects_are_not_tried() -> None:
    def strict(frame: pd.DataFrame) -> np.ndarray:
        if not frame["housing"].dropna().isin(["own", "rent", "free"]).all():
            raise ValueError("unknown label")
        return formula(frame)

    subject = subject_of_model(parse_model(strict, reference=TABLE), TABLE)
    tried = {subject.columns[column] for column in subject.unseen}
    assert tried == {"job", "grade"}
    assert check_model(strict, TABLE, **QUICK).unseen > 0


def test_a_codebook_that_was_given_stays_as_it_is() -> None:
    book = codebook_of(TABLE)
    found = parse_model(formula, reference=TABLE, codebook=book)
    check_adapter(found, TABLE, codebook=book, **QUICK)
    assert not any(coding.unseen for coding in book)


# Read wrongly


def test_missing_values_that_were_not_read() -> None:
    whole = TABLE[["age"]].assign(income=TABLE["income"].fillna(2000.0))
    model = histogram(whole)
    found = parse_model(model, reference=whole, nullable=frozenset())
    check_adapter(found, whole, **QUICK)
    with pytest.raises(AssertionError, match=r"has to be within .*income=nan"):
        check_adapter(found, whole, nullable=["income"], **QUICK)
    assert check_model(model, whole, nullable=["income"], **QUICK).missing > 0


def of_codes() -> ModelAdapter:
    """Read a model that likes rare labels, and those that nobody has as little as the commonest."""
    places = {"own": 0.0, "rent": 1.0, "free": 2.0}
    return ModelAdapter(
        family="mine",
        columns=("housing",),
        scale="decision",
        threshold=1.5,
        classes=(0, 1),
        score=FlatScore(name="model", column_count=1, weights=np.ones(1), accept_from=1.5, reject_below=1.5),
        evaluate=lambda rows: rows["housing"].astype(object).map(places).fillna(0.0).to_numpy(dtype=float),
        report=lambda scores: scores,
        tolerance=1e-9,
    )


def test_unseen_labels_that_are_read_wrongly() -> None:
    frame = people()[["housing"]].dropna()
    with pytest.raises(AssertionError, match=r"expected 0\.0, got 3\.0 for \(housing='unseen'\)"):
        check_adapter(of_codes(), frame, **QUICK)


# Several scores


@pytest.mark.parametrize("threshold", [None, 0.6])
def test_one_class_of_three_conforms(threshold: float | None) -> None:
    model = RandomForestClassifier(10, random_state=0).fit(WINE, KIND)
    report = check_model(model, WINE, target=1, threshold=threshold, **QUICK)
    assert (report.scale, report.bound) == ("lead" if threshold is None else "probability", "tree leaves")
    assert report.people == QUICK["people"]
    if threshold is None:
        assert report.largest_error is None
        assert "several scores decide" in str(report)


@pytest.mark.parametrize("target", [(180.0, 220.0), (None, 110.0)])
def test_a_range_of_predictions_conforms(target: Any) -> None:
    frame, amount = load_diabetes(return_X_y=True, as_frame=True)
    report = check_model(LinearRegression().fit(frame, amount), frame, target=target, **QUICK)
    assert report.scale == "lead"
    assert 0 < report.pruned < report.boxes


def three() -> ModelAdapter:
    model = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(WINE, KIND)
    return parse_model(model, reference=WINE, target=1)


def test_a_class_that_one_score_forgot() -> None:
    found = three()
    assert len(found.also) == 1
    check_adapter(found, WINE, **QUICK)
    check_adapter(replace(found, also=(), decides=False), WINE, **QUICK)  # necessary is all that it claims
    with pytest.raises(AssertionError, match="is certain that rows are accepted only where"):
        check_adapter(replace(found, also=()), WINE, **QUICK)


def test_a_further_score_that_rejects_too_early() -> None:
    found = three()
    strict = replace(
        found.also[0],
        reject_below=found.also[0].reject_below + 1.0,
        accept_from=found.also[0].accept_from + 1.0,
    )
    with pytest.raises(AssertionError, match="is certain that rows are rejected only where"):
        check_adapter(replace(found, also=(strict,)), WINE, **QUICK)
    with pytest.raises(AssertionError, match="without a score has no further ones"):
        check_adapter(replace(found, score=None), WINE, **QUICK)


# Detectors


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (lambda: IsolationForest(n_estimators=15), "tree leaves"),
        (
            lambda: Fitted(n_estimators=15, random_state=0).fit(TABLE[["age", "income", "kids"]]),
            "tree leaves",
        ),
        (lambda: make_pipeline(encoder(), OneClassSVM(nu=0.1)).fit(TABLE), "none (black box)"),
    ],
    ids=["ours", "scikit-learn's", "pipeline"],
)
def test_detectors_of_tables_conform(make: Callable[[], Any], bound: str) -> None:
    report = check_detector(make(), TABLE, contamination=0.1, **QUICK)
    assert report.bound == bound
    assert report.people == QUICK["people"]
    assert report.missing > 30


def test_a_forest_that_was_not_parsed_for_missing_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys.modules["p2ce.testing.check_detector"],
        "parse_detector",
        lambda *given, **more: parse_detector(*given, **more).again(frozenset()),
    )
    with pytest.raises(AssertionError, match=r"score of this detector as parsed .* has to be within"):
        check_detector(
            Fitted(n_estimators=15, random_state=0).fit(TABLE[["age", "income", "kids"]]), TABLE, **QUICK
        )
