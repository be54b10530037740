"""All that take an explanation reject one of another problem, in one and the same way."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Explanation, Policy, Status
from p2ce.errors import InvalidArgument
from p2ce.rules import together
from tests.populations import loans
from tests.populations.loans import PERSON

CALLS: dict[str, Callable[..., Any]] = {
    "relaxations": lambda explainer, found: explainer.relaxations(found),
    "feature_map": lambda explainer, found: explainer.feature_map(found, "Income", "Debt", size=3),
    "evaluate": lambda explainer, found: explainer.evaluate(PERSON, {"Income": 20}, explanation=found),
}


def narrow() -> Policy:
    """Leave the person without an option."""
    return (
        Policy.infer(loans.people(), protect=None)
        .fix("Owns", "Rate", "Years")
        .within(Income=(10, 20), Debt=(0, 2))
    )


def make(**changed: Any) -> p2ce.Explainer:
    return loans.explainer(**{"policy": narrow(), "max_changes": 2, **changed})


@cache
def none() -> Explanation:
    found = make().explain(PERSON)
    assert found.status is Status.NO_RECOURSE
    return found


OTHER, SMALLER = (
    type(loans.forest())(5, max_depth=5, random_state=3).fit(frame, loans.label())
    for frame in (loans.people(), loans.people().drop(columns="Years"))
)
CHANGED: dict[str, tuple[dict[str, Any], str]] = {
    "at_least": ({"at_least": 0.4}, "at_least was more than 0.5, and is 0.4"),
    "margin": ({"margin": 0.01}, "margin was 0.0, and is 0.01"),
    "target": ({"target": 0}, "target was 1, and is 0"),
    "objectives": ({"objectives": "changes"}, "objectives was"),
    "method": ({"method": p2ce.paper.P2CE()}, "method was exact, and is p2ce"),
    "detector": ({"plausibility": None}, "detector was isolation forest, and is none"),
    "contamination": ({"contamination": 0.3}, "contamination was 0.1, and is 0.3"),
    "model": ({"model": OTHER}, "its model differs"),
    "reference": ({"reference": loans.people().iloc[::2]}, "its reference differs"),
    "columns": (
        {"model": SMALLER, "reference": loans.people().drop(columns="Years"), "policy": None},
        "its columns differ",
    ),
}


@pytest.mark.parametrize("what", CHANGED)
def test_another_problem_is_rejected_in_one_way(what: str) -> None:
    changed, words = CHANGED[what]
    explainer = make(**changed)
    for call in CALLS.values():
        with pytest.raises(InvalidArgument) as caught:
            call(explainer, none())
        said = str(caught.value)
        assert said.startswith("The explanation belongs to another problem than this explainer's: ")
        assert words in said
        assert "Use the explainer that made it" in said


@pytest.mark.parametrize("call", CALLS)
def test_the_same_problem_is_accepted(call: str) -> None:
    for explainer in (make(), make(bound=None, ties=True)):  # which change no explanation
        CALLS[call](explainer, none())
        CALLS[call](explainer, Explanation.from_dict(none().to_dict()))
    # The policy and the limit are the explanation's, whatever the explainer's own are.
    for changed in ({"policy": None}, {"policy": narrow().with_rules(together("Income", "Debt"))}):
        CALLS[call](make(**changed, max_changes=1), none())


class Nudged:
    """The forest, whose probabilities another machine rounds a little differently."""

    def __init__(self, by: float) -> None:
        self.by, self.forest = by, loans.forest()
        self.classes_ = self.forest.classes_

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        second = self.forest.predict_proba(rows)[:, 1]
        moved = np.clip(second * (1.0 + self.by), 0.0, 1.0)
        return np.column_stack([1.0 - moved, moved])


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("ulps", [1, -1])
def test_one_ulp_in_every_score_is_the_same_problem(call: str, ulps: int) -> None:
    """The hash is of scores that are rounded to six digits: an ulp changes it, but no statement."""
    explainer, other = (make(model=Nudged(by)) for by in (0.0, ulps * float(np.finfo(np.float32).eps)))
    found = explainer.explain(PERSON, policy=None if call == "relaxations" else loans.few())
    assert explainer.problem.hashes["model"] != other.problem.hashes["model"]
    CALLS[call](other, Explanation.from_dict(found.to_dict()))
    with pytest.raises(InvalidArgument, match="its model differs"):
        CALLS[call](make(model=Nudged(1e-3)), found)


@pytest.mark.parametrize("call", CALLS)
def test_a_model_with_the_same_score_for_the_person_is_another_one(call: str) -> None:
    """Trees have few scores, and an explanation without options holds the person's only."""

    class Elsewhere(Nudged):
        def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
            scores = super().predict_proba(rows)
            other = (rows[list(PERSON)] != pd.Series(PERSON)).any(axis=1).to_numpy()
            return np.where(other[:, None], scores[:, ::-1], scores)

    with pytest.raises(InvalidArgument, match="its model differs"):
        CALLS[call](make(model=Elsewhere(0.0)), make(model=Nudged(0.0)).explain(PERSON))


@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_explanation_is_rejected(call: str) -> None:
    people = pd.DataFrame([PERSON]).astype({"Debt": object})
    people["Debt"] = "much"
    (failed,) = make().explain_many(people)
    with pytest.raises(InvalidArgument, match="could not be explained"):
        CALLS[call](make(), replace(failed, person=PERSON))
    with pytest.raises(InvalidArgument, match=rf"{call}\(\) needs what explain\(\) returned, got dict"):
        CALLS[call](make(), {"status": "NO_RECOURSE"})


@pytest.mark.parametrize("call", ["feature_map", "evaluate"])
@pytest.mark.parametrize(
    "objective",
    [
        p2ce.objectives.MeanDistance(unit="own"),
        p2ce.objectives.WeightedDistance({"Income": 3.0}, name="mean_distance"),
    ],
    ids=["unit", "weights"],
)
def test_costs_of_the_same_name_may_be_others(call: str, objective: p2ce.objectives.Objective) -> None:
    found = loans.explainer(objectives="mean_distance").explain(PERSON)
    CALLS[call](loans.explainer(objectives=p2ce.objectives.MeanDistance()), found)
    with pytest.raises(InvalidArgument, match=r"mean_distance of an option was .*, and is"):
        CALLS[call](loans.explainer(objectives=objective), found)


def test_a_check_judges_by_the_limit_and_the_actions_of_the_explanation() -> None:
    explainer = loans.explainer(max_changes=1)
    found = explainer.explain(PERSON, max_changes=3)
    several = [option for option in found if len(option.changes) > 1]
    assert several
    for option in several:
        assert not explainer.evaluate(PERSON, option.values).allowed
        judged = explainer.evaluate(PERSON, option.values, explanation=found)
        assert judged.ok
        assert judged.better == ()
    fixed = Policy.infer(loans.people(), protect=None).fix("Income")
    assert explainer.evaluate(PERSON, {"Income": 20}).allowed
    assert not explainer.evaluate(PERSON, {"Income": 20}, policy=fixed).allowed
    assert explainer.evaluate(PERSON, {"Income": 20}, explanation=found).allowed
    own = explainer.explain(PERSON, policy=fixed)
    assert not explainer.evaluate(PERSON, {"Income": 20}, explanation=own).allowed
    again = Policy.infer(loans.people(), protect=None).fix("Income")
    assert not explainer.evaluate(PERSON, {"Income": 20}, explanation=own, policy=again).allowed
    with pytest.raises(InvalidArgument, match="not the policy of the explanation"):
        explainer.evaluate(PERSON, {"Income": 20}, explanation=found, policy=fixed)
