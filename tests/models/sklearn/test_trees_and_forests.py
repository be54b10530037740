"""Check the reading of scikit-learn's trees and averaged forests."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from p2ce.errors import InvalidArgument, InvalidTarget, UnsupportedModel
from p2ce.models.parse_model import parse_model
from p2ce.scores.score_rows import score_rows
from tests.models.laws import assert_reads, people, rows_near_splits
from tests.models.table_laws import assert_decides, numbers, table

MODELS = [
    DecisionTreeClassifier(max_depth=5, random_state=0),
    DecisionTreeClassifier(max_leaf_nodes=9, class_weight="balanced", random_state=0),
    ExtraTreeClassifier(max_depth=5, random_state=0),
    RandomForestClassifier(n_estimators=15, max_depth=6, random_state=0),
    RandomForestClassifier(n_estimators=7, max_leaf_nodes=12, class_weight={0: 1.0, 1: 0.3}, random_state=0),
    ExtraTreesClassifier(n_estimators=15, max_depth=6, bootstrap=True, random_state=0),
]


def three_classes() -> tuple[pd.DataFrame, np.ndarray]:
    frame, _ = people()
    label = np.digitize(frame["income"] + 300.0 * frame["balance"], [2500.0, 3500.0])
    return frame.astype(np.float64), np.array(["low", "middle", "high"])[label]


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scores_equal_the_librarys_own_bit_by_bit(model, named, target):
    frame, label = people()
    fitted = clone(model).fit(frame if named else frame.to_numpy(), label)
    found = assert_reads(fitted, frame, target=target, band=0.0, error=0.0)
    assert found.columns == tuple(frame.columns)


def test_threads_widen_the_band_and_nothing_else():
    frame, label = people()
    model = RandomForestClassifier(n_estimators=9, max_depth=4, n_jobs=2, random_state=0).fit(frame, label)
    found = assert_reads(model, frame, band=1e-12)
    assert found.score.accept_from - found.score.reject_below > 0.0


def test_each_class_of_many_is_a_sum_of_its_own():
    frame, names = three_classes()
    model = RandomForestClassifier(n_estimators=9, max_depth=4, random_state=0).fit(frame, names)
    for target in ("low", "middle", "high"):
        shares = parse_model(model, reference=frame, target=target, threshold=0.5).evaluate(frame)
        for threshold in (0.0, 0.5, float(shares[3]), float(np.nextafter(shares[4], 1.0)), 1.0):
            found, _ = assert_decides(model, frame, target=target, threshold=threshold)
            assert found.score.accept_from == found.score.reject_below
    with pytest.raises(InvalidTarget, match="'high', 'low', 'middle'"):
        parse_model(model, reference=frame, target="hihg")


SEVERAL = [
    DecisionTreeClassifier(max_depth=4, random_state=0),
    ExtraTreeClassifier(max_depth=4, random_state=0),
    RandomForestClassifier(n_estimators=10, random_state=0),
    RandomForestClassifier(n_estimators=4, max_depth=2, random_state=0),
    RandomForestClassifier(n_estimators=9, max_depth=4, n_jobs=2, random_state=0),
    ExtraTreesClassifier(n_estimators=10, max_depth=4, class_weight="balanced", random_state=0),
]


@pytest.mark.parametrize("target", ["low", "middle", "high"])
@pytest.mark.parametrize("model", SEVERAL, ids=lambda model: f"{type(model).__name__}-{model.max_depth}")
def test_the_class_that_must_win_is_the_one_that_is_predicted(model, target):
    frame, names = three_classes()
    fitted = clone(model).fit(frame, names)
    found, rows = assert_decides(fitted, frame, target=target, doubts=0.01)
    assert len(found.scores) == 2
    assert ((found.evaluate(rows) >= 0.0) == (fitted.predict(rows) == target)).all()
    index = list(fitted.classes_).index(target)
    assert np.allclose(found.predict(rows), fitted.predict_proba(rows)[:, index], rtol=0, atol=1e-12)


@pytest.mark.parametrize("target", [0, 1, 2])
def test_votes_that_tie_go_to_the_earlier_class_without_a_doubt(target):
    frame, _ = three_classes()
    frame = frame[["balance", "owner"]].round(0)
    # Full-grown trees vote with whole shares: with two trees, every disagreement is a tie.
    model = RandomForestClassifier(n_estimators=2, max_features=1, random_state=0)
    model.fit(frame.drop_duplicates(), np.arange(len(frame.drop_duplicates())) % 3)
    assert all((tree.tree_.value[:, 0].max(axis=1)[tree.tree_.feature < 0] == 1.0).all() for tree in model)
    shares = model.predict_proba(frame)
    assert (shares == 0.5).any()
    found, _ = assert_decides(model, frame, target=target, doubts=0.0)
    assert found.score.accept_from == found.score.reject_below


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2], MODELS[3], MODELS[5]], ids=lambda one: str(one)[:12])
@pytest.mark.parametrize("learnt", [0.0, 0.2])
def test_missing_values_go_the_way_of_the_tree(model, learnt):
    frame, number = table(missing=learnt)
    plain = numbers(frame)
    label = (number > np.median(number)).astype(int)
    fitted = clone(model).fit(plain, label)
    for target in (0, 1):
        assert_decides(fitted, plain, target=target, nullable={"income", "balance", "region"})


REGRESSORS = [
    DecisionTreeRegressor(max_depth=5, random_state=0),
    DecisionTreeRegressor(max_depth=5, criterion="absolute_error", random_state=0),
    ExtraTreeRegressor(max_depth=5, random_state=0),
    RandomForestRegressor(n_estimators=9, max_depth=5, random_state=0),
    RandomForestRegressor(n_estimators=9, max_depth=5, n_jobs=2, random_state=0),
    ExtraTreesRegressor(n_estimators=9, max_depth=5, random_state=0),
]


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
def test_regressors_reach_a_range(model):
    missing = model.criterion != "absolute_error"  # which does not take them
    frame, number = table(missing=0.1 if missing else 0.0)
    plain = numbers(frame)
    fitted = clone(model).fit(plain, number)
    predicted = np.sort(fitted.predict(plain))
    low, high = float(predicted[150]), float(predicted[250])
    for target in ((low, high), (None, high), (low, np.inf), (np.nextafter(low, np.inf), None)):
        doubts = 0.0 if getattr(model, "n_jobs", None) is None else 0.6
        found, rows = assert_decides(fitted, plain, target=target, doubts=doubts)
        answer = fitted.predict(rows)
        ends = [-np.inf if target[0] is None else target[0], np.inf if target[1] is None else target[1]]
        if doubts == 0.0:
            assert ((found.evaluate(rows) >= 0.0) == ((answer >= ends[0]) & (answer <= ends[1]))).all()
            assert (found.predict(rows) == answer).all()


def test_wine_and_diabetes():
    wine = load_wine(as_frame=True)
    model = RandomForestClassifier(n_estimators=20, random_state=0).fit(wine.data, wine.target)
    for target in (0, 1, 2):
        found, rows = assert_decides(model, wine.data, target=target)
        assert ((found.evaluate(rows) >= 0.0) == (model.predict(rows) == target)).all()
    diabetes = load_diabetes(as_frame=True)
    number = RandomForestRegressor(n_estimators=20, random_state=0).fit(diabetes.data, diabetes.target)
    assert_decides(number, diabetes.data, target=(None, 110.0))
    assert_decides(number, diabetes.data, target=(100.0, 150.0))


def test_forests_have_no_decision_function():
    frame, label = people()
    model = DecisionTreeClassifier(max_depth=2).fit(frame, label)
    with pytest.raises(InvalidArgument, match="scale='decision'"):
        parse_model(model, reference=frame, scale="decision")
    with pytest.raises(InvalidTarget, match="is a regressor"):
        parse_model(DecisionTreeRegressor(max_depth=2).fit(frame, label), reference=frame)


def test_shares_that_tie_with_the_threshold_are_decided_as_the_library_decides():
    frame, label = people()
    model = RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0).fit(frame, label)
    rows = rows_near_splits(parse_model(model, reference=frame), frame)
    answers = parse_model(model, reference=frame).evaluate(rows)
    for threshold in np.unique(answers):
        found = parse_model(model, reference=frame, threshold=float(threshold))
        decided = score_rows(found.score, rows.to_numpy()) >= found.score.accept_from
        assert (decided == (answers >= threshold)).all()


def test_several_outputs_are_refused():
    frame, label = people()
    model = DecisionTreeClassifier(max_depth=2).fit(frame, np.stack([label, 1 - label], axis=1))
    with pytest.raises(UnsupportedModel, match="2 outputs"):
        parse_model(model, reference=frame)
