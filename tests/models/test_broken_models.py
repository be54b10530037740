"""Trees of live models are checked too: a broken one is told, not walked."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.errors import InvalidModel


def people() -> tuple[pd.DataFrame, Any]:
    rows = np.random.default_rng(0).normal(size=(60, 3))
    return pd.DataFrame(rows, columns=["a", "b", "c"]), (rows[:, 0] + rows[:, 1] > 0).astype(int)


def spoil(tree: Any, name: str, value: float) -> None:
    """Change a number of the root of a ``tree_``."""
    state = tree.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"][name][0] = value
    tree.__setstate__(state)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("left_child", -50),
        ("left_child", 0),
        ("right_child", 10**8),
        ("feature", 10**8),
        ("threshold", np.nan),
    ],
)
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, RandomForestClassifier, GradientBoostingClassifier])
def test_trees_of_scikit_learn(kind: Any, name: str, value: float) -> None:
    frame, outcome = people()
    model = kind(random_state=0).fit(frame, outcome)
    members = np.ravel(getattr(model, "estimators_", [model]))
    spoil(members[0].tree_, name, value)
    with pytest.raises(InvalidModel):
        p2ce.Explainer(model, frame)


@pytest.mark.parametrize(("name", "value"), [("left", 0), ("right", 10**8), ("feature_idx", 10**6)])
def test_trees_of_histogram_boosting(name: str, value: int) -> None:
    frame, outcome = people()
    model = HistGradientBoostingClassifier(max_iter=2, random_state=0).fit(frame, outcome)
    model._predictors[0][0].nodes[name][0] = value
    with pytest.raises(InvalidModel):
        p2ce.Explainer(model, frame)
