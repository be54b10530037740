"""Check the reading of XGBoost models of tables: categories, missing values, several classes, numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument, InvalidReference, InvalidTarget, InvalidThreshold
from p2ce.models.category_codes import Seen
from p2ce.models.parse_model import parse_model
from p2ce.models.xgboost.trees import _category_steps
from p2ce.tables.codebook import MISSING, codebook_of
from tests.with_lightgbm.tables import ODD, assert_law, table, verdicts

xgboost = pytest.importorskip("xgboost")
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:UserWarning", "ignore::FutureWarning")

QUIET = {"n_jobs": 1, "random_state": 0, "n_estimators": 12, "max_depth": 4, "enable_categorical": True}
GAPS = ("job", "grade", "income", "children")
DOUBT = 0.02  # of rows are left to the model, by the float32 sums; most are at thresholds here
OPTIONS = {
    "by sets": {"max_cat_to_onehot": 1},
    "one against the rest": {"max_cat_to_onehot": 50},
    "dart": {"booster": "dart", "rate_drop": 0.4},
    "parallel trees": {"n_estimators": 3, "num_parallel_tree": 3, "subsample": 0.6},
}


def fitted(kind: str, frame: pd.DataFrame, label: object, **options: object) -> object:
    return getattr(xgboost, kind)(**{**QUIET, **options}).fit(frame, label)


def assert_xgboost(model: object, frame: pd.DataFrame, **wanted: object) -> object:
    wanted = {"missing": GAPS, "error": 1e-5, "most_doubt": DOUBT, **wanted}
    # XGBoost refuses labels that it has not seen.
    return assert_law(model, frame, unseen=False, **wanted)


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", OPTIONS)
def test_categories_and_gaps_are_read(name, target):
    frame, wealth = table()
    model = fitted("XGBClassifier", frame, (wealth > 1.8).astype(int), **OPTIONS[name])
    for threshold in (None, 0.3, 0.62):
        assert_xgboost(model, frame, target=target, threshold=threshold)
    assert_xgboost(model.get_booster(), frame, target=target)


def test_numbers_declared_categories_are_read():
    frame, wealth = table()
    numbers = frame[["code", "income", "balance"]]
    kinds = ["c", "float", "float"]
    label = (wealth > 1.8).astype(int)
    for options in OPTIONS.values():
        model = xgboost.XGBClassifier(**{**QUIET, **options}, feature_types=kinds).fit(
            numbers.to_numpy(), label
        )
        assert_xgboost(model, numbers, missing=("code", "income"))
        assert_xgboost(model, numbers.dropna(), missing=())
        assert_xgboost(model.get_booster(), numbers, missing=("code", "income"))


def test_whole_numbers_as_labels_are_read():
    frame, wealth = table()
    labelled = frame.assign(code=pd.Categorical(10 * frame["code"].astype(int)))
    model = fitted("XGBClassifier", labelled, (wealth > 1.8).astype(int), max_cat_to_onehot=1)
    assert_xgboost(model, labelled)


def test_labels_mean_the_same_in_any_order_and_number():
    frame, wealth = table()
    model = fitted("XGBClassifier", frame, (wealth > 1.8).astype(int), max_cat_to_onehot=1)
    turned = frame.assign(job=frame["job"].cat.set_categories(frame["job"].cat.categories[::-1]))
    assert_xgboost(model, turned)
    few = frame[frame["job"].isin(["cook", "clerk"])]
    few = few.assign(job=few["job"].cat.remove_unused_categories())
    book = codebook_of(few)
    found = parse_model(model, reference=few, codebook=book, nullable=GAPS)
    rows = book.decode(book.encode(frame), frame.columns)
    accepted = found.evaluate(rows) >= 0.5
    accept_from, refused = verdicts(found, rows, book)
    assert accepted[accept_from].all()
    assert not accepted[refused].any()


def test_letters_beyond_ascii_are_read_where_they_can_be_told_apart():
    frame, wealth = table()
    label = (wealth > 1.8).astype(int)
    names = {name: f"{name[:2]}é{name[2:]}" for name in frame["job"].cat.categories}
    foreign = frame.assign(job=frame["job"].cat.rename_categories(names))
    assert_xgboost(fitted("XGBClassifier", foreign, label, max_cat_to_onehot=1), foreign)


def test_categories_that_xgboost_refuses_are_told():
    frame, wealth = table()
    model = fitted("XGBClassifier", frame, (wealth > 1.8).astype(int))
    more = frame.assign(job=frame["job"].cat.add_categories(["hermit"]))
    with pytest.raises(InvalidReference, match=r"'job' .* 'hermit', which XGBoost has not seen"):
        parse_model(model, reference=more)
    with pytest.raises(InvalidReference, match=r"fitted on categories in column 'job'"):
        parse_model(model, reference=frame.assign(job=frame["job"].cat.codes.astype(float)))
    with pytest.raises(InvalidReference, match=r"fitted on numbers in column 'code'"):
        parse_model(model, reference=frame.assign(code=frame["code"].astype("category")))
    labelled = frame.assign(code=pd.Categorical(frame["code"].astype(int)))
    model = fitted("XGBClassifier", labelled, (wealth > 1.8).astype(int))
    narrow = frame.assign(code=pd.Categorical(frame["code"].astype(np.int8)))
    with pytest.raises(InvalidReference, match="does not take the reference frame"):
        parse_model(model, reference=narrow)


@pytest.mark.parametrize("objective", ["multi:softprob", "multi:softmax"])
@pytest.mark.parametrize("name", ["by sets", "dart", "parallel trees"])
def test_a_class_of_several_wins_as_predict_says(name, objective):
    frame, wealth = table()
    label = np.digitize(wealth, [1.5, 2.2])
    model = fitted("XGBClassifier", frame, label, objective=objective, **OPTIONS[name])
    for target in range(3):
        found = assert_xgboost(model, frame, target=target)
        assert found.scale == "lead"
        assert len(found.scores) == 2
        assert ((found.evaluate(frame) >= 0.0) == (model.predict(frame) == target)).all()
        assert (found.predict(frame) == model.predict_proba(frame)[:, target]).all()
        for threshold in (0.0, 0.2, 0.4, 0.9, 1.0):
            reached = assert_xgboost(model, frame, target=target, threshold=threshold)
            assert not reached.decides
        booster = assert_xgboost(model.get_booster(), frame, target=target)
        assert np.abs(booster.predict(frame) - found.predict(frame)).max() < 1e-6


def test_a_threshold_on_one_of_several_rules_out_most_that_misses_it():
    frame, wealth = table()
    model = fitted("XGBClassifier", frame, np.digitize(wealth, [1.5, 2.2]))
    found = parse_model(model, reference=frame, target=2, threshold=0.7)
    _, refused = verdicts(found, frame, codebook_of(frame))
    assert refused[found.evaluate(frame) < 0.7].mean() > 0.9


def test_early_stopping_counts_for_every_class():
    frame, wealth = table()
    label = np.digitize(wealth, [1.5, 2.2])
    model = xgboost.XGBClassifier(
        **{**QUIET, "n_estimators": 200}, early_stopping_rounds=2, learning_rate=0.6
    )
    model.fit(frame[:300], label[:300], eval_set=[(frame[300:], label[300:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    for target in range(3):
        found = assert_xgboost(model, frame, target=target)
        assert found.score.forest.tree_count == 2 * (model.best_iteration + 1)
        assert_xgboost(model.get_booster(), frame, target=target)


def test_a_class_without_trees_is_read():
    frame, wealth = table()
    model = fitted("XGBClassifier", frame, np.digitize(wealth, [1.5, 2.2]), n_estimators=0)
    for target in range(3):
        found = parse_model(model, reference=frame, target=target)
        assert ((found.evaluate(frame) >= 0.0) == (model.predict(frame) == target)).all()


OBJECTIVES = [
    "reg:squarederror",
    "reg:absoluteerror",
    "reg:pseudohubererror",
    "reg:squaredlogerror",
    "reg:logistic",
    "count:poisson",
    "reg:gamma",
    "reg:tweedie",
]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_predicted_number_is_read(objective):
    frame, wealth = table()
    positive = np.abs(wealth) + 0.1
    label = positive / positive.max() if objective == "reg:logistic" else positive
    model = fitted("XGBRegressor", frame, label, objective=objective)
    predicted = np.sort(model.predict(frame).astype(float))
    low, middle, high = predicted[[100, 250, 400]]
    for target in [(low, high), (middle, middle), (None, middle), (low, np.inf), [-np.inf, float(high)]]:
        # Rows with the very same prediction as an end are the model's to decide, and they are many.
        doubt = 0.01 + (np.isin(predicted, list(target)).mean() if low < high else 1.0) * 3
        found = assert_xgboost(model, frame, target=target, most_doubt=doubt)
        assert (found.scale, found.threshold) == ("lead", 0.0)
        assert (found.predict(frame) == model.predict(frame)).all()
        if objective != "reg:logistic":  # of which a Booster alone is taken for the probability of a class
            assert_xgboost(model.get_booster(), frame, target=target, most_doubt=doubt)


def test_quantiles_forests_and_large_numbers_are_read():
    frame, wealth = table()
    quantile = fitted("XGBRegressor", frame, wealth, objective="reg:quantileerror", quantile_alpha=0.3)
    assert_xgboost(quantile, frame, target=(1.0, 2.0))
    assert_xgboost(fitted("XGBRFRegressor", frame, wealth), frame, target=(1.0, 2.0))
    large = fitted("XGBRegressor", frame, 1e6 * wealth)
    assert_xgboost(large, frame, target=(1e6, 2e6), error=0.1)
    several = fitted("XGBRegressor", frame, np.c_[wealth, -wealth])
    assert read_model_or_none(several, frame) is None


def read_model_or_none(model: object, frame: pd.DataFrame) -> object:
    try:
        return parse_model(model, reference=frame, target=(1.0, 2.0)).score
    except Exception:
        return None


def test_what_makes_no_sense_is_told():
    frame, wealth = table()
    regressor = fitted("XGBRegressor", frame, wealth)
    with pytest.raises(InvalidTarget, match=r"regressor: pass target=\(low, high\)"):
        parse_model(regressor, reference=frame)
    with pytest.raises(InvalidThreshold, match="no threshold"):
        parse_model(regressor, reference=frame, target=(0, 1), threshold=0.5)
    classifier = fitted("XGBClassifier", frame, np.digitize(wealth, [1.5, 2.2]))
    with pytest.raises(InvalidArgument, match="scale='probability'"):
        parse_model(classifier, reference=frame, target=1, scale="decision")


@settings(max_examples=300, deadline=None)
@given(
    st.frozensets(st.integers(0, 70), min_size=1),
    st.lists(st.floats(-100, 100, width=32) | st.sampled_from([*ODD, *range(70)]), min_size=1),
    st.booleans(),
    st.booleans(),
)
def test_steps_send_right_what_is_in_the_set(goes_right, tried, default_left, nullable):
    tried = np.array(tried, dtype=float)
    tried = np.concatenate([tried, np.nextafter(tried, np.inf), np.nextafter(tried, -np.inf)])
    with np.errstate(over="ignore"):
        single = tried.astype(np.float32)
    expected = [not (value >= 0.0 and np.trunc(value) in goes_right) for value in single]
    steps = _category_steps(goes_right, Seen(nullable), default_left=default_left)
    assert steps.goes_left(tried).tolist() == expected
    if nullable:
        assert steps.goes_left(np.array([MISSING]))[0] == default_left
