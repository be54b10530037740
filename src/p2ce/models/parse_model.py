"""Find the family that a model belongs to, parse it, and check the result against the model itself."""

import logging
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.checked_calls import some_rows
from p2ce.base.calls.library import without_warnings
from p2ce.base.calls.model_call import as_call
from p2ce.base.plugins import MODEL, Family, families_of
from p2ce.base.visible import echoed
from p2ce.engine.scores.external import ACCEPT, REJECT
from p2ce.engine.scores.trees.tree_nodes import MISSING_PARTS, parsing
from p2ce.errors import BrokenPlugin, InvalidReference, ModelMismatch, UnsupportedModel
from p2ce.models.bare_boosters import adapt_bare_booster, is_bare_booster
from p2ce.models.black_box import adapt_black_box, adapt_module, as_black_box, is_callable
from p2ce.models.contract.margins import ParsedModel
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.decisions.certify import certify
from p2ce.models.families.catboost import family as catboost
from p2ce.models.families.imodels import family as imodels
from p2ce.models.families.interpret import family as interpret
from p2ce.models.families.lightgbm import family as lightgbm
from p2ce.models.families.optbinning import family as optbinning
from p2ce.models.families.pygam import family as pygam
from p2ce.models.families.scorecardpy import family as scorecardpy
from p2ce.models.families.sklearn import (
    adaboost,
    bagging,
    calibrated,
    gradient_boosting,
    hist_gradient_boosting,
    linear,
    mlp,
    own_threshold,
    pipeline,
    stacking,
    trees_and_forests,
    voting,
)
from p2ce.models.families.sklearn.own_threshold import best_of, parse_with_own_threshold
from p2ce.models.families.torch import family as torch
from p2ce.models.families.xgboost import family as xgboost
from p2ce.tables.codebook import MISSING, Codebook, codebook_of

__all__ = ["FAMILIES", "SUPPORTED", "parse_model"]

# The first that recognises a model parses it.
FAMILIES: tuple[Family, ...] = (
    pipeline,
    own_threshold,
    lightgbm,
    xgboost,
    catboost,
    interpret,
    pygam,
    imodels,  # before scikit-learn's: some are subclasses of its trees
    trees_and_forests,
    gradient_boosting,
    hist_gradient_boosting,
    linear,
    mlp,
    torch,
    calibrated,
    voting,
    bagging,
    adaboost,
    stacking,
    optbinning,
    scorecardpy,
)
# Those that hand their columns on to other models, which say whether they support them.
OF_PARTS = frozenset({pipeline, own_threshold, calibrated, voting, bagging, stacking})
SUPPORTED = (
    "the classifiers and regressors of LightGBM, XGBoost (Boosters too) and CatBoost; InterpretML's "
    "explainable boosting machines; pyGAM; RuleFit, FIGS and other rules and trees of imodels; "
    "scikit-learn's "
    "DecisionTree, RandomForest, ExtraTrees, GradientBoosting, HistGradientBoosting, linear models, MLPs; "
    "PyTorch Sequential; optbinning's Scorecard and its points, scorecardpy's scorecard_ply with a card; a "
    "Pipeline of transformers that work on one column at a time in front of any of these; and scikit-learn's "
    "calibrated, voting, bagging, AdaBoost and stacking ensembles of them. Anything else with predict_proba, "
    "decision_function or predict, and any function of a frame or array, is evaluated as a black box"
)
log = logging.getLogger("p2ce")
# Instances and widened ranges may lie this many times farther out than the reference.
REACH_FACTOR = 64.0


