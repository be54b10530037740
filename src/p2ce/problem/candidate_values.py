"""Choose the candidate values of a number: where people are, round numbers among them preferred."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.problem.decimals import (
    as_typed,
    index_range,
    multiples,
    power_of_ten_at_most,
    round_step,
    roundest_between,
)

MOST_LISTED = 300  # a column with no more values than these offers all of them
SHARED_BY = 4  # people: where most values have so many, the values are the column's own, round or not
LARGEST_SHARE = 0.01  # of the people may lie strictly between two neighbouring candidates
MOST_DECIMALS = 6  # a column with more is continuous
ENOUGH_VALUES = 20  # different ones, to believe that what they have in common is not an accident
SMALLEST_STEP = Fraction(
    1, 10**12
)  # of the range; rows that are closer together than this count as one place
MOST_THINNED = 20  # candidates of a column where every cell costs an evaluation, or thresholds say more
NEAR = 0.002  # of the column's standard deviation: how far from a threshold a rounder number may lie


def values_where_people_are(
    values: FloatArray, *, bulk: tuple[float, float], step: float, whole: bool, dtype: "np.dtype[Any]"
) -> FloatArray:
    """Choose the candidates of a column of numbers, ascending, from its smallest value to its largest.

    A column with room for few values offers each of them: every whole number, every multiple of its own
    resolution. Any other offers round numbers in its bulk: multiples of a round step of at most 5 % of the
    bulk, and every step that holds more than 1 % of the people is cut into smaller round ones, down to the
    column's own resolution. Values that more than 1 % of the people have are candidates too, and all of
    them where there are few and people share most. Outside the bulk, steps double from ``step`` on, and the
    last candidates are the ends of the data: a few rows far out make the range long, but no step coarse.

    >>> stays = np.repeat([1.0, 2.0, 3.0, 4.0, 7.0, 30.0, 400.0], [40, 30, 20, 10, 6, 4, 1])
    >>> found = values_where_people_are(stays, bulk=(1, 30), step=1, whole=True, dtype=np.dtype(int))
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
    """Return round numbers from the bulk's ends to those of the data, each step twice the one before."""
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
    """Return the unit that all values (ascending, each once) are multiples of; None if they are continuous.

    That is 1, the smallest decimal place in use, or what enough values have in common: hundreds, say.
    """
    # Sums of decimals are a few units in the last place beside them: 0.1 + 0.2 has one decimal, too.
    noise = 4.0 * np.spacing(np.abs(known).astype(dtype if dtype.kind == "f" else np.float64))
    for decimals in range(0 if whole else 1, MOST_DECIMALS + 1):
        if whole or (np.abs(np.round(known, decimals) - known) <= noise).all():
            unit = Fraction(1, 10**decimals)
            if len(known) < ENOUGH_VALUES or np.abs(known).max() * 10.0**decimals > 2.0**53:
                return unit
            return unit * int(np.gcd.reduce(np.rint(known * 10.0**decimals).astype(np.int64)))
    return None


def _inside(points: FloatArray, low: float, high: float, dtype: "np.dtype[Any]") -> FloatArray:
    """Return the points as a column of that type holds them, each once, inside the range."""
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
    """Cut the range into round steps, and every step that holds too many people into smaller ones."""
    # A row at a common value is at a candidate, and lies in no step.
    people = np.where(np.isin(known, common), 0, counts)
    before = np.concatenate([[0], np.cumsum(people)])
    width = ends[1] - ends[0]
    smallest = max(resolution or Fraction(0), width * SMALLEST_STEP)
    step = as_typed(round_step(width, whole=whole))
    starts = index_range(*ends, anchor=Fraction(0), step=step)
    # Steps of one size at a time, each as the whole number of sizes at which it begins.
    begins: list[int] = list(range(starts.start - 1, starts.stop))
    found = [_times([starts.stop], step)]  # beyond the range: people between it and the end lie in a step
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
    """Return so many steps, each the double nearest to it."""
    times, over = step.numerator, step.denominator
    # Python divides whole numbers with a single correct rounding, however long they are.
    return np.array([count * times / over for count in counts], dtype=np.float64)


@lru_cache(maxsize=1024)  # the same few, column after column
def _finer(step: Fraction) -> Fraction:
    """Return the next smaller round step that divides one of 1, 2, 2.5 or 5 × 10ⁿ."""
    digits = step
    while digits.denominator != 1 or digits < 1:
        digits *= 10
    while digits % 10 == 0:
        digits /= 10
    return step / (5 if digits in (5, 25) else 2)


