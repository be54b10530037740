"""Find the family that a model belongs to, read it, and check the reading against the model itself."""

import logging
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.compiled.evaluate import score_rows
from p2ce.compiled.foreign import ACCEPTED, DOUBTFUL, REFUSED, Verdicts
from p2ce.compiled.library import library_class, overrides
from p2ce.compiled.score import CompiledScore
from p2ce.errors import InvalidReference, ModelMismatch, UnsupportedModel
from p2ce.models import (
    catboost,
    lightgbm,
    linear,
    naive_bayes,
    pipeline,
    sklearn_boosting,
    sklearn_histogram,
    sklearn_network,
    sklearn_svm,
    sklearn_trees,
    torch_network,
    xgboost,
)
from p2ce.models import opaque as opaque_models
from p2ce.models.reading import ReadModel, Request

__all__ = ["FAMILIES", "SUPPORTED", "ReadModel", "read_model"]

FAMILIES: tuple[ModuleType, ...] = (
    pipeline,
    lightgbm,
    xgboost,
    catboost,
    sklearn_trees,
    sklearn_boosting,
    sklearn_histogram,
    linear,
    sklearn_svm,
    naive_bayes,
    sklearn_network,
    torch_network,
)
SUPPORTED = (
    "LightGBM (LGBMClassifier, Booster), XGBoost (XGBClassifier, Booster), CatBoost (CatBoostClassifier), "
    "scikit-learn DecisionTree, RandomForest, ExtraTrees, GradientBoosting, HistGradientBoosting, "
    "LogisticRegression and the other linear classifiers, SVC with a linear, rbf or poly kernel, GaussianNB, "
    "MLPClassifier, PyTorch Sequential, and a Pipeline of StandardScaler, MinMaxScaler or RobustScaler in "
    "front of any of these. Asked, and not read, is anything else with predict_proba or decision_function, "
    "and any function of a frame or array"
)
log = logging.getLogger("p2ce")
# scikit-learn's searches over models hand every call on to the best one.
_SEARCHES = frozenset({"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"})
CHECKED_ROWS = 256
# People and widened ranges may lie this many times farther out than the reference.
REACH_FACTOR = 64.0


def read_model(
    model: Any,
    *,
    reference: pd.DataFrame,
    target: Any = 1,
    threshold: float | None = None,
    reach: FloatArray | None = None,
    opaque: bool = False,
) -> ReadModel:
    """Read a fitted model as a score that is proven to decide as the model does, if it can be read.

    What cannot be read but asked comes back without a score, and with ``opaque=True`` so does every model.
    ``reference`` holds rows like those that the model was fitted on, ``threshold`` defaults to 0.5 for
    probabilities and 0 for decision functions. ``reach`` gives per reference column the largest magnitude
    that a value will ever have; it defaults to 64 times what the reference shows, and only linear
    models need it.
    """
    if not isinstance(reference, pd.DataFrame):
        raise InvalidReference(f"The reference must be a pandas DataFrame; got {type(reference).__name__}.")
    if reference.shape[0] == 0 or reference.shape[1] == 0:
        raise InvalidReference(
            f"The reference frame has {reference.shape[0]} rows and {reference.shape[1]} columns. "
            "Pass the rows that the model was fitted on."
        )
    largest = _largest(reference)
    if reach is None:
        reach = REACH_FACTOR * np.where(largest > 0.0, largest, 1.0)
    request = Request(
        reference=reference, target=target, threshold=threshold, reach=reach, read=_read_natively
    )
    found = _read_any(model, request)
    if found.score is None:
        return found
    _check_against_model(found, reference)
    return opaque_models.as_opaque(found, request) if opaque else found


def _largest(reference: pd.DataFrame) -> FloatArray:
    """Give the largest magnitude in each column; a column that has none cannot be read."""
    try:
        largest = np.abs(reference.to_numpy(dtype=np.float64)).max(axis=0)
    except (TypeError, ValueError):
        raise InvalidReference(
            "The reference frame holds columns that are not numbers; its types are "
            f"{', '.join(sorted(set(map(str, reference.dtypes))))}. Encode or drop them."
        ) from None
    if not np.isfinite(largest).all():
        name = reference.columns[int(np.flatnonzero(~np.isfinite(largest))[0])]
        raise InvalidReference(
            f"Column {name!r} of the reference frame has missing or infinite values. Drop those rows."
        )
    return np.asarray(largest, dtype=np.float64)