def parse_model(
    model: Any,
    *,
    reference: pd.DataFrame,
    target: Any = 1,
    at_least: float | None = None,
    at_most: float | None = None,
    scale: str | None = None,
    margin: float = 0.0,
    score_tolerance: float = 0.0,
    reach: FloatArray | None = None,
    codebook: Codebook | None = None,
    codes: FloatArray | None = None,
    nullable: Collection[str] | None = None,
    black_box: bool = False,
) -> Adapter:
    """Parse a fitted model into scores that provably decide as the model does, if it is supported.

    For a black box the result has no score; with ``black_box=True``, this holds for every model.
    ``reference`` holds rows like those that the model was fitted on. ``at_least`` defaults to the model's
    own threshold, or to 0.5 for the probability of one of two classes and 0 for decision functions. If there
    are more than two classes, the target must win. With ``at_most``, the number of the target must be at most
    so much. ``margin`` moves either limit inwards, on the scale that the model reports. It includes the
    ``score_tolerance`` of a black box. ``reach`` holds, per reference column, the largest magnitude that a
    value will ever have. It defaults to 64 times the largest in the reference, and only linear models need
    it. ``codes`` (n, d) is the reference as encoded by ``codebook``, if the caller has it already.
    ``nullable`` names the columns in which values may be missing; by default those with a missing value in
    the reference.
    """
    request = request_for(
        reference,
        target=target,
        at_least=at_least,
        at_most=at_most,
        scale=scale,
        margin=margin,
        score_tolerance=score_tolerance,
        reach=reach,
        codebook=codebook,
        codes=codes,
        nullable=nullable,
    )
    own = own_threshold.own_threshold(model) if at_least is None and at_most is None else None
    if own is None:
        found = _parse_any(model, request)
    else:
        found = parse_with_own_threshold(model, own, request, _parse_any)
    if found.score is None:
        return found
    found = _with_checked_calls(found)
    _check_against_model(found, reference, request.codebook)
    return as_black_box(found, request) if black_box else found


def request_for(
    reference: pd.DataFrame,
    *,
    target: Any,
    at_least: float | None = None,
    at_most: float | None = None,
    scale: str | None = None,
    margin: float = 0.0,
    score_tolerance: float = 0.0,
    reach: FloatArray | None = None,
    codebook: Codebook | None = None,
    codes: FloatArray | None = None,
    nullable: Collection[str] | None = None,
) -> ParseRequest:
    """Build the request for parsing a model; the arguments are those of `parse_model`."""
    if not isinstance(reference, pd.DataFrame):
        raise InvalidReference(f"The reference must be a pandas DataFrame; got {type(reference).__name__}.")
    if reference.shape[0] == 0 or reference.shape[1] == 0:
        raise InvalidReference(
            f"The reference data has {reference.shape[0]} rows and {reference.shape[1]} columns. "
            "Pass the rows that the model was fitted on."
        )
    codebook = codebook_of(reference) if codebook is None else codebook
    codes = codebook.encode(reference) if codes is None else codes
    if reach is None:
        reach = REACH_FACTOR * _largest(codes, codebook)
    if nullable is None:
        nullable = codebook.columns_with_missing(codes)
    return ParseRequest(
        reference=reference,
        codes=codes,
        target=target,
        at_least=at_least,
        at_most=at_most,
        scale=scale,
        margin=margin,
        score_tolerance=score_tolerance,
        codebook=codebook,
        nullable=frozenset(nullable),
        reach=reach,
        parse=_parse_natively,
    )


def _largest(codes: FloatArray, codebook: Codebook) -> FloatArray:
    """Return the largest magnitude in each column; 1 if all its values are zero or missing."""
    unreadable = np.isnan(codes).any(axis=0)
    if unreadable.any():
        name = codebook.names[int(np.flatnonzero(unreadable)[0])]
        raise InvalidReference(
            f"Column {echoed(name)} of the reference data has values that are infinite or not numbers. "
            "Drop those rows."
        )
    largest = np.where(codes == MISSING, 0.0, np.abs(codes)).max(axis=0)
    return np.where(largest > 0.0, largest, 1.0)


def _parse_any(model: Any, request: ParseRequest) -> Adapter:
    """Parse a model, or adapt it as a black box."""
    try:
        return _parse_natively(model, request)
    except UnsupportedModel as error:
        why = error
    if not is_callable(model):
        raise why
    found = _as_black_box(model, request, why)
    log.info("The model is a black box, as %s: %s", found.family, why)
    return replace(found, black_box_because=str(why))


