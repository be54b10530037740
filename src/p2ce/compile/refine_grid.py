"""Refine inferred candidates: next to the models' thresholds, and down to the finest grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.engine.grid.base_grid import OneWay
from p2ce.engine.scores.combined.combined_score import CombinedScore
from p2ce.engine.scores.score import FlatScore, Score, seen_as_given
from p2ce.models.decisions.adapter import Adapter
from p2ce.objectives.objective import Reference
from p2ce.policy.features.candidate_values import Neighbours, either_side, resolution_of, thinned
from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.policy.policy import Policy
from p2ce.tables.codebook import MISSING

MOST_DISTINCT = 10_000  # the most values of a column on the finest grid; more are thinned evenly by rank
MOST_SPREAD = 1_000


class Detail(Enum):
    """How fine a grid is where candidates were inferred."""

    THINNED = "thinned"  # for scores that are evaluated cell by cell
    USUAL = "usual"  # the values next to the models' thresholds, and between them a few of the reference
    FINEST = "finest"  # all values that data, models and detector distinguish, thinned if there are very many


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnValues:
    """The values of a numeric column, from the data and from the thresholds."""

    usual: FloatArray  # the candidates from the data, if a policy sets neither candidates nor a step
    spread: FloatArray  # some values of the reference, evenly spread by rank
    model_cuts: FloatArray  # the models' thresholds
    all_cuts: FloatArray  # the thresholds of the models and the detector
    distinct: FloatArray  # values of the reference; all, or many of them
    models_are_steps: bool  # trees and bins do not distinguish values between two thresholds
    steps_decide: bool  # whether steps decide about plausibility too
    unit: float  # the column's deviation
    resolution: Fraction | None  # all values are multiples of it; None for a continuous column

    def sides(self, feature: FeaturePolicy, detail: Detail) -> Neighbours:
        """Return the values on either side of thresholds that belong to a grid, in the current range."""
        if detail is Detail.THINNED:
            return NO_SIDES
        return either_side(
            self.all_cuts if detail is Detail.FINEST else self.model_cuts,
            unit=self.unit,
            resolution=self.resolution,
            dtype=feature.dtype,
            ends=feature.ends(),
        )

    def values(self, feature: FeaturePolicy, detail: Detail, *, has_rule: bool) -> FloatArray:
        """Return the candidates from the data; only a few if evaluation is slow or thresholds are known."""
        usual = np.array(feature.inferred) if feature.inferred else self.usual
        if detail is Detail.FINEST:
            # A rule may distinguish values between two thresholds of trees.
            return np.union1d(
                usual, self.distinct[[0, -1]] if self.steps_decide and not has_rule else self.distinct
            )
        thin = detail is Detail.THINNED or len(self.model_cuts)
        return thinned(usual, self.spread) if thin else usual

    def everything(self, feature: FeaturePolicy) -> FloatArray:
        """Return every value that the scores distinguish."""
        return np.unique(np.concatenate([self.usual, self.distinct, *self.sides(feature, Detail.FINEST)]))


NO_CUTS: FloatArray = np.empty(0)  # also of a column that a detector does not look at
NO_SIDES = Neighbours(np.empty(0), np.empty(0))
# By numeric column: the values that may be added if the data chose the candidates.
Refinement: TypeAlias = Mapping[str, ColumnValues]
# By column: where step functions change, or None where a score is none.
Thresholds: TypeAlias = Mapping[str, FloatArray | None]


def refinement_of(
    models: Sequence[Adapter],
    detector: Adapter | None,
    reference: Reference,
    inferred: Policy,
) -> Refinement:
    """Collect the thresholds of all trees and bins, and the distinct values of the reference (codes)."""
    units = reference.unit("robust")
    found = {}
    model_cuts = [
        _thresholds((None,) if model.is_black_box else model.scores, model.columns) for model in models
    ]
    all_cuts = list(model_cuts)
    if detector is not None:
        all_cuts.append(_thresholds((detector.score,), detector.columns))
    for place, name in enumerate(reference.names):
        feature = inferred[name]
        if feature.is_category or feature.kind is Kind.BINARY:
            continue
        known_rows = reference.values[:, place]
        known_rows = np.sort(known_rows[known_rows != MISSING])
        known = np.unique(known_rows)
        found[name] = ColumnValues(
            usual=np.array(feature.inferred),
            spread=_spread_out(known_rows, MOST_SPREAD),
            model_cuts=_between(model_cuts, name, known),
            all_cuts=_between(all_cuts, name, known),
            distinct=_spread_out(known, MOST_DISTINCT),
            models_are_steps=all(cuts.get(name, NO_CUTS) is not None for cuts in model_cuts),
            steps_decide=all(cuts.get(name, NO_CUTS) is not None for cuts in all_cuts),
            unit=float(units[place]),
            resolution=resolution_of(known, whole=feature.kind is Kind.WHOLE, dtype=feature.dtype),
        )
    return found


def _between(cuts: Sequence[Thresholds], name: str, known: FloatArray) -> FloatArray:
    """Return the thresholds of a column that lie inside the range of the reference."""
    listed = [own for one in cuts if (own := one.get(name)) is not None]
    found: FloatArray = np.concatenate([NO_CUTS, *listed])
    inside: FloatArray = found[(found >= known[0]) & (found < known[-1])]
    return inside


def refined(policy: Policy, refinement: Refinement, detail: Detail) -> tuple[Policy, dict[str, OneWay]]:
    """Return the policy with inferred candidates in the given detail, and its one-way candidates.

    One-way candidates can only be reached from below, or only from above. For a tree, the value just above a
    threshold is the nearest one on that side for instances below it. For a rule, it is one of many.
    """
    # A predicate may look at any column.
    looks_at_all = any(not rule.prunes for rule in policy.rules)
    ruled = {name for rule in policy.rules for name in rule.columns}
    features, single = [], {}
    for feature in policy.features:
        column = refinement.get(feature.name)
        if column is None or not feature.is_inferred or feature.fixed:
            features.append(feature)
            continue
        if not feature.inferred:  # the policy leaves the candidates to the data
            feature = replace(feature, inferred=tuple(column.usual.tolist()))
        feature = feature.settled()
        if (
            detail is Detail.FINEST and feature.stated_range is None
        ):  # as far as the data go, if the policy was inferred from other data
            ends = column.distinct[[0, -1]].tolist()
            feature = replace(feature, low=min(feature.low, ends[0]), high=max(feature.high, ends[1]))
        has_rule = detail is Detail.FINEST and (looks_at_all or feature.name in ruled)
        below, above = column.sides(feature, detail)
        both = column.values(feature, detail, has_rule=has_rule)
        features.append(
            replace(feature, inferred=tuple(both.tolist())).with_more(np.concatenate([below, above]))
        )
        if not has_rule:
            single[feature.name] = OneWay(
                up=np.setdiff1d(above, np.concatenate([below, both])),
                down=np.setdiff1d(below, np.concatenate([above, both])),
            )
    return replace(policy, features=tuple(features)), single


def _thresholds(scores: Sequence[Score | None], columns: Sequence[str]) -> Thresholds:
    """Return the thresholds of trees and bins by column; None where anything else decides."""
    found: dict[str, list[FloatArray] | None] = {name: [] for name in columns}
    parts = [
        part for score in scores for part in (score.parts if isinstance(score, CombinedScore) else (score,))
    ]
    for part in parts:
        flat = None if part is None else part.flat
        for name, cuts in zip(columns, _cuts_of(flat, len(columns)), strict=True):
            known = found[name]
            if cuts is None or known is None:
                found[name] = None
            else:
                known.append(cuts)
    return {
        name: None if parts is None else np.unique(np.concatenate([NO_CUTS, *parts]))
        for name, parts in found.items()
    }


def _cuts_of(flat: FlatScore | None, columns: int) -> Sequence[FloatArray | None]:
    """Return the cuts of a score in each column; None for a column in which it is not a step function."""
    if flat is None or flat.forest is None or flat.see is not seen_as_given:
        return (None,) * columns if flat is None or flat.cuts is None else flat.cuts
    forest = flat.forest
    order = np.argsort(forest.feature, kind="stable")
    begins = np.searchsorted(forest.feature[order], np.arange(columns + 1))
    return [forest.threshold[order[begin:end]] for begin, end in pairwise(begins.tolist())]


def _spread_out(known: FloatArray, most: int) -> FloatArray:
    if len(known) <= most:
        return known
    return known[np.linspace(0, len(known) - 1, most).round().astype(np.int64)]
