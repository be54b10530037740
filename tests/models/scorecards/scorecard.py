"""A custom model: points for every column that exceeds its cut. It does not know p2ce."""

import numpy as np


class Scorecard:
    """Adds points up; class 1 from zero points on."""

    def __init__(self, points):
        self.points = points  # column → (cut, points at most the cut, points above it)
        self.feature_names_in_ = np.array(list(points))
        self.classes_ = np.array([0, 1])

    def decision_function(self, rows):
        """Add the points of every column, in order: (n,)."""
        total = np.zeros(len(rows))
        for name, (cut, low, high) in self.points.items():
            total += np.where(rows[name].to_numpy(dtype=float) <= cut, low, high)
        return total

    def predict(self, rows):
        """Predict a class for every row."""
        return (self.decision_function(rows) >= 0.0).astype(int)


class Ranges:
    """A custom detector: rows are plausible inside the ranges."""

    def __init__(self, ranges):
        self.ranges = ranges  # column → (low, high)
