"""Check that XGBoost's classifiers are held to the threshold of the wrapper, compared in single precision."""

import numpy as np
import pytest
from sklearn.model_selection import FixedThresholdClassifier

from p2ce import Explainer, Status
from tests.models.laws import people
from tests.optional import needs

xgboost = needs("xgboost")


def fitted(threshold, **options):
    frame, label = people()
    inner = xgboost.XGBClassifier(n_estimators=10, max_depth=3, n_jobs=1, random_state=0)
    return FixedThresholdClassifier(inner, threshold=threshold, **options).fit(frame, label)


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize("end", [-np.inf, np.inf])
def test_a_threshold_next_to_a_score_is_compared_as_numpy_compares_it(end, kind):
    """Next to float32 scores, a Python float becomes single precision, and a float64 of NumPy does not."""
    frame, _ = people()
    rows = frame.head(40)
    scores = fitted(0.5).predict_proba(rows)[:, 1]
    for score in np.sort(scores)[5::20]:
        beside = kind(np.nextafter(np.float64(score), end))
        model = fitted(beside)
        tied = model.predict_proba(rows)[:, 1] == score
        assert tied.any()
        predicted = model.predict(rows) == 1
        found = Explainer(model, frame, target=1, plausibility=None, max_changes=1).explain_many(rows)
        assert [one.status is Status.ACCEPTED for one in found] == predicted.tolist()
