"""Find the family that a model belongs to, read it, and check the reading against the model itself."""

import logging
import warnings
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from p2ce.adapters.checked_calls import raw_answers_of
from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import Evaluate, ModelAdapter, Request
from p2ce.errors import InvalidReference, ModelMismatch, UnsupportedModel
from p2ce.models import black_box as opaque_models
from p2ce.models.bare_boosters import is_bare_booster, read_bare_booster
from p2ce.models.catboost import family as catboost
from p2ce.models.lightgbm import family as lightgbm
from p2ce.models.sklearn import gradient_boosting as sklearn_boosting
from p2ce.models.sklearn import hist_gradient_boosting as sklearn_histogram
from p2ce.models.sklearn import linear, naive_bayes, own_threshold, pipeline
from p2ce.models.sklearn import mlp as sklearn_network
from p2ce.models.sklearn import svm as sklearn_svm
from p2ce.models.sklearn import trees_and_forests as sklearn_trees
from p2ce.models.sklearn.own_threshold import best_of, read_with_own_threshold
from p2ce.models.torch import family as torch_network
from p2ce.models.xgboost import family as xgboost
from p2ce.scores.external import ACCEPT, REJECT, UNDECIDED, Verdicts
from p2ce.scores.score import CompiledScore
from p2ce.scores.score_rows import score_rows
from p2ce.scores.tree_nodes import MISSING_PARTS, parsing
from p2ce.tables.codebook import MISSING, Codebook, codebook_of
from p2ce.visible import echoed

__all__ = ["FAMILIES", "SUPPORTED", "ModelAdapter", "parse_model"]

FAMILIES: tuple[ModuleType, ...] = (
    pipeline,
    own_threshold,
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
    "the classifiers and regressors of LightGBM, XGBoost (Boosters too) and CatBoost; scikit-learn's "
    "DecisionTree, RandomForest, ExtraTrees, GradientBoosting, HistGradientBoosting, linear models, SVC and "
    "SVR with a linear, rbf or poly kernel, GaussianNB, MLPs; PyTorch Sequential; and a Pipeline of "
    "transformers that work on one column at a time in front of any of these. Asked, and not read, is "
    "anything else with predict_proba, decision_function or predict, and any function of a frame or array"
)
log = logging.getLogger("p2ce")
CHECKED_ROWS = 256
# People and widened ranges may lie this many times farther out than the reference.
REACH_FACTOR = 64.0


def parse_model(
    model: Any,
    *,
    reference: pd.DataFrame,
    target: Any = 1,
    threshold: float | None = None,
    scale: str | None = None,
    margin: float = 0.0,
    reach: FloatArray | None = None,
    codebook: Codebook | None = None,
    codes: FloatArray | None = None,
    may_miss: Collection[str] | None = None,
    opaque: bool = False,
) -> ModelAdapter:
    """Read a fitted model as a score that is proven to decide as the model does, if it can be read.

    What cannot be read but asked comes back without a score, and with ``opaque=True`` so does every model.
    ``reference`` holds rows like those that the model was fitted on. ``threshold`` defaults to the
    one that the model brings with it (on top of which ``margin`` comes), or to 0.5 for the probability of one
    class of two and 0 for decision functions; one class of more must win.
    ``reach`` gives per reference column the largest magnitude that a value will ever have; it defaults to
    64 times what the reference shows, and only linear models need it. ``codes`` (n, d) is the reference as
    ``codebook`` encodes it, for who has it at hand. ``may_miss`` names the columns in which a value may be
    missing, by default those in which one is.
    """
    request = request_for(
        reference,
        target=target,
        threshold=threshold,
        scale=scale,
        margin=margin,
        reach=reach,
        codebook=codebook,
        codes=codes,
        may_miss=may_miss,
    )
    own = own_threshold.own_threshold(model) if threshold is None else None
    if own is None:
        found = _read_any(model, request)
    else:
        found = read_with_own_threshold(model, own, request, _read_any)
    if found.score is None:
        return found
    found = _blamed(found)
    _check_against_model(found, reference, request.codebook)
    return opaque_models.as_opaque(found, request) if opaque else found


def request_for(
    reference: pd.DataFrame,
    *,
    target: Any,
    threshold: float | None = None,
    scale: str | None = None,
    margin: float = 0.0,
    reach: FloatArray | None = None,
    codebook: Codebook | None = None,
    codes: FloatArray | None = None,
    may_miss: Collection[str] | None = None,
) -> Request:
    """Write down what is asked of a model, as for `parse_model`."""
    if not isinstance(reference, pd.DataFrame):
        raise InvalidReference(f"The reference must be a pandas DataFrame; got {type(reference).__name__}.")
    if reference.shape[0] == 0 or reference.shape[1] == 0:
        raise InvalidReference(
            f"The reference frame has {reference.shape[0]} rows and {reference.shape[1]} columns. "
            "Pass the rows that the model was fitted on."
        )
    codebook = codebook_of(reference) if codebook is None else codebook
    codes = codebook.encode(reference) if codes is None else codes
    if reach is None:
        reach = REACH_FACTOR * _largest(codes, codebook)
    if may_miss is None:
        may_miss = columns_with_missing(codes, codebook)
    return Request(
        reference=reference,
        target=target,
        threshold=threshold,
        scale=scale,
        margin=margin,
        codebook=codebook,
        may_miss=frozenset(may_miss),
        reach=reach,
        read=_read_natively,
    )


