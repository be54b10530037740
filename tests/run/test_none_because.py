"""Why there is no option: the first restriction without which there is one, and only what is proven."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce.rules import implies, linked
from p2ce.run import none_because
from tests.oracle import Truth
from tests.populations.small_models import score_of
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, table_problems

RNG = np.random.default_rng(3)
PEOPLE = pd.DataFrame(
    {"Income": RNG.integers(0, 100, 400), "Debt": RNG.integers(0, 50, 400), "Years": RNG.integers(0, 20, 400)}
)
PERSON = {"Income": 20, "Debt": 30, "Years": 5}
ACTIONS = p2ce.Policy.infer(PEOPLE).step(Income=10, Debt=10, Years=5)


def wants(**least: int) -> Any:
    """Accept who has at least so much of each column; "less" means at most."""

    def score(rows: pd.DataFrame) -> np.ndarray:
        reached = [
            rows[name] <= -value if value < 0 else rows[name] >= value for name, value in least.items()
        ]
        return np.logical_and.reduce(reached).astype(float)

    return score


def plausible_up_to(income: int) -> Any:
    return lambda rows: np.where(rows["Income"] <= income, 1.0, -1.0)


RULE = implies({"Income": (60, None)}, {"Debt": (20, None)})
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "model": (wants(Income=1_000), {"plausibility": plausible_up_to(50), "max_changes": 1}),
    "plausibility": (wants(Income=60), {"plausibility": plausible_up_to(50), "max_changes": 1}),
    "rules": (wants(Income=60, Debt=-10), {"policy": ACTIONS.with_rules(RULE), "max_changes": 2}),
    "max_changes": (wants(Income=60, Debt=-10), {"max_changes": 1}),
}
# Only several restrictions together stand in the way: the last one that has to go is named.
TOGETHER = {
    "rules": (
        wants(Income=60, Debt=-10),
        {"policy": ACTIONS.with_rules(RULE), "plausibility": plausible_up_to(50)},
    ),
    "max_changes": (
        wants(Income=60, Debt=-10),
        {"policy": ACTIONS.with_rules(RULE), "plausibility": plausible_up_to(50), "max_changes": 1},
    ),
}


def explained(model: Any, **given: Any) -> p2ce.Explanation:
    return explainer(model, **given).explain(PERSON)


def explainer(model: Any, **given: Any) -> p2ce.Explainer:
    arguments = {"policy": ACTIONS, "plausibility": None, "target": 1, **given}
    return p2ce.Explainer(model, PEOPLE, **arguments)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("reason", CASES)
def test_what_leaves_a_person_without_an_option_is_named(reason: str, together: bool) -> None:
    model, given = (TOGETHER if together and reason in TOGETHER else CASES)[reason]
    found = explained(model, **given)
    assert found.status is p2ce.Status.NO_RECOURSE
    assert found.certificate is not None
    assert found.certificate.none_because == reason
    assert p2ce.Explanation.from_dict(found.to_dict()) == found


@pytest.mark.parametrize("language", ["en", "pt", "es"])
@pytest.mark.parametrize("audience", ["applicant", "officer", "auditor"])
def test_every_reason_is_said_in_words_of_its_own(language: str, audience: str) -> None:
    found = explained(CASES["model"][0], **CASES["model"][1])
    assert found.certificate is not None
    told = {
        p2ce.to_text(
            replace(found, certificate=replace(found.certificate, none_because=reason)),
            audience=audience,
            language=language,
        )
        for reason in (None, *CASES)
    }
    assert len(told) == 5


def test_a_batch_is_solved_together_and_everybody_gets_their_reason() -> None:
    people = pd.DataFrame([PERSON | {"Income": income} for income in (10, 20, 70)])
    many = explainer(wants(Income=60, Debt=-10), plausibility=plausible_up_to(50)).explain_many(people)
    assert many.summary(kind="pandas")["none_because"].tolist()[:2] == ["plausibility"] * 2
    assert many[2].status is p2ce.Status.OPTIMAL
    assert many[2].certificate.none_because is None


def test_what_a_bounded_search_does_not_prove_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(none_because, "EVALUATIONS", (0,))
    model, given = CASES["max_changes"]
    found = explained(model, **given)
    assert found.status is p2ce.Status.NO_RECOURSE
    assert found.certificate is not None
    assert found.certificate.none_because is None


def test_a_model_that_fails_beyond_the_rules_leaves_the_reason_open() -> None:
    fails = []

    def score(rows: pd.DataFrame) -> np.ndarray:
        if fails and ((rows["Income"] >= 60) & (rows["Debt"] < 20)).any():
            raise ValueError("no such person")
        return np.zeros(len(rows))

    made = explainer(score, policy=ACTIONS.with_rules(RULE).candidates(Income=[20, 60], Debt=[10, 30]))
    fails.append(True)
    found = made.explain(PERSON)
    assert found.status is p2ce.Status.NO_RECOURSE
    assert found.certificate is not None
    assert found.certificate.none_because is None


def reason_of(problem: StatedProblem, found: p2ce.Explanation) -> str:
    """Find the reason by evaluating every row without some restrictions."""

    def opens(dropped: set[str]) -> bool:
        changed: dict[str, Any] = {}
        if "plausibility" in dropped:
            changed["accepts"] = lambda rows: score_of(problem.model)(rows) >= problem.threshold
        if "rules" in dropped:
            changed["stated"] = ()
        if "max_changes" in dropped:
            changed["max_changes"] = None
        truth: Truth = problem.truth(found, **changed)
        return truth.valid > 0

    order = ["plausibility", "rules", "max_changes"]
    for one in order:
        if opens({one}):
            return one
    for count in (2, 3):
        if opens(set(order[:count])):
            return order[count - 1]
    return "model"


@examples(60)
@given(
    problem=table_problems(
        ["histogram boosting", "forest behind an ordinal encoder"],
        columns=st.integers(2, 4),
        rule_count=st.integers(1, 3),
        group=st.just(False),
        link=st.just(False),
        detector=st.just(True),
        max_changes=st.just(1),
    )
)
def test_the_reason_is_that_of_evaluating_every_row(problem: StatedProblem) -> None:
    found = problem.explain()
    if found.status is p2ce.Status.NO_RECOURSE:
        assert found.certificate is not None
        assert found.certificate.none_because == reason_of(problem, found)


def test_a_link_that_counts_each_feature_is_held_back_by_the_limit() -> None:
    """The two features are one axis, and two changes."""
    people = pd.DataFrame({"p": range(30), "q": range(30, 60)})
    policy = p2ce.Policy.infer(people).with_rules(linked("p", "q", counts="each"))

    def model(rows: pd.DataFrame) -> np.ndarray:
        return np.asarray(rows["p"] + rows["q"] >= 60, dtype=float)

    found = p2ce.Explainer(model, people, policy=policy, plausibility=None, max_changes=1).explain(
        {"p": 5, "q": 35}
    )
    assert found.status is p2ce.Status.NO_RECOURSE
    assert found.certificate.none_because == "max_changes"
