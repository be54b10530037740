"""Check the reading of CatBoost models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from p2ce.decisions.model_adapter import Request
from p2ce.errors import InvalidArgument, InvalidTarget, NotFitted, UnsupportedModel
from p2ce.models.catboost import family as catboost_family
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_reads, people
from tests.models.table_laws import assert_decides, numbers, table

catboost = pytest.importorskip("catboost")

QUIET = {"verbose": 0, "allow_writing_files": False, "thread_count": 1, "random_seed": 0}
OPTIONS = {
    "symmetric": {"iterations": 15, "depth": 4},
    "lossguide": {"iterations": 10, "grow_policy": "Lossguide", "max_leaves": 9},
    "depthwise": {"iterations": 10, "grow_policy": "Depthwise", "depth": 3},
    "start": {"iterations": 10, "depth": 3, "boost_from_average": True},
    "cross entropy": {"iterations": 10, "depth": 3, "loss_function": "CrossEntropy"},
    "weighted": {"iterations": 10, "depth": 2, "auto_class_weights": "Balanced"},
}


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", OPTIONS)
def test_what_is_sure_is_what_the_model_says(name, named, target):
    frame, label = people()
    model = catboost.CatBoostClassifier(**QUIET, **OPTIONS[name]).fit(
        frame if named else frame.to_numpy(), label
    )
    found = assert_reads(model, frame, target=target, band=1e-11, thresholds=4)
    assert found.family == "CatBoost"


def test_scale_bias_and_shrunk_models_are_honoured():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=12, depth=3, **QUIET).fit(frame, label)
    model.set_scale_and_bias(0.7, -0.2)
    found = assert_reads(model, frame, band=1e-11)
    assert found.score.offset == pytest.approx(-0.2)
    model.shrink(5)
    assert assert_reads(model, frame, band=1e-11).score.forest.tree_count == 5


def test_the_best_model_of_early_stopping_is_read():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=200, learning_rate=0.6, early_stopping_rounds=3, **QUIET)
    model.fit(frame[:200], label[:200], eval_set=(frame[200:], label[200:]))
    assert assert_reads(model, frame, band=1e-11).score.forest.tree_count == model.tree_count_


def test_names_of_classes_are_kept():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=4, **QUIET).fit(frame, np.where(label, "yes", "no"))
    assert assert_reads(model, frame, target="yes", band=1e-11).classes == ("no", "yes")


def test_what_cannot_be_read_is_only_asked_or_refused():
    frame, label = people()
    with pytest.raises(NotFitted):
        parse_model(catboost.CatBoostClassifier(), reference=frame)
    table_frame, number = table(missing=0.0)
    cats = ["job", "grade", "town", "owner", "region"]
    model = catboost.CatBoostClassifier(iterations=20, depth=3, cat_features=cats, **QUIET)
    model.fit(table_frame, number > np.median(number))
    request = Request(reference=table_frame, target=1, reach=np.ones(8), read=catboost_family.read)
    with pytest.raises(UnsupportedModel, match="statistics of a category"):
        catboost_family.read(model, request)
    poisson = catboost.CatBoostRegressor(iterations=2, loss_function="Poisson", **QUIET).fit(frame, label)
    request = Request(reference=frame, target=(0.0, 1.0), reach=np.ones(5), read=catboost_family.read)
    with pytest.raises(UnsupportedModel, match="does not predict the sum of its trees"):
        catboost_family.read(poisson, request)


@pytest.mark.parametrize("options", [{}, {"grow_policy": "Lossguide"}], ids=["symmetric", "lossguide"])
@pytest.mark.parametrize("mode", ["Min", "Max", "never learnt"])
def test_missing_numbers_go_the_way_of_their_mode(mode, options):
    frame, number = table(missing=0.0 if mode == "never learnt" else 0.15)
    plain = numbers(frame)
    nan_mode = "Min" if mode == "never learnt" else mode
    model = catboost.CatBoostClassifier(iterations=12, depth=4, nan_mode=nan_mode, **options, **QUIET)
    model.fit(plain, (number > np.median(number)).astype(int))
    for target in (0, 1):
        assert_decides(model, plain, target=target, nullable={"income", "balance", "region"})


def one_hot(**options):
    cats = ["job", "grade", "town", "owner", "region"]
    return {"iterations": 15, "depth": 4, "one_hot_max_size": 20, "cat_features": cats, **options, **QUIET}


def whole(frame: pd.DataFrame) -> pd.DataFrame:
    """Fill the categories that are missing, since CatBoost takes none."""
    return frame.assign(
        **{name: frame[name].astype(object).fillna("none").astype(str) for name in ("job", "grade", "town")}
    )


@pytest.mark.parametrize("target", [0, 1])
def test_categories_that_are_split_one_by_one_are_read(target):
    frame, number = table()
    frame = whole(frame)
    model = catboost.CatBoostClassifier(**one_hot()).fit(frame, (number > np.median(number)).astype(int))
    found, _ = assert_decides(model, frame, target=target, nullable={"income", "balance"})
    used = {found.columns[column] for column in found.score.forest.feature if column >= 0}
    assert {"job", "town", "region"} <= used


def test_a_category_that_the_reference_does_not_show_is_not_guessed():
    frame, number = table(missing=0.0)
    frame = whole(frame)
    model = catboost.CatBoostClassifier(**one_hot()).fit(frame, (number > np.median(number)).astype(int))
    part = frame[frame["job"] != "cook"]
    request = Request(reference=part, target=1, reach=np.ones(8), read=catboost_family.read)
    with pytest.raises(UnsupportedModel, match="category of 'job' that the reference frame does not show"):
        catboost_family.read(model, request)


@pytest.mark.parametrize("target", ["low", "middle", "high"])
@pytest.mark.parametrize(
    "options",
    [{}, {"loss_function": "MultiClassOneVsAll"}, {"grow_policy": "Depthwise"}],
    ids=["softmax", "each alone", "depthwise"],
)
def test_the_class_that_must_win_is_the_one_that_is_predicted(options, target):
    frame, number = table()
    plain = numbers(frame)
    label = np.array(["low", "middle", "high"])[np.digitize(number, np.quantile(number, [0.33, 0.67]))]
    model = catboost.CatBoostClassifier(iterations=10, depth=3, nan_mode="Max", **options, **QUIET)
    model.fit(plain, label)
    found, rows = assert_decides(model, plain, target=target, doubts=0.01)
    assert len(found.scores) == 2
    assert ((found.evaluate(rows) >= 0.0) == (model.predict(rows).ravel() == target)).all()
    index = list(model.classes_).index(target)
    assert (found.predict(rows) == model.predict_proba(rows)[:, index]).all()
    for threshold in (0.0, 0.3, float(found.predict(rows)[7]), 0.9):
        again, _ = assert_decides(model, plain, target=target, threshold=threshold, doubts=0.2)
        assert again.decides == ("loss_function" in options)


def test_ties_go_to_the_earlier_class():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0] * 20})
    model = catboost.CatBoostClassifier(iterations=1, depth=1, loss_function="MultiClass", **QUIET)
    model.fit(frame, [0, 1, 2] * 20)
    model.set_scale_and_bias(0.0, [0.0, 1.0, 1.0])
    assert (model.predict(frame) == 1).all()
    for target in (0, 1, 2):
        found, _ = assert_decides(model, frame, target=target, doubts=1.0)
        assert ((found.evaluate(frame) >= 0.0) == (target == 1)).all()


@pytest.mark.parametrize("loss", ["RMSE", "MAE", "Quantile:alpha=0.3", "Huber:delta=1.0"])
def test_regressors_reach_a_range(loss):
    frame, number = table()
    plain = numbers(frame)
    model = catboost.CatBoostRegressor(iterations=15, depth=4, loss_function=loss, nan_mode="Max", **QUIET)
    model.fit(plain, number)
    predicted = np.sort(model.predict(plain))
    low, high = float(predicted[150]), float(predicted[250])
    for target in ((low, high), (None, high), (low, np.inf)):
        found, rows = assert_decides(model, plain, target=target, doubts=0.05)
        answer = model.predict(rows)
        inside = (answer >= (target[0] or -np.inf)) & (answer <= target[1])
        assert ((found.evaluate(rows) >= 0.0) == inside).all()


def test_wine_and_diabetes():
    wine = load_wine(as_frame=True)
    model = catboost.CatBoostClassifier(iterations=10, depth=3, **QUIET).fit(wine.data, wine.target)
    for target in (0, 1, 2):
        found, rows = assert_decides(model, wine.data, target=target, doubts=0.01)
        assert ((found.evaluate(rows) >= 0.0) == (model.predict(rows).ravel() == target)).all()
    diabetes = load_diabetes(as_frame=True)
    number = catboost.CatBoostRegressor(iterations=20, depth=4, **QUIET).fit(diabetes.data, diabetes.target)
    assert_decides(number, diabetes.data, target=(100.0, 150.0))


def test_slips_have_an_answer():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=2, **QUIET).fit(frame, label)
    with pytest.raises(InvalidArgument, match="scale='decision'"):
        parse_model(model, reference=frame, scale="decision")
    number = catboost.CatBoostRegressor(iterations=2, **QUIET).fit(frame, label)
    with pytest.raises(InvalidTarget, match="is a regressor"):
        parse_model(number, reference=frame)


def test_a_model_behind_a_scaler_is_read():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    frame, label = people()
    model = make_pipeline(StandardScaler(), catboost.CatBoostClassifier(iterations=6, **QUIET)).fit(
        frame, label
    )
    assert_reads(model, frame, band=1e-11, thresholds=2)
