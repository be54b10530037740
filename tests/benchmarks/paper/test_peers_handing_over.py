"""A model that is handed over as files gives the same scores, and a question arrives unchanged."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("benchmarks")  # not in a packed source
pytest.importorskip("lightgbm")
pytest.importorskip("torch")
pytest.importorskip("optuna")

import lightgbm
import torch
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.paper.peers.handing_over import NotPortable, write_model
from benchmarks.paper.peers.programs.portable_model import PortableModel, read_scorer, sigmoid
from benchmarks.paper.training import probabilities
from tests.benchmarks.paper.made_up_models import trained


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, "pd.Series[int]"]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 4)) * [1.0, 50.0, 1e4, 0.3], columns=list("abcd"))
    frame["e"] = rng.integers(0, 2, len(frame))
    outcome = frame["a"] + frame["b"] / 50 + frame["e"] * frame["d"] + rng.normal(size=len(frame)) > 0
    return frame, outcome.astype(int)


def network(columns: int) -> torch.nn.Sequential:
    nn = torch.nn
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        layers = [
            *(nn.Linear(columns, 7), nn.ReLU(), nn.Dropout(0.5)),
            *(nn.Linear(7, 6), nn.Tanh()),
            *(nn.Linear(6, 5, bias=False), nn.LeakyReLU()),
            *(nn.Linear(5, 5), nn.ELU()),
            *(nn.Linear(5, 4), nn.Sigmoid()),
            nn.Linear(4, 3),  # two in a row, with nothing in between
            nn.Linear(3, 1),
        ]
        model = nn.Sequential(*layers).double().eval().requires_grad_(False)
    for layer in model[3:]:
        if isinstance(layer, nn.Linear):
            layer.weight *= 6.0  # so that the logits differ
    model[0].weight /= torch.tensor([1.0, 50.0, 1e4, 0.3, 1.0])
    return model


def model_of(kind: str, frame: pd.DataFrame, outcome: "pd.Series[int]") -> Any:
    if kind == "mlp":
        return network(frame.shape[1])
    unfitted = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=60, verbose=-1, n_jobs=1, random_state=0),
        "forest": RandomForestClassifier(n_estimators=15, random_state=0),
    }
    return unfitted[kind].fit(frame, outcome)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")  # peers pass arrays
@pytest.mark.parametrize("kind", ["logistic", "lightgbm", "mlp", "forest"])
def test_the_portable_model_scores_as_the_original(
    kind: str, table: tuple[pd.DataFrame, "pd.Series[int]"], tmp_path: Path
) -> None:
    frame, outcome = table
    original = trained(kind, model_of(kind, frame, outcome), list(frame.columns))
    write_model(original, tmp_path)
    score = read_scorer(tmp_path)
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        frame.to_numpy()[rng.integers(0, len(frame), 1000)] * rng.normal(1, 0.3, (1000, 5)),
        columns=frame.columns,
    )
    expected = probabilities(original, rows)
    assert np.ptp(expected) > 0.01
    np.testing.assert_allclose(score(rows.to_numpy()), expected, rtol=0, atol=1e-12)


def test_extreme_logits_are_zero_and_one_without_a_warning() -> None:
    np.testing.assert_array_equal(sigmoid(np.array([-1e4, 1e4])), [0.0, 1.0])


def test_a_layer_without_a_portable_form_is_named(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Softplus(), torch.nn.Linear(2, 1)).double()
    with pytest.raises(NotPortable, match="Softplus"):
        write_model(trained("mlp", model, ["a", "b"]), tmp_path)


def test_the_two_chances_sum_to_one_and_the_class_is_that_of_the_threshold() -> None:
    model = PortableModel(lambda rows: rows[:, 0])
    rows = np.array([[0.0], [0.4999], [0.5], [1.0]])
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(rows), [0, 0, 1, 1])
    assert (model.calls, model.rows) == (2, 8)
