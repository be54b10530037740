"""Detectors of every kind conform, and what is broken on purpose is caught."""

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest as Fitted
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.svm import OneClassSVM

from p2ce import PlausibilityForest
from p2ce.models.detectors.parse_detector import parse_detector
from p2ce.testing import check_detector
from tests.models.detectors.test_tables import encoder, people
from tests.testing.subjects import FRAME, QUICK

TABLE, NUMBERS = people(), ["age", "income", "kids"]


def balanced(frame: pd.DataFrame) -> np.ndarray:
    return 2.0 - np.abs(frame["balance"].to_numpy())


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (lambda: PlausibilityForest(n_estimators=30), "tree leaves"),
        (lambda: Fitted(n_estimators=30, random_state=0).fit(FRAME), "tree leaves"),
        (lambda: Fitted(n_estimators=30, random_state=0).fit(FRAME[["ratio", "age"]]), "tree leaves"),
        (lambda: LocalOutlierFactor(novelty=True).fit(FRAME), "none (black box)"),
        (lambda: KernelDensity(bandwidth=300.0, kernel="tophat").fit(FRAME), "none (black box)"),
        (lambda: balanced, "none (black box)"),
    ],
    ids=["ours", "scikit-learn's", "two columns", "local outliers", "density", "callable"],
)
@pytest.mark.parametrize("contamination", [None, 0.1])
def test_real_detectors_conform(make: Callable[[], Any], bound: str, contamination: float | None) -> None:
    report = check_detector(make(), FRAME, contamination=contamination, **QUICK)
    assert report.bound == bound
    assert report.people == QUICK["people"]
    assert 0.5 < report.plausible <= 1.0
    if contamination is not None:
        assert report.plausible == pytest.approx(0.9, abs=0.03)  # balances tie
        assert "contamination 0.1" in str(report)
    if bound == "tree leaves":
        assert (report.thresholds, report.boxes) == (3, 3 * QUICK["boxes"])
        assert report.pruned > 0


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (lambda: PlausibilityForest(n_estimators=15), "tree leaves"),
        (lambda: Fitted(n_estimators=15, random_state=0).fit(TABLE[NUMBERS]), "tree leaves"),
        (lambda: make_pipeline(encoder(), OneClassSVM(nu=0.1)).fit(TABLE), "none (black box)"),
    ],
    ids=["ours", "scikit-learn's", "pipeline"],
)
def test_detectors_of_tables_conform(make: Callable[[], Any], bound: str) -> None:
    report = check_detector(make(), TABLE, contamination=0.1, **QUICK)
    assert (report.bound, report.people) == (bound, QUICK["people"])
    assert report.missing > 30


@pytest.fixture
def parses_as(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change every parsed adapter before it is checked."""

    def install(change: Callable[[Any], Any]) -> None:
        monkeypatch.setattr(
            sys.modules["p2ce.testing.check_detector"],
            "parse_detector",
            lambda *given, **more: change(parse_detector(*given, **more)),
        )

    return install


FOREST = Fitted(n_estimators=30, random_state=0).fit(FRAME)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda read: replace(read, score=replace(read.score, offset=1e-5)), "must be within"),
        (
            lambda read: replace(read, score=replace(read.score, accept_from=0.0, reject_below=0.0)),
            "certain that rows are accepted",
        ),
        (lambda read: replace(read, evaluate=None, score=None), "has neither"),
        (lambda read: replace(read, evaluate=lambda frame: read.evaluate(frame) + 0.01), "must be within"),
        (
            lambda read: replace(read, score=None, evaluate=lambda frame: read.evaluate(frame) + 1.0),
            "about that share",
        ),
    ],
)
def test_adapters_that_are_off(parses_as: Any, change: Callable[[Any], Any], match: str) -> None:
    parses_as(change)
    with pytest.raises(AssertionError, match=match):
        check_detector(FOREST, FRAME, contamination=0.1, **QUICK)


def test_a_detector_that_changes_when_it_is_asked() -> None:
    class Counting:
        calls = 0

        def decision_function(self, frame: pd.DataFrame) -> np.ndarray:
            self.calls += 1
            return balanced(frame)

    with pytest.raises(AssertionError, match=r"must not change the detector .*, but attribute 'calls'"):
        check_detector(Counting(), FRAME, **QUICK)


def test_a_forest_that_was_not_parsed_for_missing_values(parses_as: Any) -> None:
    parses_as(lambda read: read.again(frozenset()))
    with pytest.raises(AssertionError, match=r"parsed score of this detector .* must be within"):
        check_detector(Fitted(n_estimators=15, random_state=0).fit(TABLE[NUMBERS]), TABLE, **QUICK)
