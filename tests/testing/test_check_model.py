"""Models of every kind conform, and their reports say what was checked."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from p2ce.testing import check_adapter, check_model
from tests.testing.subjects import FRAME, LABEL, QUICK, adapter_of, formula, logistic, network, tree


def lightgbm() -> Any:
    library = pytest.importorskip("lightgbm")
    return library.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1).fit(FRAME, LABEL)


def torch_network(*, double: bool) -> Any:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    nn = torch.nn
    module = nn.Sequential(
        nn.BatchNorm1d(5), nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)
    )
    with torch.no_grad():
        for _ in range(50):  # learns means and deviations of the columns
            module(torch.as_tensor(FRAME.to_numpy(dtype=np.float32)))
        module[-1].weight *= 6.0
    return (module.double() if double else module).eval()


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (lightgbm, "tree leaves"),
        (tree, "tree leaves"),
        (logistic, "additive"),
        (network, "network"),
        (lambda: torch_network(double=True), "network"),
        (lambda: KNeighborsClassifier(5).fit(FRAME, LABEL), "none (black box)"),
        (lambda: formula, "none (black box)"),
    ],
    ids=["lightgbm", "tree", "logistic", "mlp", "torch", "neighbours", "callable"],
)
def test_real_models_conform(make: Callable[[], Any], bound: str) -> None:
    report = check_model(make(), FRAME, **QUICK)
    assert report.bound == bound
    assert report.people == QUICK["people"]
    assert 0 < report.accepted < report.rows
    if bound == "none (black box)":
        assert (report.largest_error, report.boxes) == (None, 0)
        assert "none (black box)" in str(report)
    else:
        assert report.largest_error is not None
        assert report.largest_error <= report.tolerance
        assert report.thresholds > 1
        assert 0 < report.pruned < report.boxes
        assert report.cells > 0


def test_a_network_of_single_precision_conforms() -> None:
    report = check_model(torch_network(double=False), FRAME, **QUICK)
    assert report.bound == "network"
    assert report.state == "tensors and modes"
    assert 0.0 < report.largest_error < 1e-4


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("make", [tree, logistic, network])
def test_either_class_and_any_threshold(make: Callable[[], Any], target: int) -> None:
    report = check_model(make(), FRAME, target=target, threshold=0.7, **QUICK)
    assert report.threshold == 0.7


def test_whole_single_and_boolean_columns() -> None:
    frame = FRAME.astype({"owner": bool, "income": np.float32, "balance": np.float32})
    model = tree().fit(frame, LABEL)
    assert check_model(model, frame, **QUICK).largest_error == 0.0


def test_columns_in_another_order_than_the_model_was_fitted_on() -> None:
    report = check_model(tree(), FRAME[FRAME.columns[::-1]], **QUICK)
    assert report.people == 2


def test_an_adapter_without_registration() -> None:
    found = adapter_of(tree())
    renamed = replace(found, family="a new family")
    report = check_adapter(renamed, FRAME, **QUICK)
    assert report.thresholds == 1
    assert str(report).startswith("a new family: conforms\n  scores: ")


def test_the_same_seed_checks_the_same() -> None:
    one, two = (check_model(logistic(), FRAME, random_state=3, **QUICK) for _ in range(2))
    assert one == two


def test_a_model_that_writes_into_its_copy_harms_nobody() -> None:
    def careless(frame: pd.DataFrame) -> np.ndarray:
        answers = formula(frame)
        frame["income"] = 0.0
        return answers

    assert check_model(careless, FRAME, **QUICK).people == 2
