"""Check which counterfactuals are flagged, and that flags reach data, tables, texts and files."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import Explainer, Explanation, Policy
from p2ce.policy.features.feature import Direction
from p2ce.policy.inference.relations import Relation
from p2ce.result import Flag
from p2ce.run.build_explanation import flags_of
from tests.optional import LazyLibrary

lightgbm = LazyLibrary("lightgbm")

ROWS = 600


def people(rows: int = ROWS) -> tuple[pd.DataFrame, pd.Series]:
    """Income and debts that go with repayment as everyone expects."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"Income": rng.integers(10, 90, rows), "Debts": rng.integers(0, 30, rows)})
    score = frame["Income"] / 10 - frame["Debts"] / 3 + rng.normal(0, 1.5, rows)
    return frame, pd.Series((score > 0).astype(int), name="repaid")


def inverted(frame: pd.DataFrame) -> np.ndarray:
    """Accept low incomes only, and few debts even more."""
    return np.asarray(np.where(frame["Income"] < 30, 0.3, 0.0) + np.where(frame["Debts"] < 12, 0.4, 0.0))


@pytest.fixture(scope="module")
def flagged() -> tuple[Explainer, Explanation]:
    frame, y = people()
    explainer = Explainer(inverted, frame, y=y, at_least=0.3, plausibility=None)
    return explainer, explainer.explain({"Income": 34, "Debts": 29})


def test_moves_against_the_association_are_flagged(flagged: tuple[Explainer, Explanation]) -> None:
    explainer, found = flagged
    assert {one.name: one.association.name for one in explainer.policy.features} == {
        "Income": "UP",
        "Debts": "DOWN",
    }
    assert explainer.policy["Income"].direction is Direction.BOTH
    by_change = {tuple(option.changes): option.flags for option in found}
    assert by_change[("Income",)] == (Flag(kind="against_association", feature="Income", direction="down"),)
    assert all(not flags for changed, flags in by_change.items() if "Income" not in changed)


def test_flags_are_data(flagged: tuple[Explainer, Explanation]) -> None:
    _, found = flagged
    again = Explanation.from_json(json.dumps(found.to_dict()))
    assert again == found
    assert [one.flags for one in again] == [one.flags for one in found]
    frame = found.to_frame()
    assert list(frame.columns)[-1] == "flags"
    assert frame["flags"].str.contains("against_association: Income down", regex=False).any()


@pytest.mark.parametrize("language", ["en", "pt", "es"])
def test_officers_and_auditors_read_flags_and_applicants_do_not(
    flagged: tuple[Explainer, Explanation], language: str
) -> None:
    _, found = flagged
    said = {"en": "against its association", "pt": "sua associação", "es": "su asociación"}[language]
    for audience in ("officer", "auditor"):
        assert said in p2ce.to_text(found, audience=audience, language=language)
        assert said in p2ce.to_html(found, audience=audience, language=language)
    assert said not in p2ce.to_text(found, audience="applicant", language=language)
    assert said not in p2ce.to_html(found, audience="applicant", language=language)
    assert "Income goes down" in str(found)


def test_without_labels_nothing_is_flagged() -> None:
    frame, _ = people()
    explainer = Explainer(inverted, frame, at_least=0.3, plausibility=None)
    found = explainer.explain({"Income": 34, "Debts": 29})
    assert not any(option.flags for option in found)
    assert "flags" not in found.to_frame().columns


def test_other_actions_and_saved_explainers_keep_associations(
    flagged: tuple[Explainer, Explanation], tmp_path: Any
) -> None:
    explainer, found = flagged
    frame, y = people()
    other = explainer.explain(found.person, policy=Policy.infer(frame).fix("Debts"))
    assert all(option.flags for option in other)
    explainer.save(tmp_path / "saved.p2ce")
    loaded = Explainer.load(tmp_path / "saved.p2ce", inverted)
    assert loaded.explain(found.person) == found
    stated = Explainer(inverted, frame, y=y, policy=Policy.infer(frame), at_least=0.3, plausibility=None)
    stated.save(tmp_path / "stated.p2ce")
    assert Explainer.load(tmp_path / "stated.p2ce", inverted).explain(found.person) == found


def test_labels_that_contradict_the_model_say_nothing(caplog: pytest.LogCaptureFixture) -> None:
    frame, y = people()
    explainer = Explainer(inverted, frame, y=1 - y, at_least=0.3, plausibility=None)
    assert "y contradicts the model" in caplog.text
    assert not any(one.association for one in explainer.policy.features)


def test_constraints_restrict_an_inferred_policy_and_no_stated_one() -> None:
    frame, y = people()
    model = lightgbm.LGBMClassifier(n_estimators=10, monotone_constraints=[1, -1], verbose=-1, n_jobs=1)
    model.fit(frame, y)
    inferred = Explainer(model, frame, target=1, plausibility=None).policy
    stated = Explainer(model, frame, target=1, policy=Policy.infer(frame), plausibility=None).policy
    for policy in (inferred, stated):
        assert [one.association.name for one in policy.features] == ["UP", "DOWN"]
    assert [one.direction.name for one in inferred.features] == ["UP", "DOWN"]
    assert [one.direction.name for one in stated.features] == ["BOTH", "BOTH"]


@given(st.tuples(*[st.integers(0, 5)] * 4))
def test_a_broken_relation_is_flagged_once_it_held(row: tuple[int, int, int, int]) -> None:
    low, high, new_low, new_high = row
    changes = {
        name: (old, new)
        for name, old, new in (("Paid", low, new_low), ("Owed", high, new_high))
        if old != new
    }
    flags = flags_of(changes, {"Paid": new_low, "Owed": new_high}, {}, [Relation("Paid", "Owed")])
    broken = (Flag(kind="breaks_relation", feature="Paid", other="Owed"),)
    assert flags == (broken if low <= high and new_low > new_high else ())
