"""Check the reading of LightGBM models."""

import numpy as np
import pandas as pd
import pytest

from p2ce.engine.scores.score import score_rows
from p2ce.engine.scores.trees.cuts import LIGHTGBM_ZERO
from p2ce.errors import NotFitted
from p2ce.models.category_codes import LibraryColumn
from p2ce.models.families.lightgbm.model_text import Split, steps_of
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import MISSING
from tests.models.laws import assert_black_box, assert_conforms, people
from tests.optional import needs

lightgbm = needs("lightgbm")

QUIET = {"verbose": -1, "n_jobs": 1, "random_state": 0, "min_child_samples": 5}


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
def test_a_booster_is_read_too(named, target):
    frame, label = people()
    data = lightgbm.Dataset(frame if named else frame.to_numpy(), label)
    booster = lightgbm.train(
        {"objective": "binary", "verbose": -1, "num_leaves": 7, "num_threads": 1}, data, 12
    )
    assert_conforms(booster, frame, target=target)


def test_early_stopping_is_honoured():
    frame, label = people()
    data = lightgbm.Dataset(frame[:200], label[:200])
    booster = lightgbm.train(
        {"objective": "binary", "verbose": -1, "learning_rate": 0.5, "num_threads": 1},
        data,
        200,
        valid_sets=[lightgbm.Dataset(frame[200:], label[200:], reference=data)],
        callbacks=[lightgbm.early_stopping(3, verbose=False)],
        keep_training_booster=True,  # and with it the trees after the best one
    )
    assert 0 < booster.best_iteration < booster.current_iteration()
    found, _ = assert_conforms(booster, frame)
    assert found.score.forest.tree_count == booster.best_iteration


def zeros_around(frame: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return frame.assign(balance=np.where(rng.random(len(frame)) < 0.5, 0.0, frame["balance"]))


def test_values_beside_zero_count_as_zero():
    frame, _ = people()
    sparse = zeros_around(frame)
    label = (sparse["balance"] > 0.0).to_numpy().astype(int)
    model = lightgbm.LGBMClassifier(n_estimators=3, **QUIET).fit(sparse, label)
    found = parse_model(model, reference=sparse)
    beside = [0.0, -0.0, LIGHTGBM_ZERO, -LIGHTGBM_ZERO, 1e-40, -1e-40]
    beside += [np.nextafter(value, end) for value in beside for end in (1.0, -1.0)]
    rows = pd.concat([sparse.head(1).astype(float)] * len(beside), ignore_index=True).assign(balance=beside)
    scores = score_rows(found.score, rows.to_numpy())
    assert (found.report(scores) == found.evaluate(rows)).all()


def test_zero_as_missing_is_read_where_zero_goes_against_its_neighbours():
    frame, _ = people()
    sparse = zeros_around(frame)
    options = {**QUIET, "n_estimators": 3, "num_leaves": 3, "zero_as_missing": True}
    far_or_zero = ((sparse["balance"] == 0.0) | (sparse["balance"] > 1.0)).to_numpy().astype(int)
    model = lightgbm.LGBMClassifier(**options).fit(sparse[["balance"]], far_or_zero)
    found, _ = assert_conforms(model, sparse[["balance"]])
    assert len(found.score.forest.feature) > 15  # more cuts than LightGBM has splits


@pytest.mark.parametrize(
    ("options", "message"),
    [({"pred_early_stop": True}, "pred_early_stop")],
)
def test_what_is_not_supported_is_a_black_box(options, message):
    frame, label = people()
    model = lightgbm.LGBMClassifier(n_estimators=4, **QUIET, **options).fit(frame.astype(float), label)
    assert_black_box(model, frame, message)


def test_two_classes_of_several_are_a_black_box_and_unfitted_models_rejected():
    frame, label = people()
    model = lightgbm.LGBMClassifier(n_estimators=4, objective="multiclass", num_class=2, **QUIET)
    assert_black_box(model.fit(frame, label), frame, "'multiclass'")
    for kind in (lightgbm.LGBMClassifier, lightgbm.LGBMRegressor):
        with pytest.raises(NotFitted, match=kind.__name__):
            parse_model(kind(), reference=frame)


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("missing_type", [0, 1, 2], ids=["none", "zero", "nan"])
@pytest.mark.parametrize("default_left", [False, True])
def test_a_split_sends_every_value_to_the_side_of_its_steps(
    nullable: bool, missing_type: int, default_left: bool
) -> None:
    """Also in the band that counts as zero, at its ends, and for a missing value."""
    ends = np.array([-2.0, -LIGHTGBM_ZERO, -1e-40, 0.0, 1e-40, LIGHTGBM_ZERO, 2.0])
    values = np.concatenate([ends, np.nextafter(ends, np.inf), np.nextafter(ends, -np.inf)])
    for threshold in values:
        split = Split(float(threshold), default_left, missing_type, None)
        steps = steps_of(split, LibraryColumn(nullable))
        assert (np.diff(steps.cuts) > 0).all()
        np.testing.assert_array_equal(steps.goes_left(values), split.goes_left(values))
        if nullable:
            missing = steps.goes_left(np.array([MISSING]))
            np.testing.assert_array_equal(missing, split.goes_left(np.array([np.nan])))
