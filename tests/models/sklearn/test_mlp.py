"""Check the reading of scikit-learn's MLPClassifier."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.neural_network import MLPClassifier

from p2ce.decisions.certify import certify
from p2ce.decisions.model_adapter import ModelAdapter, Request
from p2ce.errors import InvalidThreshold, NotFitted, UnsupportedModel
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import place
from p2ce.models.sklearn import mlp as sklearn_network
from p2ce.scores.external import ACCEPT, REJECT, Boxes, placed_on
from tests.models.laws import people

ACTIVATIONS = ["relu", "tanh", "logistic", "identity"]


def scaled_people() -> tuple[pd.DataFrame, np.ndarray]:
    frame, label = people()
    return (frame - frame.mean()) / frame.std(), label


def fitted(frame, label, activation: str = "relu", layers: tuple[int, ...] = (12, 7)) -> MLPClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not converge
        return MLPClassifier(layers, activation=activation, max_iter=60, random_state=0).fit(frame, label)


def read(model, frame: pd.DataFrame, *, target=1, threshold=None) -> ModelAdapter:
    request = Request(
        reference=frame,
        target=target,
        threshold=threshold,
        reach=np.ones(frame.shape[1]),
        parse=lambda *_: None,
    )
    return certify(sklearn_network.parse(model, request), request)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_verdicts_and_bounds_on_a_grid_hold_for_the_model(activation):
    frame, label = scaled_people()
    model = fitted(frame, label, activation, (40, 40))
    found = read(model, frame)
    names = list(frame.columns)
    grid = BaseGrid.from_candidates(
        {name: np.quantile(frame[name], np.linspace(0, 1, 9)) for name in names}, columns=names
    )
    crowd = frame.to_numpy()[found.evaluate(frame) < 0.5][:20]
    placement = place(grid, crowd)
    laid = found.score.prepare(placed_on(grid, placement, crowd))
    rng = np.random.default_rng(4)
    settled = 0
    for _ in range(150):
        who = int(rng.integers(0, len(crowd)))
        axes = np.arange(grid.axis_count)
        ends = np.sort(rng.integers(0, placement.count[who], (2, grid.axis_count)), axis=0).astype(np.int32)
        low, high = np.where(rng.random(grid.axis_count) < 0.5, placement.position[who], ends)
        high = np.maximum(low, high)
        box = Boxes(low[None], high[None], np.zeros((1, len(low)), dtype=bool), np.array([99]))
        points = rng.integers(low, high + 1, (200, len(low))).astype(np.int32)
        points[0], points[1] = low, high
        rows = np.repeat(crowd[[who]], len(points), axis=0)
        rows[:, grid.columns] = placement.values[who, axes, points]
        answers = found.evaluate(pd.DataFrame(rows, columns=names))
        said = laid.evaluate(np.full(len(points), who), points).verdict
        assert (said == np.where(answers >= 0.5, ACCEPT, REJECT)).all()
        if laid.infeasible(np.array([who]), box)[0]:
            settled += 1
            assert (answers < 0.5).all()
    assert settled >= 10


def test_classes_columns_and_frames_are_the_models_own():
    frame, label = scaled_people()
    words = np.where(label == 1, "yes", "no")
    found = read(fitted(frame, words), frame[frame.columns[::-1]], target="yes")
    assert found.columns == tuple(frame.columns)
    assert found.classes == ("no", "yes")
    bare = read(fitted(frame.to_numpy(), label), frame)
    assert np.abs(bare.report(bare.score.score_rows(frame.to_numpy())) - bare.evaluate(frame)).max() < 1e-12


def test_a_scaler_takes_the_place_of_the_view():
    frame, label = scaled_people()
    found = read(fitted(frame, label), frame)
    doubled = replace(found.score, see=lambda rows: 2.0 * rows)
    assert np.array_equal(
        doubled.score_rows(frame.to_numpy()), found.score.score_rows(2.0 * frame.to_numpy())
    )


def test_large_values_widen_the_tolerance():
    frame, label = people()
    model = fitted(frame.astype(np.float32), label)
    found = read(model, frame.astype(np.float32))
    rows = frame.astype(np.float32)
    error = np.abs(
        found.report(found.score.score_rows(rows.to_numpy(dtype=np.float64))) - found.evaluate(rows)
    )
    assert error.max() <= found.tolerance


def test_what_cannot_be_read_is_refused():
    frame, label = scaled_people()
    with pytest.raises(NotFitted):
        read(MLPClassifier(), frame)
    several = np.stack([label, 1 - label], axis=1)
    with pytest.raises(UnsupportedModel, match="2 outputs"):
        read(fitted(frame, several), frame)
    with pytest.raises(InvalidThreshold):
        read(fitted(frame, label), frame, threshold=1.5)

    class Louder(MLPClassifier):
        def predict_proba(self, X):
            return 1.0 - super().predict_proba(X)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        louder = Louder((3,), max_iter=5).fit(frame, label)
    assert sklearn_network.recognises(louder)
    with pytest.raises(UnsupportedModel, match="predict_proba"):
        read(louder, frame)
    assert not sklearn_network.recognises(object())
