"""Check the reading of LightGBM models of tables: categories, missing values, several classes, numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument, InvalidReference, InvalidTarget, InvalidThreshold
from p2ce.models.category_codes import LibraryColumn
from p2ce.models.lightgbm.model_text import Split, steps_of
from p2ce.models.parse_model import parse_model
from p2ce.scores.cuts import LIGHTGBM_ZERO
from p2ce.tables.codebook import MISSING, codebook_of
from tests.models.tables import ODD, certainties, conforms, table

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


def test_where_nothing_can_be_missing_nothing_is_slower():
    frame, wealth = table()
    whole = frame.drop(columns=list(GAPS))
    model = lightgbm.LGBMClassifier(**QUIET).fit(whole, (wealth > 1.8).astype(int))
    plain, careful = (
        parse_model(model, reference=whole, nullable=columns).score.forest for columns in ((), whole.columns)
    )
    assert len(plain.feature) <= len(careful.feature)
    conforms(model, whole, nullable=("code", "balance"))


def test_a_booster_is_asked_with_the_frames_own_categories():
    frame, wealth = table()
    options = {"objective": "binary", "verbose": -1, "num_threads": 1, **CATEGORIES}
    booster = lightgbm.train(options, lightgbm.Dataset(frame, (wealth > 1.8).astype(int)), 8)
    again = lightgbm.Booster(model_str=booster.model_to_string())
    for each in (booster, again):
        conforms(each, frame, nullable=GAPS, target=0)


def test_labels_mean_the_same_in_any_order_and_number():
    frame, wealth = table()
    model = fitted("LGBMClassifier", frame, (wealth > 1.8).astype(int))
    more = frame.assign(
        job=frame["job"].cat.set_categories(
            ["never", "judge", "cook", *sorted(set(frame["job"].dropna()) - {"judge", "cook"})]
        )
    )
    conforms(model, more, nullable=GAPS)
    few = frame[frame["job"].isin(["cook", "clerk"])]
    few = few.assign(job=few["job"].cat.remove_unused_categories())
    found = conforms(model, few, nullable=GAPS)
    # Labels that only the model knows are settled as well, should a person turn up with one.
    book = codebook_of(few)
    found = parse_model(model, reference=few, codebook=book, nullable=GAPS)
    codes = book.encode(frame)
    rows = book.decode(codes, frame.columns)
    accept_from, refused = certainties(found, rows, book)
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


def test_a_threshold_on_one_of_several_rules_out_most_that_misses_it():
    frame, wealth = table()
    model = fitted("LGBMClassifier", frame, np.digitize(wealth, [1.5, 2.2]))
    found = parse_model(model, reference=frame, target=2, threshold=0.7)
    _, refused = certainties(found, frame, codebook_of(frame))
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
        conforms(model, frame, target=target, undecided=1.0)


def test_saturated_classes_against_the_rest_are_only_asked():
    frame, wealth = table()
    options = {"objective": "multiclassova", "learning_rate": 8.0, "n_estimators": 40}
    model = fitted("LGBMClassifier", frame, np.digitize(wealth, [1.5, 2.2]), **options)
    assert parse_model(model, reference=frame, target=1).score is None


def test_numbers_of_other_kinds_of_boosting_are_read():
    frame, wealth = table()
    positive = np.abs(wealth)
    conforms(fitted("LGBMRegressor", frame, positive, reg_sqrt=True), frame, target=(1.0, 2.0), nullable=GAPS)
    forest = fitted("LGBMRegressor", frame, positive, **OPTIONS["random forest"])
    conforms(forest, frame, target=(1.0, 2.0), nullable=GAPS)
    own = fitted("LGBMRegressor", frame, positive, objective=lambda y, f: (f - y, np.ones_like(y)))
    conforms(own, frame, target=(0.5, 2.0), nullable=GAPS)
    conforms(forest.booster_, frame, target=(1.0, None), nullable=GAPS)


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
    steps = steps_of(split, LibraryColumn(nullable))
    assert (steps.goes_left(tried) == split.goes_left(tried)).all()
    if nullable:
        assert steps.goes_left(np.array([MISSING]))[0] == split.goes_left(np.array([np.nan]))[0]


@settings(max_examples=300, deadline=None)
@given(splits, st.lists(st.integers(0, 70).map(float) | st.just(np.nan), min_size=1), st.booleans())
def test_steps_of_codes_take_the_split_s_sides(split, numbers, nullable):
    numbers = np.array(numbers)
    steps = steps_of(split, LibraryColumn(nullable, numbers))
    codes = np.arange(len(numbers) + 3.0)
    known = np.concatenate([numbers, [np.nan] * 3])  # labels that nobody knows are missing to LightGBM
    assert (steps.goes_left(codes) == split.goes_left(known)).all()
    if nullable:
        assert steps.goes_left(np.array([MISSING]))[0] == split.goes_left(np.array([np.nan]))[0]
