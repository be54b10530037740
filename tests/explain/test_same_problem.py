"""Do all that take an explanation refuse one that answers another question, in one and the same way?"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import ActionSet, Explanation, Status
from p2ce.errors import InvalidArgument
from p2ce.rules import together
from tests.populations import loans

PERSON = {"Income": 15, "Debt": 1.0, "Owns": False, "Rate": 0.5, "Years": 2}
CALLS: dict[str, Callable[..., Any]] = {
    "why_none": lambda explainer, found, **given: explainer.why_none(found, **given),
    "map_of": lambda explainer, found, **given: explainer.map_of(found, "Income", "Debt", size=3, **given),
    "check": lambda explainer, found, **given: explainer.check(
        found.person, {"Income": 20}, explanation=found, **given
    ),
}


def narrow() -> ActionSet:
    """Leave the person without an option."""
    return ActionSet.infer(loans.people()).fix("Owns", "Rate", "Years").within(Income=(10, 20), Debt=(0, 2))


def ask(**changed: Any) -> p2ce.Explainer:
    return loans.explainer(**{"actions": narrow(), "max_changes": 2, **changed})


@cache
def none() -> Explanation:
    found = ask().explain(PERSON)
    assert found.status is Status.NO_RECOURSE
    return found


def other_model() -> Any:
    return type(loans.forest())(12, max_depth=5, random_state=3).fit(loans.people(), loans.label())


CHANGED: dict[str, tuple[dict[str, Any], str]] = {
    "threshold": ({"threshold": 0.4}, "threshold was more than 0.5, and is 0.4"),
    "margin": ({"margin": 0.01}, "margin was 0.0, and is 0.01"),
    "target": ({"target": 0}, "target was 1, and is 0"),
    "objectives": ({"objectives": "changes"}, "objectives was"),
    "method": ({"method": "p2ce"}, "method was exact, and is p2ce"),
    "detector": ({"plausibility": None}, "detector was isolation forest, and is none"),
    "contamination": ({"contamination": 0.3}, "contamination was 0.1, and is 0.3"),
    "policy": ({"actions": None}, "its policy is another"),
    "rules": ({"actions": narrow().rule(together("Income", "Debt"))}, "its policy is another"),
    "model": ({"model": other_model()}, "its model is another"),
    "reference": ({"reference": loans.people().iloc[::2]}, "its reference is another"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("what", CHANGED)
def test_another_question_is_refused_in_one_way(call: str, what: str) -> None:
    changed, words = CHANGED[what]
    with pytest.raises(InvalidArgument) as caught:
        CALLS[call](ask(**changed), none())
    assert str(caught.value).startswith("The explanation belongs to another problem than this explainer's: ")
    assert words in str(caught.value)
    assert "pass the same actions" in str(caught.value)


@pytest.mark.parametrize("call", CALLS)
def test_other_columns_are_refused(call: str) -> None:
    people = loans.people().drop(columns="Years")
    model = type(loans.forest())(5, random_state=0).fit(people, loans.label())
    explainer = loans.explainer(model=model, reference=people)
    with pytest.raises(InvalidArgument, match="its columns are others"):
        CALLS[call](explainer, none())


@pytest.mark.parametrize("call", CALLS)
def test_the_same_question_is_taken(call: str) -> None:
    for explainer in (ask(), ask(bound="none", ties=True)):  # which change no answer
        CALLS[call](explainer, none())
        CALLS[call](explainer, Explanation.from_dict(none().to_dict()))


@pytest.mark.parametrize("call", CALLS)
def test_actions_and_limits_of_one_person_are_given_again(call: str) -> None:
    explainer = loans.explainer(max_changes=1)
    own = explainer.explain(PERSON, actions=narrow(), max_changes=2)
    with pytest.raises(InvalidArgument, match="its policy is another"):
        CALLS[call](explainer, own)
    CALLS[call](explainer, own, actions=narrow())


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("given", ["somebody", {"status": "NO_RECOURSE"}, 3, None])
def test_what_is_no_explanation_is_refused(call: str, given: Any) -> None:
    if call == "check" and given is None:
        assert ask().check(PERSON, {}).better is None  # nothing to compare with, which is fine here
        return

    def called() -> None:
        if call == "check":
            ask().check(PERSON, {}, explanation=given)
        else:
            CALLS[call](ask(), given)

    with pytest.raises(InvalidArgument, match=rf"{call}\(\) takes what explain\(\) returned, got "):
        called()


@pytest.mark.parametrize("call", CALLS)
def test_somebody_who_could_not_be_explained(call: str) -> None:
    people = pd.DataFrame([PERSON]).astype({"Debt": object})
    people["Debt"] = "much"
    (failed,) = ask().explain_many(people)
    failed = replace(failed, person=PERSON)
    with pytest.raises(InvalidArgument, match="could not be explained"):
        CALLS[call](ask(), failed)


@pytest.mark.parametrize("call", ["map_of", "check"])
@pytest.mark.parametrize(
    "objective",
    [
        p2ce.MeanDistance(unit="own"),
        p2ce.MeanDistance(category=3.0),
        p2ce.WeightedDistance({"Income": 3.0}, name="mean_distance"),
    ],
    ids=["unit", "category", "weights"],
)
def test_costs_of_the_same_name_may_be_others(call: str, objective: p2ce.Objective) -> None:
    people = loans.people().assign(Home=np.where(loans.people()["Owns"], "own", "rent"))

    def score(rows: pd.DataFrame) -> np.ndarray:
        return ((rows["Income"] > 30) & (rows["Home"] == "own")).to_numpy(float)

    def asked(one: Any) -> p2ce.Explainer:
        return p2ce.Explainer(score, people, objectives=one, plausibility=None)

    found = asked("mean_distance").explain({**PERSON, "Home": "rent"})
    CALLS[call](asked(p2ce.MeanDistance()), found)
    with pytest.raises(InvalidArgument, match=r"mean_distance of an option was .*, and is"):
        CALLS[call](asked(objective), found)


def test_a_check_judges_by_the_limit_of_the_explanation() -> None:
    explainer = loans.explainer(max_changes=1)
    found = explainer.explain(PERSON, max_changes=3)
    several = [option for option in found if len(option.changes) > 1]
    assert several
    for option in several:
        assert not explainer.check(PERSON, option.values).allowed
        judged = explainer.check(PERSON, option.values, explanation=found)
        assert judged.ok
        assert judged.better == ()


def test_a_check_judges_by_the_actions_that_are_given() -> None:
    explainer = loans.explainer()
    fixed = ActionSet.infer(loans.people()).fix("Income")
    assert explainer.check(PERSON, {"Income": 20}).allowed
    assert not explainer.check(PERSON, {"Income": 20}, actions=fixed).allowed
    found = explainer.explain(PERSON, actions=fixed)
    for option in found:
        assert explainer.check(PERSON, option.values, explanation=found, actions=fixed).ok
