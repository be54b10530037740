"""Find the direction in which a feature is associated with the favourable outcome, if the data show one.

An association is not a restriction. An option that moves a feature against it is only flagged, since the
model and the data then disagree.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import UnnamedTarget
from p2ce.policy.features.favourable_class import favourable_class
from p2ce.policy.features.feature import Direction, FeaturePolicy
from p2ce.policy.features.known_outcomes import KnownOutcomes
from p2ce.tables.codebook import MISSING, coding_of

if TYPE_CHECKING:
    import pandas as pd

BINS = 10
CLEAR = 4.0  # standard errors; chance alone reaches this in one column of 16,000
REVERSED = 3.0  # standard errors by which two bins contradict the trend
MONOTONE = 0.7  # the least rank correlation between the bins and their rates
FEWEST = 20  # people of each outcome


def favourable_direction(values: FloatArray, favourable: BoolArray) -> Direction:
    """Return the direction in which the favourable outcome becomes more common, or BOTH if it is unclear.

    Ranks must differ between the outcomes by far more than chance. The rates over the deciles of the values
    (n,) must rise or fall without a clear exception: a U shape is not a direction.

    >>> values = np.arange(200.0)
    >>> favourable_direction(values, values > 120).name, favourable_direction(values, values % 2 == 0).name
    ('UP', 'BOTH')
    >>> favourable_direction(values, abs(values - 120) > 60).name
    'BOTH'
    """
    many = int(favourable.sum())
    if min(many, len(values) - many) < FEWEST:
        return Direction.BOTH
    trend = _trend(values, favourable)
    if abs(trend) < CLEAR:
        return Direction.BOTH
    direction = Direction.UP if trend > 0 else Direction.DOWN
    counts, rates = _rates(values, favourable)
    return direction if _is_monotone(direction * rates, counts) else Direction.BOTH


def _trend(values: FloatArray, favourable: BoolArray) -> float:
    """Compute the standardised rank sum of the favourable outcomes (Mann and Whitney, with ties)."""
    ranks = _ranks(values)
    many, total = int(favourable.sum()), len(values)
    deviation = np.sqrt(many * (total - many) / (total - 1) * ranks.var())
    return 0.0 if deviation == 0 else float((ranks[favourable].sum() - many * (total + 1) / 2) / deviation)


def _ranks(values: FloatArray) -> FloatArray:
    """Rank values from 1 up. Ties share their mean rank."""
    _, positions, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: FloatArray = np.cumsum(counts) - (counts - 1) / 2.0
    return means[positions]


def _rates(values: FloatArray, favourable: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Count the people in each quantile bin, and compute their rate of favourable outcomes."""
    ends = np.unique(np.quantile(values, np.linspace(0.0, 1.0, BINS + 1)[1:-1], method="lower"))
    bins = np.searchsorted(ends, values, side="left")
    counts = np.bincount(bins, minlength=len(ends) + 1).astype(np.float64)
    good = np.bincount(bins, weights=favourable, minlength=len(ends) + 1)
    held = counts > 0
    return counts[held], good[held] / counts[held]


def _is_monotone(rates: FloatArray, counts: FloatArray) -> bool:
    """Return whether rates rise from bin to bin, apart from chance. Falling rates are passed negated."""
    if len(rates) < 2:
        return False
    shares = np.abs(rates)
    # One more person of each outcome, so a bin with a single outcome has an error as well.
    smooth = (shares * counts + 1.0) / (counts + 2.0)
    variance = smooth * (1.0 - smooth) / counts
    rises = rates[None, :] - rates[:, None]  # from bin i to bin j
    limit = -REVERSED * np.sqrt(variance[None, :] + variance[:, None])
    if (rises < limit)[np.triu_indices(len(rates), k=1)].any():
        return False
    ranks = _ranks(rates)
    return bool(np.ptp(ranks) > 0 and np.corrcoef(np.arange(len(ranks)), ranks)[0, 1] >= MONOTONE)


def associations(
    features: Iterable[FeaturePolicy], frame: "pd.DataFrame", favourable: BoolArray
) -> dict[str, Direction]:
    """Find the direction of every numeric column, without missing and special values."""
    columns = {str(label): label for label in frame.columns}
    found = {}
    for feature in features:
        if feature.is_category or feature.name not in columns:
            continue
        column = frame[columns[feature.name]]
        codes = coding_of(column).encode(column)
        known = (codes != MISSING) & ~np.isin(codes, feature.special)
        found[feature.name] = favourable_direction(codes[known], favourable[known])
    return {name: direction for name, direction in found.items() if direction}


def with_associations(
    features: Iterable[FeaturePolicy], known: Mapping[str, Direction]
) -> tuple[FeaturePolicy, ...]:
    """Add associations to features that have none."""
    return tuple(
        replace(one, association=known[one.name]) if not one.association and known.get(one.name) else one
        for one in features
    )


def favourable_rows(outcomes: KnownOutcomes, target: Any) -> BoolArray:
    """Return which people have the favourable outcome. Without a target, it must be clear from the names."""
    if target is not None:
        return outcomes.are(target)
    classes = tuple(sorted(set(outcomes.values), key=str))
    evidence = favourable_class(classes, outcomes.name)
    if evidence is None:
        calls = " or ".join(f"target={echoed(one)}" for one in classes[:6])
        raise UnnamedTarget(
            f"The labels of y do not say which one is favourable. Pass {calls}, or target=(low, high) for "
            "a range of numbers.",
            classes=classes,
        )
    return outcomes.are(evidence.favourable)
