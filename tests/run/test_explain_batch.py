"""Check the rounds of solving and verifying where only a rule itself sees that it is broken."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import Policy, rules
from p2ce.explainer import problems_of
from p2ce.objectives.objective import reported
from p2ce.run.explain_batch import explain_batch
from p2ce.run.time_limits import SearchLimits


def beside_a_rule() -> p2ce.Explainer:
    """Accept a > 0.25 or b > 0.75, where a rule allows a up to 0.2: billions leave no ticks for tenths."""
    people = pd.DataFrame(
        list(product([0.0, 0.5, 1.0], [0.0, 0.5, 1.0], [1e9, 2e9])), columns=["a", "b", "c"]
    )
    label = np.where((people.a > 0.4) | (people.b > 0.9), 1, 0)
    model = DecisionTreeClassifier(random_state=0).fit(people, label)
    policy = Policy.infer(people).fix("c").with_rules(rules.inequality("a + c <= 1000000000.2"))
    return p2ce.Explainer(model, people, target=1, policy=policy, plausibility=None)


def explained_beside_a_rule() -> p2ce.Explanation:
    return beside_a_rule().explain({"a": 0.0, "b": 0.0, "c": 1e9})


def test_what_only_the_rule_itself_rejects_is_not_shown() -> None:
    found = explained_beside_a_rule()
    assert found.status is p2ce.Status.OPTIMAL
    assert [one.changes.keys() for one in found] == [{"b"}]
    assert found.certificate.discrepancies  # "a" was proposed: it is cheaper


def test_a_rejected_cell_that_pruned_others_leaves_them_open() -> None:
    """A search that is stopped then does not claim that what is missing costs more than these."""
    problem = problems_of(beside_a_rule()).own
    instance = np.array([[0.0, 0.0, 1e9]])
    whole = explain_batch(problem, instance, finest=False)
    assert whole.outcomes.finished.all()
    stopped = 0
    for work in range(20, 3_000, 40):
        found = explain_batch(problem, instance, SearchLimits(work=work), finest=False)
        if found.outcomes.finished.all():
            continue
        stopped += int(found.outcomes.discrepancies[0] > 0)
        for costs in whole.found.costs:
            covered = (found.found.costs <= costs + 1e-9).all(axis=1).any()
            assert (
                covered or (reported(problem.objectives, found.outcomes.open_totals)[0] <= costs + 1e-9).all()
            )
    assert stopped


def test_who_gave_up_has_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.run.explain_batch.MOST_ROUNDS", 1)
    found = explained_beside_a_rule()
    assert found.status is p2ce.Status.HEURISTIC
    assert found.certificate.unproven_because == "rounding"
    assert all(one.changes.keys() == {"b"} for one in found)
