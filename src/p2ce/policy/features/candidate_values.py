"""Choose the candidate values of a numeric column: where its rows are, preferably round numbers."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.policy.features.decimals import (
    as_typed,
    index_range,
    multiples,
    power_of_ten_at_most,
    round_step,
    roundest_between,
)

MOST_LISTED = 300  # if a column can have no more values than this, all of them are candidates
SHARED_BY = 4  # rows; if most values are shared by so many, all values are candidates, round or not
LARGEST_SHARE = 0.01  # the largest share of rows strictly between two neighbouring candidates
MOST_DECIMALS = 6  # a column with more is continuous
ENOUGH_VALUES = 20  # distinct values, of which a common divisor is not an accident
SMALLEST_STEP = Fraction(1, 10**12)  # of the range; rows that are closer than this count as equal
MOST_THINNED = 20  # candidates, if every cell costs an evaluation or thresholds add candidates
NEAR = 0.002  # of the column's standard deviation: how far a rounder number may be from a threshold


def values_where_rows_are(
    values: FloatArray, *, bulk: tuple[float, float], step: float, whole: bool, dtype: "np.dtype[Any]"
) -> FloatArray:
    """Choose the candidates of a numeric column, ascending, from its smallest to its largest value.

    If a column can have only a few values, each is a candidate: every whole number, or every multiple of its
    resolution. Otherwise, candidates in the bulk are multiples of a round step of at most 5 % of the bulk. A
    step with more than 1 % of the rows is divided into smaller round steps, down to the column's
    resolution. Values shared by more than 1 % of the rows are candidates too. If there are few values, and
    rows share most of them, all values are candidates. Outside the bulk, steps double from ``step`` up to
    the ends of the data. So a few extreme rows make the range long, but no step coarse.

    >>> stays = np.repeat([1.0, 2.0, 3.0, 4.0, 7.0, 30.0, 400.0], [40, 30, 20, 10, 6, 4, 1])
    >>> found = values_where_rows_are(stays, bulk=(1, 30), step=1, whole=True, dtype=np.dtype(int))
    >>> found[25:].tolist()
    [26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 35.0, 40.0, 50.0, 60.0, 100.0, 150.0, 300.0, 400.0]
    """
    known, counts = np.unique(values, return_counts=True)
    ends = float(known[0]), float(known[-1])
    if known[0] == known[-1]:
        return _inside(known, *ends, dtype)
    resolution = resolution_of(known, whole=whole, dtype=dtype)
    if resolution is not None:
        listed = _index_range(ends, resolution, dtype)
        if listed.stop - listed.start <= MOST_LISTED:
            return _inside(multiples(listed, anchor=Fraction(0), step=resolution), *ends, dtype)
    inside = _of_the_bulk(known, counts, bulk, resolution, whole=whole, dtype=dtype)
    outside = _of_the_tails(bulk, ends, step, resolution)
    return _inside(np.concatenate([known[[0, -1]], inside, outside]), *ends, dtype)


def _of_the_bulk(
    known: FloatArray,
    counts: np.ndarray,
    bulk: tuple[float, float],
    resolution: Fraction | None,
    *,
    whole: bool,
    dtype: "np.dtype[Any]",
) -> FloatArray:
    low, high = bulk
    if low == high:
        return np.array([low])
    if resolution is not None:
        listed = _index_range(bulk, resolution, dtype)
        if listed.stop - listed.start <= MOST_LISTED:
            return multiples(listed, anchor=Fraction(0), step=resolution)
    inside = (known >= low) & (known <= high)
    share = max(1, int(LARGEST_SHARE * counts.sum()))
    is_listed = inside.sum() <= MOST_LISTED and np.median(counts) >= SHARED_BY
    common = known[inside & (is_listed | (counts > share))]
    ends = as_typed(low, dtype), as_typed(high, dtype)
    points = _round_steps(known, counts, common, ends, resolution, share=share, whole=whole)
    return np.concatenate([points, common])


def _of_the_tails(
    bulk: tuple[float, float], ends: tuple[float, float], step: float, resolution: Fraction | None
) -> FloatArray:
    """Return round numbers from the ends of the bulk to those of the data, in steps that double."""
    places, widths = [np.empty(0)], [np.empty(0)]
    for begin, end in zip(bulk, ends, strict=True):
        if reach := abs(end - begin):
            doublings = int(np.ceil(np.log2(max(reach / step, 1.0)))) + 1
            offsets = step * 2.0 ** np.arange(doublings)
            places.append(begin + np.sign(end - begin) * offsets)
            widths.append(offsets / 4)
    points, room = np.concatenate(places), np.concatenate(widths)
    found = roundest_between(points - room, points + room)
    if resolution is None:
        return found
    return nearest_multiples(found, resolution)


def _index_range(ends: tuple[float, float], step: Fraction, dtype: "np.dtype[Any]") -> range:
    low, high = (as_typed(end, dtype) for end in ends)
    return index_range(low, high, anchor=Fraction(0), step=step)


def resolution_of(known: FloatArray, *, whole: bool, dtype: "np.dtype[Any]") -> Fraction | None:
    """Return the unit of which all values (ascending, distinct) are multiples, or None if continuous.

    The unit is 1, the smallest decimal place in use, or a common divisor of enough values, such as 100.
    """
    # Sums of decimals are off by a few units in the last place: 0.1 + 0.2 has one decimal, too.
    noise = 4.0 * np.spacing(np.abs(known).astype(dtype if dtype.kind == "f" else np.float64))
    for decimals in range(0 if whole else 1, MOST_DECIMALS + 1):
        if whole or (np.abs(np.round(known, decimals) - known) <= noise).all():
            unit = Fraction(1, 10**decimals)
            if len(known) < ENOUGH_VALUES or np.abs(known).max() * 10.0**decimals > 2.0**53:
                return unit
            return unit * int(np.gcd.reduce(np.rint(known * 10.0**decimals).astype(np.int64)))
    return None


def _inside(points: FloatArray, low: float, high: float, dtype: "np.dtype[Any]") -> FloatArray:
    """Return the points inside the range, distinct, in the precision of the column's type."""
    points = _as_held(points, dtype)
    return points[(points >= low) & (points <= high)]


