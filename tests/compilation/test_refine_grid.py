"""Check that a grid holds what lies next to thresholds, on the side that an instance goes to."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.tree import DecisionTreeClassifier

import p2ce

PEOPLE = pd.DataFrame({"Income": np.random.default_rng(5).lognormal(7, 1, 800)})
UNIT = PEOPLE["Income"].clip(*np.percentile(PEOPLE["Income"], (1, 99))).std(ddof=0)


@pytest.mark.parametrize("above", [True, False])
def test_whoever_crosses_a_threshold_stops_behind_it(above: bool) -> None:
    tree = DecisionTreeClassifier(max_depth=1).fit(PEOPLE, (PEOPLE["Income"] > 1234.5) == above)
    cut = float(tree.tree_.threshold[0])
    rows = PEOPLE[tree.predict(PEOPLE) == 0][:20]
    for found in p2ce.Explainer(tree, PEOPLE, target=1, plausibility=None).explain_many(rows):
        (option,) = found
        beyond = (option.values["Income"] - cut) * (1 if above else -1)
        assert 0.0 <= beyond <= 0.002 * UNIT


def test_the_finest_grid_lies_beside_the_thresholds_of_the_detector_too() -> None:
    tree = DecisionTreeClassifier(max_depth=1).fit(PEOPLE, PEOPLE["Income"] > 1234.5)
    forest = IsolationForest(n_estimators=5, max_samples=32, random_state=0).fit(PEOPLE)
    refinement = p2ce.Explainer(tree, PEOPLE, target=1, plausibility=forest)._problem.refinement
    sides = refinement.finest["Income"]
    for one in forest.estimators_:
        cuts = one.tree_.threshold[one.tree_.feature == 0]
        for cut in cuts[(cuts > PEOPLE["Income"].min()) & (cuts < PEOPLE["Income"].max())]:
            assert np.abs(sides.above - cut).min() <= 0.002 * UNIT
            assert np.abs(sides.below - cut).min() <= 0.002 * UNIT
