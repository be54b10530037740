"""Find a place for the labels of points, so that none hides a point or another label."""

from collections.abc import Sequence
from itertools import product

# Directions to try, the best to read first; then the same ones farther away.
DIRECTIONS = ((1, 1), (1, 0), (-1, 1), (1, -1), (-1, 0), (-1, -1), (0, 1), (0, -1))
DISTANCES = (0.08, 0.16, 0.26)  # inches from the point to the label
CHARACTER = (0.078, 0.14)  # inches that a character of a label takes


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    frame: tuple[float, float],
    *,
    avoid: Sequence[tuple[float, float]] = (),
) -> list[tuple[float, float]]:
    """Give where the middle of each label goes; all in inches from the lower left corner of the frame.

    The first of each place that overlaps nothing is taken, and the one that overlaps least where all do.
    No label hides a point or what is at the places to `avoid`.
    """
    taken: list[tuple[float, float, float, float]] = [
        _box(point, (0.12, 0.12)) for point in (*points, *avoid)
    ]
    found = []
    for point, text in zip(points, texts, strict=True):
        if not text:
            found.append(point)
            continue
        size = (CHARACTER[0] * (len(text) + 0.7), CHARACTER[1])
        best, least = point, float("inf")
        for distance, (right, up) in product(DISTANCES, DIRECTIONS):
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
        taken.append(_box(best, size))
        found.append(best)
    return found


def number_places(
    arrows: Sequence[tuple[float, float]], person: tuple[float, float] | None, frame: tuple[float, float]
) -> list[tuple[float, float]]:
    """Place the numbers of options beside their arrows; all in shares of the frame."""
    ends = [(across * frame[0], up * frame[1]) for across, up in arrows]
    avoid: list[tuple[float, float]] = []
    if person is not None:
        start = (person[0] * frame[0], person[1] * frame[1])
        for end in ends:
            avoid += [_between(start, end, step / 12) for step in range(13)]
    texts = ["00"] * len(ends)  # room for two digits
    return [
        (across / frame[0], up / frame[1]) for across, up in place_labels(ends, texts, frame, avoid=avoid)
    ]


def spread_out(places: Sequence[float], gap: float) -> list[float]:
    """Move places between 0 and 1 apart, in their order, so that neighbours keep a gap where there is room.

    >>> [round(place, 2) for place in spread_out([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(places)), key=lambda one: places[one])
    gap = min(gap, 1.0 / max(len(places) - 1, 1))
    groups: list[list[int]] = []
    middles: list[float] = []
    for one in order:
        groups.append([one])
        middles.append(places[one])
        # A group that touches the one before joins it, around the mean of where all want to be.
        while len(groups) > 1 and middles[-1] - middles[-2] < gap * (len(groups[-1]) + len(groups[-2])) / 2:
            joined = groups[-2] + groups[-1]
            groups[-2:] = [joined]
            middles[-2:] = [_within(sum(places[member] for member in joined) / len(joined), len(joined), gap)]
        middles[-1] = _within(middles[-1], len(groups[-1]), gap)
    found = [0.0] * len(places)
    for group, middle in zip(groups, middles, strict=True):
        for place, member in enumerate(group):
            found[member] = middle + gap * (place - (len(group) - 1) / 2)
    return found


def _between(start: tuple[float, float], end: tuple[float, float], share: float) -> tuple[float, float]:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def _within(middle: float, count: int, gap: float) -> float:
    half = gap * (count - 1) / 2
    return min(max(middle, half), 1.0 - half)


def _box(middle: tuple[float, float], size: tuple[float, float]) -> tuple[float, float, float, float]:
    return (
        middle[0] - size[0] / 2,
        middle[1] - size[1] / 2,
        middle[0] + size[0] / 2,
        middle[1] + size[1] / 2,
    )


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _outside(box: tuple[float, float, float, float], frame: tuple[float, float]) -> float:
    beyond = max(-box[0], 0.0) + max(-box[1], 0.0) + max(box[2] - frame[0], 0.0) + max(box[3] - frame[1], 0.0)
    return beyond if beyond > 0 else 0.0
