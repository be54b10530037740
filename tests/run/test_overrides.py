"""A call may override policy, limit and objectives: it gives what an explainer made with them gives."""

import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce import Explanation, Policy
from p2ce.errors import InvalidArgument
from p2ce.explainer import problems_of
from p2ce.objectives import CostTable, Euclidean, MeanDistance, WeightedDistance
from p2ce.rules import inequality, one_hot, predicate, together
from p2ce.run.problems import MOST_OVERRIDES
from tests.populations import loans
from tests.populations.loans import PERSON

FREE = Policy.infer(loans.people(), protect=None)
POLICIES: dict[str, Policy | None] = {
    "own": None,
    "narrow": FREE.fix("Owns").within(Income=(10, 45)).step(Debt=0.5),
    "rules": FREE.with_rules(together("Income", "Debt"), inequality("Debt <= Income")),
    "predicate": FREE.with_rules(predicate(lambda rows: rows["Income"] < 50, name="small")),
}
OBJECTIVES: dict[str, Any] = {
    "own": None,
    "name": "changes",
    "named": ["euclidean", "percentile_shift"],
    "arguments": [MeanDistance(unit="own"), WeightedDistance({"Income": 3.0}, name="effort")],
    "custom": CostTable("effort", {"Income": lambda now, then: abs(then - now)}, default=1.0),
}


def overrides(policy: str, objectives: str, max_changes: int | None = 2) -> dict[str, Any]:
    given = {"policy": POLICIES[policy], "objectives": OBJECTIVES[objectives]}
    return {"max_changes": max_changes, **{name: one for name, one in given.items() if one is not None}}


def no_option() -> Policy:
    return FREE.fix("Owns", "Rate", "Years").within(Income=(10, 20), Debt=(0, 2))


def assert_a_call_is_an_explainer(
    explainer: p2ce.Explainer, made: p2ce.Explainer, rows: pd.DataFrame, given: dict[str, Any], **more: Any
) -> None:
    each = [made.explain(row) for _, row in rows.iterrows()]
    assert [explainer.explain(row, **given) for _, row in rows.iterrows()] == each
    assert list(explainer.explain_many(rows, **given, **more)) == each
    assert list(made.explain_many(rows)) == each


@pytest.mark.parametrize(
    ("policy", "objectives"),
    [
        ("rules", "own"),
        ("own", "name"),
        ("narrow", "named"),
        ("narrow", "arguments"),
        ("predicate", "custom"),
    ],
)
def test_a_call_gives_what_an_explainer_made_with_the_same_gives(policy: str, objectives: str) -> None:
    given = overrides(policy, objectives)
    rows = loans.rejected().head(3)
    assert_a_call_is_an_explainer(loans.explainer(max_changes=3), loans.explainer(**given), rows, given)


@pytest.mark.parametrize("max_changes", [1, None])
def test_a_limit_of_a_call_holds_for_many_as_for_one(max_changes: int | None) -> None:
    given = overrides("rules", "name", max_changes)
    rows = loans.rejected().head(4)
    assert_a_call_is_an_explainer(loans.explainer(max_changes=2), loans.explainer(**given), rows, given)


def card(frame: pd.DataFrame) -> Any:
    points = frame["Income"] / 12 - frame["Debt"] + frame["Owns"] * 1.5 - frame["Rate"] + frame["Years"] / 6
    return 1 / (1 + np.exp(4.0 - points.to_numpy(dtype=float)))


@pytest.mark.parametrize(
    "kind",
    [{"bound": "shap"}, {"method": p2ce.paper.P2CE()}, {"model": card, "target": None}],
    ids=["estimate", "paper", "card"],
)
def test_estimates_attributions_and_black_boxes_are_prepared_for_the_call(kind: dict[str, Any]) -> None:
    given = overrides("narrow", "named")
    rows = loans.rejected().head(3)
    for warm in (True, False):
        explainer = loans.explainer(max_changes=1, **kind)
        if warm:
            explainer.warm_up()
        assert_a_call_is_an_explainer(explainer, loans.explainer(**kind, **given), rows, given)