def _round_steps(
    known: FloatArray,
    counts: np.ndarray,
    common: FloatArray,
    ends: tuple[Fraction, Fraction],
    resolution: Fraction | None,
    *,
    share: int,
    whole: bool,
) -> FloatArray:
    """Divide the range into round steps, and steps with too many rows into smaller ones."""
    # A row with a common value is at a candidate, so it is in no step.
    rows = np.where(np.isin(known, common), 0, counts)
    before = np.concatenate([[0], np.cumsum(rows)])
    width = ends[1] - ends[0]
    smallest = max(resolution or Fraction(0), width * SMALLEST_STEP)
    step = as_typed(round_step(width, whole=whole))
    starts = index_range(*ends, anchor=Fraction(0), step=step)
    # Steps of one size at a time, each represented by the multiple of the size at which it begins.
    begins: list[int] = list(range(starts.start - 1, starts.stop))
    found = [_times([starts.stop], step)]  # beyond the range, so rows up to the end are in a step
    while begins:
        lows, highs = _times(begins, step), _times([begin + 1 for begin in begins], step)
        found.append(lows)
        finer = _finer(step)
        if finer < smallest:
            break
        first = np.searchsorted(known, lows, side="right")
        last = np.searchsorted(known, highs, side="left")
        crowded = np.flatnonzero((last > first) & (before[last] - before[first] > share))
        parts = int(step / finer)
        begins = [begins[at] * parts + part for at in crowded.tolist() for part in range(parts)]
        step = finer
    return np.unique(np.concatenate(found))


def _times(counts: list[int], step: Fraction) -> FloatArray:
    """Return multiples of the step, each as the nearest double."""
    times, over = step.numerator, step.denominator
    # Python divides integers of any length with a single correct rounding.
    return np.array([count * times / over for count in counts], dtype=np.float64)


@lru_cache(maxsize=1024)  # columns share a few steps
def _finer(step: Fraction) -> Fraction:
    """Return the next smaller round step that divides one of 1, 2, 2.5 or 5 × 10ⁿ."""
    digits = step
    while digits.denominator != 1 or digits < 1:
        digits *= 10
    while digits % 10 == 0:
        digits /= 10
    return step / (5 if digits in (5, 25) else 2)


def round_values_between(low: Fraction, high: Fraction, *, unit: Fraction | None, whole: bool) -> FloatArray:
    """Return ten to fifty round numbers of a narrow range, or fewer if the column's unit is coarser.

    They are multiples of ``unit`` times 1 or 5 × 10ⁿ with n at least 0, or of any 1 or 5 × 10ⁿ without a
    unit. Each such step divides the larger ones, so a narrower range keeps all candidates inside it. If the
    range holds no multiple of the unit, the unit is ignored, or is 1 for whole numbers.

    >>> round_values_between(Fraction(2995), Fraction(3295), unit=Fraction(50), whole=True).tolist()
    [3000.0, 3050.0, 3100.0, 3150.0, 3200.0, 3250.0]
    >>> round_values_between(Fraction("0.31"), Fraction("0.33"), unit=None, whole=False)[:3].tolist()
    [0.31, 0.311, 0.312]
    """
    zero = Fraction(0)
    if unit is not None and not index_range(low, high, anchor=zero, step=unit):
        unit = Fraction(1) if whole else None
    limit = (high - low) / (unit or 1) / 10
    if not limit:
        return np.array([float(low)])
    power = power_of_ten_at_most(limit)
    step = (unit or 1) * (5 * power if 5 * power <= limit else power)
    step = max(step, unit or zero)
    return multiples(index_range(low, high, anchor=zero, step=step), anchor=zero, step=step)


