"""Explanations know the names of their features, what those may do, and which code found them."""

import hashlib
from pathlib import Path

import pandas as pd

import p2ce
from p2ce import Policy, rules
from p2ce.result import Candidates
from tests.populations import loans
from tests.populations.loans import PERSON


def policy() -> Policy:
    return (
        Policy.infer(loans.people(), protect=None)
        .protect("Owns")
        .increase_only("Income")
        .display(Income={"name": "income", "unit": "EUR"})
        .with_rules(rules.linked("Income", "Years"))
    )


def test_every_explanation_holds_the_policy_that_applied(tmp_path: Path) -> None:
    explainer = loans.explainer(policy=policy())
    problem = explainer.explain(PERSON).problem
    assert {name: feature.moves for name, feature in problem.features.items()} == {
        "Income": "up",
        "Debt": "either",
        "Owns": "protected",
        "Rate": "either",
        "Years": "along",
    }
    assert problem.features["Income"].display.unit_in("en") == "EUR"
    assert problem.features["Income"].candidates == Candidates(count=50, low=10, high=59, steps=(1, 1))
    assert problem.features["Owns"].candidates is None
    assert problem.rules == ({"rule": "linked", "driver": "Income", "follower": "Years", "ratio": 1},)
    (tmp_path / "policy.yaml").write_text(problem.policy, encoding="utf-8")
    assert Policy.load(tmp_path / "policy.yaml") == explainer.policy
    assert problem.hashes["policy"] == hashlib.sha256(problem.policy.encode()).hexdigest()


def test_the_population_is_all_of_the_reference() -> None:
    problem = loans.explainer().explain(PERSON).problem
    assert problem.people == len(loans.people())
    owns = problem.features["Owns"].distribution
    assert owns is not None
    assert dict(zip(owns.labels, owns.shares, strict=True))[True] == loans.people()["Owns"].mean()


def test_all_people_share_one_problem_also_those_whose_row_is_an_error() -> None:
    people = loans.rejected().iloc[:3].astype({"Debt": object})
    people.iloc[1, people.columns.get_loc("Debt")] = "much"
    many = loans.explainer().explain_many(people)
    assert many[1].status is p2ce.Status.ERROR
    assert len({id(entry.problem) for entry in many}) == 1
    assert many[0].problem is not None


def test_versions_and_hashes_name_what_an_explanation_depends_on() -> None:
    problem = loans.explainer().explain(PERSON).problem
    assert {"p2ce", "python", "numpy", "numba", "scikit-learn"} <= problem.versions.keys()
    assert problem.versions["p2ce"] == p2ce.__version__
    assert {len(one) for one in problem.hashes.values()} == {64}
    smaller = loans.explainer(reference=loans.people().iloc[:-1]).explain(PERSON).problem
    assert smaller.hashes["reference"] != problem.hashes["reference"]


def test_a_policy_that_no_file_can_hold_is_written_as_comments() -> None:
    def fair(frame: pd.DataFrame) -> "pd.Series[bool]":
        return frame["Income"] >= 0

    own = Policy.infer(loans.people(), protect=None).with_rules(rules.predicate(fair, name="fair to all"))
    problem = loans.explainer(policy=own).explain(PERSON).problem
    assert problem.policy.startswith("# This policy cannot be written as a file:")
    assert "fair to all" in problem.policy
    assert all(line.startswith("#") for line in problem.policy.splitlines())


def test_settings_state_which_bound_pruned_and_which_algorithm_ran() -> None:
    assert loans.explainer().problem.settings["bound"] == "auto"
    assert loans.explainer(bound=None).problem.settings["bound"] == "none"  # a word: null would be unknown
    stated = loans.explainer(method=p2ce.paper.P2CE(bound=None)).problem.settings
    assert "bound" not in stated
    assert stated["method"] == repr(p2ce.paper.P2CE(bound=None))
