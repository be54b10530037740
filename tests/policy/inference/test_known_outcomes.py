"""Check that labels of a reference are read from every kind of column, and that wrong ones are named."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from p2ce import Policy
from p2ce.errors import InvalidArgument, InvalidTarget, UnnamedTarget
from p2ce.policy.features.feature import Direction
from p2ce.policy.inference.known_outcomes import _ranks, _trend, favourable_direction, known_outcomes
from tests.optional import LazyLibrary

pl = LazyLibrary("polars")


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        np.array([0, 1, 1]),
        pd.Series([0, 1, 1]),
        lambda: pl.Series([0, 1, 1]),
        pd.DataFrame({"paid": [0, 1, 1]}),
    ],
)
def test_any_column_is_read(y: Any) -> None:
    labels = known_outcomes(y() if callable(y) else y, rows=3)
    assert labels.values == (0, 1, 1)
    assert labels.are(1).tolist() == [False, True, True]
    assert labels.are((None, 0.5)).tolist() == [True, False, False]


def test_labels_lie_in_no_range() -> None:
    with pytest.raises(InvalidTarget, match="y holds labels such as 'good'"):
        known_outcomes(["good", "bad"], rows=2).are((1.0, None))


def test_the_name_is_that_of_the_column() -> None:
    assert known_outcomes(pd.Series([0], name="paid"), rows=1).name == "paid"
    assert known_outcomes(pd.DataFrame({"paid": [1]}), rows=1).name == "paid"
    assert known_outcomes([0], rows=1).name is None


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ("approved", "one label for each row"),
        (1, "one label for each row"),
        ([[0], [1]], "one label for each row"),
        ([0, 1, 1], "3 labels for the 2 rows"),
        ([0, {}], "is not a label"),
        ([0, None], "1 of the 2 labels of y are missing"),
        (pd.DataFrame({"a": [0, 1], "b": [0, 1]}), "one column"),
    ],
)
def test_wrong_labels_are_named(y: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        known_outcomes(y, rows=2)


def test_a_series_in_another_order_is_rejected() -> None:
    frame = pd.DataFrame({"a": range(4)}, index=[7, 5, 3, 1])
    y = pd.Series([0, 1, 1, 0], index=frame.index)
    assert known_outcomes(y, rows=4, index=frame.index).values == (0, 1, 1, 0)
    # Another index is not an order of this one: places count then, as everywhere.
    assert known_outcomes(y.reset_index(drop=True), rows=4, index=frame.index).values == (0, 1, 1, 0)
    with pytest.raises(InvalidArgument, match=r"y\.loc\[X\.index\]"):
        known_outcomes(y.sort_index(), rows=4, index=frame.index)


def test_labels_are_classes() -> None:
    known_outcomes([0, True], rows=2).require_classes((0, 1))
    with pytest.raises(InvalidTarget, match=r"'good', which is not one of the model's classes 0, 1"):
        known_outcomes([0, "good"], rows=2).require_classes((0, 1))


def drawn(seed: int, rows: int = 800) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=rows), rng.normal(size=rows)


@given(st.integers(0, 10**6), st.sampled_from([-1, 1]))
def test_a_clear_trend_has_its_direction_and_its_mirror_the_other(seed: int, sign: int) -> None:
    values, noise = drawn(seed)
    favourable = sign * values + noise > 0
    assert favourable_direction(values, favourable) == sign
    assert favourable_direction(-values, favourable) == -sign
    assert favourable_direction(values, ~favourable) == -sign


@given(st.integers(0, 10**6))
def test_only_ranks_count(seed: int) -> None:
    values, noise = drawn(seed)
    favourable = values + 2 * noise > 0
    assert favourable_direction(values, favourable) == favourable_direction(np.exp(values), favourable)


@pytest.mark.parametrize("seed", range(200))
def test_chance_has_no_direction(seed: int) -> None:
    values, noise = drawn(seed, rows=300)
    assert favourable_direction(values, noise > 0.5) is Direction.BOTH


@pytest.mark.parametrize("seed", range(20))
def test_a_valley_is_no_direction_even_if_it_is_tilted(seed: int) -> None:
    values, noise = drawn(seed, rows=4000)
    tilted = values + 0.5
    favourable = tilted**2 + 0.3 * noise > 1
    assert abs(_trend(values, favourable)) > 4
    assert favourable_direction(values, favourable) is Direction.BOTH


def test_few_people_and_constant_columns_have_no_direction() -> None:
    assert favourable_direction(np.arange(30.0), np.arange(30) > 14) is Direction.BOTH
    assert favourable_direction(np.ones(200), np.arange(200) % 2 == 0) is Direction.BOTH
    flags = np.repeat([0.0, 1.0], 100)
    assert favourable_direction(flags, flags == 1) is Direction.UP


@given(st.lists(st.integers(0, 9), min_size=30, max_size=60), st.integers(0, 1000))
def test_the_trend_is_that_of_mann_and_whitney(cells: list[int], seed: int) -> None:
    values = np.array(cells, dtype=float)
    favourable = np.random.default_rng(seed).permutation(np.arange(len(values)) % 3 == 0)
    if np.ptp(values) == 0:
        assert _trend(values, favourable) == 0
        return
    expected = mannwhitneyu(
        values[favourable], values[~favourable], method="asymptotic", use_continuity=False
    )
    from scipy.stats import norm

    assert 2 * norm.sf(abs(_trend(values, favourable))) == pytest.approx(expected.pvalue)
    assert sorted(_ranks(values)) == pytest.approx(sorted(pd.Series(values).rank()))


def people(rows: int = 600) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "Income": rng.normal(50, 10, rows).round(),
            "Debts": rng.integers(0, 9, rows),
            "Noise": rng.normal(size=rows),
            "Job": rng.choice(["cook", "clerk"], rows),
        }
    )
    frame.loc[::7, "Income"] = np.nan
    good = frame["Income"].fillna(50) / 10 - frame["Debts"] + rng.normal(size=rows) > 1
    return frame, pd.Series(good.astype(int), name="repaid")


def test_infer_proposes_directions_and_restricts_nothing(tmp_path: object) -> None:
    frame, y = people()
    policy = Policy.infer(frame, y)
    found = {feature.name: feature.association.name for feature in policy.features}
    assert found == {"Income": "UP", "Debts": "DOWN", "Noise": "BOTH", "Job": "BOTH"}
    assert all(feature.direction is Direction.BOTH for feature in policy.features)
    policy.save(f"{tmp_path}/policy.yaml")
    assert Policy.load(f"{tmp_path}/policy.yaml") == policy
    assert Policy.infer(frame) == Policy.infer(frame, pd.Series(np.arange(len(frame)) % 2, name="paid"))


def test_the_favourable_label_has_to_be_known() -> None:
    frame, y = people()
    default = (1 - y).rename("default")
    assert Policy.infer(frame, default) == Policy.infer(frame, y)
    assert Policy.infer(frame, y.to_numpy(), target=1) == Policy.infer(frame, y)
    with pytest.raises(UnnamedTarget, match=r"target=0 or target=1"):
        Policy.infer(frame, y.to_numpy())
    number = pd.Series(frame["Debts"] * 2.0)
    assert Policy.infer(frame, number, target=(None, 6.0))["Debts"].association is Direction.DOWN
