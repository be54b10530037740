"""Check the reading of LightGBM models of tables: categories, missing values, several classes, numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.engine.scores.trees.cuts import LIGHTGBM_ZERO
from p2ce.errors import InvalidReference
from p2ce.models.category_codes import LibraryColumn
from p2ce.models.families.lightgbm.model_text import Split, steps_of
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import MISSING, codebook_of
from tests.models.tables import ODD, certainties, conforms, table
from tests.optional import needs
from tests.properties.amount import examples

lightgbm = needs("lightgbm")

QUIET = {"verbose": -1, "n_jobs": 1, "random_state": 0, "min_child_samples": 5, "n_estimators": 12}
CATEGORIES = {"min_data_per_group": 5, "cat_smooth": 1.0, "max_cat_to_onehot": 2}
GAPS = ("job", "grade", "income", "children")


def fitted(kind: str, frame: pd.DataFrame, label: object, **options: object) -> object:
    model = getattr(lightgbm, kind)(**{**QUIET, **CATEGORIES, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LightGBM warns of its own defaults for categories
        return model.fit(frame, label, categorical_feature=["job", "code"])


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
    codes, book = found.codebook.encode_all(frame)
    rows = book.decode(codes, frame.columns)
    accept_from, rejected = certainties(found, rows, book)
    accepted = found.evaluate(rows) >= 0.5
    assert accepted[accept_from].all()
    assert not accepted[rejected].any()
    assert (accept_from | rejected).all()


def test_columns_of_other_types_than_in_fitting_are_named():
    frame, wealth = table()
    model = fitted("LGBMClassifier", frame, (wealth > 1.8).astype(int))
    with pytest.raises(
        InvalidReference, match="2 columns of pandas categories, but the reference data has 1"
    ):
        parse_model(model, reference=frame.assign(grade=1.0))
    with pytest.raises(InvalidReference, match=r"'job' of the reference data holds object. .*astype"):
        parse_model(model, reference=frame.assign(job=frame["job"].astype(object)))


def test_saturated_classes_against_the_rest_are_a_black_box():
    frame, wealth = table()
    options = {"objective": "multiclassova", "learning_rate": 8.0, "n_estimators": 40}
    model = fitted("LGBMClassifier", frame, np.digitize(wealth, [1.5, 2.2]), **options)
    assert parse_model(model, reference=frame, target=1).score is None


values = st.one_of(
    st.floats(-1e3, 1e3), st.sampled_from([0.0, -0.0, LIGHTGBM_ZERO, -LIGHTGBM_ZERO, *ODD, *range(70)])
).map(float)
splits = st.builds(
    Split,
    threshold=values,
    default_left=st.booleans(),
    missing_type=st.sampled_from([0, 1, 2]),
    categories=st.none() | st.frozensets(st.integers(0, 70), min_size=1),
)


@examples(300)
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


@examples(300)
@given(splits, st.lists(st.integers(0, 70).map(float) | st.just(np.nan), min_size=1), st.booleans())
def test_steps_of_codes_take_the_split_s_sides(split, numbers, nullable):
    numbers = np.array(numbers)
    steps = steps_of(split, LibraryColumn(nullable, numbers))
    codes = np.arange(len(numbers) + 3.0)
    known = np.concatenate([numbers, [np.nan] * 3])  # labels that no one knows are missing to LightGBM
    assert (steps.goes_left(codes) == split.goes_left(known)).all()
    if nullable:
        assert steps.goes_left(np.array([MISSING]))[0] == split.goes_left(np.array([np.nan]))[0]
