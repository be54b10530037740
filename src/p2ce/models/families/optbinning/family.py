"""Parse an optbinning Scorecard: the probability of the model inside it, or its points."""

from dataclasses import replace
from typing import Any

import numpy as np

from p2ce.base.calls.library import library_class
from p2ce.base.calls.model_call import ModelCall, RowFormat, as_call
from p2ce.engine.scores.trees.tree_nodes import parsing
from p2ce.errors import NotFitted, UnsupportedModel
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.decisions.row_format import columns_by_name, row_format
from p2ce.models.families.scorecard_points import PointsTotal, parse_points
from p2ce.models.families.sklearn.pipeline import parse_behind
from p2ce.models.fitted import require_library_class
from p2ce.models.preprocessing.scorecards import ScorecardBins, ScorecardPoints

_ROOT, _NAMES = "optbinning", frozenset({"Scorecard"})


def recognises(model: object) -> bool:
    """Return whether a model is an optbinning Scorecard, or its method ``score``, which returns points."""
    return library_class(_card_of(model), root=_ROOT, names=_NAMES) is not None


def _card_of(model: Any) -> Any:
    """Return the scorecard whose points a bound method returns; any other object itself."""
    is_points = getattr(model, "__name__", None) == "score" and hasattr(model, "__func__")
    return model.__self__ if is_points else model


def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the model of weights of evidence, or the points in the rounding of the card's own table."""
    card = _card_of(model)
    require_library_class(card, root=_ROOT, names=_NAMES)
    if not card._is_fitted:
        raise NotFitted("This Scorecard is not fitted. Call .fit(X, y) on it first.")
    with parsing("This Scorecard"):
        columns = columns_by_name(list(card.binning_process_.variable_names), request.reference)
        if not card.binning_process_.get_support().any():
            raise UnsupportedModel("This Scorecard has selected no variables, so its score is a constant.")
        base_points = float(np.ravel(card.intercept_)[0])
    if card is model:
        found = parse_behind([ScorecardBins(card)], card.estimator_, request, columns=columns)
        rows = row_format(columns, request.reference, named=True)
        return replace(
            found,
            family=f"optbinning Scorecard ({type(card.estimator_).__name__})",
            evaluate=_of_card(card, found.evaluate, rows),
            predict=None if found.predict is None else _of_card(card, found.predict, rows),
        )
    total = PointsTotal(family="optbinning Scorecard (points)", call=model, base_points=base_points)
    return parse_points(ScorecardPoints(card), total, request, columns=columns)


def _of_card(card: Any, evaluate: Any, rows: RowFormat) -> ModelCall:
    """Call the method of the card itself, and not that of the model inside it."""
    call = as_call(evaluate, name="model (Scorecard)")
    return replace(call, method=getattr(card, call.method.__name__), rows=rows)
