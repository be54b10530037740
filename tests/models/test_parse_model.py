"""Check the choice of family, the arguments, and the check of a reading against its model."""

import importlib
import pkgutil
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import p2ce.models
from p2ce.decisions.model_adapter import LEAD
from p2ce.errors import (
    InvalidOutput,
    InvalidReference,
    InvalidTarget,
    InvalidThreshold,
    ModelMismatch,
    NotFitted,
    UnsupportedModel,
)
from p2ce.models.parse_model import FAMILIES, columns_with_missing, parse_model
from p2ce.scores.score_rows import score_rows
from p2ce.tables.codebook import codebook_of
from tests.models.laws import people


@pytest.fixture(scope="module")
def fitted():
    frame, label = people()
    return DecisionTreeClassifier(max_depth=3, random_state=0).fit(frame, label), frame


def test_every_family_in_the_folder_is_registered():
    found = pkgutil.walk_packages(p2ce.models.__path__, "p2ce.models.")
    modules = [importlib.import_module(one.name) for one in found]
    families = {module for module in modules if hasattr(module, "recognises")}
    assert families == set(FAMILIES)
    assert all(callable(module.parse) for module in families)


@pytest.mark.parametrize(
    ("model", "way_out"),
    [
        (DecisionTreeClassifier, "Pass a fitted instance"),
        (SimpleNamespace(best_estimator_=None), "Its best_estimator_ may be supported"),
        (None, "model is None. Pass a fitted model"),
        ("model.txt", "load it from its file first"),
        (SimpleNamespace(fit=len), "Supported are the classifiers and regressors of LightGBM"),
    ],
)
def test_common_slips_have_an_answer_of_their_own(model, way_out):
    frame, _ = people()
    with pytest.raises(UnsupportedModel, match=way_out):
        parse_model(model, reference=frame)


@pytest.mark.parametrize("model", [3, object()])
def test_what_no_family_knows_is_refused_with_a_list(model):
    frame, _ = people()
    with pytest.raises(UnsupportedModel, match="Supported are the classifiers and regressors of LightGBM"):
        parse_model(model, reference=frame)


@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(), LogisticRegression(), DecisionTreeClassifier(), RandomForestRegressor()],
)
def test_an_unfitted_model_says_what_to_call(model):
    frame, _ = people()
    with pytest.raises(NotFitted, match=r"Call \.fit\(X, y\)"):
        parse_model(model, reference=frame)


@pytest.mark.parametrize("threshold", [-0.1, 1.0001, float("nan"), float("inf"), "half"])
def test_a_threshold_that_no_probability_has_is_refused(fitted, threshold):
    model, frame = fitted
    with pytest.raises(InvalidThreshold):
        parse_model(model, reference=frame, threshold=threshold)


def test_the_ends_of_the_scale_are_thresholds_too(fitted):
    model, frame = fitted
    assert parse_model(model, reference=frame, threshold=0.0).score.accept_from == 0.0
    assert parse_model(model, reference=frame, threshold=1.0).score.accept_from == 1.0


def test_an_unknown_class_lists_the_known_ones(fitted):
    model, frame = fitted
    with pytest.raises(InvalidTarget, match=r"classes 0, 1; target='yes'"):
        parse_model(model, reference=frame, target="yes")


def test_columns_are_matched_by_name(fitted):
    model, frame = fitted
    with pytest.raises(InvalidReference, match="Did you mean 'agee'"):
        parse_model(model, reference=frame.rename(columns={"age": "agee"}))
    with pytest.raises(InvalidReference, match="'label', which the model was not fitted on"):
        parse_model(model, reference=frame.assign(label=1))
    shuffled = frame[list(frame.columns[::-1])]
    assert parse_model(model, reference=shuffled).columns == tuple(frame.columns)


def test_a_model_without_names_takes_the_frames_order():
    frame, label = people()
    model = DecisionTreeClassifier(max_depth=3).fit(frame.to_numpy(), label)
    assert parse_model(model, reference=frame).columns == tuple(frame.columns)
    assert parse_model(model, reference=frame.set_axis(range(5), axis=1)).columns == ("0", "1", "2", "3", "4")
    with pytest.raises(InvalidReference, match="5 unnamed columns"):
        parse_model(model, reference=frame.drop(columns="age"))


@pytest.mark.parametrize("reference", [pd.DataFrame(), people()[0].head(0), people()[0].to_numpy()])
def test_a_reference_without_rows_is_refused(fitted, reference):
    with pytest.raises(InvalidReference):
        parse_model(fitted[0], reference=reference)


def test_a_model_that_answers_with_something_else_is_named(fitted):
    _, frame = fitted
    with pytest.raises(InvalidOutput, match=r"model\.predict has to return one class per row"):
        parse_model(SimpleNamespace(predict=len), reference=frame)


def test_a_regressor_is_asked_for_a_range_and_not_for_a_class():
    frame, label = people()
    model = RandomForestRegressor(2, random_state=0).fit(frame, label)
    with pytest.raises(InvalidTarget, match=r"a regressor: pass target=\(low, high\).*got 1"):
        parse_model(model, reference=frame)
    found = parse_model(model, reference=frame, target=(0.5, None))
    assert (found.scale, found.threshold) == (LEAD, 0.0)
    assert (found.evaluate(frame) == model.predict(frame) - 0.5).all()


