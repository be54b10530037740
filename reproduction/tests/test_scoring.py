"""Counterfactuals are judged by plain definitions: costs, constraints, the grid, the model, the volume."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.splits import split
from p2ce import datasets
from reproduction.judge import ExtendedIsolationForest
from reproduction.scoring import (
    COSTS,
    broken_constraints,
    costs_of,
    hypervolume,
    is_on_grid,
    judge_answers,
    worst_on_grid,
)
from reproduction.settings import THRESHOLD, Settings
from reproduction.study import Study, actions_of, prepare
from reproduction.tests.made_up import small_data
from reproduction.truth import brute_force
from tests.real_data import HAS_DATA, REASON

AGE, INCOME, DEBTS, GUARANTOR, YEARS, SAVINGS = range(6)
SIDE = 5
POINTS = st.lists(st.tuples(*[st.integers(0, SIDE + 1)] * 3), max_size=8)
WORST = np.array([SIDE, SIDE, SIDE], dtype=float)


@pytest.fixture(scope="module")
def study() -> Study:
    return prepare(small_data("german"), "logistic", Settings(people=3, trials=1), cache=None)


def changed(study: Study, **to: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the first person, and a copy with other values."""
    person = study.people.iloc[0].astype(float)
    return person.to_numpy(), person.where(~person.index.isin(list(to)), pd.Series(to)).to_numpy()


def test_costs_are_those_of_the_paper(study: Study) -> None:
    person, row = changed(study, Debts=7.0, Years=0.0)
    moves = np.abs(row - person) / study.train.to_numpy(float).std(axis=0)
    expected = [moves.mean(), moves.max(), np.count_nonzero(moves)]
    assert costs_of(study, person[None], row[None])[0].tolist() == pytest.approx(expected)
    in_units = replace(study, settings=replace(study.settings, scaled_maximum=False))
    costs = costs_of(in_units, person[None], row[None])[0]
    assert costs[1] == np.abs(row - person).max()
    judged = judge_answers(in_units, person[None], row[None])
    assert judged[list(COSTS)].iloc[0].tolist() == costs.tolist()


def test_every_kind_of_broken_constraint_is_named(study: Study) -> None:
    features = study.policy.features
    person, fine = changed(study, Guarantor=1.0 - study.people.iloc[0]["Guarantor"])
    four = person.copy()
    four[[INCOME, DEBTS, GUARANTOR, YEARS]] = [1000.0, (person[DEBTS] + 1) % 5, 1 - person[GUARANTOR], 3.5]
    for rows, broken in (
        ((person, fine), []),
        (changed(study, Age=99.0), ["immutable: Age"]),
        (changed(study, Income=1e9), ["range: Income"]),
        (changed(study, Debts=2.5), ["whole: Debts"]),
        ((person, person), ["changes: none"]),
        ((person, four), ["whole: Years", "changes: 4 > 3"]),
    ):
        assert broken_constraints(features, *rows) == broken


def test_the_grid_has_the_candidates_and_the_persons_own_value(study: Study) -> None:
    features = study.policy.features
    candidate = float(features[INCOME].candidates()[3])
    assert is_on_grid(features, *changed(study, Income=candidate))
    assert not is_on_grid(features, *changed(study, Income=candidate + 0.01))
    assert not is_on_grid(features, *changed(study, Age=50.5))


def test_the_model_itself_says_what_is_valid(study: Study) -> None:
    test = study.parts.test
    rows = test.to_numpy(float)
    judged = judge_answers(study, np.repeat(study.people.to_numpy(float)[:1], len(rows), axis=0), rows)
    scores = study.trained.model.predict_proba(test)[:, 1]
    assert judged["valid"].tolist() == (scores >= THRESHOLD).tolist()
    assert 0 < judged["valid"].sum() < len(rows)
    assert judged["plausible"].tolist() == (study.detector.predict(rows) == 1).tolist()
    # The judges are fitted on the test part, which no method uses.
    for dimensions, column in ((None, "outlier"), (1, "outlier_axis_parallel")):
        judge = ExtendedIsolationForest(dimensions=dimensions).fit(test)
        assert judged[column].tolist() == judge.is_outlier(test).tolist()
    assert (judged["outlier"] != judged["outlier_axis_parallel"]).any()
    assert list(json.loads(judged["values"][0]).values()) == rows[0].tolist()


