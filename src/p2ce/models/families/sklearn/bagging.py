"""Parse scikit-learn's BaggingClassifier and BaggingRegressor: means over members that see some columns."""

from functools import partial
from typing import Any

import numpy as np

from p2ce.base.calls.library import library_class
from p2ce.engine.scores.combined.combination import Combination
from p2ce.engine.scores.combined.means import mean_of
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.ensemble import Ensemble, Members, certify_ensemble, with_labels_of_members
from p2ce.models.decisions.adapter import DECISION, PROBABILITY, Adapter, ParseRequest
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import estimator_call, estimator_columns, require_fitted
from p2ce.models.families.sklearn.members import family_of, mean_of_predictions, require_same_classes
from p2ce.models.fitted import require_library_class

_NAMES = frozenset({"BaggingClassifier", "BaggingRegressor"})


def recognises(model: object) -> bool:
    """Return whether a model is scikit-learn's BaggingClassifier or BaggingRegressor."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


@with_labels_of_members
def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the members, which see an array of their own columns; jobs may add in any order."""
    kind = require_library_class(model, root="sklearn", names=_NAMES).__name__
    require_fitted(model)
    columns = estimator_columns(model, request.reference)[0]
    bag = list(model.estimators_)
    inputs = {
        id(one): np.asarray(features, dtype=np.int64)
        for one, features in zip(bag, model.estimators_features_, strict=True)
    }
    members = Members(request=request, columns=columns, inputs=inputs)
    family = family_of(f"scikit-learn {kind}", bag)
    if kind == "BaggingRegressor":
        return certify_ensemble(mean_of_predictions(model, bag, members, family=family), request)
    classes = plain_classes(model.classes_)
    require_same_classes(bag, range(len(classes)), name=kind)
    if not all(hasattr(one, "predict_proba") for one in bag):
        raise UnsupportedModel(
            f"The members of this {kind} report no probabilities, so it counts their votes. It is supported "
            "natively over members with predict_proba."
        )

    def mean(index: int, scale: str) -> Combination:
        return mean_of([members.of_class(one, index, scale) for one in bag])

    scales = {PROBABILITY: "predict_proba"}
    if all(hasattr(one, "decision_function") for one in bag):
        scales[DECISION] = "decision_function"
    ensemble = Ensemble(
        family=family,
        members=members,
        names=classes,
        calls={scale: estimator_call(model, method, request.reference) for scale, method in scales.items()},
        numbers={scale: partial(mean, scale=scale) for scale in scales},
    )
    return certify_ensemble(ensemble, request)
