"""What scikit-learn's ensembles share: names, classes, weights and means of members, and their rounding."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.calls.checked_calls import some_rows
from p2ce.base.calls.library import without_warnings
from p2ce.base.calls.model_call import ModelCall
from p2ce.base.visible import echoed, listed
from p2ce.engine.scores.combined.means import mean_of
from p2ce.errors import UnsupportedModel
from p2ce.models.contract.ensemble import Ensemble, Members
from p2ce.models.decisions.target_arguments import plain_classes
from p2ce.models.families.sklearn.estimator import number_call

_MOST_NAMED = 3


def family_of(name: str, members: Sequence[Any]) -> str:
    """Name an ensemble, and the kinds of its members."""
    kinds = list(dict.fromkeys(type(one).__name__ for one in members))
    more = ", …" if len(kinds) > _MOST_NAMED else ""
    return f"{name} ({len(members)} × {' and '.join(kinds[:_MOST_NAMED])}{more})"


def require_same_classes(members: Sequence[Any], classes: Sequence[Any], *, name: str) -> None:
    """Raise unless every member knows all the classes, in this order."""
    for one in members:
        own = plain_classes(one.classes_)
        if own != tuple(classes):
            raise UnsupportedModel(
                f"A member of this {name} knows the classes {listed(own)}, and the ensemble knows "
                f"{listed(classes)}. Fit all members on rows of every class, such as with stratified samples."
            )


def require_weights(weights: Sequence[float] | None, count: int, *, name: str) -> Sequence[float] | None:
    """Return the weights of members; raise if one is negative, or if all are 0."""
    if weights is None:
        return None
    found = np.asarray(weights, dtype=np.float64)
    if found.shape != (count,) or not (np.isfinite(found).all() and (found >= 0).all() and found.any()):
        raise UnsupportedModel(
            f"The weights of this {name} must be {count} numbers of 0 or more; got {echoed(weights)}. Fit it "
            "with other weights."
        )
    return list(found.tolist())


def rounding_unit(call: ModelCall, reference: pd.DataFrame) -> float:
    """Return the rounding unit in which a library averages: that of the numbers that it reports."""
    with without_warnings():
        reported = np.asarray(call.method(call.rows(some_rows(reference))))
    return 2.0**-24 if reported.dtype == np.float32 else 2.0**-53


def mean_of_predictions(
    model: Any,
    fitted: Sequence[Any],
    members: Members,
    *,
    family: str,
    weights: Sequence[float] | None = None,
) -> Ensemble:
    """Return the ensemble of a regressor that predicts the mean, or weighted mean, of its fitted members."""
    predict = number_call(model, "predict", members.request.reference)
    unit = rounding_unit(predict, members.request.reference)
    return Ensemble(
        family=family,
        members=members,
        predict=predict,
        predicted=lambda: mean_of([members.predicted(one) for one in fitted], weights=weights, unit=unit),
    )
