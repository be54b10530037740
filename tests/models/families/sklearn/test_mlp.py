"""Check what is particular to scikit-learn's networks: bounds on a grid, large outputs, mistakes."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.neural_network import MLPClassifier, MLPRegressor

from p2ce.engine.grid.base_grid import BaseGrid
from p2ce.engine.grid.placement import place
from p2ce.engine.scores.external import ACCEPT, REJECT, Boxes, placed_on
from p2ce.errors import (
    InvalidArgument,
    InvalidOutput,
    InvalidTarget,
    NotFitted,
    UnsupportedModel,
)
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_conforms, diabetes, people, wine

WINE, KIND = wine()
DIABETES, NUMBER = diabetes()
PLAIN, LABEL = people()
FRAME = (PLAIN - PLAIN.mean()) / PLAIN.std()


def fitted(kind, frame, label, activation="relu", layers=(12, 7)):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it need not converge
        return kind(hidden_layer_sizes=layers, activation=activation, max_iter=40, random_state=0).fit(
            frame, label
        )


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_verdicts_and_bounds_on_a_grid_hold_for_the_model(activation):
    found = parse_model(fitted(MLPClassifier, FRAME, LABEL, activation, (40, 40)), reference=FRAME)
    names = list(FRAME.columns)
    grid = BaseGrid.from_candidates(
        {name: np.quantile(FRAME[name], np.linspace(0, 1, 9)) for name in names}, columns=names
    )
    instances = FRAME.to_numpy()[found.evaluate(FRAME) < 0.5][:20]
    placement = place(grid, instances)
    prepared = found.score.prepare(placed_on(grid, placement, instances))
    rng = np.random.default_rng(4)
    settled = 0
    for _ in range(100):
        who = int(rng.integers(0, len(instances)))
        ends = np.sort(rng.integers(0, placement.count[who], (2, grid.axis_count)), axis=0).astype(np.int32)
        low, high = np.where(rng.random(grid.axis_count) < 0.5, placement.position[who], ends)
        high = np.maximum(low, high)
        box = Boxes(low[None], high[None], np.zeros((1, len(low)), dtype=bool), np.array([99]))
        points = rng.integers(low, high + 1, (100, len(low))).astype(np.int32)
        points[0], points[1] = low, high
        rows = np.repeat(instances[[who]], len(points), axis=0)
        rows[:, grid.columns] = placement.values[who, np.arange(grid.axis_count), points]
        own = found.evaluate(pd.DataFrame(rows, columns=names))
        verdict = prepared.evaluate(np.full(len(points), who), points).verdict
        assert (verdict == np.where(own >= 0.5, ACCEPT, REJECT)).all()
        if prepared.infeasible(np.array([who]), box)[0]:
            settled += 1
            assert (own < 0.5).all()
    assert settled >= 8


def test_a_scaler_takes_the_place_of_the_view():
    score = parse_model(fitted(MLPClassifier, FRAME, LABEL), reference=FRAME).score
    doubled = replace(score, see=lambda rows: 2.0 * rows)
    rows = FRAME.to_numpy()
    assert np.array_equal(doubled.score_rows(rows), score.score_rows(2.0 * rows))


def test_large_values_widen_the_tolerance_and_outputs_far_apart_still_decide():
    rows = PLAIN.astype(np.float32)
    found = parse_model(fitted(MLPClassifier, rows, LABEL), reference=rows)
    own = found.report(found.score.score_rows(rows.to_numpy(dtype=np.float64)))
    assert np.abs(own - found.evaluate(rows)).max() <= found.tolerance
    # A softmax that says exactly 0 and 1 hides by how much a class leads, but not which.
    model = fitted(MLPClassifier, WINE, KIND)
    model.coefs_[-1] *= 1e4
    for target in model.classes_:
        assert_conforms(model, WINE, target=target, undecided=0.05, edge=True)


def test_several_labels_at_once_have_probabilities_but_no_winner():
    labels = np.stack([KIND == "barolo", KIND != "barbera", KIND == "barbera"], axis=1).astype(int)
    model = fitted(MLPClassifier, WINE, labels)
    found = parse_model(model, reference=WINE, at_least=0.5)
    assert found.score is None
    assert (found.evaluate(WINE) == model.predict_proba(WINE)[:, 1]).all()
    with pytest.raises(InvalidOutput, match="one class per row"):
        parse_model(model, reference=WINE)


NUMBERS, CLASSES = fitted(MLPRegressor, DIABETES, NUMBER), fitted(MLPClassifier, WINE, KIND)
PAIR = fitted(MLPRegressor, DIABETES, np.stack([NUMBER, -NUMBER], axis=1))


@pytest.mark.parametrize(
    ("model", "frame", "wanted", "error", "message"),
    [
        (NUMBERS, DIABETES, {}, InvalidTarget, r"is a regressor: pass target=\(low, high\)"),
        (CLASSES, WINE, {"target": "barolo", "scale": "decision"}, InvalidArgument, "scale='decision'"),
        (CLASSES, WINE, {"target": "barolo", "at_least": 1.5}, InvalidArgument, None),
        (PAIR, DIABETES, {"target": (None, 3.0)}, UnsupportedModel, "2 outputs"),
        (MLPClassifier(), FRAME, {}, NotFitted, None),
    ],
)
def test_a_mistake_is_named(model, frame, wanted, error, message):
    with pytest.raises(error, match=message):
        parse_model(model, reference=frame, **wanted)
