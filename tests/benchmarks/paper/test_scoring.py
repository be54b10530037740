"""Answers are judged by plain definitions: costs, constraints, the grid, the model itself."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch")
pytest.importorskip("optuna")
pytest.importorskip("moocore")
pytest.importorskip("benchmarks")  # not in a packed source

from benchmarks.paper.hypervolume import worst_on_grid
from benchmarks.paper.judge import ExtendedIsolationForest
from benchmarks.paper.scoring import COSTS, broken_constraints, costs_of, is_on_grid, judge_answers
from benchmarks.paper.settings import THRESHOLD, Settings
from benchmarks.paper.splits import split
from benchmarks.paper.study import Study, actions_of, prepare
from benchmarks.paper.truth import brute_force
from p2ce import datasets
from tests.benchmarks.paper.small_data import small_data
from tests.real_data import HAS_DATA, REASON

AGE, INCOME, DEBTS, GUARANTOR, YEARS, SAVINGS = range(6)


@pytest.fixture(scope="module")
def study() -> Study:
    return prepare(small_data("german"), "logistic", Settings(people=3, trials=1), cache=None)


def changed(study: Study, **to: float) -> tuple[np.ndarray, np.ndarray]:
    """The first person, and the same with other values."""
    person = study.people.iloc[0].astype(float)
    return person.to_numpy(), person.where(~person.index.isin(list(to)), pd.Series(to)).to_numpy()


def test_costs_are_those_of_the_paper(study: Study) -> None:
    person, row = changed(study, Debts=7.0, Years=0.0)
    moves = np.abs(row - person) / study.train.to_numpy(float).std(axis=0)
    assert costs_of(study, person[None], row[None])[0].tolist() == pytest.approx(
        [moves.mean(), moves.max(), np.count_nonzero(moves)]
    )


def test_every_kind_of_broken_constraint_is_named(study: Study) -> None:
    features = study.actions.features
    person, fine = changed(study, Guarantor=1.0 - study.people.iloc[0]["Guarantor"])
    assert broken_constraints(features, person, fine) == []
    cases = {
        "immutable: Age": changed(study, Age=99.0),
        "range: Income": changed(study, Income=1e9),
        "whole: Debts": changed(study, Debts=2.5),
        "changes: none": (person, person),
    }
    for text, (before, after) in cases.items():
        assert broken_constraints(features, before, after) == [text]
    four = person.copy()
    four[[INCOME, DEBTS, GUARANTOR, YEARS]] = [1000.0, (person[DEBTS] + 1) % 5, 1 - person[GUARANTOR], 3.5]
    assert broken_constraints(features, person, four) == ["whole: Years", "changes: 4 > 3"]


def test_the_grid_has_the_candidates_and_the_persons_own_value(study: Study) -> None:
    features = study.actions.features
    candidate = float(features[INCOME].candidates()[3])
    person, row = changed(study, Income=candidate)
    assert is_on_grid(features, person, row)
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
    # The judges saw the test part, and nothing that a method saw.
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
        worst = worst_on_grid(study, person)
        evaluated: list[np.ndarray] = []
        everything = replace(brute_force(study), accepts=partial(_note, evaluated))
        everything.front(person)
        costs = costs_of(study, person[None], evaluated[0])
        np.testing.assert_allclose(costs.max(axis=0), worst - [0, 0, 1], rtol=1e-12)


def test_the_other_readings_of_the_paper_change_the_question() -> None:
    data, train = small_data("adult"), small_data("adult").features
    fixed = [feature.name for feature in actions_of(data, train, Settings()).features if feature.fixed]
    free = actions_of(data, train, Settings(everything_may_change=True))
    assert fixed == ["Age"]
    assert not any(feature.fixed for feature in free.features)


def test_without_standard_deviations_the_largest_distance_is_in_units() -> None:
    settings = Settings(people=2, trials=1, scaled_maximum=False)
    study = prepare(small_data("german"), "logistic", settings, cache=None)
    person, row = changed(study, Income=100.0, Debts=0.0)
    costs = costs_of(study, person[None], row[None])[0]
    assert costs[1] == np.abs(row - person).max()
    judged = judge_answers(study, person[None], row[None])
    assert judged[list(COSTS)].iloc[0].tolist() == costs.tolist()


def test_the_grid_is_the_papers_and_stays_within_the_percentiles() -> None:
    assert_grid_is_the_papers(small_data("german"))


@pytest.mark.skipif(not HAS_DATA, reason=REASON)
def test_so_it_is_on_real_data() -> None:
    for name in ("german", "taiwan", "adult"):
        assert_grid_is_the_papers(datasets.load(name))


def assert_grid_is_the_papers(data: datasets.Dataset) -> None:
    train = split(data.features, data.outcome, kind="paper", seed=0).train
    actions = actions_of(data, train, Settings())
    assert {feature.name for feature in actions.features if feature.fixed} == set(data.immutable)
    for feature in actions.features:
        column = train[feature.name].to_numpy(float)
        if feature.fixed:
            continue
        if set(column) <= {0.0, 1.0}:
            assert feature.candidates().tolist() == [0.0, 1.0]
            continue
        low, high = np.percentile(column, [1, 99])
        step = 0.05 * (high - low)
        if (column % 1 == 0).all():
            step = max(1.0, np.ceil(step))
        candidates = feature.candidates()
        assert candidates.min() >= low
        assert candidates.max() <= high
        np.testing.assert_allclose(np.diff(candidates), step)
        assert len(candidates) == pytest.approx(1 + (high - low) / step, abs=1)
