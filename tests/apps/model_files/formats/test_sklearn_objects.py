"""Objects of scikit-learn from a file are checked before its compiled code walks them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import calibration, ensemble, neighbors, pipeline, preprocessing, svm, tree

from p2ce.apps.model_files.formats.sklearn_objects import check_model
from p2ce.errors import InvalidModel
from tests.models.sklearn.test_trees import spoil

ROWS = np.random.default_rng(0).normal(size=(60, 3))
OUTCOME = (ROWS[:, 0] + ROWS[:, 1] > 0).astype(int)
MODELS: dict[str, Callable[[], Any]] = {
    "tree": lambda: tree.DecisionTreeClassifier(max_depth=3),
    "forest": lambda: ensemble.RandomForestClassifier(3),
    "boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=3),
    "histogram": lambda: ensemble.HistGradientBoostingClassifier(max_iter=3, categorical_features=[2]),
    "bagging": lambda: ensemble.BaggingClassifier(n_estimators=3, max_features=2),
    "machine": lambda: svm.SVC(),
    "machine of numbers": lambda: svm.SVR(),
    "machine of outliers": lambda: svm.OneClassSVM(),
    "neighbours": lambda: neighbors.KNeighborsClassifier(),
    "neighbours in balls": lambda: neighbors.KNeighborsClassifier(algorithm="ball_tree"),
    "neighbours by looking": lambda: neighbors.KNeighborsRegressor(algorithm="brute"),
    "pipeline": lambda: pipeline.make_pipeline(preprocessing.StandardScaler(), tree.DecisionTreeClassifier()),
    "outliers": lambda: ensemble.IsolationForest(n_estimators=3, max_features=2),
    # These hold an estimator that is not fitted beside those that are.
    "stacking": lambda: ensemble.StackingClassifier([("one", MODELS["histogram"]())], cv=2),
    "voting": lambda: ensemble.VotingClassifier([("one", MODELS["neighbours"]())], voting="soft"),
    "calibrated": lambda: calibration.CalibratedClassifierCV(MODELS["boosting"](), cv=2),
}


def fitted(name: str) -> Any:
    rows = ROWS.copy()
    rows[:, 2] = np.arange(60) % 3
    return MODELS[name]().fit(rows, (OUTCOME + (rows[:, 2] == 1)) % 2)  # which categories decide as well


@pytest.mark.parametrize("name", MODELS)
def test_sound_models_pass_and_answer_as_before(name: str) -> None:
    model = fitted(name)
    before = model.predict(ROWS)
    check_model(model)
    assert np.array_equal(model.predict(ROWS), before)


def put(name: str, value: Any) -> Callable[[Any], None]:
    return lambda model: setattr(model, name, value)


def _cut_counts(model: Any) -> None:
    model._n_support = model._n_support + np.array([100, 0], dtype=np.int32)


def _cut_vectors(model: Any) -> None:
    model.support_vectors_ = model.support_vectors_[:, :2].copy()


def _loop(model: Any) -> None:
    model._predictors[0][0].nodes["left"][0] = 0


def _far_classes(model: Any) -> None:
    model._y = model._y.copy()
    model._y[-1] = 10**10


def _far_columns(model: Any) -> None:
    model._n_features = 2**30 + 1
    model._predictors[0][0].nodes["feature_idx"][0] = 2**30


def _far_categories(model: Any) -> None:
    model._bin_mapper.bin_thresholds_[0] = np.array([0.0, 1e9])


def _other_columns(model: Any) -> None:
    model.estimators_features_ = [np.array([0, 1, 2])] * 3


def _sets(model: Any) -> None:
    nodes = model._predictors[0][0].nodes
    nodes["is_categorical"][0], nodes["feature_idx"][0] = 1, 1  # categories come first


SPOILED: dict[str, tuple[str, Callable[[Any], None], str]] = {
    "child out of the tree": ("tree", lambda model: spoil(model.tree_, "left_child", -50), "not in its tree"),
    "a loop in a pipeline": ("pipeline", lambda model: spoil(model[-1].tree_, "left_child", 0), "one way"),
    "a feature of a member": (
        "forest",
        lambda model: spoil(model.estimators_[2].tree_, "feature", 99),
        "feature that there is not",
    ),
    "fewer columns than the tree": ("tree", put("n_features_in_", 2), "columns"),
    "fewer columns than the trees": ("forest", put("n_features_in_", 2), "columns"),
    "more trees than classes": ("boosting", put("n_trees_per_iteration_", 9), "trees for each class"),
    "a loop of records": ("histogram", _loop, "one way"),
    "a set of a number": ("histogram", _sets, "sets of categories"),
    "more vectors than there are": ("machine", _cut_counts, "support vectors"),
    "narrow vectors": ("machine", _cut_vectors, "support vectors"),
    "rows for a kernel": ("machine", put("kernel", "precomputed"), "support vectors"),
    "classes of rows": ("neighbours", _far_classes, "classes"),
    "columns beyond the rows": ("histogram", _far_columns, "columns"),
    "categories beyond the bits": ("histogram", _far_categories, "categories"),
    "columns of a member": ("outliers", _other_columns, "columns"),
    "narrow neighbours": ("neighbours", put("_fit_X", ROWS[:, :2]), "columns"),
    "files of a cache": ("pipeline", put("memory", "/tmp/somewhere"), "keeps a cache in files"),
    "threads without end": ("forest", put("n_jobs", 10**6), "n_jobs=1000000"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_what_would_lead_compiled_code_astray_is_written(case: str) -> None:
    name, change, message = SPOILED[case]
    model = fitted(name)
    change(model)
    with pytest.raises(InvalidModel, match=message):
        check_model(model)


def test_search_trees_of_neighbours_are_built_anew() -> None:
    model = fitted("neighbours")
    state = list(model._tree.__getstate__())
    state[1] = np.full_like(state[1], 10**12)  # the order of the rows, which queries follow
    model._tree.__setstate__(tuple(state))
    expected = fitted("neighbours").predict(ROWS)
    check_model(model)
    assert np.array_equal(model.predict(ROWS), expected)


def test_sparse_matrices_stay_in_their_bounds() -> None:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(ROWS, OUTCOME)
    model.sparsify()
    check_model(model)
    assert isinstance(model.coef_, sparse.csr_matrix | sparse.csr_array)
    model.coef_.indices[0] = 10**8
    with pytest.raises(ValueError, match="ind"):
        check_model(model)


def test_boosters_inside_are_checked() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    model = lightgbm.LGBMClassifier(n_estimators=3, verbosity=-1, n_jobs=1).fit(frame, OUTCOME)
    check_model(model)
