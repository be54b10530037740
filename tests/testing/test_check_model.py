"""Models of every kind conform, also on real tables, and their reports say what was checked."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from p2ce.engine.scores.score import FlatScore
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.parse_model import parse_model
from p2ce.testing import check_adapter, check_model
from tests.models.detectors.test_tables import encoder, people
from tests.models.laws import diabetes, wine
from tests.optional import needs
from tests.testing.subjects import FRAME, LABEL, QUICK, adapter_of, formula, logistic, network, tree

TABLE = people().assign(housing=lambda frame: frame["housing"].astype("category"))
GOOD = ((TABLE["income"].fillna(2000.0) > 3000.0) | (TABLE["housing"] == "own")).astype(int)
WINE, KIND = wine()
WINE_FOREST = RandomForestClassifier(10, random_state=0).fit(WINE, KIND)
DIABETES, NUMBER = diabetes()
BLACK_BOX = "none (black box)"


def torch_network() -> Any:
    torch = needs("torch")
    torch.manual_seed(0)
    nn = torch.nn
    module = nn.Sequential(
        nn.BatchNorm1d(5), nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)
    )
    with torch.no_grad():
        for _ in range(50):  # learns means and deviations of the columns
            module(torch.as_tensor(FRAME.to_numpy(dtype=np.float32)))
        module[-1].weight *= 6.0
    return module.eval()


def histogram(frame: pd.DataFrame = TABLE) -> Any:
    return HistGradientBoostingClassifier(max_iter=8, random_state=0).fit(frame, GOOD)


def of_table(frame: pd.DataFrame) -> np.ndarray:
    return np.where(frame["housing"].eq("own") | frame["income"].fillna(0.0).gt(3000.0), 0.75, 0.25)


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (tree, "tree leaves"),
        (logistic, "additive"),
        (network, "network"),
        pytest.param(torch_network, "network", marks=pytest.mark.torch),
        (lambda: KNeighborsClassifier(5).fit(FRAME, LABEL), BLACK_BOX),
        (lambda: formula, BLACK_BOX),
    ],
    ids=["tree", "logistic", "mlp", "torch", "neighbours", "callable"],
)
def test_real_models_conform(make: Callable[[], Any], bound: str) -> None:
    report = check_model(make(), FRAME, **QUICK)
    assert (report.bound, report.people) == (bound, QUICK["people"])
    assert 0 < report.accepted < report.rows
    if bound == BLACK_BOX:
        assert (report.largest_error, report.boxes) == (None, 0)
        assert BLACK_BOX in str(report)
    else:
        assert 0.0 <= report.largest_error <= report.tolerance
        assert report.thresholds > 1
        assert 0 < report.pruned < report.boxes
        assert report.cells > 0


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (histogram, "tree leaves"),
        (lambda: make_pipeline(encoder(), LogisticRegression()).fit(TABLE, GOOD), "additive"),
        (lambda: of_table, BLACK_BOX),
    ],
    ids=["histogram", "pipeline", "callable"],
)
def test_models_of_tables_conform(make: Callable[[], Any], bound: str) -> None:
    report = check_model(make(), TABLE, **QUICK)
    assert (report.bound, report.people) == (bound, QUICK["people"])
    assert min(report.missing, report.unseen) > 30
    assert "with missing values" in str(report)


@pytest.mark.parametrize(
    ("model", "frame", "target", "threshold", "scale"),
    [
        (tree(), FRAME[FRAME.columns[::-1]], 0, 0.7, "probability"),
        (WINE_FOREST, WINE, "barolo", None, "lead"),
        (WINE_FOREST, WINE, "barolo", 0.6, "probability"),
        (LinearRegression().fit(DIABETES, NUMBER), DIABETES, (180.0, 220.0), None, "lead"),
        (LinearRegression().fit(DIABETES, NUMBER), DIABETES, (None, 110.0), None, "lead"),
    ],
)
def test_any_class_threshold_and_range(
    model: Any, frame: pd.DataFrame, target: Any, threshold: float | None, scale: str
) -> None:
    report = check_model(model, frame, target=target, at_least=threshold, **QUICK)
    assert (report.scale, report.people) == (scale, QUICK["people"])
    assert 0 < report.pruned < report.boxes
    if isinstance(target, str) and threshold is None:
        assert report.largest_error is None
        assert "several scores decide" in str(report)


def test_whole_single_and_boolean_columns() -> None:
    frame = FRAME.astype({"owner": bool, "income": np.float32, "balance": np.float32})
    assert check_model(tree().fit(frame, LABEL), frame, **QUICK).largest_error == 0.0


def test_an_adapter_without_registration() -> None:
    report = check_adapter(replace(adapter_of(tree()), family="a new family"), FRAME, **QUICK)
    assert report.thresholds == 1
    assert str(report).startswith("a new family: conforms\n  scores: ")


# Parsed wrongly


def test_missing_values_that_were_not_parsed() -> None:
    whole = TABLE[["age"]].assign(income=TABLE["income"].fillna(2000.0))
    model = histogram(whole)
    found = parse_model(model, reference=whole, nullable=frozenset())
    check_adapter(found, whole, **QUICK)
    with pytest.raises(AssertionError, match=r"must be within .*income=nan"):
        check_adapter(found, whole, nullable=["income"], **QUICK)
    assert check_model(model, whole, nullable=["income"], **QUICK).missing > 0


def test_unseen_labels_that_are_parsed_wrongly() -> None:
    places = {"own": 0.0, "rent": 1.0, "free": 2.0}
    found = Adapter(
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
    with pytest.raises(AssertionError, match=r"expected 0\.0, got 3\.0 for \(housing='unseen'\)"):
        check_adapter(found, people()[["housing"]].dropna(), **QUICK)


def test_a_score_of_several_that_is_forgotten_or_rejects_too_early() -> None:
    model = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(WINE, KIND)
    found = parse_model(model, reference=WINE, target="barolo")
    (further,) = found.also
    check_adapter(found, WINE, **QUICK)
    check_adapter(replace(found, also=(), decides=False), WINE, **QUICK)  # necessary is all that it claims
    strict = replace(further, reject_below=further.reject_below + 1.0, accept_from=further.accept_from + 1.0)
    for broken, message in (
        (replace(found, also=()), "may be certain that rows are accepted only where"),
        (replace(found, also=(strict,)), "may be certain that rows are rejected only where"),
        (replace(found, score=None), "without a score cannot have further ones"),
    ):
        with pytest.raises(AssertionError, match=message):
            check_adapter(broken, WINE, **QUICK)