def test_other_processes_get_the_overrides() -> None:
    given = overrides("predicate", "custom")
    many = pd.concat([loans.rejected()] * 12, ignore_index=True)
    explainer = loans.explainer(max_changes=1)
    assert list(explainer.explain_many(many, n_jobs=2, **given)) == list(
        explainer.explain_many(many, **given)
    )


def test_other_special_values_are_no_numbers_in_costs_and_candidates() -> None:
    people = loans.people()
    people.loc[people.index[:20], "Income"] = 999
    plain = Policy.infer(people, protect=None, special_values=None).fix("Debt", "Rate")
    given = {
        "policy": Policy.infer(people, protect=None, special_values={"Income": [999]}).fix("Debt", "Rate")
    }
    rows = people[loans.forest().predict(people) == 0].head(12)
    explainer = loans.explainer(reference=people, policy=plain)
    own = list(explainer.explain_many(rows))
    assert_a_call_is_an_explainer(explainer, loans.explainer(reference=people, **given), rows, given)
    assert list(explainer.explain_many(rows)) == own


def test_one_hot_groups_of_a_call() -> None:
    homes = pd.DataFrame(np.eye(3, dtype=int)[np.arange(90) % 3], columns=["own", "rent", "free"])
    frame = homes.assign(income=np.arange(90) % 30)
    policy = Policy.infer(frame, protect=None).with_rules(one_hot("home", ["own", "rent", "free"]))
    given = {"policy": policy, "objectives": "changes", "max_changes": 1}

    def model(rows: pd.DataFrame) -> Any:
        return (rows["own"] + rows["income"] / 30 > 1.2).to_numpy(dtype=float)

    def made(**changed: Any) -> p2ce.Explainer:
        return p2ce.Explainer(model, frame, plausibility=None, **changed)

    free = Policy.infer(frame, protect=None).without_rules(*Policy.infer(frame, protect=None).rules)
    assert_a_call_is_an_explainer(made(policy=free), made(**given), frame.head(5), given)


TAKEN: dict[str, Callable[[p2ce.Explainer, Explanation], Any]] = {
    "relaxations": lambda explainer, found: explainer.relaxations(found),
    "feature_map": lambda explainer, found: explainer.feature_map(
        found, "Income", "Debt", size=4
    ).allowed.tolist(),
    "evaluate": lambda explainer, found: explainer.evaluate(PERSON, {"Income": 20}, explanation=found),
}


@pytest.mark.parametrize("call", TAKEN)
@pytest.mark.parametrize("objectives", ["own", "named", "arguments"])
def test_an_explanation_remembers_what_its_call_overrode(call: str, objectives: str) -> None:
    given = {**overrides("own", objectives), "policy": no_option()}
    made, explainer = loans.explainer(**given), loans.explainer(max_changes=1)
    expected = TAKEN[call](made, made.explain(PERSON))
    found = explainer.explain(PERSON, **given)
    read = Explanation.from_json(found.to_json())
    unpickled = pickle.loads(pickle.dumps(explainer))
    stranger = loans.explainer(max_changes=1)  # which was never given them
    for taker, taken in (
        (explainer, found),
        (explainer, read),
        (unpickled, read),
        (stranger, read),
        (stranger, found),
    ):
        assert TAKEN[call](taker, taken) == expected


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_many_explanations_are_relaxed_each_under_its_own_policy(n_jobs: int) -> None:
    explainer = loans.explainer(max_changes=1)
    policies = [no_option(), FREE.fix("Income", "Debt", "Owns"), no_option().fix("Debt")]
    each = [explainer.explain(PERSON, policy=policy) for policy in policies]
    expected = {
        i: loans.explainer(max_changes=1, policy=one).relaxations(found)
        for i, (one, found) in enumerate(zip(policies, each, strict=True))
    }
    assert len({str(why) for why in expected.values()}) == 3
    assert explainer.relaxations(p2ce.Explanations(each), n_jobs=n_jobs) == expected


