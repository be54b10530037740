"""Is what is proven of a model behind preprocessing what the pipeline itself says?"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import LinearSVC

import p2ce
from p2ce.engine.scores.external import ACCEPT, REJECT, UNDECIDED
from p2ce.engine.scores.score import score_rows, seen_as_given
from p2ce.errors import InvalidOutput, NotFitted, UnsupportedModel
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import codebook_of
from tests.models.laws import assert_black_box, assert_conforms, people
from tests.models.preprocessing.tables import COMPLETE, INCOMPLETE, LABELS, NUMBERS, hot, on, table
from tests.optional import needs

MODELS = {
    "linear": lambda: LogisticRegression(max_iter=2000),
    "forest": lambda: RandomForestClassifier(n_estimators=7, max_depth=4, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=7, random_state=0),
    "network": lambda: MLPClassifier((6, 5), max_iter=40, random_state=0),
}
FRAME, LABEL = people()
TABLE, GOOD = table()
BAND = 0.02


def fitted(before: Any, last: Any, frame: pd.DataFrame = TABLE, label: Any = GOOD) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_pipeline(before, last).fit(frame, label)


def verdicts(found: Any, rows: pd.DataFrame, book: Any) -> np.ndarray:
    return found.score.evaluate_rows(book.of(found.columns).encode(rows)).verdict


EVERY = [*COMPLETE, *INCOMPLETE]
PAIRS = [(name, last) for last in ("linear", "forest") for name in EVERY]
CURVES = ("functions", "curves", "curves of one's own")
PAIRS += [(name, "network") for name in ("one-hot, sparse", "turned", "imputed", "constants", *CURVES)]
PAIRS += [(name, "histogram") for name in ("bins", *CURVES, *INCOMPLETE)]


@pytest.mark.parametrize(("name", "last"), PAIRS)
def test_what_is_proven_is_what_the_pipeline_says(name, last):
    frame, label = table(missing=name in INCOMPLETE)
    before = {**COMPLETE, **INCOMPLETE}[name]()
    if name == "passed on" and last == "linear":
        with pytest.raises(ValueError, match="NaN"):  # scikit-learn itself rejects it
            fitted(before, MODELS[last](), frame, label)
        return
    model = fitted(before, MODELS[last](), frame, label)
    # Values at a threshold are left to the model, where functions might round them to either side.
    band = 0.5 if last == "histogram" and name in CURVES else BAND
    terms = {"undecided": band, "unseen": False, "far": name not in CURVES}
    found, _ = assert_conforms(model, frame, at_least=0.37, **terms)
    assert found.columns == tuple(frame.columns)
    assert np.array_equal(found.evaluate(frame[frame.columns[::-1]]), model.predict_proba(frame)[:, 1])


SCALED = {
    "logistic": (lambda: make_pipeline(StandardScaler(), LogisticRegression()), BAND),
    "decision": (lambda: make_pipeline(RobustScaler(), LinearSVC(random_state=0)), BAND),
    "two scalers": (
        lambda: make_pipeline(MinMaxScaler(clip=True), "passthrough", RobustScaler(), MODELS["forest"]()),
        0.0,
    ),
    "frames": (
        lambda: make_pipeline(StandardScaler().set_output(transform="pandas"), MODELS["forest"]()),
        0.0,
    ),
    "histogram": (lambda: make_pipeline(StandardScaler(), MODELS["histogram"]()), BAND),
    "no scaler": (lambda: make_pipeline("passthrough", MODELS["forest"]()), 0.0),
}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", SCALED)
def test_scalers_in_front_of_arrays_and_frames_of_either_precision(name, single):
    build, band = SCALED[name]
    frame = FRAME.astype(np.float32) if single else FRAME
    model = build().fit(frame if single else frame.to_numpy(), LABEL)
    for target in (0, 1):
        assert_conforms(model, frame, target=target, undecided=0.1 if single and band else band)


def test_trees_behind_scalers_split_the_table_itself():
    """Splits are moved through the scaler, so the solver need not see through it at all."""
    model = make_pipeline(StandardScaler(), RobustScaler(), MODELS["forest"]()).fit(FRAME, LABEL)
    found = parse_model(model, reference=FRAME)
    assert found.score.see is seen_as_given
    plain = parse_model(model[-1], reference=pd.DataFrame(model[:-1].transform(FRAME)))
    assert len(found.score.forest.feature) == len(plain.score.forest.feature)
    assert found.family == "scikit-learn random forest behind StandardScaler, RobustScaler"


@pytest.mark.parametrize("last", ["linear", "forest", "network"])
def test_an_unseen_label_is_what_the_pipeline_makes_of_it(last):
    book = codebook_of(TABLE)
    found = parse_model(fitted(hot(), MODELS[last]()), reference=TABLE, codebook=book)
    rows = TABLE.head(50).assign(job="unseen")
    assert (verdicts(found, rows, book) == np.where(found.evaluate(rows) >= 0.5, ACCEPT, REJECT)).all()


@pytest.mark.parametrize("last", ["linear", "network"])
def test_a_rejected_label_proves_nothing(last):
    book = codebook_of(TABLE)
    model = fitted(hot(handle_unknown="error"), MODELS[last]())
    found = parse_model(model, reference=TABLE, codebook=book)
    rows = TABLE.head(5).assign(job="unseen")
    assert (verdicts(found, rows, book) == UNDECIDED).all()
    with pytest.raises(InvalidOutput, match="unknown categories"):
        found.evaluate(rows)


def test_labels_that_only_the_last_step_knows_are_not_taken_for_unknown():
    """A label that passes through unchanged may be one of fitting, though the reference lacks it."""
    rng = np.random.default_rng(0)
    jobs = pd.Categorical(rng.choice(["a", "b", "c"], 600))
    frame = pd.DataFrame({"age": rng.integers(20, 70, 600).astype(float), "job": jobs})
    front = ColumnTransformer(
        [("s", StandardScaler(), ["age"]), ("k", "passthrough", ["job"])], verbose_feature_names_out=False
    )
    trees = HistGradientBoostingClassifier(max_iter=20, categorical_features="from_dtype")
    model = make_pipeline(front.set_output(transform="pandas"), trees)
    model.fit(frame, frame["age"] + 40 * (frame["job"] == "c") > 75)
    known = frame[frame["job"] != "c"].assign(job=lambda rows: rows["job"].cat.remove_unused_categories())
    book = codebook_of(known)
    found = parse_model(model, reference=known, target=True, codebook=book)
    assert (book["job"].unseen, found.codebook["job"].unseen) == ((), ("c",))
    rows = pd.DataFrame({"age": [30.0, 45.0, 60.0, 50.0], "job": pd.Categorical(["c", "c", "a", "new"])})
    codes, _ = found.codebook.encode_all(rows)
    own = model.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(found.report(score_rows(found.score, codes)), own, atol=1e-12)
    policy = p2ce.Policy.infer(known, protect=None)
    made = p2ce.Explainer(model, known, target=True, policy=policy, plausibility=None)
    assert made.explain({"age": 25.0, "job": "c"}).status is p2ce.Status.OPTIMAL


def test_a_function_beyond_what_is_proven_is_left_to_the_pipeline():
    book = codebook_of(TABLE)
    model = fitted(on(FunctionTransformer(np.log1p), NUMBERS[:2]), LogisticRegression())
    found = parse_model(model, reference=TABLE, codebook=book)
    assert (verdicts(found, TABLE.head(3), book) != UNDECIDED).all()
    beyond = TABLE.head(3).assign(income=-5.0)  # whose logarithm is not a number
    assert (verdicts(found, beyond, book) == UNDECIDED).all()


def test_several_classes_and_ranges_keep_their_scores():
    classes = np.array(["low", "middle", "high"])[np.digitize(TABLE["income"], [2500.0, 3500.0])]
    for last in ("linear", "forest", "network"):
        assert_conforms(fitted(hot(), MODELS[last](), TABLE, classes), TABLE, target="high", undecided=0.1)
    number = TABLE["income"].to_numpy() / 100.0 + TABLE["balance"].to_numpy()
    for last in (Ridge(), GradientBoostingRegressor(n_estimators=9)):
        model = fitted(hot(), last, TABLE, number)
        assert_conforms(model, TABLE, target=(20.0, 40.0), undecided=BAND)


def inner_pipeline() -> Any:
    inner = make_pipeline(MinMaxScaler(), MODELS["forest"]())
    return fitted(hot(sparse_output=False), inner), TABLE


def passed_numbers() -> Any:
    frame, label = table(missing=True)
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return fitted(on(labels, LABELS, "passthrough"), MODELS["histogram"](), frame, label), frame


def passed_categories() -> Any:
    lightgbm = needs("lightgbm")
    frame, label = table(missing=True)
    frame = frame.assign(job=frame["job"].astype("category"))
    scaled = on(StandardScaler(), NUMBERS, "passthrough").set_output(transform="pandas")
    last = lightgbm.LGBMClassifier(n_estimators=9, min_child_samples=5, n_jobs=1, verbose=-1)
    return fitted(scaled, last, frame, label), frame


def only_an_encoder() -> Any:
    part = TABLE[["job", "home"]]
    return fitted(OneHotEncoder(), MODELS["linear"](), part), part


@pytest.mark.parametrize(
    ("make", "family"),
    [
        (
            inner_pipeline,
            "scikit-learn random forest behind MinMaxScaler behind StandardScaler, OneHotEncoder",
        ),
        (passed_numbers, "scikit-learn histogram gradient boosting behind OneHotEncoder"),
        (passed_categories, "LightGBM behind StandardScaler"),
        (only_an_encoder, "scikit-learn linear model (LogisticRegression) behind OneHotEncoder"),
    ],
)
def test_the_family_names_what_is_in_front(make, family):
    found, _ = assert_conforms(*make(), undecided=BAND, unseen=False)
    assert found.family == family


@pytest.mark.parametrize("sparse", [False, True])
def test_what_a_sparse_matrix_does_not_hold_is_missing_to_xgboost(sparse):
    xgboost = needs("xgboost")
    before = hot(sparse_output=sparse)
    before.set_params(sparse_threshold=1.0 if sparse else 0.0, remainder="drop")
    model = fitted(before, xgboost.XGBClassifier(n_estimators=9, max_depth=3))
    assert hasattr(model[0].transform(TABLE), "toarray") == sparse
    assert_conforms(model, TABLE, undecided=BAND)


def test_what_is_not_supported_makes_the_whole_pipeline_a_black_box():
    assert_black_box(make_pipeline(PCA(2), MODELS["forest"]()).fit(FRAME, LABEL), FRAME, "contains PCA")
    model = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(FRAME, LABEL)
    found = parse_model(model, reference=FRAME)
    assert (found.score, found.family) == (None, "black box (Pipeline)")
    assert (found.evaluate(FRAME) == model.predict_proba(FRAME)[:, 1]).all()
    endless = Pipeline([("scale", StandardScaler()), ("end", "passthrough")]).fit(FRAME)
    with pytest.raises(UnsupportedModel, match="ends without a model"):
        parse_model(endless, reference=FRAME)
    with pytest.raises(NotFitted, match="not fitted"):
        parse_model(make_pipeline(StandardScaler(), MODELS["forest"]()), reference=FRAME)


@pytest.mark.parametrize("scaler", [StandardScaler, MinMaxScaler, RobustScaler])
@pytest.mark.parametrize("last", [LogisticRegression(), KNeighborsClassifier()])
def test_a_scaler_that_writes_into_its_input_harms_nobody(scaler, last):
    frame = FRAME.astype(np.float64)
    before = frame.copy()
    model = make_pipeline(scaler(copy=False), clone(last)).fit(frame.copy(), LABEL)
    found = parse_model(model, reference=frame)
    own = found.evaluate(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert (own == model.predict_proba(before.copy())[:, 1]).all()


def test_a_pipeline_that_is_sparse_inside_is_the_same_as_a_black_box():
    """What the last step receives is copied in the form that it has."""
    model = fitted(hot().set_params(sparse_threshold=1.0), LogisticRegression(max_iter=2000))
    assert hasattr(model[:-1].transform(TABLE), "toarray")
    found = parse_model(model, reference=TABLE, black_box=True)
    assert found.score is None
    assert (found.evaluate(TABLE) == model.predict_proba(TABLE)[:, 1]).all()