def columns_with_missing(codes: FloatArray, codebook: Codebook) -> frozenset[str]:
    """Name the columns in which a value is missing."""
    names = codebook.names
    return frozenset(names[column] for column in np.flatnonzero((codes == MISSING).any(axis=0)))


def _largest(codes: FloatArray, codebook: Codebook) -> FloatArray:
    """Give the largest magnitude in each column, 1 where there is none but zero."""
    unreadable = np.isnan(codes).any(axis=0)
    if unreadable.any():
        name = codebook.names[int(np.flatnonzero(unreadable)[0])]
        raise InvalidReference(
            f"Column {echoed(name)} of the reference frame has infinite values, or what is no number. "
            "Drop those rows."
        )
    largest = np.where(codes == MISSING, 0.0, np.abs(codes)).max(axis=0)
    return np.where(largest > 0.0, largest, 1.0)


def _read_any(model: Any, request: Request) -> ModelAdapter:
    """Read a model exactly, or settle how it is asked if that is all that can be done."""
    try:
        return _read_natively(model, request)
    except UnsupportedModel as error:
        why = error
    if not opaque_models.can_be_asked(model):
        raise why
    found = _ask_only(model, request, why)
    log.info("The model can only be asked, as %s: %s", found.family, why)
    return replace(found, black_box_because=str(why))


def _read_natively(model: Any, request: Request) -> ModelAdapter:
    """Read a model by its family; the steps of a pipeline are read so, since it must be asked as a whole."""
    model = best_of(model)
    for family in FAMILIES:
        if family.recognises(model):
            # A model of another version of its library may lack what this one has.
            with parsing(f"This {type(model).__name__}", MISSING_PARTS):
                found: ModelAdapter = family.read(model, request)
            return found
    raise UnsupportedModel(_why_not(model))


def _why_not(model: Any) -> str:
    """Say why a model is of no family, the likeliest slip first."""
    if isinstance(model, type):
        return f"model is the class {model.__name__}. Pass a fitted instance of it."
    if model is None or isinstance(model, str | bytes | Path):
        return f"model is {echoed(model)}. Pass a fitted model (load it from its file first), or a function."
    name = f"{type(model).__module__}.{type(model).__name__}"
    if hasattr(model, "best_estimator_"):
        return f"{name} is a search over models that answers by itself. Its best_estimator_ may be readable."
    if hasattr(model, "cv_results_"):
        return f"{name} is a search that kept no model. Fit it with refit=True."
    return f"{name} cannot be read exactly. Supported are {SUPPORTED}."


def _ask_only(model: Any, request: Request, why: UnsupportedModel) -> ModelAdapter:
    if torch_network.recognises_module(model):
        return opaque_models.read_module(model, request)
    if is_bare_booster(model):
        return read_bare_booster(model, request)
    try:
        return opaque_models.read(model, request)
    except UnsupportedModel as error:
        known = any(family.recognises(model) for family in FAMILIES)
        raise (why if known else error) from None  # the family knows best why


def _blamed(found: ModelAdapter) -> ModelAdapter:
    """Let whatever the model itself raises be its own error, and not one of this library."""
    call = f"model ({found.family})"

    def blamed(ask: Evaluate) -> Evaluate:
        return lambda frame: raw_answers_of(ask, frame, call=call)

    return replace(
        found, ask=blamed(found.ask), predict=None if found.predict is None else blamed(found.predict)
    )


def _check_against_model(found: ModelAdapter, reference: pd.DataFrame, codebook: Codebook) -> None:
    """Compare the reading with the model on some reference rows, since a library may change under us."""
    step = max(1, -(-len(reference) // CHECKED_ROWS))
    rows = reference.iloc[::step]
    values = codebook.of(found.columns).encode(rows)
    readings = [_reading(score, values) for score in found.scores]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = found.ask(rows)
    accepted = answers >= found.threshold
    accept_from = np.all([reading.verdict == ACCEPT for reading in readings], axis=0) & found.decides
    refused = np.any([reading.verdict == REJECT for reading in readings], axis=0)
    wrong = (accept_from & ~accepted) | (refused & accepted)
    error = np.zeros(len(rows))
    if found.report is not None:
        error = np.abs(found.report(readings[0].value) - answers)
    if wrong.any() or not bool((error <= found.tolerance * np.maximum(1.0, np.abs(answers))).all()):
        raise ModelMismatch(
            f"The model as read ({found.family}) disagrees with its own scores on {int(wrong.sum())} of "
            f"{len(rows)} reference rows, by up to {float(np.nanmax(error)):.3g}. Its library version may be "
            "unknown to this release of p2ce; please report it with the versions of both."
        )


def _reading(score: Any, values: FloatArray) -> Verdicts:
    """Say what a reading is sure of; a network also knows how far its own sums may be off."""
    if not isinstance(score, CompiledScore):
        judged: Verdicts = score.evaluate_rows(values)
        return judged
    scores = score_rows(score, values)
    accept_from, refused = scores >= score.accept_from, scores < score.reject_below
    return Verdicts(np.where(accept_from, ACCEPT, np.where(refused, REJECT, UNDECIDED)), scores)