def test_python_functions_are_remembered_but_never_read_from_a_record() -> None:
    functions = (lambda rows: rows["Income"] < 0, lambda rows: rows["Debt"] < -9)
    policies = [FREE.with_rules(predicate(one, name="rule")) for one in functions]
    explainer = loans.explainer(max_changes=2)
    found = [explainer.explain(PERSON, policy=policy) for policy in policies]
    assert {one.status for one in found} == {"NO_RECOURSE"}
    for one, policy in zip(found, policies, strict=True):
        assert explainer.relaxations(one) == loans.explainer(policy=policy, max_changes=2).relaxations(one)
    # The same words stand for both functions.
    with pytest.raises(InvalidArgument, match="differ only in Python functions"):
        explainer.relaxations(Explanation.from_json(found[0].to_json()))
    stranger = loans.explainer(max_changes=2)
    with pytest.raises(InvalidArgument, match=r"holds a Python function.*explain\(row, policy=…\)"):
        stranger.relaxations(found[0])
    stranger.explain(PERSON, policy=policies[0])
    assert stranger.relaxations(found[0]) == explainer.relaxations(found[0])


def test_a_forgotten_function_is_not_mistaken_for_one_of_the_same_name() -> None:
    functions = (lambda rows: rows["Income"] < 50, lambda rows: rows["Debt"] >= -9)
    own, other = (FREE.with_rules(predicate(one, name="rule")) for one in functions)
    explainer = loans.explainer(policy=own, max_changes=1)
    found = explainer.explain(PERSON, policy=other)
    with_function = CostTable("effort", {"Income": lambda now, then: abs(then - now)}, default=1.0)
    priced = explainer.explain(PERSON, policy=no_option(), objectives=with_function)
    judged = explainer.evaluate(PERSON, {"Debt": 0.0}, explanation=found)
    for top in range(31, 31 + MOST_OVERRIDES):
        problems_of(explainer).of_call(FREE.within(Income=(10, top)))
    for one in (found, priced, Explanation.from_json(found.to_json())):
        for same in (explainer, pickle.loads(pickle.dumps(explainer))):
            with pytest.raises(InvalidArgument, match=r"functions|custom"):
                same.evaluate(PERSON, {"Debt": 0.0}, explanation=one)
    again = explainer.explain(PERSON, policy=other)
    assert explainer.evaluate(PERSON, {"Debt": 0.0}, explanation=again) == judged


def test_tables_of_equal_content_are_one_objective() -> None:
    explainer = loans.explainer(max_changes=1)
    first, second = (
        explainer.explain(PERSON, objectives=CostTable("effort", {"Income": {30: 1.0}}, default=2.0))
        for _ in range(2)
    )
    assert first.problem is second.problem
    assert len(problems_of(explainer).known.overrides) == 1


def test_an_explanation_that_does_not_state_its_problem_is_not_taken() -> None:
    explainer = loans.explainer()
    bare = Explanation.from_dict(explainer.explain(PERSON, policy=no_option()).to_dict(problem=False))
    with pytest.raises(InvalidArgument, match="does not state its problem"):
        explainer.evaluate(PERSON, {"Income": 20}, explanation=bare)


def test_a_module_that_a_record_names_is_not_imported() -> None:
    policy = no_option().with_rules(predicate("tests.compile.archive.predicates:modest"))
    found = loans.explainer(policy=no_option(), max_changes=2).explain(PERSON)
    data = found.to_dict()
    data["problem"]["policy"] = loans.explainer(policy=policy).problem.policy
    data["problem"]["hashes"]["policy"] = "0" * 64
    with pytest.raises(
        InvalidArgument, match=r"the predicate 'tests\.compile\.archive\.predicates:modest', a Python"
    ):
        loans.explainer(max_changes=2).relaxations(Explanation.from_dict(data))


def test_custom_objectives_are_remembered_but_never_read_from_a_record() -> None:
    explainer = loans.explainer(max_changes=2)
    found = explainer.explain(PERSON, objectives=OBJECTIVES["custom"])
    assert found.problem is not None
    assert "CostTable" in str(found.problem.settings["objectives"])
    expected = loans.explainer(max_changes=2, objectives=OBJECTIVES["custom"]).explain(PERSON)
    assert found == expected
    judged = explainer.evaluate(PERSON, found[0].values, explanation=found)
    assert judged.costs == found[0].costs
    assert (
        explainer.evaluate(PERSON, found[0].values, explanation=Explanation.from_dict(found.to_dict()))
        == judged
    )
    with pytest.raises(InvalidArgument, match=r"custom objectives: 'effort'.*explain\(row, objectives=…\)"):
        loans.explainer(max_changes=2).evaluate(PERSON, found[0].values, explanation=found)


