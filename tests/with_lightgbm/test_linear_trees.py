"""Are LightGBM's linear trees parsed wherever trees are, and a black box with a reason where they are not?"""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from p2ce.engine.scores.linear_trees.linear_forest import LinearTreesScore
from tests.models.laws import assert_black_box, assert_conforms, people, table
from tests.optional import LazyLibrary

lightgbm = LazyLibrary("lightgbm")
LINES = {"linear_tree": True, "linear_lambda": 0.1, "n_estimators": 8, "num_leaves": 6}
QUIET = {"verbose": -1, "n_jobs": 1, "random_state": 0}


def model(**options):
    return lightgbm.LGBMClassifier(**{**LINES, **QUIET, **options})


def test_an_own_threshold_of_either_class():
    frame, label = people()
    fitted = FixedThresholdClassifier(model(), threshold=0.4).fit(frame, label)
    for target in (0, 1):
        found, _ = assert_conforms(fitted, frame, target=target, undecided=0.02)
        assert isinstance(found.score, LinearTreesScore)


def test_what_is_not_supported_is_a_black_box():
    frame, label = people()
    frame = frame.astype(float)
    scaled = make_pipeline(StandardScaler(), model()).fit(frame, label)
    assert_black_box(scaled, frame, "in front of LinearTreesScore")
    bagged = BaggingClassifier(model(), n_estimators=2).fit(frame, label)
    assert_black_box(bagged, frame, "not supported natively in an ensemble")
    alone = model(objective="multiclassova").fit(frame, label + frame["owner"].astype(int))
    assert_black_box(alone, frame, "linear trees with objective 'multiclassova'")


def test_classes_that_decide_together_are_a_black_box():
    frame, label = people()
    several = model().fit(frame, label + frame["owner"].astype(int))
    assert_black_box(several, frame, "only proven alone", target=[0, 1])
    assert_black_box(several, frame, "only proven alone", target=1, at_most=0.4)


def test_unseen_labels_are_left_to_the_model_where_lines_use_ranks():
    frame, number = table(missing=0.0)
    frame = frame[["income", "grade"]]
    fitted = lightgbm.LGBMRegressor(**LINES, **QUIET).fit(frame, number)
    found, _ = assert_conforms(fitted, frame, target=(float(np.median(number)), None), undecided=0.02)
    assert not found.knows_unseen_categories
    reordered = frame.assign(grade=frame["grade"].cat.reorder_categories(["high", "middle", "low"]))
    assert_black_box(fitted, reordered, "another order", target=(float(np.median(number)), None))


def test_a_value_beyond_the_reference_is_explained_too():
    """The rounding of a line grows with its inputs, so the model is parsed again for such a person."""
    frame, label = people()
    frame = frame[["income", "balance", "ratio"]]
    fitted = model().fit(frame, label)
    explainer = p2ce.Explainer(fitted, frame, target=1, plausibility=None, refine=False)
    rows = pd.concat([frame] * 3, ignore_index=True).assign(income=lambda all_rows: all_rows["income"] * -1e4)
    person = rows[fitted.predict_proba(rows)[:, 1] < 0.5].iloc[0]
    explanation = explainer.explain(person)
    assert explanation.certificate.proven
    assert explanation.certificate.bound == "linear leaves"
    assert (fitted.predict_proba(explanation.to_frame()[list(frame.columns)])[:, 1] >= 0.5).all()


def test_an_estimate_samples_it_like_a_model_that_is_only_evaluated():
    frame, label = people()
    fitted = model().fit(frame, label)
    explainer = p2ce.Explainer(fitted, frame, target=1, bound="shap", max_changes=1)
    explanation = explainer.explain(frame[fitted.predict(frame) == 0].iloc[0])
    assert explanation.certificate.estimate.method == "sampling"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_options_are_those_of_the_model_as_a_function(seed):
    frame, label = people(seed)
    fitted = model(random_state=seed).fit(frame, label)
    settings = {"policy": p2ce.Policy.infer(frame, grid="paper"), "refine": False}
    parsed = p2ce.Explainer(fitted, frame, target=1, **settings)
    function = p2ce.Explainer(lambda rows: fitted.predict_proba(rows)[:, 1], frame, at_least=0.5, **settings)
    rejected = frame[fitted.predict_proba(frame)[:, 1] < 0.5].head(12)
    for _, row in rejected.iterrows():
        ours, theirs = parsed.explain(row), function.explain(row)
        assert [option.costs for option in ours] == [option.costs for option in theirs]
        assert ours.certificate.cells == theirs.certificate.cells