def test_infinite_values_are_named(fitted):
    model, frame = fitted
    with pytest.raises(InvalidReference, match="'income' of the reference frame has infinite values"):
        parse_model(model, reference=frame.assign(income=frame["income"].where(frame["age"] > 20, np.inf)))


def test_columns_that_may_miss_are_those_that_do_unless_told(fitted):
    """Elsewhere, what a missing value does to the model is not read."""
    model, frame = fitted
    gaps = frame.assign(income=frame["income"].where(frame["age"] > 20))
    codes = codebook_of(gaps).encode(gaps)
    assert columns_with_missing(codes, codebook_of(gaps)) == {"income"}
    told = parse_model(model, reference=frame, nullable={"income"})
    seen = parse_model(model, reference=gaps)
    for found in (told, seen):
        assert found.score is not None
        values = codebook_of(frame).of(found.columns).encode(gaps)
        assert (score_rows(found.score, values) == model.predict_proba(gaps)[:, 1]).all()


class Cautious(DecisionTreeClassifier):
    def predict_proba(self, X, check_input=True):
        return super().predict_proba(X) * 0.5


class Renamed(DecisionTreeClassifier):
    """Adds nothing that could change a score."""

    def describe(self):
        return "a tree"


def test_a_subclass_that_scores_by_itself_is_only_asked(caplog):
    frame, label = people()
    model = Cautious(max_depth=2).fit(frame, label)
    with caplog.at_level("INFO", logger="p2ce"):
        found = parse_model(model, reference=frame)
    assert "Cautious replaces predict_proba" in caplog.text
    assert found.family == "black box (Cautious)"
    assert found.score is None
    assert (found.evaluate(frame) == model.predict_proba(frame)[:, 1]).all()
    assert parse_model(Renamed(max_depth=2).fit(frame, label), reference=frame).family.endswith(
        "decision tree"
    )


def test_an_instance_that_scores_by_itself_is_only_asked():
    frame, label = people()
    model = DecisionTreeClassifier(max_depth=2).fit(frame, label)
    model.predict_proba = lambda rows: np.full((len(rows), 2), 0.25)
    found = parse_model(model, reference=frame)
    assert found.score is None
    assert (found.evaluate(frame) == 0.25).all()


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(n_estimators=5, random_state=0),
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_that_can_be_read_may_be_asked_instead(model, target):
    frame, label = people()
    frame = (frame - frame.mean()) / frame.std()
    fitted = clone(model).fit(frame, label)
    read, asked = (
        parse_model(fitted, reference=frame, target=target, black_box=way) for way in (False, True)
    )
    assert read.score is not None
    assert asked.score is None
    assert asked.family == f"black box ({read.family})"
    assert (asked.columns, asked.scale, asked.threshold) == (read.columns, read.scale, read.threshold)
    assert (asked.evaluate(frame) == read.evaluate(frame)).all()


@pytest.mark.parametrize("wrong", [{"target": "yes"}, {"threshold": 2.0}])
def test_a_wrong_question_is_not_taken_for_a_reason_to_ask(fitted, wrong):
    model, frame = fitted
    with pytest.raises((InvalidTarget, InvalidThreshold)):
        parse_model(model, reference=frame, **wrong)


def test_a_model_that_disagrees_with_its_own_numbers_is_noticed():
    frame, label = people()
    model = RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0).fit(frame, label)
    model.estimators_[0].predict_proba = lambda rows, check_input=True: np.zeros((len(rows), 2))
    with pytest.raises(ModelMismatch, match="disagrees"):
        parse_model(model, reference=frame)


def test_bool_columns_reach_an_unnamed_model_as_numbers():
    frame, label = people()
    model = DecisionTreeClassifier(max_depth=3).fit(frame.to_numpy(dtype=float), label)
    mixed = frame.assign(owner=frame["owner"].astype(bool))
    assert (
        parse_model(model, reference=mixed).evaluate(mixed)
        == model.predict_proba(frame.to_numpy(dtype=float))[:, 1]
    ).all()


def test_a_search_over_models_is_read_as_its_best_one():
    from sklearn.model_selection import GridSearchCV

    frame, label = people()
    searched = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [2, 3]}, cv=2).fit(
        frame, label
    )
    found = parse_model(searched, reference=frame)
    assert found.score is not None
    assert (found.evaluate(frame) == searched.predict_proba(frame)[:, 1]).all()


def test_a_search_that_answers_otherwise_is_asked_itself():
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    class Modest(GridSearchCV):
        def predict_proba(self, X):
            return 0.3 * super().predict_proba(X)

    frame, label = people()
    tree, depths = DecisionTreeClassifier(random_state=0), {"max_depth": [2, 3]}
    of_its_own = GridSearchCV(tree, depths, cv=2).fit(frame, label)
    of_its_own.predict_proba = lambda rows: 0.3 * of_its_own.best_estimator_.predict_proba(rows)
    for model in (
        Modest(tree, depths, cv=2).fit(frame, label),
        of_its_own,
        make_pipeline(StandardScaler(), Modest(tree, depths, cv=2)).fit(frame, label),
    ):
        found = parse_model(model, reference=frame, threshold=0.25)
        assert found.score is None
        assert (found.evaluate(frame) == model.predict_proba(frame)[:, 1]).all()
    with pytest.raises(UnsupportedModel, match="refit=True"):
        parse_model(GridSearchCV(tree, depths, cv=2, refit=False).fit(frame, label), reference=frame)
