"""Is a black box evaluated for the right thing: a winner, a number, a decision?"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, VotingClassifier, VotingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from p2ce.errors import (
    InvalidArgument,
    InvalidOutput,
    InvalidTarget,
    InvalidThreshold,
    UnsupportedModel,
)
from p2ce.models.parse_model import parse_model
from tests.models.laws import diabetes, wine

WINE, KIND = wine()
DIABETES, NUMBER = diabetes()
FAR = WINE * np.random.default_rng(0).uniform(-4.0, 4.0, WINE.shape)
CLASSIFIERS = {
    "neighbours": lambda: KNeighborsClassifier(4),  # with ties
    "bagging": lambda: BaggingClassifier(LogisticRegression(), 3, random_state=0),
    "search": lambda: GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 4]}, cv=2),
    "pipeline": lambda: make_pipeline(QuantileTransformer(n_quantiles=20), KNeighborsClassifier(4)),
    "decisions": lambda: SVC(),
    "votes": lambda: VotingClassifier([("a", KNeighborsClassifier(4)), ("b", DecisionTreeClassifier())]),
    "centroid": lambda: NearestCentroid(),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_class_is_accepted_where_it_is_predicted(name, named):
    model = CLASSIFIERS[name]().fit(WINE if named else WINE.to_numpy(), KIND)
    for target in np.unique(KIND):
        found = parse_model(model, reference=WINE, target=target, black_box=True)
        assert found.score is None
        assert (found.scale, found.threshold) == ("lead", 0.0)
        for rows in (WINE, FAR):
            predicted = model.predict(rows if named else rows.to_numpy())
            assert ((found.evaluate(rows) >= 0.0) == (predicted == target)).all()


def test_who_leads_is_told_by_how_much():
    model = KNeighborsClassifier().fit(WINE, KIND)
    found = parse_model(model, reference=WINE, target="barolo")
    shares = model.predict_proba(WINE)
    column = list(model.classes_).index("barolo")
    others = np.delete(shares, column, axis=1).max(axis=1)
    assert np.abs(found.evaluate(WINE) - (shares[:, column] - others)).max() < 1e-15
    assert (found.predict(WINE) == shares[:, column]).all()


class Contrary(ClassifierMixin, BaseEstimator):
    """Predicts the class that it finds least likely."""

    def fit(self, rows, label):
        self.inner_ = KNeighborsClassifier().fit(rows, label)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, rows):
        return self.inner_.predict_proba(rows)

    def predict(self, rows):
        return self.classes_[self.predict_proba(rows).argmin(axis=1)]


def test_predict_has_the_last_word():
    model = Contrary().fit(WINE, KIND)
    found = parse_model(model, reference=WINE, target="barolo")
    for rows in (WINE, FAR):
        assert ((found.evaluate(rows) >= 0.0) == (model.predict(rows) == "barolo")).all()


def test_the_scale_can_be_chosen():
    model = BaggingClassifier(LogisticRegression(), 3, random_state=0).fit(WINE, KIND)
    column = list(model.classes_).index("barolo")
    found = parse_model(model, reference=WINE, target="barolo", scale="decision")
    assert (found.scale, found.threshold) == ("decision", 0.0)
    assert (found.evaluate(WINE) == model.decision_function(WINE)[:, column]).all()
    with pytest.raises(InvalidArgument, match="scale='decision'"):
        parse_model(KNeighborsClassifier().fit(WINE, KIND), reference=WINE, target="barolo", scale="decision")
    with pytest.raises(InvalidArgument, match="scale='decision'"):
        parse_model(lambda rows: rows["alcohol"] > 0.0, reference=WINE, scale="decision")


REGRESSORS = {
    "neighbours": lambda: KNeighborsRegressor(),
    "voting": lambda: VotingRegressor([("a", LinearRegression()), ("b", KNeighborsRegressor())]),
    "search": lambda: GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [3, 4]}, cv=2),
    "pipeline": lambda: make_pipeline(QuantileTransformer(n_quantiles=20), KNeighborsRegressor()),
    "logarithm": lambda: TransformedTargetRegressor(KNeighborsRegressor(), func=np.log, inverse_func=np.exp),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_regressor_is_asked_for_its_number(name, named):
    model = REGRESSORS[name]().fit(DIABETES if named else DIABETES.to_numpy(), NUMBER)
    own = model.predict(DIABETES if named else DIABETES.to_numpy())
    for low, high in ((100.0, 150.0), (None, 90.0), (200.0, np.inf)):
        found = parse_model(model, reference=DIABETES, target=(low, high))
        assert (found.score, found.scale, found.threshold) == (None, "lead", 0.0)
        assert (found.predict(DIABETES) == own).all()
        inside = (own >= (-np.inf if low is None else low)) & (own <= high)
        assert ((found.evaluate(DIABETES) >= 0.0) == inside).all()
    with pytest.raises(InvalidTarget, match=r"is a regressor: pass target=\(low, high\)"):
        parse_model(model, reference=DIABETES)


def test_a_number_may_be_large():
    found = parse_model(
        lambda rows: 1e9 * rows["bmi"].astype(np.float32), reference=DIABETES, target=(0.0, None)
    )
    assert found.tolerance >= 1e-4 * 1e9
    assert ((found.evaluate(DIABETES) >= 0.0) == (DIABETES["bmi"] >= 0.0)).all()


def test_a_function_may_give_a_number():
    found = parse_model(lambda rows: rows["bmi"] * 3.0, reference=DIABETES, target=(None, 1.5))
    assert (found.evaluate(DIABETES) == 1.5 - 3.0 * DIABETES["bmi"]).all()
    model = KNeighborsRegressor().fit(DIABETES, NUMBER)
    found = parse_model(model.predict, reference=DIABETES, target=(None, 150.0))
    assert (found.predict(DIABETES) == model.predict(DIABETES)).all()
    with pytest.raises(InvalidTarget):
        parse_model(lambda rows: rows[["bmi", "bp"]], reference=DIABETES, target=(None, 1.5))


class Bare:
    """Has nothing but predict."""

    def __init__(self, answer):
        self.answer = answer

    def predict(self, rows):
        return self.answer(rows)


def test_votes_are_for_or_against_the_target():
    found = parse_model(
        Bare(lambda rows: np.where(rows["bmi"] > 0.0, "good", "bad")), reference=DIABETES, target="good"
    )
    assert (found.scale, found.threshold, set(found.classes)) == ("lead", 0.0, {"good", "bad"})
    assert (found.evaluate(DIABETES) == np.where(DIABETES["bmi"] > 0.0, 1.0, -1.0)).all()
    model = VotingClassifier([("a", KNeighborsClassifier(4)), ("b", DecisionTreeClassifier())]).fit(
        WINE, KIND
    )
    with pytest.raises(InvalidThreshold, match="only predicts classes"):
        parse_model(model, reference=WINE, target="barolo", threshold=0.5)
    with pytest.raises(InvalidTarget, match="'barbera', 'barolo', 'grignolino'"):
        parse_model(model, reference=WINE, target="merlot")
    found = parse_model(Bare(lambda rows: rows["bmi"]), reference=DIABETES, target=(0.0, None))
    assert (found.predict(DIABETES) == DIABETES["bmi"]).all()


@pytest.mark.parametrize("answer", [lambda rows: rows["bmi"], lambda rows: np.ones(len(rows))])
def test_predictions_that_mean_nothing_are_refused(answer):
    with pytest.raises(UnsupportedModel):
        parse_model(Bare(answer), reference=DIABETES)


JOBS = pd.DataFrame(
    {
        "job": pd.Categorical(["cook", "clerk", "king", "cook"] * 20),
        "town": np.array(["Ulm", "Bonn"] * 40, dtype=object),
        "age": pd.array([31, 44, None, 28] * 20, dtype="Int64"),
    }
)
PAID = np.arange(80) % 4 > 1


class Reading(BaseEstimator):
    """Keeps what it was given."""

    def predict_proba(self, rows):
        self.given = rows
        share = np.asarray(rows["job"] == "king", dtype=float)
        return np.column_stack([1.0 - share, share])


def test_a_frame_keeps_the_types_of_its_columns():
    model = Reading()
    found = parse_model(model, reference=JOBS)
    found.evaluate(JOBS)
    pd.testing.assert_series_equal(model.given.dtypes, JOBS.dtypes)
    assert found.columns == ("job", "town", "age")


def test_categories_become_an_array_only_where_one_was_fitted():
    words = JOBS[["job", "town"]]
    array = words.to_numpy(dtype=object)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), KNeighborsClassifier()).fit(array, PAID)
    found = parse_model(model, reference=words, target=True, black_box=True)
    assert (found.evaluate(words) == model.predict_proba(array)[:, 1]).all()

    def wants_an_array(rows):
        return rows[:, 0] == "king"

    with pytest.raises(InvalidOutput, match=r"^model\(rows\) raised"):
        parse_model(wants_an_array, reference=words)


def test_a_missing_value_that_is_refused_is_named_with_its_column():
    gaps = DIABETES.assign(bmi=[np.nan, *DIABETES["bmi"][1:]], bp=[np.nan, *DIABETES["bp"][1:]])
    model = KNeighborsRegressor().fit(DIABETES, NUMBER)
    with pytest.raises(
        InvalidOutput, match=r"Input X contains NaN.*Columns with missing values here: 'bmi', 'bp'"
    ):
        parse_model(model, reference=gaps, target=(None, 90.0))
    # In none of the rows that were looked at, but some person may miss it.
    with pytest.raises(InvalidOutput, match="Columns with missing values here: 'sex'"):
        parse_model(model, reference=DIABETES, target=(None, 90.0), nullable={"sex"})
    taken = parse_model(
        lambda rows: rows["bmi"].fillna(0.0), reference=gaps, target=(None, 0.0), nullable={"bmi", "bp"}
    )
    assert taken.predict(gaps)[0] == 0.0


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    "wrap", [lambda one: one, lambda one: make_pipeline(PCA(), one)], ids=["alone", "inside"]
)
def test_of_several_classes_the_one_that_is_predicted_wins(wrap, ties):
    """Pairs of classes vote in a kernel machine, so that the largest decision value need not win."""
    model = wrap(SVC(break_ties=ties, C=0.1)).fit(WINE, KIND)
    far = pd.concat([WINE] * 20, ignore_index=True)
    far *= np.random.default_rng(0).uniform(-3.0, 3.0, far.shape)
    for target in model.classes_:
        found = parse_model(model, reference=WINE, target=target)
        assert found.score is None
        for rows in (WINE, far):
            assert ((found.evaluate(rows) >= found.threshold) == (model.predict(rows) == target)).all()
