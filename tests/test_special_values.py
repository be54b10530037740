"""Are codes such as -9 kept apart from numbers, from the search to the costs?"""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce.result import Restriction

MONTHS = np.array([-9, -8, *range(38)] * 5)
PEOPLE = pd.DataFrame({"Months": MONTHS, "Income": np.random.default_rng(0).permutation(len(MONTHS)) + 100})
MODEL = DecisionTreeClassifier(random_state=0).fit(PEOPLE, PEOPLE["Months"].between(20, 40))
PERSON = {"Months": -9, "Income": 150}


def explain(policy: p2ce.Policy, person: dict[str, int], **given: object) -> p2ce.Explanation:
    explainer = p2ce.Explainer(MODEL, PEOPLE, policy=policy, target=1, plausibility=None, **given)  # type: ignore[arg-type]
    found = explainer.explain(person)
    for option in found:
        judged = explainer.evaluate(person, option.values, explanation=found)
        assert judged.allowed
        assert judged.on_grid
        assert judged.costs == option.costs
        assert not judged.better
    assert explainer.explain_many(pd.DataFrame([person]))[0] == found
    return found


def test_a_code_is_a_number_only_where_that_is_said() -> None:
    numbers = p2ce.Policy.infer(PEOPLE, protect=None, special_values=None)
    assert explain(numbers, PERSON).status is p2ce.Status.OPTIMAL
    assert explain(p2ce.Policy.infer(PEOPLE, protect=None), PERSON).status is p2ce.Status.NO_RECOURSE


def test_whoever_has_a_code_keeps_it_and_relaxations_say_so() -> None:
    policy = p2ce.Policy.infer(PEOPLE, special_values={"Months": [-9, -8]}, protect=None)
    found = explain(policy, PERSON)
    assert found.status is p2ce.Status.NO_RECOURSE
    explainer = p2ce.Explainer(MODEL, PEOPLE, policy=policy, target=1, plausibility=None)
    why = explainer.relaxations(explainer.explain(PERSON))
    stays = Restriction(kind="special", feature="Months", value=-9)
    assert [relaxation.restrictions for relaxation in why] == [(stays,)]


def test_leaving_a_code_costs_what_a_change_of_category_does() -> None:
    policy = p2ce.Policy.infer(PEOPLE, special_values={"Months": [-9, -8]}, protect=None).leave_special(
        "Months"
    )
    for objectives in (
        ("mean_distance", "max_distance", "changes"),
        ("euclidean", "percentile_shift"),
    ):
        found = explain(policy, PERSON, objectives=objectives)
        assert len(found)
        for option in found:
            assert 20 <= option.values["Months"] <= 40
            wanted = {
                "mean_distance": 0.5,
                "max_distance": 1,
                "changes": 1,
                "euclidean": 1,
                "percentile_shift": 1,
            }
            assert option.costs == {name: wanted[name] for name in objectives}


def test_codes_change_no_unit() -> None:
    numbers = PEOPLE[PEOPLE["Months"] >= 0]
    with_codes = p2ce.Policy.infer(PEOPLE, special_values={"Months": [-9, -8]}, protect=None)
    ours = explain(with_codes, {"Months": 5, "Income": 150}, objectives="max_distance")
    other = p2ce.Explainer(MODEL, numbers, target=1, plausibility=None, objectives="max_distance")
    assert np.isclose(
        ours[0].costs["max_distance"], other.explain({"Months": 5, "Income": 150})[0].costs["max_distance"]
    )


def test_nobody_is_moved_into_a_code() -> None:
    accepts_codes = DecisionTreeClassifier(random_state=0).fit(PEOPLE, PEOPLE["Months"] < 0)
    policy = p2ce.Policy.infer(PEOPLE, special_values={"Months": [-9, -8]}, protect=None)
    explainer = p2ce.Explainer(accepts_codes, PEOPLE, policy=policy, target=1, plausibility=None)
    assert explainer.explain({"Months": 5, "Income": 150}).status is p2ce.Status.NO_RECOURSE
    assert not explainer.evaluate({"Months": 5, "Income": 150}, {"Months": -9}).allowed
