"""Choose values between the candidates of a number, if the data chose the candidates."""

from dataclasses import dataclass

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.refine_grid import ColumnValues
from p2ce.policy.features.candidate_values import nearest_multiples
from p2ce.policy.features.decimals import roundest_between
from p2ce.policy.features.feature import FeaturePolicy

PRECISION = 0.005  # of a change: where halving ends in a column without a resolution


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberAxis:
    """An axis of numbers whose candidates the data chose, so values between them are possible."""

    place: int  # its index among the axes of the grid
    feature: FeaturePolicy
    values: ColumnValues

    def between(self, inner: FloatArray, outer: FloatArray, current: FloatArray) -> FloatArray:
        """Return a round number near the middle of inner and outer (n,); NaN if they are close enough."""
        low, high = np.minimum(inner, outer), np.maximum(inner, outer)
        width = high - low
        if self.values.resolution is not None:
            middle = self._multiple((low + high) / 2)
        else:
            middle = self.feature.as_held(roundest_between(low + 0.3 * width, high - 0.3 * width))
            middle[width <= PRECISION * np.abs(outer - current)] = np.nan
        middle[~((middle > low) & (middle < high)) | np.isin(middle, self.feature.special)] = np.nan
        return middle

    def spread(self, current: float, limit: float, most: int) -> FloatArray:
        """Return about ``count`` values between two ends: half where people are, half evenly spaced."""
        low, high = min(current, limit), max(current, limit)
        usual = self.values.usual
        usual = usual[(usual > low) & (usual < high)]
        if len(usual) > most // 2:
            usual = usual[np.linspace(0, len(usual) - 1, most // 2).round().astype(np.int64)]
        points = np.linspace(current, limit, most - len(usual) + 2)[1:-1]
        if self.values.resolution is not None:
            even = self._multiple(points)
        else:
            near = abs(limit - current) / (8 * len(points))
            even = self.feature.as_held(roundest_between(points - near, points + near))
        found = np.union1d(usual, even)
        found = found[(found > low) & (found < high)]
        return found[~np.isin(found, self.feature.special)]

    def near(self, values: FloatArray, size: FloatArray) -> FloatArray:
        """Return round numbers close to values that are a number of deviations from the start."""
        if self.values.resolution is not None:
            return self._multiple(values)
        close = PRECISION * size * self.values.unit
        round_ones = roundest_between(values - close, values + close)
        return self.feature.as_held(np.where(np.isnan(round_ones), values, round_ones))

    def _multiple(self, values: FloatArray) -> FloatArray:
        assert self.values.resolution is not None
        return self.feature.as_held(nearest_multiples(values, self.values.resolution))
