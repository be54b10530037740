"""Check how lists of models are read: thresholds for each, margins, and slips."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from p2ce.errors import InvalidArgument, InvalidReference, InvalidThreshold, UnsupportedModel
from p2ce.models.several_models import parse_models
from tests.models.laws import people

FRAME, LABEL = people(rows=120)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(FRAME, LABEL)
NEAR = KNeighborsClassifier().fit(FRAME, LABEL)
MACHINE = SVC().fit(FRAME, LABEL)
LINE = LogisticRegression(max_iter=2000).fit(FRAME, LABEL)


def read(model, threshold=None, **more):
    return parse_models(model, reference=FRAME, target=1, threshold=threshold, **more)


def test_one_model_is_one_reading_and_a_list_one_for_each():
    assert len(read(TREE)) == 1
    assert len(read([TREE])) == 1
    assert [found.family for found in read((TREE, NEAR))] == [
        "scikit-learn decision tree",
        "black box (KNeighborsClassifier)",
    ]


MORE_THAN_HALF = np.nextafter(0.5, 1.0)  # votes: a tie goes to the other class


def test_a_threshold_is_for_all_or_one_for_each():
    assert [found.threshold for found in read([TREE, MACHINE])] == [MORE_THAN_HALF, 0.0]
    assert [found.threshold for found in read([TREE, NEAR], 0.7)] == [0.7, 0.7]
    assert [found.threshold for found in read([TREE, MACHINE, NEAR], [0.4, -1.5, None])] == [
        *(0.4, -1.5, MORE_THAN_HALF)
    ]
    assert [found.threshold for found in read([TREE, NEAR], np.array([0.4, 0.6]))] == [0.4, 0.6]
    assert [found.threshold for found in read([TREE], [0.4])] == [0.4]


def test_a_margin_comes_on_top_of_each():
    found = read([TREE, MACHINE, LINE], [0.4, -1.5, None], margin=0.25)
    assert [one.threshold for one in found] == [0.65, -1.25, 0.75]
    assert [one.threshold for one in read([TREE, LINE], margin=0.5)] == [1.0, 1.0]


@pytest.mark.parametrize("model", [TREE, LINE], ids=lambda model: type(model).__name__)
def test_a_margin_reads_as_the_raised_threshold_does(model):
    (wide,), (raised,) = read(model, margin=0.25), read(model, 0.75)
    assert (wide.score.accept_from, wide.score.reject_below) == (
        raised.score.accept_from,
        raised.score.reject_below,
    )
    (plain,) = read(model)
    assert wide.score.reject_below >= plain.score.reject_below


def test_opaque_readings_are_asked_only():
    for found in read([TREE, LINE, NEAR], black_box=True):
        assert found.score is None
        assert found.family.startswith("black box")


def test_columns_may_come_in_another_order():
    other = LogisticRegression(max_iter=2000).fit(FRAME[FRAME.columns[::-1]], LABEL)
    first, second = read([TREE, other])
    assert first.columns == second.columns[::-1]
    assert np.array_equal(second.evaluate(FRAME), other.predict_proba(FRAME[FRAME.columns[::-1]])[:, 1])


@pytest.mark.parametrize("margin", [-0.1, np.nan, np.inf, True, "0.1", None])
def test_a_margin_that_is_no_distance_is_refused(margin):
    with pytest.raises(InvalidArgument, match="margin is how far beyond the threshold"):
        read(TREE, margin=margin)


def test_slips_say_what_to_do():
    with pytest.raises(UnsupportedModel, match="empty list"):
        read([])
    with pytest.raises(InvalidThreshold, match="2 values for 3 models"):
        read([TREE, NEAR, LINE], [0.5, 0.5])
    with pytest.raises(InvalidThreshold, match=r"1 values? for 1 model"):
        read(TREE, [0.5])
    with pytest.raises(
        InvalidArgument, match=r"margin=0.6 on top of the threshold 0.5 is a probability of 1.1"
    ):
        read(TREE, margin=0.6)
    with pytest.raises(InvalidThreshold):
        read([TREE, NEAR], [0.5, 1.5])
    with pytest.raises(UnsupportedModel):
        read([TREE, "a model"])
    with pytest.raises(InvalidReference, match="'wage'"):
        read([TREE, LogisticRegression(max_iter=2000).fit(FRAME.assign(wage=1.0), LABEL)])


def test_a_sum_that_only_rounding_pushes_out_of_range_is_meant():
    """0.7 + 0.3 is 1 to everybody, and must not fail for its last digit; nor 0.9 + 0.1."""
    for threshold, margin in ((0.7, 0.3), (0.9, 0.1), (0.6, 0.4), (0.8, 0.2)):
        (found,) = read(TREE, threshold, margin=margin)
        assert found.threshold == pytest.approx(1.0)
        assert found.threshold <= 1.0


def test_the_models_stay_as_they_are():
    before = pd.DataFrame(NEAR._fit_X).copy()
    read([TREE, NEAR, MACHINE], margin=0.1)
    pd.testing.assert_frame_equal(pd.DataFrame(NEAR._fit_X), before)
