"""A missing value is a value: becoming known is a change with a price, where it is allowed."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

import p2ce

PEOPLE = pd.DataFrame({"income": [np.nan, 10.0, 20.0, 30.0] * 15, "age": [30, 40, 50, 60] * 15})
LABEL = [0, 0, 1, 1] * 15
LACKING = {"income": np.nan, "age": 40}


def explained(policy: p2ce.Policy, person: dict[str, Any], label: Any = LABEL) -> p2ce.Explanation:
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2).fit(PEOPLE, label)
    return p2ce.Explainer(model, PEOPLE, target=1, policy=policy.fix("age"), plausibility=None).explain(
        person
    )


def test_provide_proof_of_income() -> None:
    policy = p2ce.Policy.infer(PEOPLE, grid="paper", protect=None)
    found = explained(policy, LACKING)
    assert found.status is p2ce.Status.OPTIMAL
    (option,) = found
    assert option.changes.keys() == {"income"}
    assert np.isnan(option.changes["income"][0])
    assert option.costs["changes"] == 1.0
    assert option.costs["max_distance"] == 1.0  # a change from missing counts as one standard deviation
    assert explained(policy.keep_missing("income"), LACKING).status is p2ce.Status.NO_RECOURSE
