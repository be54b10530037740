"""An explainer describes how its model is supported, and scores every row."""

import numpy as np
import pandas as pd
import pytest

from p2ce import Policy, rules
from tests.populations import loans


def test_a_model_that_is_supported_natively_is_described() -> None:
    policy = (
        Policy.infer(loans.people(), protect=None)
        .fix("Years")
        .with_rules(rules.change_at_most_one("Income", "Debt"))
    )
    facts = loans.explainer(policy=policy, max_changes=2).describe()
    assert (facts.family, facts.bound) == ("scikit-learn random forest", "tree leaves")
    assert not facts.is_black_box
    assert facts.black_box_because == ""
    more_than_half = np.nextafter(0.5, 1.0)
    assert (facts.scale, facts.at_least) == ("probability", more_than_half)
    assert (facts.classes, facts.target) == ((0, 1), 1)
    assert facts.columns == tuple(loans.people().columns)
    assert facts.detector == "isolation forest"
    assert "Years" not in facts.alternatives
    assert len(facts.rules) == 1
    lines = dict(line.split("  ", 1) for line in str(facts).splitlines())
    assert lines["parsed as"].strip() == "scikit-learn random forest"
    assert lines["target"].strip() == "probability of 1 more than 0.5"
    assert "Income" in lines["rule"]
    assert "{" not in str(facts)


def test_a_black_box_says_why() -> None:
    class Odd:
        def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
            chance = (rows["Income"].to_numpy(float) > 30).astype(float)
            return np.column_stack([1 - chance, chance])

        classes_ = np.array([0, 1])

    facts = loans.explainer(model=Odd()).describe()
    assert facts.is_black_box
    assert "is not supported natively" in facts.black_box_because


def test_scores_are_those_that_explanations_report() -> None:
    explainer = loans.explainer()
    people = loans.people().iloc[:20].astype({"Debt": object})
    people.iloc[3, people.columns.get_loc("Debt")] = "much"
    scores = explainer.scores(people)
    for place, entry in enumerate(explainer.explain_many(people)):
        assert (np.isnan(scores[place])) == (place == 3)
        if place != 3:
            assert scores[place] == pytest.approx(entry.person_score)