def _read_any(model: Any, request: Request) -> ReadModel:
    """Read a model exactly, or settle how it is asked if that is all that can be done."""
    try:
        return _read_natively(model, request)
    except UnsupportedModel as error:
        why = error
    if not opaque_models.can_be_asked(model):
        raise why
    found = _ask_only(model, request, why)
    log.info("The model can only be asked, as %s: %s", found.family, why)
    return found


def _read_natively(model: Any, request: Request) -> ReadModel:
    """Read a model by its family; the steps of a pipeline are read so, since it must be asked as a whole."""
    search = library_class(model, root="sklearn", names=_SEARCHES)
    if search is not None and hasattr(model, "best_estimator_") and not overrides(model, search):
        model = model.best_estimator_  # whose answers are those of the search
    for family in FAMILIES:
        if family.recognises(model):
            found: ReadModel = family.read(model, request)
            return found
    raise UnsupportedModel(_why_not(model))


def _why_not(model: Any) -> str:
    """Say why a model is of no family, the likeliest slip first."""
    if isinstance(model, type):
        return f"model is the class {model.__name__}. Pass a fitted instance of it."
    if model is None or isinstance(model, str | bytes | Path):
        return f"model is {model!r}. Pass a fitted model (load it from its file first), or a function."
    name = f"{type(model).__module__}.{type(model).__name__}"
    if hasattr(model, "best_estimator_"):
        return f"{name} is a search over models that answers by itself. Its best_estimator_ may be readable."
    if hasattr(model, "cv_results_"):
        return f"{name} is a search that kept no model. Fit it with refit=True."
    is_regressor = getattr(model, "_estimator_type", None) == "regressor"
    if is_regressor or type(model).__name__.endswith(("Regressor", "LinearRegression")):
        return (
            f"{name} is a regressor, which has no class to reach. Pass a classifier; or model.predict, as a "
            "function, with the threshold that it has to reach."
        )
    if hasattr(model, "predict") and not opaque_models.can_be_asked(model):
        return (
            f"{name} has no predict_proba and no decision_function (a hard vote has none), so that nothing "
            "tells how far a row is from acceptance. Pass one that has, or a function that scores rows."
        )
    return f"{name} cannot be read exactly. Supported are {SUPPORTED}."


def _ask_only(model: Any, request: Request, why: UnsupportedModel) -> ReadModel:
    if torch_network.recognises_module(model):
        return opaque_models.read_module(model, request)
    try:
        return opaque_models.read(model, request)
    except UnsupportedModel:
        raise why from None  # the family knows best why


def _check_against_model(found: ReadModel, reference: pd.DataFrame) -> None:
    """Compare the reading with the model on some reference rows, since a library may change under us."""
    step = max(1, -(-len(reference) // CHECKED_ROWS))
    rows = reference.iloc[::step]
    labels = {str(label): label for label in reference.columns}
    values = rows[[labels[name] for name in found.columns]].to_numpy(dtype=np.float64)
    reading = _reading(found.score, values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = found.ask(rows)
    accepted = answers >= found.threshold
    wrong = ((reading.verdict == ACCEPTED) & ~accepted) | ((reading.verdict == REFUSED) & accepted)
    error = np.abs(found.report(reading.value) - answers)
    if wrong.any() or not bool((error <= found.tolerance * np.maximum(1.0, np.abs(answers))).all()):
        raise ModelMismatch(
            f"The model as read ({found.family}) disagrees with its own scores on {int(wrong.sum())} of "
            f"{len(rows)} reference rows, by up to {float(np.nanmax(error)):.3g}. Its library version may be "
            "unknown to this release of p2ce; please report it with the versions of both."
        )


def _reading(score: Any, values: FloatArray) -> Verdicts:
    """Say what a reading is sure of; a network also knows how far its own sums may be off."""
    if not isinstance(score, CompiledScore):
        judged: Verdicts = score.judge_rows(values)
        return judged
    scores = score_rows(score, values)
    sure, refused = scores >= score.sure, scores < score.maybe
    return Verdicts(np.where(sure, ACCEPTED, np.where(refused, REFUSED, DOUBTFUL)), scores)
