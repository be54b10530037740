"""The family of scorecards for p2ce: one margin, a sum over trees of one split."""

import numpy as np
from scorecard import Ranges, Scorecard

from p2ce.extend import (
    ClassOutputs,
    ForestMargin,
    ForestMargins,
    ParsedModel,
    TreeNodes,
    black_box_detector,
    columns_by_name,
    forest_of,
    require_numbers,
)


def recognises(model):
    """Return whether a model is a scorecard."""
    return isinstance(model, Scorecard)


def parse(model, request):
    """Parse the points of every column."""
    columns = columns_by_name(model.feature_names_in_, request.reference)
    require_numbers(request, columns, name="A scorecard")
    trees = [
        TreeNodes(
            left=np.array([1, -1, -1]),
            right=np.array([2, -1, -1]),
            feature=np.array([place, 0, 0]),
            threshold=np.array([model.points[name][0], 0.0, 0.0]),
            value=np.array([0.0, *model.points[name][1:]]),
        )
        for place, name in enumerate(columns)
    ]
    margin = ForestMargin(forest=forest_of(trees))
    return ParsedModel(
        family="scorecard",
        margins=ForestMargins(columns=columns, count=1, parse=lambda _: margin, precision=1e-12),
        outputs=ClassOutputs(names=(0, 1), decision_values=model.decision_function),
    )


class _RangesFamily:
    def recognises(self, detector):
        return isinstance(detector, Ranges)

    def parse(self, detector, request):
        def inside(rows):
            distances = [
                np.minimum(rows[name] - low, high - rows[name])
                for name, (low, high) in detector.ranges.items()
            ]
            return np.min(distances, axis=0)

        columns = tuple(detector.ranges)
        return black_box_detector(inside, request, name="ranges", call="ranges", columns=columns, named=True)


ranges = _RangesFamily()