@pytest.mark.parametrize(
    "text", ["", "3", "[3]", '[{"type": "Explainer"}]', '[{"type": "CostTable"}]', "[" * 9999]
)
def test_objectives_that_are_forged_are_rejected_in_one_line(text: str) -> None:
    data = loans.explainer().explain(PERSON, objectives="changes").to_dict()
    data["problem"]["settings"]["objectives"] = text
    with pytest.raises(InvalidArgument, match="The objectives of the explanation cannot be read") as caught:
        loans.explainer().evaluate(PERSON, {"Income": 20}, explanation=Explanation.from_dict(data))
    assert "\n" not in str(caught.value)


def test_the_explainers_own_policy_and_objectives_cost_nothing() -> None:
    given = overrides("rules", "named")
    explainer = loans.explainer(**given)
    found = explainer.explain(PERSON, policy=given["policy"], objectives=list(given["objectives"]))
    assert found.problem is explainer.problem
    for call in TAKEN:
        if call != "relaxations":
            TAKEN[call](explainer, Explanation.from_dict(found.to_dict()))
    assert len(problems_of(explainer).known.overrides) == 0


def test_the_memory_is_bounded_and_equal_policies_are_one() -> None:
    explainer = loans.explainer(max_changes=1)
    first = explainer.explain(PERSON, policy=FREE.within(Income=(10, 30)))
    for _ in range(3):
        explainer.explain(PERSON, policy=FREE.within(Income=(10, 30)))
    assert len(problems_of(explainer).known.overrides) == 1
    with ThreadPoolExecutor(4) as threads:
        tops = range(31, 31 + MOST_OVERRIDES + 5)
        later = list(
            threads.map(lambda top: explainer.explain(PERSON, policy=FREE.within(Income=(10, top))), tops)
        )
    assert len(problems_of(explainer).known.overrides) == MOST_OVERRIDES
    for one in (first, *later):  # of those forgotten, the record tells
        assert explainer.evaluate(PERSON, {"Debt": 0.0}, explanation=one).allowed
    assert len(problems_of(explainer).known.overrides) == MOST_OVERRIDES


def test_a_call_without_overrides_states_no_objectives() -> None:
    found = loans.explainer().explain(PERSON)
    assert found.problem is not None
    assert "objectives" not in found.problem.settings
    other = loans.explainer().explain(PERSON, objectives=["changes", Euclidean()])
    assert other.problem is not None
    stated = json.loads(str(other.problem.settings["objectives"]))
    assert [one["type"] for one in stated] == ["Changes", "Euclidean"]


@pytest.mark.parametrize(
    "given", [{"max_changes": 0}, {"policy": "policy"}, {"objectives": []}, {"objectives": 3}]
)
def test_wrong_overrides_are_rejected_alike(given: dict[str, Any]) -> None:
    explainer = loans.explainer()
    with pytest.raises(p2ce.P2CEError) as one:
        explainer.explain(PERSON, **given)
    with pytest.raises(p2ce.P2CEError) as many:
        explainer.explain_many(loans.rejected(), **given)
    assert (type(one.value), str(one.value)) == (type(many.value), str(many.value))


def test_arrays_are_rows_in_the_models_order() -> None:
    explainer = loans.explainer(max_changes=1)
    rows = loans.rejected().head(3)
    array = rows.to_numpy(dtype=float)
    many = explainer.explain_many(array)
    assert list(many) == list(explainer.explain_many(array.tolist()))
    assert [one.counterfactuals for one in many] == [
        one.counterfactuals for one in explainer.explain_many(rows)
    ]
    for place, one in enumerate(many):
        assert explainer.explain(array[place : place + 1]) == explainer.explain(array[place]) == one
    with pytest.raises(p2ce.P2CEError, match=r"Use explain_many\(\)"):
        explainer.explain(array)
    with pytest.raises(p2ce.P2CEError, match=r"Use explain\(\)"):
        explainer.explain_many(array[0])