def thinned(candidates: FloatArray, rows: FloatArray, *, most: int = MOST_THINNED) -> FloatArray:
    """Keep about ``most`` candidates: the roundest per quantile of the rows and of candidates, and the ends.

    This is for models whose cells are evaluated one by one, since every candidate costs evaluations. It is
    also for models with known thresholds, since the candidates next to thresholds matter most.

    >>> thinned(np.arange(1, 201.0), np.arange(1, 201.0), most=8).tolist()
    [1.0, 50.0, 100.0, 150.0, 200.0]
    """
    if len(candidates) <= most:
        return candidates
    known = np.sort(rows)
    by_row = np.searchsorted(known, candidates) * (most // 2) // (len(known) + 1)
    by_place = np.arange(len(candidates)) * (most // 2) // len(candidates)
    digits = np.array([_digits(value) for value in candidates.tolist()])
    chosen = {
        int(best)
        for shares in (by_row, by_place)
        for share in np.unique(shares)
        for best in [min(np.flatnonzero(shares == share), key=lambda at: (digits[at], -at))]
    }
    return candidates[sorted(chosen | {0, len(candidates) - 1})]


def _digits(value: float) -> float:
    """Return how round a number is: its number of significant digits. A final 5 counts half."""
    written = f"{value:.12g}".partition("e")[0].replace(".", "").lstrip("-0").rstrip("0")
    return len(written) - 0.5 * written.endswith("5")


class Neighbours(NamedTuple):
    """Values next to thresholds t: the nearest with x <= t, and the nearest with x > t."""

    below: FloatArray
    above: FloatArray


def either_side(
    thresholds: FloatArray,
    *,
    unit: float,
    resolution: Fraction | None,
    dtype: "np.dtype[Any]",
    ends: tuple[float, float] = (-np.inf, np.inf),
) -> Neighbours:
    """Return a value on either side of every threshold t with low <= t < high, inside that range.

    In a column with a resolution, these are the next multiples of it. In a continuous column, they are the
    roundest numbers between t and its neighbouring thresholds, at most a five-hundredth of ``unit`` (the
    column's deviation) from t. If there is none, they are the nearest values that the column can hold.

    >>> whole = either_side(np.array([2.5, 7.0]), unit=3.0, resolution=Fraction(1), dtype=np.dtype(int))
    >>> whole.below.tolist(), whole.above.tolist()
    ([2.0, 7.0], [3.0, 8.0])
    >>> sides = either_side(np.array([0.123456, 0.13]), unit=1.0, resolution=None, dtype=np.dtype(float))
    >>> sides.below.tolist(), sides.above.tolist()
    ([0.122, 0.13], [0.125, 0.132])
    """
    low, high = ends
    cuts = np.unique(thresholds[np.isfinite(thresholds) & (thresholds >= low) & (thresholds < high)])
    if not len(cuts):
        return Neighbours(cuts, cuts)
    if resolution is not None:
        index = np.floor(cuts / float(resolution))
        below = _multiples(index, resolution)
        # The division may have rounded up to a multiple above the threshold.
        index = np.unique(np.where(below > cuts, index - 1, index))
        found = [_as_held(_multiples(index + more, resolution), dtype) for more in (0, 1)]
        return Neighbours(*(side[(side >= low) & (side <= high)] for side in found))
    reach = NEAR * unit
    before, after = np.append(-np.inf, cuts[:-1]), np.append(cuts[1:], np.inf)
    held = dtype if dtype.kind == "f" else np.dtype(np.float64)
    # The nearest values that the column can hold, at most t and above t.
    at_most = _nearest(cuts, held, towards=-np.inf)
    beyond = np.nextafter(at_most.astype(held), held.type(np.inf)).astype(np.float64)
    below = roundest_between(np.maximum(np.maximum(before, cuts - reach), np.nextafter(low, -np.inf)), cuts)
    above = roundest_between(cuts, np.minimum(np.minimum(after, cuts + reach), high))
    below = _nearest(np.where(np.isnan(below), at_most, below), held, towards=-np.inf)
    above = _nearest(np.where(np.isnan(above), beyond, above), held, towards=np.inf)
    below = np.where(below < low, at_most, below)
    above = np.where((above > high) | (above <= cuts), beyond, above)
    return Neighbours(_as_held(np.maximum(below, low), dtype), _as_held(np.minimum(above, high), dtype))


def _nearest(values: FloatArray, held: "np.dtype[Any]", *, towards: float) -> FloatArray:
    """Return the values in the precision of a float type, rounded in one direction."""
    with np.errstate(over="ignore"):
        found = values.astype(held)
    passed = found.astype(np.float64) > values if towards < 0 else found.astype(np.float64) < values
    found = np.where(passed, np.nextafter(found, held.type(towards)), found)
    return np.asarray(found.astype(np.float64))


def nearest_multiples(values: FloatArray, resolution: Fraction) -> FloatArray:
    """Return the nearest multiples of a decimal, each rounded once."""
    return _multiples(np.rint(values / float(resolution)), resolution)


def _multiples(index: FloatArray, resolution: Fraction) -> FloatArray:
    """Return multiples of a decimal, each rounded once."""
    return np.asarray(index * resolution.numerator / resolution.denominator)


def _as_held(values: FloatArray, dtype: "np.dtype[Any]") -> FloatArray:
    """Return the finite values, distinct, in the precision of the column's type."""
    found = values[np.isfinite(values)]
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            found = found.astype(dtype).astype(np.float64)
    return np.unique(found) + 0.0  # -0 would be printed as -0
