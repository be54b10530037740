"""Refine the candidates that were inferred: beside the models' thresholds, and down to the finest grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.decisions.model_adapter import ModelAdapter
from p2ce.detectors.detector_adapter import DetectorAdapter
from p2ce.grid.base_grid import OneWay
from p2ce.objectives.objective import Reference
from p2ce.problem.actions import ActionSet
from p2ce.problem.candidate_values import Sides, either_side, resolution_of, thinned
from p2ce.problem.feature import FeatureActions, Kind
from p2ce.scores.score import Score, seen_as_given
from p2ce.tables.codebook import MISSING

MOST_DISTINCT = 10_000  # values of one column on the finest grid; of more, as many, evenly spread by rank
MOST_PEOPLE = 1_000


class Detail(Enum):
    """How fine a grid is where candidates were inferred."""

    THINNED = "thinned"  # for scores that are evaluated cell by cell
    USUAL = "usual"  # the values beside the models' thresholds, and between them a few of the reference
    FINEST = "finest"  # all that data, models and detector tell apart


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refinement:
    """Values by column that may be added where the data chose the candidates: columns of numbers only."""

    usual: Mapping[str, FloatArray]  # what the data choose where a policy names neither candidates nor a step
    people: Mapping[str, FloatArray]  # some of their values, evenly spread by rank
    near: Mapping[str, Sides]  # of the models' thresholds
    finest: Mapping[str, Sides]  # of the detector's thresholds as well
    distinct: Mapping[str, FloatArray]  # of the reference; only the ends where trees decide about everything

    def everything(self, name: str) -> FloatArray | None:
        """Give every value that the scores distinguish on a column; None if it is no column of numbers."""
        if name not in self.distinct:
            return None
        return np.unique(np.concatenate([self.usual[name], self.distinct[name], *self.finest[name]]))


def refinement_of(
    models: Sequence[ModelAdapter],
    detector: DetectorAdapter | None,
    reference: Reference,
    inferred: ActionSet,
) -> Refinement:
    """Collect the thresholds of all trees and the distinct values of the reference (codes)."""
    units = reference.unit("robust")
    usual, people, near, finest, distinct = {}, {}, {}, {}, {}
    model_cuts = [
        None if model.is_black_box else _thresholds(model.scores, model.columns) for model in models
    ]
    detector_cuts = {} if detector is None else _thresholds((detector.score,), detector.columns)
    all_cuts = [*model_cuts, detector_cuts]
    for place, name in enumerate(reference.names):
        feature = inferred[name]
        if feature.is_category or feature.kind is Kind.BINARY:
            continue
        everybody = reference.values[:, place]
        everybody = np.sort(everybody[everybody != MISSING])
        known = np.unique(everybody)
        resolution = resolution_of(known, whole=feature.kind is Kind.WHOLE, dtype=feature.dtype)
        beside = partial(either_side, unit=float(units[place]), resolution=resolution, dtype=feature.dtype)
        usual[name] = np.array(feature.inferred)
        people[name] = _spread_out(everybody, MOST_PEOPLE)
        near[name] = beside(_between(model_cuts, name, known))
        finest[name] = beside(_between(all_cuts, name, known))
        # Trees cannot tell apart what lies between two thresholds.
        distinct[name] = (
            _spread_out(known, MOST_DISTINCT) if any(cuts is None for cuts in all_cuts) else known[[0, -1]]
        )
    return Refinement(usual=usual, people=people, near=near, finest=finest, distinct=distinct)


def _between(cuts: Sequence[Mapping[str, FloatArray] | None], name: str, known: FloatArray) -> FloatArray:
    """Join the thresholds of a column that lie inside the reference."""
    listed = [one[name] for one in cuts if one is not None and name in one]
    found: FloatArray = np.concatenate([np.empty(0), *listed])
    inside: FloatArray = found[(found >= known[0]) & (found < known[-1])]
    return inside


def refined(actions: ActionSet, refinement: Refinement, detail: Detail) -> ActionSet:
    """Give the candidates that the data chose in the detail that is searched.

    On the finest grid the range is as far as the data go.
    """

    def changed(given: FeatureActions) -> FeatureActions:
        feature = _settled(given, refinement)
        usual = replace(feature, inferred=tuple(_usual(feature, refinement, detail).tolist()))
        if detail is not Detail.FINEST:
            return usual.with_more(np.concatenate(_sides(feature, refinement, detail)))
        distinct = refinement.distinct[feature.name]
        low, high = min(feature.low, float(distinct[0])), max(feature.high, float(distinct[-1]))
        wider = usual if feature.stated_range else replace(usual, low=low, high=high)
        return wider.with_more(np.concatenate([distinct, *_sides(feature, refinement, detail)]))

    features = tuple(
        changed(feature) if _may_be_refined(feature, refinement) else feature for feature in actions.features
    )
    return replace(actions, features=features)


def one_way(actions: ActionSet, refinement: Refinement, detail: Detail) -> dict[str, OneWay]:
    """Tell which of the added values are there for those who come from below, and which from above."""
    found = {}
    for given in actions.features:
        if _may_be_refined(given, refinement):
            feature = _settled(given, refinement)
            below, above = _sides(feature, refinement, detail)
            both = _usual(feature, refinement, detail)
            if detail is Detail.FINEST:
                both = np.concatenate([both, refinement.distinct[feature.name]])
            found[feature.name] = OneWay(
                up=np.setdiff1d(above, np.concatenate([below, both])),
                down=np.setdiff1d(below, np.concatenate([above, both])),
            )
    return found


def _sides(feature: FeatureActions, refinement: Refinement, detail: Detail) -> Sides:
    """Give the values beside thresholds that belong to a grid."""
    if detail is Detail.THINNED:
        return Sides(np.empty(0), np.empty(0))
    return (refinement.finest if detail is Detail.FINEST else refinement.near)[feature.name]


def _settled(feature: FeatureActions, refinement: Refinement) -> FeatureActions:
    """Let the data choose where a policy leaves it to them, for the range that is in force."""
    if not feature.inferred:
        feature = replace(feature, inferred=tuple(refinement.usual[feature.name].tolist()))
    return feature.settled()


def _usual(feature: FeatureActions, refinement: Refinement, detail: Detail) -> FloatArray:
    """Give the candidates that the data chose; a few, where evaluations are slow or thresholds are known."""
    usual = np.array(feature.inferred, dtype=np.float64)
    said = detail is Detail.USUAL and len(refinement.near[feature.name].above)
    return thinned(usual, refinement.people[feature.name]) if detail is Detail.THINNED or said else usual


def _may_be_refined(feature: FeatureActions, refinement: Refinement) -> bool:
    return feature.is_inferred and not feature.fixed and feature.name in refinement.near


def _thresholds(scores: Sequence[Score | None], columns: Sequence[str]) -> dict[str, FloatArray] | None:
    """Give the thresholds of trees by column; None where something else than trees decides."""
    found: dict[str, list[FloatArray]] = {name: [] for name in columns}
    for score in scores:
        flat = None if score is None else score.flat
        if flat is None or flat.forest is None or flat.see is not seen_as_given:
            return None
        forest = flat.forest
        for place, name in enumerate(columns):
            found[name].append(forest.threshold[forest.feature == place])
    return {name: np.unique(np.concatenate(parts)) for name, parts in found.items() if parts}


def _spread_out(known: FloatArray, most: int) -> FloatArray:
    if len(known) <= most:
        return known
    return known[np.linspace(0, len(known) - 1, most).round().astype(np.int64)]
