"""Are pyGAM's terms of one column parsed, inside and outside their knots, and others a black box?"""

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.errors import NotFitted
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_black_box, assert_conforms, people
from tests.optional import LazyLibrary

pygam = LazyLibrary("pygam")


def numbers() -> tuple[pd.DataFrame, np.ndarray]:
    frame, label = people()
    return frame[["age", "income", "balance"]].astype(np.float64), label


def test_terms_far_outside_their_knots_are_within_the_band():
    frame, label = numbers()
    model = pygam.LogisticGAM(pygam.s(0) + pygam.s(1) + pygam.s(2)).fit(frame, label)
    found = parse_model(model, reference=frame)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.uniform(-1, 1, (2000, 3)) * found.reach, columns=frame.columns)
    value = found.score.evaluate_rows(rows.to_numpy()).value
    band = found.score.accept_from - found.score.reject_below
    assert np.abs(value - model._linear_predictor(rows.to_numpy())).max() <= band


def test_several_terms_of_one_column_and_columns_without_a_term():
    frame, label = numbers()
    model = pygam.LogisticGAM(pygam.s(1) + pygam.l(1), fit_intercept=False).fit(frame, label)
    assert_conforms(model, frame, undecided=0.02)


def test_a_model_that_is_fitted_again_changes_no_explainer():
    frame, label = numbers()
    model = pygam.LogisticGAM(pygam.s(1) + pygam.l(0)).fit(frame, label)
    found = parse_model(model, reference=frame)
    before = found.score.evaluate_rows(frame.to_numpy()).value
    model.coef_ *= 2.0
    assert (found.score.evaluate_rows(frame.to_numpy()).value == before).all()


def test_what_is_not_supported_is_a_black_box_or_rejected():
    frame, label = numbers()
    shapes = {"te(0, 1)": pygam.te(0, 1, n_splines=4), "by=": pygam.s(0, by=1)}
    for terms in shapes.values():
        model = pygam.LogisticGAM(terms + pygam.l(2)).fit(frame, label)
        assert_black_box(model, frame, "looks at several columns at once")
        explainer = p2ce.Explainer(model, frame, target=1, max_changes=1, plausibility=None)
        explanation = explainer.explain(frame[~model.predict(frame)].iloc[0])
        assert explanation.certificate.proven
        assert (model.predict_proba(explanation.to_frame()[list(frame.columns)]) >= 0.5).all()
    single = pygam.LogisticGAM(pygam.l(0)).fit(frame.astype(np.float32), label)
    assert_black_box(single, frame.astype(np.float32), "float32")
    with pytest.raises(NotFitted, match="LogisticGAM"):
        parse_model(pygam.LogisticGAM(), reference=frame)
