"""Do inferred candidates follow the people, and do values next to thresholds lie on either side?"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.policy.features.candidate_values import (
    SMALLEST_STEP,
    _finer,
    _round_steps,
    either_side,
    resolution_of,
    values_where_rows_are,
)
from p2ce.policy.features.decimals import as_typed, index_range, round_step, roundest_between

FLOAT = np.dtype(float)


def candidates(values: np.ndarray, *, whole: bool = False) -> np.ndarray:
    low, high = np.percentile(values, (1, 99))
    step = round_step(Fraction(high) - Fraction(low), whole=whole)
    return values_where_rows_are(values, bulk=(low, high), step=step, whole=whole, dtype=FLOAT)


def largest_share(values: np.ndarray, found: np.ndarray) -> float:
    """Return the largest share of the people that lies strictly between two neighbouring candidates."""
    inside = values[(values > found[0]) & (values < found[-1]) & ~np.isin(values, found)]
    counts = np.bincount(np.searchsorted(found, inside), minlength=1)
    return float(counts.max() / len(values))


POPULATIONS = {
    "normal": lambda rng: rng.normal(50, 12, 3_000),
    "lognormal": lambda rng: rng.lognormal(8, 2, 3_000),
    "Pareto, with a mean that outliers make": lambda rng: 100 * rng.pareto(0.8, 3_000),
    "mostly zero": lambda rng: np.where(rng.random(3_000) < 0.9, 0.0, rng.lognormal(7, 1, 3_000)),
    "cents": lambda rng: np.round(rng.gamma(2, 700, 3_000), 2),
    "whole, wide": lambda rng: np.floor(rng.lognormal(9, 1.5, 3_000)),
    "two towns": lambda rng: np.concatenate([rng.normal(0, 0.01, 1_500), rng.normal(1e6, 5.0, 1_500)]),
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_no_step_holds_more_than_a_few_people(name: str) -> None:
    values = POPULATIONS[name](np.random.default_rng(3))
    found = candidates(values, whole=name.startswith("whole"))
    assert largest_share(values, found) <= 0.0101
    assert len(found) <= 700
    assert (np.diff(found) > 0).all()


@given(st.lists(st.integers(-200, 90), min_size=1, max_size=40))
def test_whole_columns_offer_every_value_of_their_range(values: list[int]) -> None:
    numbers = np.array(values, dtype=float)
    bulk = (numbers.min(), numbers.max())
    found = values_where_rows_are(numbers, bulk=bulk, step=1.0, whole=True, dtype=np.dtype(int))
    assert found.tolist() == list(range(min(values), max(values) + 1))


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=60, unique=True))
def test_candidates_of_a_float32_column_are_its_own(values: list[float]) -> None:
    numbers = np.array(values, dtype=np.float32).astype(float)
    low, high = float(numbers.min()), float(numbers.max())
    step = round_step(Fraction(high) - Fraction(low), whole=False)
    found = values_where_rows_are(
        numbers, bulk=(low, high), step=step, whole=False, dtype=np.dtype(np.float32)
    )
    assert (found.astype(np.float32) == found).all()
    assert ((found >= low) & (found <= high)).all()


def test_days_of_the_bulk_and_values_that_people_share_are_candidates() -> None:
    """Three quarters stay five days or less; steps of 5 % of the range would be ten days and more."""
    rng = np.random.default_rng(0)
    stays = np.concatenate([rng.integers(0, 6, 750), rng.integers(6, 30, 200), rng.integers(30, 400, 50)])
    assert set(range(30)) <= set(candidates(stays.astype(float), whole=True).tolist())
    gains = np.repeat([0.0, 594.0, 3103.0, 7298.0, 7688.0, 15024.0], [900, 20, 20, 20, 20, 20])
    assert {594.0, 3103.0, 7298.0, 7688.0} <= set(candidates(gains, whole=True).tolist())
    assert 49.99 in candidates(np.concatenate([rng.uniform(0, 10_000, 900), np.full(100, 49.99)]))


def test_resolution_is_the_smallest_decimal_in_use() -> None:
    assert resolution_of(np.array([1.25, 3.5]), whole=False, dtype=FLOAT) == Fraction(1, 100)
    assert resolution_of(np.array([1 / 3]), whole=False, dtype=FLOAT) is None
    hundreds = np.arange(500.0, 9_000.0, 300.0)
    assert resolution_of(hundreds, whole=True, dtype=FLOAT) == 100
    assert resolution_of(hundreds[:5], whole=True, dtype=FLOAT) == 1  # too few to tell
    assert resolution_of(np.arange(41) / 40, whole=False, dtype=FLOAT) == Fraction(1, 40)
    single = np.array([0.1, 0.25], dtype=np.float32).astype(float)
    assert resolution_of(single, whole=False, dtype=np.dtype(np.float32)) == Fraction(1, 100)


@given(
    st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=20, unique=True),
    st.sampled_from([None, Fraction(1), Fraction(1, 100)]),
    st.sampled_from([np.float64, np.float32]),
)
def test_values_beside_a_threshold_lie_on_their_sides_and_cross_no_other(
    thresholds: list[float], resolution: Fraction | None, kind: type
) -> None:
    cuts = np.unique(thresholds)
    below, above = either_side(cuts, unit=100.0, resolution=resolution, dtype=np.dtype(kind))
    if resolution is not None:
        step = float(resolution)
        for cut in cuts:
            assert ((below <= cut + 1e-3) & (below > cut - step - 1e-3)).any()
            assert ((above > cut - 1e-3) & (above <= cut + step + 1e-3)).any()
        if kind is np.float64:
            assert all((cuts >= value).any() for value in below)
            assert all((cuts < value).any() for value in above)
        return
    for value in above:
        before = cuts[cuts < value]
        assert len(before)
        assert value - before[-1] <= 0.2 + 1e-3
    for value in below:
        after = cuts[cuts >= value]
        if kind is np.float64:
            assert len(after)
            assert after[0] - value <= 0.2 + 1e-3


def test_values_beside_a_threshold_of_a_continuous_column_are_round() -> None:
    below, above = either_side(np.array([5437.2137]), unit=2800.0, resolution=None, dtype=FLOAT)
    assert (below.tolist(), above.tolist()) == ([5435.0], [5440.0])


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e6))
def test_the_roundest_number_lies_in_its_interval(low: float, width: float) -> None:
    high = low + width
    (found,) = roundest_between(np.array([low]), np.array([high]))
    if high > low and not np.isnan(found):
        assert low < found <= high
    assert not np.isnan(found) or width < 1e-3 * max(1.0, abs(low))


@pytest.mark.parametrize("name", POPULATIONS)
def test_candidates_reach_as_far_as_the_data(name: str) -> None:
    """A row far out makes the range long, and no step of the others coarse."""
    values = POPULATIONS[name](np.random.default_rng(3))
    found = candidates(values, whole=name.startswith("whole"))
    assert found[0] == values.min()
    assert found[-1] == values.max()
    far = np.append(values, 100 * np.abs(values).max())
    farther = candidates(far, whole=name.startswith("whole"))
    assert farther[-1] == far[-1]
    assert len(farther) <= len(found) + 40
    assert largest_share(values, farther) <= 0.0101


@given(
    st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=30, unique=True),
    st.sampled_from([np.float32, np.float64]),
    st.floats(1e-9, 1e9),
)
def test_no_threshold_loses_a_side(cuts: list[float], dtype: type, unit: float) -> None:
    """Also where thresholds span twenty decades, and next to the ends of the range."""
    held = np.unique(np.array(cuts, dtype=dtype).astype(float))
    low, high = float(held[0]), float(np.nextafter(dtype(held[-1]), dtype(np.inf)))
    sides = either_side(held, unit=unit, resolution=None, dtype=np.dtype(dtype), ends=(low, high))
    for cut, before, after in zip(
        held, np.append(-np.inf, held[:-1]), np.append(held[1:], np.inf), strict=True
    ):
        below = sides.below[(sides.below > before) & (sides.below <= cut)]
        above = sides.above[(sides.above > cut) & (sides.above <= after)]
        assert len(below) >= 1
        assert len(above) >= 1
        assert ((sides.below >= low) & (sides.below <= high)).all()
        assert ((sides.above >= low) & (sides.above <= high)).all()


def round_steps_one_by_one(known, counts, common, ends, resolution, *, share, whole):
    """Cut one step after the other, in fractions: the slow twin of `_round_steps`."""
    people = np.where(np.isin(known, common), 0, counts)
    width = ends[1] - ends[0]
    smallest = max(resolution or Fraction(0), width * SMALLEST_STEP)
    step = as_typed(round_step(width, whole=whole))
    starts = index_range(*ends, anchor=Fraction(0), step=step)
    waiting = [(i * step, step) for i in range(starts.start - 1, starts.stop)]
    found = {float(starts.stop * step)}
    while waiting:
        begin, size = waiting.pop()
        found.add(float(begin))
        inside = people[(known > float(begin)) & (known < float(begin + size))]
        finer = _finer(size)
        if inside.sum() > share and finer >= smallest:
            waiting += [(begin + part * finer, finer) for part in range(int(size / finer))]
    return sorted(found)


@given(
    st.lists(st.floats(-1e9, 1e9, width=32), min_size=2, max_size=60, unique=True),
    st.integers(-6, 12),
    st.integers(1, 4),
)
def test_steps_are_cut_as_one_by_one(numbers, power, share):
    known = np.unique(np.array(numbers) * 10.0**power + 10.0**12)
    counts = np.arange(len(known)) % 5 + 1
    ends = as_typed(float(known[0])), as_typed(float(known[-1]))
    if ends[0] == ends[1]:
        return
    arguments = (known, counts, known[:1], ends, None)
    quick = _round_steps(*arguments, share=share, whole=False)
    assert quick.tolist() == round_steps_one_by_one(*arguments, share=share, whole=False)
