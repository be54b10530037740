"""Check how lists of models are read: thresholds for each, margins, and slips."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from p2ce.errors import InvalidArgument, InvalidReference, UnsupportedModel
from p2ce.models.several_models import parse_models
from tests.models.laws import people

FRAME, LABEL = people(rows=120)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(FRAME, LABEL)
NEAR = KNeighborsClassifier().fit(FRAME, LABEL)
MACHINE = SVC().fit(FRAME, LABEL)
LINE = LogisticRegression(max_iter=2000).fit(FRAME, LABEL)


def read(model, at_least=None, **more):
    return parse_models(model, reference=FRAME, target=1, at_least=at_least, **more)


MORE_THAN_HALF = np.nextafter(0.5, 1.0)  # votes: a tie goes to the other class


@pytest.mark.parametrize(
    ("models", "threshold", "margin", "expected"),
    [
        (TREE, None, 0.0, [MORE_THAN_HALF]),
        ([TREE, MACHINE], None, 0.0, [MORE_THAN_HALF, 0.0]),
        ([TREE, NEAR], 0.7, 0.0, [0.7, 0.7]),
        ((TREE, MACHINE, NEAR), [0.4, -1.5, None], 0.0, [0.4, -1.5, MORE_THAN_HALF]),
        ([TREE, NEAR], np.array([0.4, 0.6]), 0.0, [0.4, 0.6]),
        ([TREE], [0.4], 0.0, [0.4]),
        ([TREE, MACHINE, LINE], [0.4, -1.5, None], 0.25, [0.65, -1.25, 0.75]),
        ([TREE, LINE], None, 0.5, [1.0, 1.0]),
        # 0.7 + 0.3 is 1 to everyone, and must not fail for its last digit.
        *((TREE, threshold, 1.0 - threshold, [1.0]) for threshold in (0.7, 0.9, 0.6, 0.8)),
    ],
)
def test_thresholds_are_for_all_or_one_for_each_and_a_margin_comes_on_top(
    models, threshold, margin, expected
):
    found = [one.threshold for one in read(models, threshold, margin=margin)]
    assert found == pytest.approx(expected)
    assert margin or found == expected
    assert max(found) <= 1.0


@pytest.mark.parametrize("model", [TREE, LINE], ids=lambda model: type(model).__name__)
def test_a_margin_reads_as_the_raised_threshold_does(model):
    (wide,), (raised,) = read(model, margin=0.25), read(model, 0.75)
    assert (wide.score.accept_from, wide.score.reject_below) == (
        raised.score.accept_from,
        raised.score.reject_below,
    )
    (plain,) = read(model)
    assert wide.score.reject_below >= plain.score.reject_below


def test_columns_may_come_in_another_order():
    other = LogisticRegression(max_iter=2000).fit(FRAME[FRAME.columns[::-1]], LABEL)
    first, second = read([TREE, other])
    assert first.columns == second.columns[::-1]
    assert np.array_equal(second.evaluate(FRAME), other.predict_proba(FRAME[FRAME.columns[::-1]])[:, 1])


OTHER = LogisticRegression(max_iter=2000).fit(FRAME.assign(wage=1.0), LABEL)
TOO_FAR = r"margin=0.6 plus at_least=0.5 is a probability of 1.1"


@pytest.mark.parametrize(
    ("models", "wanted", "error", "message"),
    [
        *(
            (TREE, {"margin": wrong}, InvalidArgument, "margin is how far")
            for wrong in (-0.1, np.nan, True, "1")
        ),
        ([], {}, UnsupportedModel, "empty list"),
        ([TREE, NEAR, LINE], {"at_least": [0.5, 0.5]}, InvalidArgument, "2 values for 3 models"),
        (TREE, {"at_least": [0.5]}, InvalidArgument, r"1 values? for 1 model"),
        (TREE, {"margin": 0.6}, InvalidArgument, TOO_FAR),
        ([TREE, NEAR], {"at_least": [0.5, 1.5]}, InvalidArgument, None),
        ([TREE, "a model"], {}, UnsupportedModel, None),
        ([TREE, OTHER], {}, InvalidReference, "'wage'"),
    ],
)
def test_a_mistake_is_named(models, wanted, error, message):
    with pytest.raises(error, match=message):
        read(models, **wanted)
