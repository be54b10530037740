"""Rows and overrides for which the model has to be parsed again."""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

import p2ce

RNG = np.random.default_rng(3)
PEOPLE = pd.DataFrame({"income": RNG.integers(0, 30, 300).astype(float), "debt": RNG.integers(0, 9, 300)})


def model_that_likes_gaps() -> HistGradientBoostingClassifier:
    """Fit a model that accepts a missing income, although the reference will miss none."""
    gaps = PEOPLE.assign(income=np.nan)
    frame = pd.concat([PEOPLE, gaps], ignore_index=True)
    wanted = np.append(PEOPLE["income"] > 20, np.ones(len(gaps), dtype=bool)).astype(int)
    return HistGradientBoostingClassifier(max_iter=15, random_state=0).fit(frame, wanted)


def test_an_override_that_lets_values_go_missing_is_read_for_them():
    model = model_that_likes_gaps()
    explainer = p2ce.Explainer(model, PEOPLE, target=1, plausibility=None, objectives="changes")
    person = {"income": 3.0, "debt": 4}
    tight = p2ce.Policy.infer(PEOPLE).fix("debt").candidates(income=[1.0, 2.0])
    assert explainer.explain(person, policy=tight).status is p2ce.Status.NO_RECOURSE
    found = explainer.explain(person, policy=tight.allow_missing("income"))
    assert found.status is p2ce.Status.OPTIMAL
    assert [np.isnan(option.values["income"]) for option in found] == [True]
    assert model.predict(found.to_frame()[["income", "debt"]]).tolist() == [1]
