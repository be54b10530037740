"""How plausible people are today counts in every place that judges a row, and is kept with an explainer."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest as SklearnForest

import p2ce
from p2ce.base.calls.model_call import is_close
from tests.populations import loans

FOREST = p2ce.PlausibilityForest(contamination=0.4, n_estimators=20)


def outliers(**given: Any) -> tuple[p2ce.Explainer, list[p2ce.Explanation]]:
    """Explain people of whom an option is only as plausible as they are."""
    explainer = loans.explainer(**{"plausibility": FOREST, **given})
    found = [
        one
        for one in explainer.explain_many(loans.rejected())
        if any(option.admitted_by == "as plausible as today" for option in one)
    ]
    assert found
    return explainer, found


DETECTORS: dict[str, Any] = {
    "ours": FOREST,
    "theirs": SklearnForest(contamination=0.4, n_estimators=20, random_state=0).fit(loans.people()),
    "a function": lambda rows: np.asarray(30.0 - rows["Income"] + rows["Years"], dtype=np.float64),
}


@pytest.mark.parametrize("kind", DETECTORS)
def test_options_pass_the_check_of_proposals_and_those_that_are_less_plausible_do_not(kind: str) -> None:
    explainer, found = outliers(plausibility=DETECTORS[kind])
    strict = loans.explainer(plausibility=DETECTORS[kind], plausibility_of_today="ignore")
    for one in found[:5]:
        assert one.certificate is not None
        for option in one:
            judged = explainer.evaluate(one.person, option.values)
            assert judged.ok
            assert judged.admitted_by == option.admitted_by
            assert judged.plausibility_today == one.certificate.plausibility_today
            again = strict.evaluate(one.person, option.values)
            assert again.plausible is (option.admitted_by == "plausible")
            assert again.plausibility_today is None
            told = str(judged)
            assert ("no less so than today" in told) == (option.admitted_by != "plausible")


def test_a_map_shows_as_plausible_what_is_no_less_so_than_today() -> None:
    explainer, found = outliers()
    drawn = explainer.feature_map(found[0], "Income", "Debt", size=8)
    here = [list(drawn.values[0]).index(found[0].person["Income"])]
    up = [list(drawn.values[1]).index(found[0].person["Debt"])]
    assert drawn.plausible is not None
    assert drawn.plausible[up, here].all()
    strict = loans.explainer(plausibility=FOREST, plausibility_of_today="ignore")
    judged = strict.feature_map(strict.explain(found[0].person), "Income", "Debt", size=8).plausible
    assert judged is not None
    assert not judged.all()


def test_an_explanation_of_the_other_rule_belongs_to_another_problem() -> None:
    _, found = outliers()
    strict = loans.explainer(plausibility=FOREST, plausibility_of_today="ignore")
    with pytest.raises(p2ce.errors.InvalidArgument, match="plausibility_of_today was counts, and is ignore"):
        strict.feature_map(found[0], "Income", "Debt")


@pytest.mark.parametrize("rule", ["counts", "ignore"])
def test_a_saved_explainer_keeps_the_rule(rule: Any, tmp_path: Path) -> None:
    explainer = loans.explainer(plausibility=FOREST, plausibility_of_today=rule)
    explainer.save(tmp_path / "loans.p2ce")
    again = p2ce.Explainer.load(tmp_path / "loans.p2ce", loans.forest())
    people = loans.rejected().iloc[:20]
    assert again.explain_many(people) == explainer.explain_many(people)
    assert again.problem.settings["plausibility_of_today"] == rule


def test_rounded_values_are_admitted_by_the_same_rule() -> None:
    policy = p2ce.Policy.infer(loans.people()).display(Debt={"decimals": 0})
    _, found = outliers(policy=policy)
    assert all(option.displayed_score >= one.at_least for one in found for option in one)


def test_nothing_is_close_to_an_infinite_value() -> None:
    values, least = np.array([-np.inf, -1.0, 0.0]), np.array([-np.inf, -np.inf, 0.0])
    assert is_close(values, least, 1e-6).tolist() == [False, False, True]


def test_a_person_of_density_zero_may_stay_there() -> None:
    def density(rows: pd.DataFrame) -> np.ndarray:
        return np.where(rows["Years"] > 0, -np.inf, 1.0)

    frame = loans.people()
    few = {"Income": [12, 20, 28, 36, 44, 52], "Debt": [-3.0, -1.5, 0.0, 1.5, 3.0], "Rate": [0.0, 0.5, 1.0]}
    policy = p2ce.Policy.infer(frame).candidates(few).fix("Years")
    explainer = loans.explainer(plausibility=density, policy=policy)
    free = loans.explainer(plausibility=None, policy=policy)
    person = loans.rejected()[loans.rejected()["Years"] > 0].iloc[0]
    found = explainer.explain(person)
    assert [option.changes for option in found] == [option.changes for option in free.explain(person)]
    assert found.certificate is not None
    assert found.certificate.plausibility_today == -np.inf
    assert p2ce.Explanation.from_dict(found.to_dict()) == found
    for audience in ("applicant", "officer", "auditor"):
        assert p2ce.to_text(found, audience=audience)
