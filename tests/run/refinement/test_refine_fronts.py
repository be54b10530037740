"""Are inferred grids refined around the front, soundly, and is the front of the grid nowhere better?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import p2ce
from p2ce import Explainer, Policy, Status, rules
from p2ce.datasets import make_applicants
from tests.populations import loans


def wavy(rows: pd.DataFrame) -> np.ndarray:
    """Score as a function that is smooth, and that nothing is known about."""
    lead = rows["Income"] / 20 - rows["Debt"] / 8 + np.sin(rows["Years"]) / 3 - 2.0
    return np.asarray(1 / (1 + np.exp(-lead)))


def models() -> dict[str, Any]:
    people, label = loans.people(), loans.label()
    network = MLPClassifier((12,), max_iter=60, random_state=0)
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()).fit(people, label),
        "network": make_pipeline(StandardScaler(), network).fit(people, label),
        "function": wavy,
    }


def made(model: Any, **arguments: Any) -> Explainer:
    arguments = {"policy": Policy.infer(loans.people(), protect=None), "target": 1, **arguments}
    return Explainer(model, loans.people(), **arguments)


def totals(explanation: p2ce.Explanation) -> np.ndarray:
    return np.array([list(option.costs.values()) for option in explanation])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ["logistic", "network", "function"])
@pytest.mark.parametrize("plausibility", [p2ce.PlausibilityForest(n_estimators=20, contamination=0.1), None])
def test_refined_options_hold_and_cover_the_front_of_the_grid(name: str, plausibility: Any) -> None:
    model = models()[name]
    refined = made(model, plausibility=plausibility)
    as_searched = made(model, plausibility=plausibility, refine=False)
    people = loans.people()
    people = people[refined.scores(people) < refined.at_least].head(12)
    better = 0
    for row, found, grid in zip(
        people.to_dict("records"),
        refined.explain_many(people),
        as_searched.explain_many(people),
        strict=True,
    ):
        assert found.status is grid.status
        if found.status is not Status.OPTIMAL:
            continue
        assert grid.certificate.refined == 0
        assert found.certificate.refined > 0
        assert found.certificate.cells == grid.certificate.cells
        new, old = totals(found), totals(grid)
        # Every option of the grid is matched or improved, and no option dominates another.
        assert (new[None, :, :] <= old[:, None, :] * (1 + 1e-9)).all(axis=2).any(axis=1).all()
        worse = (new[None] <= new[:, None]).all(axis=2) & (new[None] < new[:, None] * (1 - 1e-9)).any(axis=2)
        assert not worse.any()
        better += bool((new.min(axis=0) < old.min(axis=0) * 0.99).any())
        for option in found:
            judged = refined.evaluate(row, {name: after for name, (_, after) in option.changes.items()})
            assert judged.valid
            assert judged.allowed
            assert judged.plausible in (True, None)
            assert judged.costs == pytest.approx(option.costs)
    assert better


def test_a_person_is_refined_alike_alone_and_among_others() -> None:
    explainer = made(wavy, plausibility=None)
    people = loans.people()
    people = people[explainer.scores(people) < explainer.at_least].head(8)
    many = explainer.explain_many(people)
    assert [explainer.explain(row) for _, row in people.iterrows()] == list(many)
    assert list(explainer.explain_many(people.iloc[::-1])) == list(many)[::-1]


def always(rows: pd.DataFrame) -> np.ndarray:
    return np.ones(len(rows), dtype=bool)


@pytest.mark.parametrize("as_function", [False, True], ids=["parsed", "function"])
def test_a_rule_that_always_holds_changes_nothing(as_function: bool) -> None:
    applicants = make_applicants(400, random_state=1)
    from sklearn.ensemble import GradientBoostingClassifier

    fitted = GradientBoostingClassifier(n_estimators=20, random_state=0)
    fitted.fit(applicants.data, applicants.target)
    model = (lambda rows: fitted.predict_proba(rows)[:, 1]) if as_function else fitted
    policy = Policy.infer(applicants.data, protect=None)
    plain = Explainer(model, applicants.data, policy=policy, target=1)
    ruled = Explainer(
        model,
        applicants.data,
        policy=policy.with_rules(rules.predicate(always, name="always")),
        target=1,
    )
    people = applicants.data
    people = people[plain.scores(people) < plain.at_least].head(12)
    for free, bound in zip(plain.explain_many(people), ruled.explain_many(people), strict=True):
        assert free.certificate.cells == bound.certificate.cells
        assert [option.values for option in free] == [option.values for option in bound]


def test_a_value_beyond_the_bulk_is_found() -> None:
    """The accepted values lie above the 99th percentile."""
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {"a": np.append(rng.normal(0, 1, 995), [6.0, 6.5, 7.0, 8.0, 9.0]), "b": rng.normal(0, 1, 1000)}
    )
    explainer = Explainer(
        lambda rows: 1 / (1 + np.exp(-(np.asarray(rows["a"]) - 5.3))), people, target=1, plausibility=None
    )
    explanation = explainer.explain({"a": 0.0, "b": 0.0})
    assert explanation.status is Status.OPTIMAL
    assert explanation[0].values["a"] == pytest.approx(5.3, rel=0.01)


def test_what_the_user_states_is_not_refined() -> None:
    policy = Policy.infer(loans.people(), protect=None)
    stated = policy.step({one.name: 1 for one in policy.features if one.kind in ("whole", "number")})
    explainer = made(wavy, policy=stated, plausibility=None)
    people = loans.people()
    people = people[explainer.scores(people) < explainer.at_least].head(6)
    for found in explainer.explain_many(people):
        assert found.certificate.grid == "given"
        assert found.certificate.refined == 0