def round_values_between(low: Fraction, high: Fraction, *, unit: Fraction | None, whole: bool) -> FloatArray:
    """Return ten to fifty round numbers of a narrow range, fewer where the unit of the column is coarser.

    They are multiples of ``unit`` times 1 or 5 × 10ⁿ, n at least 0; without a unit, of any 1 or 5 × 10ⁿ. Each
    such step divides the larger ones, so a narrower range keeps whatever lies inside. In a range between two
    multiples of the unit, the numbers have no unit, or that of whole numbers.

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


def thinned(candidates: FloatArray, people: FloatArray, *, most: int = MOST_THINNED) -> FloatArray:
    """Keep about ``most`` candidates: the roundest of each share of people and of candidates, and the ends.

    For models whose cells are evaluated one by one, where every candidate more is paid for, and for those
    whose thresholds are known, beside which the candidates are that matter.

    >>> thinned(np.arange(1, 201.0), np.arange(1, 201.0), most=8).tolist()
    [1.0, 50.0, 100.0, 150.0, 200.0]
    """
    if len(candidates) <= most:
        return candidates
    known = np.sort(people)
    by_people = np.searchsorted(known, candidates) * (most // 2) // (len(known) + 1)
    by_place = np.arange(len(candidates)) * (most // 2) // len(candidates)
    digits = np.array([_digits(value) for value in candidates.tolist()])
    chosen = {
        int(best)
        for shares in (by_people, by_place)
        for share in np.unique(shares)
        for best in [min(np.flatnonzero(shares == share), key=lambda at: (digits[at], -at))]
    }
    return candidates[sorted(chosen | {0, len(candidates) - 1})]


def _digits(value: float) -> float:
    """Return how round a number is: its significant digits, a last 5 counting half."""
    written = f"{value:.12g}".partition("e")[0].replace(".", "").lstrip("-0").rstrip("0")
    return len(written) - 0.5 * written.endswith("5")


class Sides(NamedTuple):
    """Values next to thresholds t: the nearest with x <= t, for those who come down, and with x > t."""

    below: FloatArray
    above: FloatArray


def either_side(
    thresholds: FloatArray,
    *,
    unit: float,
    resolution: Fraction | None,
    dtype: "np.dtype[Any]",
    ends: tuple[float, float] = (-np.inf, np.inf),
) -> Sides:
    """Return a value on either side of every threshold t with low <= t < high, inside that range.

    In a column with a resolution these are the next multiples of it. In a continuous one they are the
    roundest numbers within a five-hundredth of ``unit``, the column's deviation, that lie between t and its
    neighbouring thresholds; where there is none, the nearest values that the column holds.

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
        return Sides(cuts, cuts)
    if resolution is not None:
        index = np.floor(cuts / float(resolution))
        below = _multiples(index, resolution)
        # The division may have rounded to a multiple that lies beyond.
        index = np.unique(np.where(below > cuts, index - 1, index))
        found = [_as_held(_multiples(index + more, resolution), dtype) for more in (0, 1)]
        return Sides(*(side[(side >= low) & (side <= high)] for side in found))
    reach = NEAR * unit
    before, after = np.append(-np.inf, cuts[:-1]), np.append(cuts[1:], np.inf)
    held = dtype if dtype.kind == "f" else np.dtype(np.float64)
    # The nearest values that the column holds: at most t, and above it.
    at_most = _nearest(cuts, held, towards=-np.inf)
    beyond = np.nextafter(at_most.astype(held), held.type(np.inf)).astype(np.float64)
    below = roundest_between(np.maximum(np.maximum(before, cuts - reach), np.nextafter(low, -np.inf)), cuts)
    above = roundest_between(cuts, np.minimum(np.minimum(after, cuts + reach), high))
    below = _nearest(np.where(np.isnan(below), at_most, below), held, towards=-np.inf)
    above = _nearest(np.where(np.isnan(above), beyond, above), held, towards=np.inf)
    below = np.where(below < low, at_most, below)
    above = np.where((above > high) | (above <= cuts), beyond, above)
    return Sides(_as_held(np.maximum(below, low), dtype), _as_held(np.minimum(above, high), dtype))


def _nearest(values: FloatArray, held: "np.dtype[Any]", *, towards: float) -> FloatArray:
    """Return the values as floats of that type hold them, rounded in one direction."""
    with np.errstate(over="ignore"):
        found = values.astype(held)
    passed = found.astype(np.float64) > values if towards < 0 else found.astype(np.float64) < values
    found = np.where(passed, np.nextafter(found, held.type(towards)), found)
    return np.asarray(found.astype(np.float64))


def nearest_multiples(values: FloatArray, resolution: Fraction) -> FloatArray:
    """Return the multiples of a decimal that are nearest to values, each rounded once."""
    return _multiples(np.rint(values / float(resolution)), resolution)


def _multiples(index: FloatArray, resolution: Fraction) -> FloatArray:
    """Return multiples of a decimal, each rounded once."""
    return np.asarray(index * resolution.numerator / resolution.denominator)


def _as_held(values: FloatArray, dtype: "np.dtype[Any]") -> FloatArray:
    """Return the values as a column of that type holds them, each once; what is not a number is left out."""
    found = values[np.isfinite(values)]
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            found = found.astype(dtype).astype(np.float64)
    return np.unique(found) + 0.0  # −0 would print as such
