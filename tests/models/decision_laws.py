"""State the law of the decision: accepted is who, and what, the model's own ``predict`` accepts."""

from typing import Any

import numpy as np
import pandas as pd

from p2ce import Explainer, Status

PEOPLE = 15


def predict(model: Any, frame: pd.DataFrame) -> np.ndarray:
    from_array = hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_")
    return np.asarray(model.predict(frame.to_numpy() if from_array else frame))


def assert_follows_predict(model: Any, frame: pd.DataFrame, target: Any, **options: Any) -> int:
    """The law: accepted are exactly those whom predict accepts, and so is every option. Count the options."""
    explainer = Explainer(model, frame, target=target, plausibility=None, max_changes=2, **options)
    asked = frame.head(PEOPLE)
    predicted = predict(model, asked)
    found = explainer.explain_many(asked)
    for explanation, said in zip(found, predicted, strict=True):
        assert (explanation.status is Status.ACCEPTED) == bool(said == target)
    rows = [explanation.to_frame()[list(frame.columns)] for explanation in found if len(explanation)]
    told = pd.concat(rows) if rows else frame.head(0)
    assert not len(told) or (predict(model, told) == target).all()
    assert {explanation.status for explanation in found} <= {
        Status.ACCEPTED,
        Status.OPTIMAL,
        Status.NO_RECOURSE,
    }
    return len(told)
