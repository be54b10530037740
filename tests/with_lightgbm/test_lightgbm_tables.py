"""Check the reading of LightGBM models of tables: categories, missing values, several classes, numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument, InvalidReference, InvalidTarget, InvalidThreshold
from p2ce.models.category_codes import Seen
from p2ce.models.lightgbm.model_text import Split, steps_of
from p2ce.models.parse_model import parse_model
from p2ce.scores.cuts import LIGHTGBM_ZERO
from p2ce.tables.codebook import MISSING, codebook_of
from tests.with_lightgbm.tables import ODD, assert_law, table, verdicts

lightgbm = pytest.importorskip("lightgbm")

QUIET = {"verbose": -1, "n_jobs": 1, "random_state": 0, "min_child_samples": 5, "n_estimators": 12}
CATEGORIES = {"min_data_per_group": 5, "cat_smooth": 1.0, "max_cat_to_onehot": 2}
GAPS = ("job", "grade", "income", "children")
OPTIONS = {
    "plain": {},
    "one against the rest": {"max_cat_to_onehot": 50},
    "zero as missing": {"zero_as_missing": True},
    "missing as zero": {"use_missing": False},
    "random forest": {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
}


def fitted(kind: str, frame: pd.DataFrame, label: object, **options: object) -> object:
    model = getattr(lightgbm, kind)(**{**QUIET, **CATEGORIES, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LightGBM warns of its own defaults for categories
        return model.fit(frame, label, categorical_feature=["job", "code"])


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("name", OPTIONS)
def test_categories_and_gaps_are_read_exactly(name, target):
    frame, wealth = table()
    model = fitted("LGBMClassifier", frame, (wealth > 1.8).astype(int), **OPTIONS[name])
    for threshold in (None, 0.3, 0.62):
        assert_law(model, frame, target=target, threshold=threshold, missing=GAPS, most_doubt=0.001)


def test_where_nothing_can_be_missing_nothing_is_slower():
    frame, wealth = table()
    whole = frame.drop(columns=list(GAPS))
    model = lightgbm.LGBMClassifier(**QUIET).fit(whole, (wealth > 1.8).astype(int))
    plain, careful = (
        parse_model(model, reference=whole, nullable=columns).score.forest for columns in ((), whole.columns)
    )
    assert len(plain.feature) <= len(careful.feature)
    assert_law(model, whole, missing=("code", "balance"))


def test_a_booster_is_asked_with_the_frames_own_categories():
    frame, wealth = table()
    options = {"objective": "binary", "verbose": -1, "num_threads": 1, **CATEGORIES}
    booster = lightgbm.train(options, lightgbm.Dataset(frame, (wealth > 1.8).astype(int)), 8)
    again = lightgbm.Booster(model_str=booster.model_to_string())
    for each in (booster, again):
        assert_law(each, frame, missing=GAPS, target=0)


def test_labels_mean_the_same_in_any_order_and_number():
    frame, wealth = table()
    model = fitted("LGBMClassifier", frame, (wealth > 1.8).astype(int))
    more = frame.assign(
        job=frame["job"].cat.set_categories(
            ["never", "judge", "cook", *sorted(set(frame["job"].dropna()) - {"judge", "cook"})]
        )
    )
    assert_law(model, more, missing=GAPS)
    few = frame[frame["job"].isin(["cook", "clerk"])]
    few = few.assign(job=few["job"].cat.remove_unused_categories())
    found = assert_law(model, few, missing=GAPS)
    # Labels that only the model knows are settled as well, should a person turn up with one.
    book = codebook_of(few)
    found = parse_model(model, reference=few, codebook=book, nullable=GAPS)
    codes = book.encode(frame)
    rows = book.decode(codes, frame.columns)
    accept_from, refused = verdicts(found, rows, book)
    accepted = found.evaluate(rows) >= 0.5
    assert accepted[accept_from].all()
    assert not accepted[refused].any()
    assert (accept_from | refused).all()


def test_columns_of_other_types_than_in_fitting_are_told():
    frame, wealth = table()
    model = fitted("LGBMClassifier", frame, (wealth > 1.8).astype(int))
    with pytest.raises(InvalidReference, match="2 columns of pandas categories, the reference frame has 1"):
        parse_model(model, reference=frame.assign(grade=1.0))
    with pytest.raises(InvalidReference, match=r"'job' of the reference frame holds object. .*astype"):
        parse_model(model, reference=frame.assign(job=frame["job"].astype(object)))


@pytest.mark.parametrize("objective", ["multiclass", "multiclassova"])
@pytest.mark.parametrize("boosting", ["gbdt", "rf"])
def test_a_class_of_several_wins_as_predict_says(objective, boosting):
    frame, wealth = table()
    rank = np.digitize(wealth, [1.5, 2.2])
    label = np.array(["poor", "fair", "rich"])[rank]
    options = {} if boosting == "gbdt" else OPTIONS["random forest"]
    model = fitted(
        "LGBMClassifier", frame, label, objective=objective, n_estimators=5, num_leaves=12, **options
    )
    for target in ("poor", "fair", "rich"):
        found = assert_law(model, frame, target=target, missing=GAPS, most_doubt=0.001)
        assert found.scale == "lead"
        assert len(found.scores) == 2
        assert ((found.evaluate(frame) >= 0.0) == (model.predict(frame) == target)).all()
        place = list(model.classes_).index(target)
        assert (found.predict(frame) == model.predict_proba(frame)[:, place]).all()
        for threshold in (0.0, 0.2, 0.4, 0.9, 1.0):
            reached = assert_law(model, frame, target=target, threshold=threshold, missing=GAPS)
            assert reached.decides == (objective == "multiclassova")
            assert (reached.evaluate(frame) == found.predict(frame)).all()
    booster = model.booster_
    assert_law(booster, frame, target=2, missing=GAPS, most_doubt=0.001)


def test_a_threshold_on_one_of_several_rules_out_most_that_misses_it():
    frame, wealth = table()
    model = fitted("LGBMClassifier", frame, np.digitize(wealth, [1.5, 2.2]))
    found = parse_model(model, reference=frame, target=2, threshold=0.7)
    _, refused = verdicts(found, frame, codebook_of(frame))
    assert refused[found.evaluate(frame) < 0.7].mean() > 0.9


def test_a_tie_goes_to_the_first_class():
    """Without a single split, classes of the same size have the same probability."""
    frame, _ = table(rows=300)
    model = lightgbm.LGBMClassifier(**{**QUIET, "min_child_samples": 1000}).fit(frame, np.arange(300) % 3)
    assert len(np.unique(model.predict_proba(frame))) == 1
    accepted = [
        (parse_model(model, reference=frame, target=k).evaluate(frame) >= 0.0).all() for k in range(3)
    ]
    assert accepted == [True, False, False]
    for target in range(3):
        assert_law(model, frame, target=target, most_doubt=1.0)


def test_saturated_classes_against_the_rest_are_only_asked():
    frame, wealth = table()
    options = {"objective": "multiclassova", "learning_rate": 8.0, "n_estimators": 40}
    model = fitted("LGBMClassifier", frame, np.digitize(wealth, [1.5, 2.2]), **options)
    assert parse_model(model, reference=frame, target=1).score is None


OBJECTIVES = ["regression", "l1", "huber", "fair", "quantile", "mape", "poisson", "gamma", "tweedie"]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_predicted_number_is_read_exactly(objective):
    frame, wealth = table()
    model = fitted("LGBMRegressor", frame, np.abs(wealth) + 0.1, objective=objective)
    predicted = np.sort(model.predict(frame))
    low, middle, high = predicted[[100, 250, 400]]
    for target in [(low, high), (middle, middle), (None, middle), (low, np.inf), [-np.inf, float(high)]]:
        found = assert_law(model, frame, target=target, missing=GAPS, error=1e-14, most_doubt=0.1)
        assert (found.scale, found.threshold) == ("lead", 0.0)
        assert (found.predict(frame) == model.predict(frame)).all()


def test_numbers_of_other_kinds_of_boosting_are_read():
    frame, wealth = table()
    positive = np.abs(wealth)
    assert_law(
        fitted("LGBMRegressor", frame, positive, reg_sqrt=True), frame, target=(1.0, 2.0), missing=GAPS
    )
    forest = fitted("LGBMRegressor", frame, positive, **OPTIONS["random forest"])
    assert_law(forest, frame, target=(1.0, 2.0), missing=GAPS)
    own = fitted("LGBMRegressor", frame, positive, objective=lambda y, f: (f - y, np.ones_like(y)))
    assert_law(own, frame, target=(0.5, 2.0), missing=GAPS)
    assert_law(forest.booster_, frame, target=(1.0, None), missing=GAPS)


def test_what_makes_no_sense_is_told():
    frame, wealth = table()
    regressor = fitted("LGBMRegressor", frame, wealth)
    with pytest.raises(InvalidTarget, match=r"regressor: pass target=\(low, high\)"):
        parse_model(regressor, reference=frame)
    with pytest.raises(InvalidThreshold, match="no threshold"):
        parse_model(regressor, reference=frame, target=(0, 1), threshold=0.5)
    with pytest.raises(InvalidArgument, match="Leave scale out"):
        parse_model(regressor, reference=frame, target=(0, 1), scale="probability")
    classifier = fitted("LGBMClassifier", frame, np.digitize(wealth, [1.5, 2.2]))
    with pytest.raises(InvalidArgument, match="scale='probability'"):
        parse_model(classifier, reference=frame, target=1, scale="decision")
    with pytest.raises(InvalidTarget, match="classes 0, 1, 2"):
        parse_model(classifier, reference=frame, target="rich")
    odd = fitted("LGBMRegressor", frame, (wealth > 1.8).astype(int), objective="cross_entropy")
    assert parse_model(odd, reference=frame, target=(0.2, 0.8)).score is None


values = st.one_of(
    st.floats(-1e3, 1e3),
    st.sampled_from([0.0, -0.0, LIGHTGBM_ZERO, -LIGHTGBM_ZERO, *ODD, *range(70)]),
).map(float)
splits = st.builds(
    Split,
    threshold=values,
    default_left=st.booleans(),
    missing_type=st.sampled_from([0, 1, 2]),
    categories=st.none() | st.frozensets(st.integers(0, 70), min_size=1),
)


@settings(max_examples=300, deadline=None)
@given(splits, st.lists(values, min_size=1), st.booleans())
def test_steps_of_numbers_take_the_split_s_sides(split, tried, nullable):
    tried = np.array(tried)
    tried = np.concatenate(
        [tried, np.nextafter(tried, np.inf), np.nextafter(tried, -np.inf), [split.threshold]]
    )
    steps = steps_of(split, Seen(nullable))
    assert (steps.goes_left(tried) == split.goes_left(tried)).all()
    if nullable:
        assert steps.goes_left(np.array([MISSING]))[0] == split.goes_left(np.array([np.nan]))[0]


@settings(max_examples=300, deadline=None)
@given(splits, st.lists(st.integers(0, 70).map(float) | st.just(np.nan), min_size=1), st.booleans())
def test_steps_of_codes_take_the_split_s_sides(split, numbers, nullable):
    numbers = np.array(numbers)
    steps = steps_of(split, Seen(nullable, numbers))
    codes = np.arange(len(numbers) + 3.0)
    known = np.concatenate([numbers, [np.nan] * 3])  # labels that nobody knows are missing to LightGBM
    assert (steps.goes_left(codes) == split.goes_left(known)).all()
    if nullable:
        assert steps.goes_left(np.array([MISSING]))[0] == split.goes_left(np.array([np.nan]))[0]
