"""Place the labels of points so that none hides a point or another label."""

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

from p2ce.present.charts.axis_scales import pushed_apart

_Point: TypeAlias = tuple[float, float]
_Box: TypeAlias = tuple[float, float, float, float]  # left, bottom, right, top

# Directions to try, the best to read first; then the same ones farther away.
DIRECTIONS = ((1, 1), (1, 0), (-1, 1), (1, -1), (-1, 0), (-1, -1), (0, 1), (0, -1))
DISTANCES = (0.08, 0.16, 0.26)  # inches from the point to the label
CHARACTER = (0.078, 0.14)  # inches per character of a label


def place_labels(
    places: Sequence[_Point], texts: Sequence[str], frame: _Point, *, avoid: Sequence[_Point] = ()
) -> list[_Point]:
    """Return where the middle of each label goes. Places are shares of a frame with a size in inches.

    The first position that overlaps nothing is taken, or the one that overlaps least. No label hides a point,
    or anything at the places to `avoid`.
    """
    points = [(across * frame[0], up * frame[1]) for across, up in places]
    taken = [_box(point, (0.12, 0.12)) for point in points]
    taken += [_box((across * frame[0], up * frame[1]), (0.12, 0.12)) for across, up in avoid]
    found = []
    for point, text in zip(points, texts, strict=True):
        best, least = point, float("inf")
        size = (CHARACTER[0] * (len(text) + 0.7), CHARACTER[1])
        for distance, (right, up) in product(DISTANCES, DIRECTIONS) if text else ():
            middle = (
                point[0] + right * (distance + size[0] / 2),
                point[1] + up * (distance + (size[1] / 2 if right == 0 else 0.0)),
            )
            box = _box(middle, size)
            overlap = sum(_overlap(box, other) for other in taken) + _outside(box, frame)
            if overlap < least:
                best, least = middle, overlap
            if not overlap:
                break
        if text:
            taken.append(_box(best, size))
        found.append((best[0] / frame[0], best[1] / frame[1]))
    return found


def spread_out(places: Sequence[float], gap: float) -> list[float]:
    """Move places between 0 and 1 apart on both sides, so that neighbours have a gap if there is room.

    >>> [round(place, 2) for place in spread_out([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    gap = min(gap, 1.0 / max(len(places) - 1, 1))
    order = sorted(range(len(places)), key=lambda one: places[one])
    up = pushed_apart([places[one] for one in order], gap)
    down = pushed_apart([1.0 - places[one] for one in reversed(order)], gap)
    middles = [(one + 1.0 - other) / 2 for one, other in zip(up, reversed(down), strict=True)]
    return [middles[order.index(one)] for one in range(len(places))]


def _box(middle: _Point, size: _Point) -> _Box:
    wide, high = size[0] / 2, size[1] / 2
    return middle[0] - wide, middle[1] - high, middle[0] + wide, middle[1] + high


def _overlap(one: _Box, other: _Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _outside(box: _Box, frame: _Point) -> float:
    return max(-box[0], 0.0) + max(-box[1], 0.0) + max(box[2] - frame[0], 0.0) + max(box[3] - frame[1], 0.0)
