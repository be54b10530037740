"""Relaxations for many people are those of each one alone, by id, whoever fails or interrupts."""

import signal
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.errors import InvalidArgument

NO_RECOURSE = p2ce.Status.NO_RECOURSE


@cache
def problem() -> tuple[p2ce.Explainer, p2ce.Explanations]:
    """Explain rejected applicants, most of whom would need a smaller loan than the policy allows."""
    made = p2ce.datasets.make_applicants(400)
    people = made.data[["Income", "LoanAmount", "LatePayments"]]
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(people, made.target)
    policy = (
        p2ce.Policy.infer(people, protect=None)
        .fix("LatePayments")
        .increase_only("LoanAmount")
        .decrease_only("Income")
    )
    explainer = p2ce.Explainer(model, people, target=1, policy=policy, max_changes=1, plausibility=None)
    rejected = people[explainer.scores(people) < explainer.at_least].head(20)
    return explainer, explainer.explain_many(rejected.set_axis([f"id {i}" for i in range(len(rejected))]))


def alone() -> dict[Any, p2ce.result.Relaxations]:
    explainer, many = problem()
    none = [pair for pair in zip(many.ids, many, strict=True) if pair[1].status is NO_RECOURSE]
    assert 3 <= len(none) < len(many)
    return {label: explainer.relaxations(one) for label, one in none}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_many_are_as_each_alone_in_any_number_of_processes(n_jobs: int) -> None:
    explainer, many = problem()
    found = explainer.relaxations(many, n_jobs=n_jobs)
    assert found == alone()
    assert list(found) == list(alone())


def test_a_report_takes_them_as_they_are() -> None:
    explainer, many = problem()
    found = explainer.relaxations(many)
    page = p2ce.to_html(many, relaxations=found)
    assert all(label in page for label in found)
    assert "Limits that bind" in page
    assert "Limits that bind" not in p2ce.to_html(many)
    first = found.binding[0]
    assert first.in_some == sum(
        any(first.restriction in one.restrictions for one in why) for why in found.values()
    )
    assert str(first.restriction) in str(found)


def test_labels_have_to_name_one_person_each() -> None:
    explainer, many = problem()
    for labels in (["same"] * len(many), [["a list"]] * len(many)):
        with pytest.raises(InvalidArgument, match="not the id of a single"):
            explainer.relaxations(p2ce.Explanations(list(many), ids=labels))


def test_explanations_of_another_problem_are_rejected() -> None:
    explainer, many = problem()
    people = pd.DataFrame([one.person for one in many])
    other = p2ce.Explainer(lambda frame: np.zeros(len(frame)), people, target=1, plausibility=None)
    with pytest.raises(InvalidArgument, match="another problem"):
        other.relaxations(many)
    with pytest.raises(InvalidArgument, match="n_jobs"):
        explainer.relaxations(many, n_jobs=0)


class Model:
    """Accepts no one by raising for one person, or by pressing Ctrl-C, once it is told to."""

    def __init__(self) -> None:
        self.does = ""

    def __call__(self, frame: pd.DataFrame) -> Any:
        if self.does and (frame["bad"] == 1).any():
            if self.does == "interrupts":
                signal.raise_signal(signal.SIGINT)
            raise ConnectionError("The service is down.")
        return (frame["a"] >= 10).to_numpy(dtype=float)


@pytest.mark.parametrize(("does", "kept"), [("raises", ["x", "z"]), ("interrupts", ["x"])])
def test_a_failure_or_ctrl_c_loses_nothing_that_is_done(
    does: str, kept: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    people = pd.DataFrame({"a": [0, 1, 2, 12], "bad": [0, 1, 0, 0]}, index=["x", "y", "z", "fine"])
    model = Model()
    policy = p2ce.Policy.infer(people, protect=None).within(a=(0, 5)).fix("bad")
    explainer = p2ce.Explainer(model, people, policy=policy, target=1, plausibility=None)
    many = explainer.explain_many(people)
    assert many.statuses[NO_RECOURSE] == 3
    model.does = does
    found = explainer.relaxations(many)
    assert list(found) == kept
    assert all(len(why) for why in found.values())
    assert ("Interrupted" if does == "interrupts" else "'y'") in caplog.text
