"""Check the reading of scikit-learn's trees and averaged forests."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    RandomForestClassifier,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
)

from p2ce.errors import InvalidArgument, InvalidTarget, UnsupportedModel
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_conforms, people


def three_classes() -> tuple[pd.DataFrame, np.ndarray]:
    frame, _ = people()
    label = np.digitize(frame["income"] + 300.0 * frame["balance"], [2500.0, 3500.0])
    return frame.astype(np.float64), np.array(["low", "middle", "high"])[label]


@pytest.mark.parametrize("target", [0, 1, 2])
def test_votes_that_tie_go_to_the_earlier_class_without_a_doubt(target):
    frame, _ = three_classes()
    frame = frame[["balance", "owner"]].round(0)
    # Full-grown trees vote with whole shares: with two trees, every disagreement is a tie.
    model = RandomForestClassifier(n_estimators=2, max_features=1, random_state=0)
    model.fit(frame.drop_duplicates(), np.arange(len(frame.drop_duplicates())) % 3)
    assert all((tree.tree_.value[:, 0].max(axis=1)[tree.tree_.feature < 0] == 1.0).all() for tree in model)
    shares = model.predict_proba(frame)
    assert (shares == 0.5).any()
    found, _ = assert_conforms(model, frame, target=target, undecided=0.0)
    assert found.score.accept_from == found.score.reject_below


def test_forests_have_no_decision_function():
    frame, label = people()
    model = DecisionTreeClassifier(max_depth=2).fit(frame, label)
    with pytest.raises(InvalidArgument, match="scale='decision'"):
        parse_model(model, reference=frame, scale="decision")
    with pytest.raises(InvalidTarget, match="is a regressor"):
        parse_model(DecisionTreeRegressor(max_depth=2).fit(frame, label), reference=frame)


def test_shares_that_tie_with_the_threshold_are_decided_as_the_library_decides():
    frame, label = people()
    model = RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0).fit(frame, label)
    for threshold in np.unique(model.predict_proba(frame)[:, 1]):
        found, _ = assert_conforms(model, frame, threshold=float(threshold))
        assert found.score.accept_from == found.score.reject_below


def test_several_outputs_are_refused():
    frame, label = people()
    model = DecisionTreeClassifier(max_depth=2).fit(frame, np.stack([label, 1 - label], axis=1))
    with pytest.raises(UnsupportedModel, match="2 outputs"):
        parse_model(model, reference=frame)
