"""Check that a model behind scalers is read with the very values that it sees."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC

from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.parse_model import parse_model
from p2ce.scores.score import seen_as_given
from p2ce.scores.score_rows import score_rows
from tests.models.laws import assert_conforms, people


def forest():
    return RandomForestClassifier(n_estimators=7, max_depth=4, random_state=0)


PIPELINES = {
    "logistic": (lambda: make_pipeline(StandardScaler(), LogisticRegression()), 0.02),
    "decision": (lambda: make_pipeline(RobustScaler(), LinearSVC(random_state=0)), 0.02),
    "forest": (lambda: make_pipeline(StandardScaler(), forest()), 0.0),
    "two scalers": (
        lambda: make_pipeline(MinMaxScaler(clip=True), "passthrough", RobustScaler(), forest()),
        0.0,
    ),
    "frames": (lambda: make_pipeline(StandardScaler().set_output(transform="pandas"), forest()), 0.0),
    "histogram": (lambda: make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=9)), 0.02),
    "no scaler": (lambda: make_pipeline("passthrough", forest()), 0.0),
}


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("name", PIPELINES)
def test_what_is_sure_is_what_the_pipeline_says(name, named, target):
    frame, label = people()
    build, band = PIPELINES[name]
    model = build().fit(frame if named else frame.to_numpy(), label)
    found, _ = assert_conforms(model, frame, target=target, undecided=band)
    assert found.columns == tuple(frame.columns)


def test_columns_may_come_in_another_order():
    frame, label = people()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, label)
    found = parse_model(model, reference=frame[frame.columns[::-1]])
    assert found.columns == tuple(frame.columns)
    assert (found.evaluate(frame[frame.columns[::-1]]) == model.predict_proba(frame)[:, 1]).all()


def test_single_precision_is_kept_on_the_way_to_the_model():
    frame, label = people()
    single = frame.astype(np.float32)
    model = make_pipeline(StandardScaler(), forest()).fit(single, label)
    found = parse_model(model, reference=single)
    scores = score_rows(found.score, single.to_numpy(dtype=np.float64))
    assert ((scores >= found.score.accept_from) == (found.evaluate(single) >= 0.5)).all()
    assert np.array_equal(found.report(scores), found.evaluate(single))


def test_a_pipeline_with_other_transformers_is_asked_as_a_whole(caplog):
    frame, label = people()
    model = make_pipeline(PCA(2), forest()).fit(frame, label)
    with caplog.at_level("INFO", logger="p2ce"):
        found = parse_model(model, reference=frame)
    assert "contains PCA" in caplog.text
    assert found.score is None
    assert (found.evaluate(frame) == model.predict_proba(frame)[:, 1]).all()


def test_a_model_that_is_not_read_makes_the_whole_pipeline_asked():
    frame, label = people()
    model = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(frame, label)
    found = parse_model(model, reference=frame)
    assert found.score is None
    assert found.family == "black box (Pipeline)"
    assert (found.evaluate(frame) == model.predict_proba(frame)[:, 1]).all()


def test_a_pipeline_without_a_model_is_refused():
    frame, _ = people()
    with pytest.raises(UnsupportedModel, match="ends without a model"):
        parse_model(
            Pipeline([("scale", StandardScaler()), ("end", "passthrough")]).fit(frame), reference=frame
        )


def test_trees_behind_scalers_split_the_table_itself():
    """Splits are moved through the scaler, so that the search need not see through it at all."""
    frame, label = people()
    model = make_pipeline(StandardScaler(), RobustScaler(), forest()).fit(frame, label)
    found = parse_model(model, reference=frame)
    assert found.score.see is seen_as_given
    plain = parse_model(model[-1], reference=pd.DataFrame(model[:-1].transform(frame)))
    assert len(found.score.forest.feature) == len(plain.score.forest.feature)
    assert found.family == "scikit-learn random forest behind StandardScaler, RobustScaler"


def test_an_unfitted_pipeline_says_so():
    frame, _ = people()
    with pytest.raises(NotFitted, match="not fitted"):
        parse_model(make_pipeline(StandardScaler(), forest()), reference=frame)


@pytest.mark.parametrize(
    "scaler", [StandardScaler(copy=False), MinMaxScaler(copy=False), RobustScaler(copy=False)]
)
@pytest.mark.parametrize("last", [LogisticRegression(), KNeighborsClassifier()])
def test_a_scaler_that_writes_into_its_input_harms_nobody(scaler, last):
    frame, label = people()
    frame = frame.astype(np.float64)
    before = frame.copy()
    model = make_pipeline(clone(scaler), clone(last)).fit(frame.copy(), label)
    found = parse_model(model, reference=frame)
    assert (found.score is None) == isinstance(last, KNeighborsClassifier)
    asked = frame.head(20).copy()
    answers = found.evaluate(asked)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(asked, before.head(20))
    assert (answers == model.predict_proba(before.head(20).copy())[:, 1]).all()
