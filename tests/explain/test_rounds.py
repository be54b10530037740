"""Check the rounds of solving and verifying where only a rule itself sees that it is broken."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import ActionSet, rules


def explained_beside_a_rule() -> p2ce.Explanation:
    """Accept a > 0.25 or b > 0.75, where a rule allows a up to 0.2: billions leave no ticks for tenths."""
    people = pd.DataFrame(
        list(product([0.0, 0.5, 1.0], [0.0, 0.5, 1.0], [1e9, 2e9])), columns=["a", "b", "c"]
    )
    label = np.where((people.a > 0.4) | (people.b > 0.9), 1, 0)
    model = DecisionTreeClassifier(random_state=0).fit(people, label)
    actions = ActionSet.infer(people).fix("c").rule(rules.inequality("a + c <= 1000000000.2"))
    explainer = p2ce.Explainer(model, people, target=1, actions=actions, plausibility=None)
    return explainer.explain({"a": 0.0, "b": 0.0, "c": 1e9})


def test_what_only_the_rule_itself_rejects_is_not_shown() -> None:
    found = explained_beside_a_rule()
    assert found.status is p2ce.Status.OPTIMAL
    assert [one.changes.keys() for one in found] == [{"b"}]
    assert found.certificate.discrepancies  # "a" was proposed: it is cheaper


def test_who_gave_up_has_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("p2ce.explain.rounds.MOST_ROUNDS", 1)
    found = explained_beside_a_rule()
    assert found.status is p2ce.Status.HEURISTIC
    assert found.certificate.unproven_because == "rounding"
    assert all(one.changes.keys() == {"b"} for one in found)