def _note(evaluated: list[np.ndarray], rows: np.ndarray) -> np.ndarray:
    evaluated.append(rows)
    return np.zeros(len(rows), dtype=bool)


def test_no_allowed_action_on_the_grid_is_dearer_than_the_worst(study: Study) -> None:
    for person in study.people.to_numpy(float):
        evaluated: list[np.ndarray] = []
        replace(brute_force(study), accepts=partial(_note, evaluated)).front(person)
        costs = costs_of(study, person[None], evaluated[0])
        np.testing.assert_allclose(costs.max(axis=0), worst_on_grid(study, person) - [0, 0, 1], rtol=1e-12)


def test_the_other_readings_of_the_paper_change_what_is_fixed() -> None:
    data = small_data("adult")
    for everything, fixed in ((False, ["Age"]), (True, [])):
        policy = actions_of(data, data.data, Settings(everything_may_change=everything))
        assert [feature.name for feature in policy.features if feature.fixed] == fixed


@pytest.mark.parametrize(
    "real", [False, pytest.param(True, marks=pytest.mark.skipif(not HAS_DATA, reason=REASON))]
)
def test_the_grid_is_the_papers_and_stays_within_the_percentiles(real: bool) -> None:
    for name in ("german", "taiwan", "adult"):
        data = datasets.load(name) if real else small_data(name)
        train = split(data.data, data.target, kind="paper", seed=0).train
        policy = actions_of(data, train, Settings())
        assert {feature.name for feature in policy.features if feature.fixed} == set(data.immutable)
        for feature in policy.features:
            column, candidates = train[feature.name].to_numpy(float), feature.candidates()
            if feature.fixed or set(column) <= {0.0, 1.0}:
                assert feature.fixed or candidates.tolist() == [0.0, 1.0]
                continue
            low, high = np.percentile(column, [1, 99])
            step = 0.05 * (high - low)
            step = max(1.0, np.ceil(step)) if (column % 1 == 0).all() else step
            assert low <= candidates.min() <= candidates.max() <= high
            np.testing.assert_allclose(np.diff(candidates), step)
            assert len(candidates) == pytest.approx(1 + (high - low) / step, abs=1)


def counted(points: list[tuple[int, ...]]) -> float:
    """Return the share of unit cells of the box that some point dominates."""
    cells = np.stack(np.meshgrid(*[np.arange(SIDE)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    covered = np.zeros(len(cells), dtype=bool)
    for point in points:
        covered |= (np.array(point) <= cells).all(axis=1)
    return float(covered.mean())


@given(POINTS, st.tuples(*[st.floats(0.01, 100.0)] * 3))
def test_the_volume_is_the_share_of_dominated_cells_in_any_units(
    points: list[tuple[int, ...]], units: tuple[float, float, float]
) -> None:
    costs = np.array(points, dtype=float).reshape(-1, 3)
    assert hypervolume(costs, WORST) == pytest.approx(counted(points), abs=1e-12)
    # A point on the border of the box has no volume, on whichever side rounding puts it.
    assert hypervolume(costs * units, WORST * units) == pytest.approx(counted(points), abs=1e-9)


@given(POINTS, POINTS)
def test_more_counterfactuals_never_lower_the_volume(
    first: list[tuple[int, ...]], second: list[tuple[int, ...]]
) -> None:
    few, many = (np.array(points, dtype=float).reshape(-1, 3) for points in (first, first + second))
    assert hypervolume(many, WORST) >= hypervolume(few, WORST) - 1e-12
