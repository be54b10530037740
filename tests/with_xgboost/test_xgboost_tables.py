"""Check the reading of XGBoost models of tables: categories, missing values, several classes, numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidReference
from p2ce.models.category_codes import LibraryColumn
from p2ce.models.families.xgboost.trees import _category_steps
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import MISSING, codebook_of
from tests.models.tables import ODD, certainties, conforms, table
from tests.optional import needs
from tests.properties.amount import examples

xgboost = needs("xgboost")
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:UserWarning", "ignore::FutureWarning")

QUIET = {"n_jobs": 1, "random_state": 0, "n_estimators": 12, "max_depth": 4, "enable_categorical": True}
GAPS = ("job", "grade", "income", "children")
DOUBT = 0.02  # of rows are left to the model, by the float32 sums; most are at thresholds here


def fitted(kind: str, frame: pd.DataFrame, label: object, **options: object) -> object:
    return getattr(xgboost, kind)(**{**QUIET, **options}).fit(frame, label)


def assert_xgboost(model: object, frame: pd.DataFrame, **wanted: object) -> object:
    wanted = {"nullable": GAPS, "undecided": DOUBT, **wanted}
    # XGBoost rejects labels that it has not seen.
    return conforms(model, frame, **wanted)


def test_labels_mean_the_same_in_any_order_and_number():
    frame, wealth = table()
    model = fitted("XGBClassifier", frame, (wealth > 1.8).astype(int), max_cat_to_onehot=1)
    turned = frame.assign(job=frame["job"].cat.set_categories(frame["job"].cat.categories[::-1]))
    assert_xgboost(model, turned)
    few = frame[frame["job"].isin(["cook", "clerk"])]
    few = few.assign(job=few["job"].cat.remove_unused_categories())
    book = codebook_of(few)
    found = parse_model(model, reference=few, codebook=book, nullable=GAPS)
    codes, book = found.codebook.encode_all(frame)
    rows = book.decode(codes, frame.columns)
    accepted = found.evaluate(rows) >= 0.5
    accept_from, rejected = certainties(found, rows, book)
    assert accepted[accept_from].all()
    assert not accepted[rejected].any()


def test_categories_that_xgboost_rejects_are_named():
    frame, wealth = table()
    model = fitted("XGBClassifier", frame, (wealth > 1.8).astype(int))
    more = frame.assign(job=frame["job"].cat.add_categories(["hermit"]))
    with pytest.raises(InvalidReference, match=r"'job' .* 'hermit', which it did not have for fitting"):
        parse_model(model, reference=more)
    with pytest.raises(InvalidReference, match=r"fitted on categories in column 'job'"):
        parse_model(model, reference=frame.assign(job=frame["job"].cat.codes.astype(float)))
    with pytest.raises(InvalidReference, match=r"fitted on numbers in column 'code'"):
        parse_model(model, reference=frame.assign(code=frame["code"].astype("category")))
    labelled = frame.assign(code=pd.Categorical(frame["code"].astype(int)))
    model = fitted("XGBClassifier", labelled, (wealth > 1.8).astype(int))
    narrow = frame.assign(code=pd.Categorical(frame["code"].astype(np.int8)))
    with pytest.raises(InvalidReference, match="does not accept the reference data"):
        parse_model(model, reference=narrow)


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


@examples(300)
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
    steps = _category_steps(goes_right, LibraryColumn(nullable), default_left=default_left)
    assert steps.goes_left(tried).tolist() == expected
    if nullable:
        assert steps.goes_left(np.array([MISSING]))[0] == default_left
