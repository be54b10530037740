"""Brute force through the model itself finds the very fronts that are proven."""

import numpy as np
import pytest

import p2ce
from p2ce.testing.brute_force_front import brute_force_front
from tests.populations import loans


@pytest.mark.parametrize(("limit", "detector"), [(1, True), (2, True), (2, False), (3, True)])
def test_fronts_are_equal(limit: int, detector: bool) -> None:
    coarse = p2ce.ActionSet.infer(loans.people()).step(Income=10, Debt=2, Years=4, Rate=0.25)
    plausibility = p2ce.IsolationForest(n_estimators=20, contamination=0.1) if detector else None
    explainer = loans.explainer(actions=coarse, max_changes=limit, plausibility=plausibility)
    for label in loans.refused().index[:5]:
        row = loans.refused().loc[[label]]
        found = explainer.explain(row)
        costs = np.array([[option.costs[name] for name in found.objectives] for option in found])
        truth = brute_force_front(explainer, row)
        assert costs.reshape(-1, 3).shape == truth.shape
        assert np.allclose(np.sort(costs.reshape(-1, 3), axis=0), np.sort(truth, axis=0), atol=1e-9)
