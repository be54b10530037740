"""Check the reading of CatBoost models."""

import numpy as np
import pandas as pd
import pytest

from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.decisions.adapter import ParseRequest
from p2ce.models.families.catboost import family as catboost_family
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_conforms, people, table
from tests.optional import needs

catboost = needs("catboost")

QUIET = {"verbose": 0, "allow_writing_files": False, "thread_count": 1, "random_seed": 0}


def test_scale_bias_and_shrunk_models_are_honoured():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=12, depth=3, **QUIET).fit(frame, label)
    model.set_scale_and_bias(0.7, -0.2)
    found, _ = assert_conforms(model, frame, undecided=0.02)
    assert found.score.offset == pytest.approx(-0.2)
    model.shrink(5)
    assert assert_conforms(model, frame, undecided=0.02)[0].score.forest.tree_count == 5


def test_the_best_model_of_early_stopping_is_read():
    frame, label = people()
    model = catboost.CatBoostClassifier(iterations=200, learning_rate=0.6, early_stopping_rounds=3, **QUIET)
    model.fit(frame[:200], label[:200], eval_set=(frame[200:], label[200:]))
    assert assert_conforms(model, frame, undecided=0.02)[0].score.forest.tree_count == model.tree_count_


def test_what_is_not_supported_is_a_black_box_or_rejected():
    frame, label = people()
    with pytest.raises(NotFitted):
        parse_model(catboost.CatBoostClassifier(), reference=frame)
    table_frame, _ = table(missing=0.0)
    numbers, rng = table_frame[["region", "income"]], np.random.default_rng(0)
    labels = {name: rng.choice(list(some), 500) for name, some in (("job", "abcdef"), ("town", "uvw"))}
    texts = pd.DataFrame({**labels, "income": rng.normal(size=500)})
    clear = 1.0 * texts["job"].isin(["a", "b"]) + texts["income"] + (texts["town"] == "u") > 0.6
    for shown, wanted, why in (
        (numbers, table_frame["region"].isin([1, 4]), "a statistic of 'region', a column of numbers"),
        (texts, clear, "a statistic of several columns together"),
    ):
        cats = [name for name in shown.columns if name != "income"]
        options = {"iterations": 60, "depth": 5, "max_ctr_complexity": 3, "one_hot_max_size": 2}
        model = catboost.CatBoostClassifier(cat_features=cats, **options, **QUIET)
        model.fit(shown, wanted)
        request = ParseRequest(reference=shown, target=True, parse=catboost_family.parse)
        with pytest.raises(UnsupportedModel, match=why):
            catboost_family.parse(model, request)
    poisson = catboost.CatBoostRegressor(iterations=2, loss_function="Poisson", **QUIET).fit(frame, label)
    request = ParseRequest(reference=frame, target=(0.0, 1.0), reach=np.ones(5), parse=catboost_family.parse)
    with pytest.raises(UnsupportedModel, match="does not predict the sum of its trees"):
        catboost_family.parse(poisson, request)


def test_statistics_of_single_columns_stand_beside_single_categories():
    frame, number = table(missing=0.0)
    frame = whole(frame)[["job", "town", "grade", "income"]].assign(
        owner=np.where(frame["owner"], "yes", "no")
    )
    cats = ["job", "town", "grade", "owner"]
    options = {"max_ctr_complexity": 1, "one_hot_max_size": 2, "cat_features": cats, "iterations": 30}
    model = catboost.CatBoostClassifier(depth=4, **options, **QUIET).fit(frame, number > np.median(number))
    kinds = {
        split["split_type"]
        for tree in catboost_family._export(model)["oblivious_trees"]
        for split in tree["splits"]
    }
    assert kinds == {"FloatFeature", "OneHotFeature", "OnlineCtr"}
    assert_conforms(model, frame, target=True, undecided=0.02)


def one_hot(**options):
    cats = ["job", "grade", "town", "owner", "region"]
    return {"iterations": 15, "depth": 4, "one_hot_max_size": 20, "cat_features": cats, **options, **QUIET}


def whole(frame: pd.DataFrame) -> pd.DataFrame:
    """Fill the categories that are missing, since CatBoost takes none."""
    return frame.assign(
        **{name: frame[name].astype(object).fillna("none").astype(str) for name in ("job", "grade", "town")}
    )


def test_a_category_that_the_reference_does_not_show_is_not_guessed():
    frame, number = table(missing=0.0)
    frame = whole(frame)
    model = catboost.CatBoostClassifier(**one_hot()).fit(frame, (number > np.median(number)).astype(int))
    part = frame[frame["job"] != "cook"]
    request = ParseRequest(reference=part, target=1, reach=np.ones(8), parse=catboost_family.parse)
    with pytest.raises(UnsupportedModel, match="category of 'job' that does not occur in the reference"):
        catboost_family.parse(model, request)
