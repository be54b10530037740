"""Check the order in which the counterfactuals of an instance are shown."""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import p2ce


def test_of_equal_costs_the_one_with_fewer_grid_steps_comes_first() -> None:
    people = pd.DataFrame([(a, b) for a in range(2) for b in range(4)], columns=["a", "b"])
    model = DecisionTreeClassifier(random_state=0).fit(
        people, np.where((people.a > 0) | (people.b > 2), 1, 0)
    )
    explainer = p2ce.Explainer(model, people, target=1, objectives=["changes"], plausibility=None, ties=True)
    found = explainer.explain(people.iloc[0])
    # By values alone the second would be the first: "a" comes before "b", and 0 before 1.
    assert [list(one.changes) for one in found] == [["a"], ["b"]]
    assert [(one.values["a"], one.values["b"]) for one in found] == [(1, 0), (0, 3)]
