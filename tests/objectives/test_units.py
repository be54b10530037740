"""In which unit do distances count, so that a few outliers do not make every change free?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce.errors import InvalidObjective
from p2ce.objectives import Euclidean, MaxDistance, MeanDistance, Objective, Reference, WeightedDistance
from p2ce.tables.codebook import MISSING, codebook_of

RNG = np.random.default_rng(3)
# Shares of an income, but for thirteen people whose income is unknown: there it is the debt in dollars.
DEBT_RATIO = np.append(RNG.uniform(0.0, 1.0, 1_987), np.linspace(1e3, 3e5, 13))
DISTANCES: dict[str, Any] = {
    "mean": MeanDistance,
    "max": MaxDistance,
    "euclidean": Euclidean,
    "weighted": lambda **given: WeightedDistance({"x": 1.0}, **given),
}


def people(*columns: Any) -> Reference:
    values = np.column_stack(columns).astype(np.float64)
    return Reference(names=tuple("xyz"[: values.shape[1]]), values=values)


def cost(objective: Objective, reference: Reference, before: float, after: float) -> float:
    fitted = objective.fit(reference)
    return float(fitted.report(fitted.costs(0, np.array([[after]]), np.array([[before]])))[0, 0])


@pytest.mark.parametrize("distance", DISTANCES.values(), ids=DISTANCES)
def test_heavy_tails_do_not_make_changes_free(distance: Any) -> None:
    """Issue 13: DebtRatio to 0 at a cost of 3e-6 σ, because σ was made by outliers."""
    tailed = people(DEBT_RATIO)
    bulk = DEBT_RATIO[DEBT_RATIO <= 1.0].std()
    assert cost(distance(unit="std"), tailed, 0.6, 0.0) < 1e-3 / bulk
    assert cost(distance(), tailed, 0.6, 0.0) == pytest.approx(0.6 / bulk, rel=0.05)
    assert cost(distance(unit="robust"), tailed, 0.6, 0.0) == cost(distance(), tailed, 0.6, 0.0)


COLUMNS = st.one_of(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300),
    st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=1, max_size=300),
    st.tuples(st.integers(1, 400), st.integers(0, 12)).map(lambda n: [0.0] * n[0] + [1.0] * n[1]),
    st.tuples(st.integers(1, 400), st.integers(0, 12)).map(lambda n: [0.5] * n[0] + [7.0, 9e5] * n[1]),
)


@given(COLUMNS)
def test_the_robust_unit_is_the_deviation_after_clipping(column: list[float]) -> None:
    values = np.array(column)
    clipped = np.clip(values, *np.percentile(values, (1, 99)))
    if len(np.unique(values)) == 1:
        expected = 1.0
    elif len(np.unique(values)) == 2 or np.ptp(clipped) == 0:
        expected = values.std()
    else:
        expected = clipped.std()
    assert people(values).unit("robust").tolist() == pytest.approx([expected], rel=1e-9)
    plain = values.std() if np.ptp(values) else 1.0
    assert people(values).unit("std").tolist() == pytest.approx([plain], rel=1e-9)
    assert people(values).unit("own").tolist() == [1.0]


def test_missing_values_and_categories_say_nothing() -> None:
    frame = pd.DataFrame({"x": [*DEBT_RATIO, np.nan], "y": ["a"] * 2_001})
    book = codebook_of(frame)
    found = Reference(names=book.names, values=book.encode(frame), codebook=book).unit("robust")
    assert found.tolist() == [people(DEBT_RATIO).unit("robust")[0], 1.0]
    assert people([MISSING, MISSING]).unit("robust").tolist() == [1.0]
    # The largest numbers have a finite unit.
    assert people(np.append(np.zeros(999), 1e300)).unit("std") == pytest.approx(np.sqrt(0.999e-3) * 1e300)


@pytest.mark.parametrize("distance", DISTANCES.values(), ids=DISTANCES)
@pytest.mark.parametrize("unit", ["stdd", None, ["std"]])
def test_an_unknown_unit_names_the_known_ones(distance: Any, unit: Any) -> None:
    with pytest.raises(InvalidObjective, match=r"unit.*'robust', 'std' or 'own'"):
        distance(unit=unit)


def test_nobody_is_reported_that_a_change_from_the_bulk_is_nearly_nothing() -> None:
    frame = pd.DataFrame({"ratio": DEBT_RATIO, "age": np.tile([20, 30, 40, 50], 500)})

    def model(rows: pd.DataFrame) -> np.ndarray:
        return np.where((rows["ratio"] <= 0.05) | (rows["age"] >= 45), 1.0, 0.0)

    policy = p2ce.Policy.infer(frame, protect=None).candidates(ratio=[0.0], age=[50])
    explainer = p2ce.Explainer(
        model, frame, policy=policy, objectives="max_distance", target=1, plausibility=None
    )
    (option,) = explainer.explain({"ratio": 0.9, "age": 40})
    assert list(option.changes) == ["age"]  # 0.9 σ; the ratio would move by 3 σ
    assert option.costs["max_distance"] == pytest.approx(10 / frame["age"].std(ddof=0))