def _parse_natively(model: Any, request: ParseRequest) -> Adapter:
    """Parse a model by its family. The last step of a Pipeline too, since alone it is not a black box."""
    model = best_of(model)
    family = _family_of(model)
    if family is None:
        raise UnsupportedModel(_why_not(model))
    if request.codebook.dates and family not in OF_PARTS:
        raise UnsupportedModel(
            f"{type(model).__name__} is supported natively on numbers and categories, but "
            f"{echoed(request.codebook.dates[0])} holds dates."
        )
    # A model from another version of its library may lack attributes.
    with parsing(f"This {type(model).__name__}", MISSING_PARTS):
        parsed = family.parse(model, request)
    if isinstance(parsed, Adapter):  # from a family that wraps another model
        return parsed
    if isinstance(parsed, ParsedModel):
        return certify(parsed, request)
    raise BrokenPlugin(
        f"parse() of a model family must return a ParsedModel; for {type(model).__name__} it returned "
        f"{type(parsed).__name__}. Correct the family, or uninstall its package."
    )


def _family_of(model: Any) -> Family | None:
    return next((family for family in families_of(MODEL, FAMILIES) if family.recognises(model)), None)


def _why_not(model: Any) -> str:
    """Describe why no family recognises a model, the most likely mistake first."""
    if isinstance(model, type):
        return f"model is the class {model.__name__}. Pass a fitted instance of it."
    if model is None or isinstance(model, str | bytes | Path):
        return f"model is {echoed(model)}. Pass a fitted model (load it from its file first), or a function."
    name = f"{type(model).__module__}.{type(model).__name__}"
    if hasattr(model, "best_estimator_"):
        return (
            f"{name} is a search over models that overrides methods. Pass its best_estimator_, which may be "
            "supported."
        )
    if hasattr(model, "cv_results_"):
        return f"{name} is a search that did not keep a model. Fit it with refit=True."
    return f"{name} is not supported natively. Supported are {SUPPORTED}."


def _as_black_box(model: Any, request: ParseRequest, why: UnsupportedModel) -> Adapter:
    if torch.recognises_module(model):
        return adapt_module(model, request)
    if is_bare_booster(model):
        return adapt_bare_booster(model, request)
    try:
        return adapt_black_box(pygam.in_usual_form(model), request)
    except UnsupportedModel as error:
        raise (error if _family_of(model) is None else why) from None  # the family's error is more specific


def _with_checked_calls(found: Adapter) -> Adapter:
    """Let each call of the model return checked numbers, and attribute its errors to the model."""
    call = f"model ({found.family})"
    predict = found.predict
    return replace(
        found,
        evaluate=replace(as_call(found.evaluate, name=call), name=call),
        predict=None if predict is None else replace(as_call(predict, name=call), name=call),
    )


def _check_against_model(found: Adapter, reference: pd.DataFrame, codebook: Codebook) -> None:
    """Compare the parsed model with the model itself on some reference rows, since libraries change."""
    rows = some_rows(reference)
    values = codebook.of(found.columns).encode(rows)
    judged = [score.evaluate_rows(values) for score in found.scores]
    with without_warnings():
        own = found.evaluate(rows)
    accepted = own >= found.threshold
    certain = np.all([one.verdict == ACCEPT for one in judged], axis=0) & found.decides
    rejected = np.any([one.verdict == REJECT for one in judged], axis=0)
    wrong = (certain & ~accepted) | (rejected & accepted)
    error = np.zeros(len(rows))
    if found.report is not None:
        error = np.abs(found.report(judged[0].value) - own)
    if wrong.any() or not bool((error <= found.tolerance * np.maximum(1.0, np.abs(own))).all()):
        raise ModelMismatch(
            f"The parsed model ({found.family}) disagrees with the model itself on {int(wrong.sum())} of "
            f"{len(rows)} reference rows, by up to {float(np.nanmax(error)):.3g}. This release of p2ce may "
            "not support the version of the model's library; please report it with the versions of both."
        )
