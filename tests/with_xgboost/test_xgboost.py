"""Check the reading of XGBoost models."""

import pytest

from p2ce.errors import InvalidModel, NotFitted
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_black_box, assert_conforms, people
from tests.optional import needs

xgboost = needs("xgboost")
# Newer releases say that dart, gblinear and the forest class will go; they are read while they are there.
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:UserWarning", "ignore::FutureWarning")


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
def test_a_booster_is_read_too(named, target):
    frame, label = people()
    data = xgboost.DMatrix(frame if named else frame.to_numpy(), label)
    booster = xgboost.train({"objective": "binary:logistic", "max_depth": 3, "nthread": 1}, data, 10)
    assert_conforms(booster, frame, target=target, undecided=0.03)


def test_early_stopping_is_honoured():
    frame, label = people()
    model = xgboost.XGBClassifier(n_estimators=200, learning_rate=0.5, early_stopping_rounds=3, n_jobs=1)
    model.fit(frame[:200], label[:200], eval_set=[(frame[200:], label[200:])], verbose=False)
    rounds = model.get_booster().num_boosted_rounds()
    assert model.best_iteration + 1 < rounds
    assert (
        assert_conforms(model, frame, undecided=0.03)[0].score.forest.tree_count == model.best_iteration + 1
    )
    # A Booster by itself predicts with all its trees.
    assert assert_conforms(model.get_booster(), frame, undecided=0.03)[0].score.forest.tree_count == rounds


@pytest.mark.parametrize("best", ["99999999", "3", "-1", "-5", "last"])
def test_a_best_round_that_there_is_not_is_blamed_on_the_model(best):
    frame, label = people()
    model = xgboost.XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1).fit(frame, label)
    model.get_booster().set_attr(best_iteration=best)
    with pytest.raises(
        InvalidModel, match=f"This XGBoost model does not have the structure that its library.*{best}"
    ):
        parse_model(model, reference=frame)


def test_what_is_not_supported_is_a_black_box_or_rejected():
    frame, label = people()
    fast = {"n_estimators": 2, "n_jobs": 1}
    with pytest.raises(NotFitted):
        parse_model(xgboost.XGBClassifier(), reference=frame)
    for options, why in [
        ({"missing": -999}, "-999"),
        ({"booster": "gblinear"}, "gblinear"),
        ({"objective": "binary:hinge"}, "'binary:hinge'"),
    ]:
        assert_black_box(xgboost.XGBClassifier(**options, **fast).fit(frame, label), frame, why)
