"""Refine the candidates that were inferred: beside the models' thresholds, and down to the finest grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.score import CompiledScore, seen_as_given
from p2ce.grid.base_grid import OneWay
from p2ce.models.reading import ReadModel
from p2ce.objectives.base import Reference
from p2ce.plausibility.reading import ReadDetector
from p2ce.problem.actions import ActionSet
from p2ce.problem.candidates import Sides, either_side, resolution_of
from p2ce.problem.coding import MISSING
from p2ce.problem.feature import FeatureActions, Kind

MOST_DISTINCT = 10_000  # values of one column on the finest grid; of more, as many, evenly spread by rank


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refinement:
    """Values by column that may be added where the data chose the candidates: columns of numbers only."""

    usual: Mapping[str, FloatArray]  # what the data choose where a policy names neither candidates nor a step
    near: Mapping[str, Sides]  # of the models' thresholds
    finest: Mapping[str, Sides]  # of the detector's thresholds as well
    distinct: Mapping[str, FloatArray]  # what people have; only the ends where trees decide about everything

    def everything(self, name: str) -> FloatArray | None:
        """Give all that can be told apart on a column; None if it is no column of numbers."""
        if name not in self.distinct:
            return None
        return np.unique(np.concatenate([self.usual[name], self.distinct[name], *self.finest[name]]))


def refinement_of(
    models: Sequence[ReadModel], detector: ReadDetector | None, reference: Reference, inferred: ActionSet
) -> Refinement:
    """Collect the thresholds of all trees and the distinct values of the reference (codes)."""
    units = reference.unit("robust")
    usual, near, finest, distinct = {}, {}, {}, {}
    model_cuts = [_thresholds(model.scores, model.columns) for model in models]
    detector_cuts = {} if detector is None else _thresholds((detector.score,), detector.columns)
    all_cuts = [*model_cuts, detector_cuts]
    for place, name in enumerate(reference.names):
        feature = inferred[name]
        if feature.is_category or feature.kind is Kind.BINARY:
            continue
        known = np.unique(reference.values[:, place])
        known = known[known != MISSING]
        resolution = resolution_of(known, whole=feature.kind is Kind.WHOLE, dtype=feature.dtype)
        beside = partial(either_side, unit=float(units[place]), resolution=resolution, dtype=feature.dtype)
        usual[name] = np.array(feature.inferred)
        near[name] = beside(_between(model_cuts, name, known))
        finest[name] = beside(_between(all_cuts, name, known))
        # Trees cannot tell apart what lies between two thresholds.
        distinct[name] = _spread_out(known) if any(cuts is None for cuts in all_cuts) else known[[0, -1]]
    return Refinement(usual=usual, near=near, finest=finest, distinct=distinct)


def _between(cuts: Sequence[Mapping[str, FloatArray] | None], name: str, known: FloatArray) -> FloatArray:
    """Join the thresholds of a column that lie where people are."""
    listed = [one[name] for one in cuts if one is not None and name in one]
    found: FloatArray = np.concatenate([np.empty(0), *listed])
    inside: FloatArray = found[(found >= known[0]) & (found < known[-1])]
    return inside


def refined(actions: ActionSet, refinement: Refinement, *, finest: bool) -> ActionSet:
    """Add the values beside thresholds to the candidates that the data chose.

    On the finest grid these are the detector's as well, and the range is as far as the data go.
    """

    def more(feature: FeatureActions) -> FeatureActions:
        name = feature.name
        usual = () if feature.inferred else refinement.usual[name]
        if not finest:
            return feature.with_more(np.concatenate([usual, *refinement.near[name]]))
        distinct = refinement.distinct[name]
        low, high = min(feature.low, float(distinct[0])), max(feature.high, float(distinct[-1]))
        wider = replace(feature, low=low, high=high)
        return wider.with_more(np.concatenate([usual, distinct, *refinement.finest[name]]))

    features = tuple(
        more(feature) if _may_be_refined(feature, refinement) else feature for feature in actions.features
    )
    return replace(actions, features=features)


def one_way(actions: ActionSet, refinement: Refinement, *, finest: bool) -> dict[str, OneWay]:
    """Tell which of the added values are there for those who come from below, and which from above."""
    found = {}
    for feature in actions.features:
        if _may_be_refined(feature, refinement):
            name = feature.name
            below, above = (refinement.finest if finest else refinement.near)[name]
            usual = refinement.usual[name] if not feature.inferred else np.array(feature.inferred)
            both = np.concatenate([usual, refinement.distinct[name]]) if finest else usual
            found[name] = OneWay(
                up=np.setdiff1d(above, np.concatenate([below, both])),
                down=np.setdiff1d(below, np.concatenate([above, both])),
            )
    return found


def _may_be_refined(feature: FeatureActions, refinement: Refinement) -> bool:
    return feature.is_inferred and not feature.fixed and feature.name in refinement.near


def _thresholds(scores: Sequence[object], columns: Sequence[str]) -> dict[str, FloatArray] | None:
    """Give the thresholds of trees by column; None where something else than trees decides."""
    found: dict[str, list[FloatArray]] = {name: [] for name in columns}
    for score in scores:
        if not isinstance(score, CompiledScore) or score.forest is None or score.see is not seen_as_given:
            return None
        forest = score.forest
        for place, name in enumerate(columns):
            found[name].append(forest.threshold[forest.feature == place])
    return {name: np.unique(np.concatenate(parts)) for name, parts in found.items() if parts}


def _spread_out(known: FloatArray) -> FloatArray:
    if len(known) <= MOST_DISTINCT:
        return known
    return known[np.linspace(0, len(known) - 1, MOST_DISTINCT).round().astype(np.int64)]
