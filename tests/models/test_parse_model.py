"""Check the choice of family, the arguments, and the check of a parsed model against the model itself."""

import importlib
import pkgutil
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import p2ce.models
from p2ce.engine.scores.score import score_rows
from p2ce.errors import (
    InvalidArgument,
    InvalidOutput,
    InvalidReference,
    InvalidTarget,
    ModelMismatch,
    NotFitted,
    UnsupportedModel,
)
from p2ce.models.decisions.adapter import LEAD
from p2ce.models.parse_model import FAMILIES, parse_model
from p2ce.tables.codebook import codebook_of
from tests.models.laws import people

FRAME, LABEL = people()
TREE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(FRAME, LABEL)
OF_ARRAY = DecisionTreeClassifier(max_depth=3).fit(FRAME.to_numpy(dtype=float), LABEL)
REGRESSOR = RandomForestRegressor(2, random_state=0).fit(FRAME, LABEL)
INFINITE = FRAME.assign(income=FRAME["income"].where(FRAME["age"] > 20, np.inf))
DEPTHS = {"max_depth": [2, 3]}
NO_BEST = GridSearchCV(DecisionTreeClassifier(), DEPTHS, cv=2, refit=False).fit(FRAME, LABEL)
KNOWN = "Supported are the classifiers and regressors of LightGBM"


def test_every_family_in_the_folder_is_registered():
    found = pkgutil.walk_packages(p2ce.models.__path__, "p2ce.models.")
    of_models = [one.name for one in found if not one.name.startswith("p2ce.models.detectors.")]
    modules = [importlib.import_module(name) for name in of_models]
    families = {module for module in modules if hasattr(module, "recognises")}
    assert families == set(FAMILIES)
    assert all(callable(module.parse) for module in families)


MISTAKES: list[tuple[Any, Any, dict[str, Any], type[Exception], str | None]] = [
    (DecisionTreeClassifier, FRAME, {}, UnsupportedModel, "Pass a fitted instance"),
    (SimpleNamespace(best_estimator_=None), FRAME, {}, UnsupportedModel, "Pass its best_estimator_"),
    (NO_BEST, FRAME, {}, UnsupportedModel, "refit=True"),
    (None, FRAME, {}, UnsupportedModel, "model is None. Pass a fitted model"),
    ("model.txt", FRAME, {}, UnsupportedModel, "load it from its file first"),
    (SimpleNamespace(fit=len), FRAME, {}, UnsupportedModel, KNOWN),
    (3, FRAME, {}, UnsupportedModel, KNOWN),
    (RandomForestClassifier(), FRAME, {}, NotFitted, r"Call \.fit\(X, y\)"),
    (LogisticRegression(), FRAME, {}, NotFitted, r"Call \.fit\(X, y\)"),
    (
        SimpleNamespace(predict=len),
        FRAME,
        {},
        InvalidOutput,
        r"model\.predict must return one class per row",
    ),
    *((TREE, FRAME, {"at_least": t}, InvalidArgument, None) for t in (-0.1, 1.0001, np.nan, np.inf, "half")),
    (TREE, FRAME, {"target": "yes"}, InvalidTarget, r"classes 0, 1; target='yes'"),
    (REGRESSOR, FRAME, {}, InvalidTarget, r"a regressor: pass target=\(low, high\).*got 1"),
    (TREE, FRAME.rename(columns={"age": "agee"}), {}, InvalidReference, "Did you mean 'agee'"),
    (TREE, FRAME.assign(label=1), {}, InvalidReference, "'label', which the model was not fitted on"),
    (OF_ARRAY, FRAME.drop(columns="age"), {}, InvalidReference, "5 unnamed columns"),
    (TREE, pd.DataFrame(), {}, InvalidReference, None),
    (TREE, FRAME.head(0), {}, InvalidReference, None),
    (TREE, FRAME.to_numpy(), {}, InvalidReference, None),
    (TREE, INFINITE, {}, InvalidReference, "'income' of the reference data has values that are infinite"),
]


@pytest.mark.parametrize(("model", "frame", "wanted", "error", "message"), MISTAKES)
def test_a_mistake_is_named(model, frame, wanted, error, message):
    with pytest.raises(error, match=message):
        parse_model(model, reference=frame, **wanted)


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_the_ends_of_the_scale_are_thresholds_too(threshold):
    assert parse_model(TREE, reference=FRAME, at_least=threshold).score.accept_from == threshold


