"""Answers know how their features are called, what those may do, and by which code they were found."""

import hashlib
from pathlib import Path

import pandas as pd

import p2ce
from p2ce import ActionSet, rules
from tests.populations import loans

PERSON = {"Income": 15, "Debt": 1.0, "Owns": False, "Rate": 0.5, "Years": 2}


def actions() -> ActionSet:
    return (
        ActionSet.infer(loans.people())
        .protect("Owns")
        .increase_only("Income")
        .display(Income={"name": "income", "unit": "EUR"})
        .rule(rules.linked("Income", "Years"))
    )


def test_every_answer_tells_the_policy_that_applied(tmp_path: Path) -> None:
    explainer = loans.explainer(actions=actions())
    asked = explainer.explain(PERSON).question
    assert asked is not None
    assert {name: feature.moves for name, feature in asked.features.items()} == {
        "Income": "up",
        "Debt": "either",
        "Owns": "protected",
        "Rate": "either",
        "Years": "along",
    }
    assert asked.features["Income"].display.unit_in("en") == "EUR"
    assert "every" in asked.features["Income"].candidates
    assert asked.features["Owns"].candidates == ""
    assert asked.rules == ("Years moves as much as Income does",)
    (tmp_path / "policy.yaml").write_text(asked.policy, encoding="utf-8")
    assert ActionSet.load(tmp_path / "policy.yaml") == explainer.actions
    assert asked.hashes["policy"] == hashlib.sha256(asked.policy.encode()).hexdigest()


def test_the_population_is_all_of_the_reference() -> None:
    asked = loans.explainer().explain(PERSON).question
    assert asked is not None
    assert asked.people == len(loans.people())
    owns = asked.features["Owns"].distribution
    assert owns is not None
    assert dict(zip(owns.labels, owns.shares, strict=True))[True] == loans.people()["Owns"].mean()


def test_other_actions_for_one_person_are_told_too() -> None:
    explainer = loans.explainer()
    usual = explainer.explain(PERSON).question
    own = explainer.explain(PERSON, actions=ActionSet.infer(loans.people()).fix("Income")).question
    assert usual is not None
    assert own is not None
    assert (usual.features["Income"].moves, own.features["Income"].moves) == ("either", "fixed")
    assert own.features["Income"].distribution is usual.features["Income"].distribution
    assert own.hashes["policy"] != usual.hashes["policy"]
    assert own.hashes["model"] == usual.hashes["model"]


def test_all_people_share_one_question_also_those_who_cannot_be_read() -> None:
    people = loans.refused().iloc[:3].astype({"Debt": object})
    people.iloc[1, people.columns.get_loc("Debt")] = "much"
    many = loans.explainer().explain_many(people)
    assert many[1].status is p2ce.Status.ERROR
    assert len({id(entry.question) for entry in many}) == 1
    assert many[0].question is not None


def test_versions_and_hashes_name_what_the_answer_depends_on() -> None:
    asked = loans.explainer().explain(PERSON).question
    assert asked is not None
    assert {"p2ce", "python", "numpy", "numba", "scikit-learn"} <= asked.versions.keys()
    assert asked.versions["p2ce"] == p2ce.__version__
    assert {len(one) for one in asked.hashes.values()} == {64}
    smaller = loans.explainer(reference=loans.people().iloc[:-1]).explain(PERSON).question
    assert smaller is not None
    assert smaller.hashes["reference"] != asked.hashes["reference"]


def test_a_policy_that_no_file_can_hold_is_told_in_remarks() -> None:
    def fair(frame: pd.DataFrame) -> "pd.Series[bool]":
        return frame["Income"] >= 0

    own = ActionSet.infer(loans.people()).rule(rules.predicate(fair, name="fair to all"))
    asked = loans.explainer(actions=own).explain(PERSON).question
    assert asked is not None
    assert asked.policy.startswith("# This policy has no form as a file:")
    assert "fair to all" in asked.policy
    assert all(line.startswith("#") for line in asked.policy.splitlines())
