"""Are rules of every form parsed as imodels evaluates them, and other models a black box with a reason?"""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from p2ce.engine.scores.trees.assemble import assemble_forest
from p2ce.engine.scores.trees.forest import leaves_reached
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.families.imodels.sum_of_rules import _tree_of_rule
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_black_box, people
from tests.optional import LazyLibrary

imodels = LazyLibrary("imodels")


def numbers() -> tuple[pd.DataFrame, np.ndarray]:
    frame, label = people()
    return frame[["age", "income", "balance"]].astype(np.float64), label


@pytest.mark.parametrize(
    "rule",
    ["X_0 <= 2.5", "X_1 < 1.0 and X_0 > -1.0", "X_0 >= 1e-05 and X_0 <= 2.5 and X_1 > 0.0 and X_1 < 3.0"],
)
def test_a_tree_of_a_rule_holds_where_the_rule_holds(rule):
    rng = np.random.default_rng(0)
    points = np.array([2.5, 1.0, -1.0, 1e-05, 0.0, 3.0])
    points = np.concatenate(
        [points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf), [-0.0, 1e9]]
    )
    rows = pd.DataFrame(rng.choice(points, (500, 2)), columns=["X_0", "X_1"])
    forest = assemble_forest([_tree_of_rule(rule, 0.75)])
    found = forest.value[leaves_reached(forest, rows.to_numpy())[:, 0]]
    assert (found == np.where(rows.eval(rule), 0.75, 0.0)).all()
    assert 0.0 < found.mean() < 0.75


def test_a_rule_of_another_form_is_unsupported():
    with pytest.raises(UnsupportedModel, match="comparisons with numbers"):
        _tree_of_rule("X_0 == 2", 1.0)


def test_what_is_not_supported_is_a_black_box_or_rejected():
    frame, label = numbers()
    around = imodels.HSTreeClassifier(RandomForestClassifier(3, max_depth=3, random_state=0))
    assert_black_box(around.fit(frame.to_numpy(), label), frame, "around a single tree")
    single = imodels.FIGSClassifier(max_rules=3).fit(frame.astype(np.float32), label)
    assert_black_box(single, frame.astype(np.float32), "float32")
    with pytest.raises(NotFitted, match="RuleFitClassifier"):
        parse_model(imodels.RuleFitClassifier(), reference=frame)


def test_a_tree_with_half_a_split_is_rejected():
    from p2ce.models.families.imodels.family import _nodes

    leaf = SimpleNamespace(left=None, right=None, value=[1.0])
    with pytest.raises(ValueError, match="one child"):
        _nodes(SimpleNamespace(left=leaf, right=None, feature=0, threshold=1.0, value=[0.0]), 1)