def test_columns_are_matched_by_name_or_else_by_order():
    assert parse_model(TREE, reference=FRAME[FRAME.columns[::-1]]).columns == tuple(FRAME.columns)
    assert parse_model(OF_ARRAY, reference=FRAME).columns == tuple(FRAME.columns)
    assert parse_model(OF_ARRAY, reference=FRAME.set_axis(range(5), axis=1)).columns == tuple("01234")
    mixed = FRAME.assign(owner=FRAME["owner"].astype(bool))  # bools reach it as numbers
    own = OF_ARRAY.predict_proba(FRAME.to_numpy(dtype=float))[:, 1]
    assert (parse_model(OF_ARRAY, reference=mixed).evaluate(mixed) == own).all()


def test_a_regressor_has_to_reach_a_range():
    found = parse_model(REGRESSOR, reference=FRAME, target=(0.5, None))
    assert (found.scale, found.threshold) == (LEAD, 0.0)
    assert (found.evaluate(FRAME) == REGRESSOR.predict(FRAME) - 0.5).all()


def test_columns_in_which_values_may_be_missing_are_those_of_the_reference_and_those_named():
    """Elsewhere, what a missing value does to the model is not parsed."""
    gaps = FRAME.assign(income=FRAME["income"].where(FRAME["age"] > 20))
    assert codebook_of(gaps).columns_with_missing(codebook_of(gaps).encode(gaps)) == {"income"}
    for found in (
        parse_model(TREE, reference=FRAME, nullable={"income"}),
        parse_model(TREE, reference=gaps),
    ):
        values = codebook_of(FRAME).of(found.columns).encode(gaps)
        assert (score_rows(found.score, values) == TREE.predict_proba(gaps)[:, 1]).all()


class Cautious(DecisionTreeClassifier):
    def predict_proba(self, X, check_input=True):
        return super().predict_proba(X) * 0.5


class Renamed(DecisionTreeClassifier):
    """Adds nothing that could change a score."""

    def describe(self):
        return "a tree"


class Modest(GridSearchCV):
    def predict_proba(self, X):
        return 0.3 * super().predict_proba(X)


def of_its_own():
    """Return a search and a tree whose instances have their own ``predict_proba``."""
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), DEPTHS, cv=2).fit(FRAME, LABEL)
    search.predict_proba = lambda rows: 0.3 * search.best_estimator_.predict_proba(rows)
    tree = DecisionTreeClassifier(max_depth=2).fit(FRAME, LABEL)
    tree.predict_proba = lambda rows: np.full((len(rows), 2), 0.25)
    return search, tree


def test_what_scores_by_itself_is_a_black_box(caplog):
    modest, inner = (Modest(DecisionTreeClassifier(random_state=0), DEPTHS, cv=2) for _ in range(2))
    cautious = Cautious(max_depth=2).fit(FRAME, LABEL)
    behind = make_pipeline(StandardScaler(), inner).fit(FRAME, LABEL)
    for model in (cautious, modest.fit(FRAME, LABEL), behind, *of_its_own()):
        caplog.clear()
        with caplog.at_level("INFO", logger="p2ce"):
            found = parse_model(model, reference=FRAME, at_least=0.25)
        assert found.score is None
        assert (found.evaluate(FRAME) == model.predict_proba(FRAME)[:, 1]).all()
        assert "overrides predict_proba" in caplog.text or model is not cautious
    renamed = Renamed(max_depth=2).fit(FRAME, LABEL)
    assert parse_model(renamed, reference=FRAME).family.endswith("decision tree")


def test_a_search_over_models_is_parsed_as_its_best_one():
    searched = GridSearchCV(DecisionTreeClassifier(random_state=0), DEPTHS, cv=2).fit(FRAME, LABEL)
    found = parse_model(searched, reference=FRAME)
    assert found.score is not None
    assert (found.evaluate(FRAME) == searched.predict_proba(FRAME)[:, 1]).all()


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("last", [RandomForestClassifier(5, random_state=0), LogisticRegression()])
def test_a_model_that_can_be_parsed_may_be_a_black_box_instead(last, target):
    model = make_pipeline(StandardScaler(), last).fit(FRAME, LABEL)
    parsed, evaluated = (
        parse_model(model, reference=FRAME, target=target, black_box=black_box) for black_box in (False, True)
    )
    assert parsed.score is not None
    assert (evaluated.score, evaluated.family) == (None, f"black box ({parsed.family})")
    for name in ("columns", "scale", "threshold"):
        assert getattr(evaluated, name) == getattr(parsed, name)
    assert (evaluated.evaluate(FRAME) == parsed.evaluate(FRAME)).all()


def test_a_model_that_disagrees_with_its_own_numbers_is_noticed():
    model = RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0).fit(FRAME, LABEL)
    model.estimators_[0].predict_proba = lambda rows, check_input=True: np.zeros((len(rows), 2))
    with pytest.raises(ModelMismatch, match="disagrees"):
        parse_model(model, reference=FRAME)
