"""Check the known outcomes of a reference, and find the features that are associated with them.

An association is not a restriction. An option that moves a feature against it is only flagged, since the
model and the data then disagree.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, InvalidTarget, UnnamedTarget
from p2ce.policy.features.feature import Direction, FeaturePolicy, Kind
from p2ce.policy.inference.favourable_class import favourable_class
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import MISSING, coding_of

if TYPE_CHECKING:
    import pandas as pd

BINS = 10
CLEAR = 4.0  # standard errors; chance alone reaches this in one column of 16,000
REVERSED = 3.0  # standard errors by which two bins contradict the trend
MONOTONE = 0.7  # the least rank correlation between the bins and their rates
FEWEST = 20  # rows of each outcome


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownOutcomes:
    """The outcomes of the reference's rows, as plain Python values, and the name of the label."""

    values: tuple[Any, ...]
    name: str | None

    def are(self, target: Any) -> BoolArray:
        """Return which labels equal a class, or are in a range (low, high), as an array (n,)."""
        if not isinstance(target, tuple | list):
            return np.array([bool(value == target) for value in self.values], dtype=np.bool_)
        low, high = target
        try:
            numbers = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidTarget(
                f"target={echoed(target)} is a range of numbers, but y holds labels such as "
                f"{echoed(self.values[0])}. Pass one of the labels as the target."
            ) from error
        above = np.ones(len(numbers), dtype=np.bool_) if low is None else numbers >= low
        return above if high is None else above & (numbers <= high)

    def require_classes(self, classes: tuple[Any, ...]) -> None:
        """Raise if a label is not one of the model's classes."""
        strange = [value for value in dict.fromkeys(self.values) if value not in classes]
        if strange:
            raise InvalidTarget(
                f"y holds {echoed(strange[0])}, which is not one of the model's classes "
                f"{listed(classes)}. Pass the labels that the model was fitted on."
            )


def known_outcomes(y: Any, *, rows: int, index: Any = None) -> KnownOutcomes:
    """Read labels from a Series, an array, a list or a table with one column.

    They must be in the order of the reference's rows. The reference's pandas ``index`` reveals a Series in
    another order.

    >>> known_outcomes([0, 1, 1], rows=3).values
    (0, 1, 1)
    """
    columns = getattr(y, "columns", None)
    if columns is not None:
        if len(columns) != 1:
            raise InvalidArgument(
                f"y must be one column of labels; got a table of {len(columns)} columns. Pass one of them."
            )
        y = y[columns[0]]
    if isinstance(y, str | bytes) or np.ndim(y) != 1:
        raise InvalidArgument(
            f"y must hold one label for each row of the reference; got {echoed(y)}. Pass a Series, an array "
            "or a list."
        )
    as_list = next((one for one in ("tolist", "to_list", "to_pylist") if hasattr(y, one)), None)
    values = tuple(y if as_list is None else getattr(y, as_list)())
    if len(values) != rows:
        raise InvalidArgument(
            f"y has {len(values):,} labels for the {rows:,} rows of the reference. Pass one for each row, in "
            "the same order."
        )
    if _is_reordered(y, index):
        raise InvalidArgument(
            "y has the index of the reference in another order, so its labels belong to other rows. Pass "
            "y.loc[X.index]."
        )
    strange = next((value for value in values if not isinstance(value, Hashable)), None)
    if strange is not None:
        raise InvalidArgument(
            f"y holds {echoed(strange)}, which is not a label. Pass texts, numbers or bools."
        )
    missing = sum(is_missing(value) for value in values)
    if missing:
        raise InvalidArgument(
            f"{missing:,} of the {rows:,} labels of y are missing. Remove these rows from the reference and "
            "from y."
        )
    name = getattr(y, "name", None)
    return KnownOutcomes(values=values, name=None if name is None else str(name))


def _is_reordered(y: Any, index: Any) -> bool:
    """Return whether a pandas Series has the labels of an index in another order."""
    own: Any = getattr(y, "index", None)
    if index is None or not hasattr(own, "equals") or own.equals(index):
        return False
    return bool(own.is_unique and index.is_unique and len(own.difference(index, sort=False)) == 0)


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
    """Count the rows in each quantile bin, and compute their rate of favourable outcomes."""
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
    # One more row of each outcome, so a bin with a single outcome has an error as well.
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
        if feature.is_category or feature.kind is Kind.DATE or feature.name not in columns:
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
    """Return which rows have the favourable outcome. Without a target, it must be clear from the names."""
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
