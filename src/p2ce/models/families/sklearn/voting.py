"""Parse scikit-learn's soft VotingClassifier and VotingRegressor: weighted means of what members report."""

from typing import Any

from p2ce.base.calls.library import library_class
from p2ce.engine.scores.combined.combination import Combination
from p2ce.engine.scores.combined.means import mean_of
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.ensemble import Ensemble, Members, certify_ensemble, with_labels_of_members
from p2ce.models.decisions.adapter import PROBABILITY, Adapter, ParseRequest
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import estimator_call, estimator_columns, require_fitted
from p2ce.models.families.sklearn.members import (
    family_of,
    mean_of_predictions,
    require_same_classes,
    require_weights,
    rounding_unit,
)
from p2ce.models.fitted import require_library_class

_NAMES = frozenset({"VotingClassifier", "VotingRegressor"})


def recognises(model: object) -> bool:
    """Return whether a model is scikit-learn's VotingClassifier or VotingRegressor."""
    return library_class(model, root="sklearn", names=_NAMES) is not None


@with_labels_of_members
def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the members, whose probabilities or predictions are averaged."""
    kind = require_library_class(model, root="sklearn", names=_NAMES).__name__
    require_fitted(model)
    voters = list(model.estimators_)
    members = Members(request=request, columns=estimator_columns(model, request.reference)[0])
    weights = require_weights(model._weights_not_none, len(voters), name=kind)
    family = family_of(f"scikit-learn {kind}", voters)
    if kind == "VotingRegressor":
        mean = mean_of_predictions(model, voters, members, family=family, weights=weights)
        return certify_ensemble(mean, request)
    if model.voting != "soft":
        raise UnsupportedModel(
            "A VotingClassifier with voting='hard' reports only the class with the most votes. It is "
            "supported natively with voting='soft', which reports probabilities."
        )
    classes = plain_classes(model.classes_)
    # The members were fitted on the numbers of the classes.
    require_same_classes(voters, range(len(classes)), name=kind)
    call = estimator_call(model, "predict_proba", request.reference)
    unit = rounding_unit(call, request.reference)

    def number(index: int) -> Combination:
        shares = [members.of_class(one, index, PROBABILITY) for one in voters]
        return mean_of(shares, weights=weights, unit=unit)

    ensemble = Ensemble(
        family=family,
        members=members,
        names=classes,
        calls={PROBABILITY: call},
        numbers={PROBABILITY: number},
    )
    return certify_ensemble(ensemble, request)
