"""Call the Explainer as a user would, and check what it returns in every form."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import p2ce
from p2ce import Policy, Status
from p2ce.explainer import problems_of
from tests.populations import loans


def counted(explainer: p2ce.Explainer) -> list[str]:
    """Record every later call of the user's own model and detector."""
    calls: list[str] = []
    problem = problems_of(explainer).own
    model, detector = problem.model, problem.detector

    def listening(who: str, ask: Any) -> Any:
        def call(frame: pd.DataFrame) -> np.ndarray:
            calls.append(who)
            return ask(frame)

        return call

    model = replace(model, evaluate=listening("model", model.evaluate))
    if detector is not None and not detector.is_its_score:
        detector = replace(detector, evaluate=listening("detector", detector.evaluate))
    problems_of(explainer).replace_own(replace(problem, model=model, detector=detector))
    return calls


def test_a_model_and_a_frame_are_enough() -> None:
    found = p2ce.Explainer(loans.forest(), loans.people(), target=1).explain(loans.rejected().iloc[0])
    assert found.status is Status.OPTIMAL
    assert found.objectives == ("mean_distance", "max_distance", "changes")
    assert found.certificate.max_changes == 3
    assert found.certificate.detector_family == "isolation forest"
    assert found.at_least == np.nextafter(0.5, 1.0)  # a forest counts votes, and gives ties to class 0


def test_a_person_may_come_in_any_form() -> None:
    explainer = loans.explainer()
    frame = loans.rejected().iloc[[0]]
    row = frame.iloc[0]
    expected = explainer.explain(frame)
    assert len(expected) > 0
    values = [frame[name].iloc[0].item() for name in frame.columns]
    forms = {
        "series": row,
        "dict": row.to_dict(),
        "reversed dict": dict(reversed(list(row.to_dict().items()))),
        "reversed series": row[::-1],
        "reversed frame": frame[frame.columns[::-1]],
        "list": values,
        "tuple": tuple(values),
        "array": np.array(values, dtype=np.float64),
        "objects": np.array(values, dtype=object),
        "numbers only": {name: float(value) for name, value in row.to_dict().items()},
    }
    for name, form in forms.items():
        found = explainer.explain(form)
        assert found == expected, name
        assert found.to_frame().equals(expected.to_frame()), name


def test_columns_come_back_in_their_own_types() -> None:
    found = loans.explainer(max_changes=None).explain(loans.rejected().iloc[3])
    frame = found.to_frame()
    assert len(frame) == len(found) > 0
    people = loans.people()
    assert frame.dtypes[list(people.columns)].to_dict() == people.dtypes.to_dict()
    assert list(frame.columns) == ["option", *people.columns, *found.objectives, "score", "plausibility"]
    # What comes back can be handed to the model as it is.
    scores = loans.forest().predict_proba(frame[list(people.columns)])[:, 1]
    assert scores.tolist() == [option.score for option in found]
    for option in found:
        assert isinstance(option.values["Owns"], bool)
        assert isinstance(option.values["Income"], int)
        assert isinstance(option.values["Years"], int)
        assert isinstance(option.values["Rate"], float)


def test_names_that_clash_with_ours_stay_the_models() -> None:
    people = loans.people().rename(columns={"Income": "score", "Debt": "changes"})
    model = RandomForestClassifier(8, max_depth=4, random_state=0).fit(people, loans.label())
    person = people[model.predict(people) == 0].iloc[0]
    frame = p2ce.Explainer(model, people, target=1, plausibility=None).explain(person).to_frame()
    assert {"score", "score_", "changes", "changes_"} <= set(frame.columns)
    assert frame["score"].dtype == people["score"].dtype
    assert (frame["score_"] >= 0.5).all()


def test_columns_may_be_numbers() -> None:
    people = loans.people()
    people.columns = range(people.shape[1])
    model = RandomForestClassifier(8, max_depth=4, random_state=0).fit(people.to_numpy(float), loans.label())
    person = people[model.predict(people.to_numpy(float)) == 0].iloc[[0]]
    explainer = p2ce.Explainer(model, people, target=1, plausibility=None)
    found = explainer.explain(person)
    assert found.status is Status.OPTIMAL
    assert found == explainer.explain(person.iloc[0].to_list())


def test_nothing_of_the_callers_is_modified() -> None:
    people, model, forest = loans.people(), copy.deepcopy(loans.forest()), copy.deepcopy(loans.detector())
    policy = Policy.infer(people, protect=None).fix("Years").within(Income=(20, 50))
    row = loans.rejected().iloc[0]
    rows = loans.rejected().iloc[:5]
    everything = [people, model, forest, policy, row, rows]
    before = [pickle.dumps(one) for one in everything]
    explainer = p2ce.Explainer(model, people, target=1, policy=policy, plausibility=forest, ties=True)
    found = explainer.explain(row)
    explainer.explain_many(rows)
    explainer.evaluate(row, found[0].values)
    assert [pickle.dumps(one) for one in everything] == before
    assert loans.people().equals(people)


def test_what_is_handed_back_is_the_callers_own() -> None:
    explainer = loans.explainer()
    row = loans.rejected().iloc[0]
    first = explainer.explain(row)
    first.to_dict()["counterfactuals"].clear()
    frame = first.to_frame()
    frame["Income"] = -1
    assert explainer.explain(row) == first


@pytest.mark.parametrize(
    "own", [False, True], ids=["our forest, which needs no call", "a forest of the user's"]
)
def test_one_call_to_the_model_and_one_to_the_detector(own: bool) -> None:
    explainer = loans.explainer(**{"plausibility": loans.detector()} if own else {})
    expected = ["model", "detector"] if own else ["model"]
    calls = counted(explainer)
    assert explainer.explain(loans.rejected().iloc[0]).status is Status.OPTIMAL
    assert calls == expected
    many = explainer.explain_many(loans.people().iloc[:100])
    assert len(list(many)) == 100
    # And one for people whom the parsed forest does not prove to be plausible today.
    assert calls == [*expected, *expected, *(["detector"] if own else [])]


def test_someone_accepted_already_is_reported_so() -> None:
    people = loans.people()
    accepted = people[loans.forest().predict(people) == 1].iloc[0]
    found = loans.explainer().explain(accepted)
    assert found.status is Status.ACCEPTED
    assert len(found) == 0
    assert found.person_score >= 0.5
    assert found.certificate is None
    assert found.to_frame().empty


def test_nobody_may_change_anything() -> None:
    frozen = Policy.infer(loans.people(), protect=None).fix(*loans.people().columns)
    explainer = loans.explainer(policy=frozen)
    found = explainer.explain(loans.rejected().iloc[0])
    assert found.status is Status.NO_RECOURSE
    assert found.certificate.proven
    assert found.certificate.cells == 0
    assert {one.status for one in explainer.explain_many(loans.rejected()[:5])} == {Status.NO_RECOURSE}


def test_overrides_for_one_person_equal_an_explainer_of_their_own() -> None:
    explainer = loans.explainer()
    row = loans.rejected().iloc[0]
    usual = explainer.explain(row)
    tight = explainer.policy.fix("Income").decrease_only("Debt")
    assert explainer.explain(row, policy=tight) == loans.explainer(policy=tight).explain(row)
    assert explainer.explain(row, max_changes=1) == loans.explainer(max_changes=1).explain(row)
    assert explainer.explain(row, max_changes=None) == loans.explainer(max_changes=None).explain(row)
    both = explainer.explain(row, policy=tight, max_changes=2)
    assert all("Income" not in option.changes and len(option.changes) <= 2 for option in both)
    assert explainer.explain(row) == usual


def test_a_value_outside_the_range_is_a_legal_starting_point() -> None:
    policy = Policy.infer(loans.people(), protect=None).within(Income=(30, 50))
    row = {**loans.rejected().iloc[0].to_dict(), "Income": 12}
    found = loans.explainer(policy=policy, plausibility=None).explain(row)
    assert found.status is Status.OPTIMAL
    for option in found:
        income = option.values["Income"]
        assert income == 12 or 30 <= income <= 50


def test_a_users_own_forest_is_used_as_it_is() -> None:
    row = loans.rejected().iloc[0]
    found = loans.explainer(plausibility=loans.detector()).explain(row)
    rows = found.to_frame()[list(loans.people().columns)]
    decided = loans.detector().decision_function(rows)
    assert (decided >= 0.0).all()
    assert decided.tolist() == [option.plausibility for option in found]
    assert found.certificate.detector_family == "scikit-learn isolation forest"


def test_threads_share_an_explainer() -> None:
    explainer = loans.explainer()
    people = loans.rejected().iloc[:24]
    expected = [explainer.explain(people.iloc[i]).to_dict() for i in range(len(people))]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: explainer.explain(people.iloc[i]).to_dict(), range(len(people))))
    assert found == expected


def test_the_certificate_counts_the_grid() -> None:
    people = loans.people()
    policy = Policy.infer(people, protect=None).candidates(
        Income=[10, 30, 50], Debt=[0.0, 1.0], Rate=[0.5], Years=[1, 2]
    )
    row = {"Income": 30, "Debt": -1.0, "Owns": False, "Rate": 0.25, "Years": 5}
    row |= {"Income": 10, "Debt": 3.0}
    found = loans.explainer(policy=policy, plausibility=None, max_changes=2).explain(row)
    other = {"Income": 2, "Debt": 2, "Owns": 1, "Rate": 1, "Years": 2}  # alternatives besides today's value
    ways = list(other.values())
    pairs = sum(ways[i] * ways[j] for i in range(5) for j in range(i))
    assert found.certificate.cells == sum(ways) + pairs
    assert found.certificate.axes == 5
    assert found.certificate.verified == len(found)


@pytest.mark.parametrize(
    "objectives", ["changes", p2ce.objectives.Changes(), ["changes"], (p2ce.objectives.Changes(),)]
)
def test_one_objective_may_come_alone(objectives: Any) -> None:
    found = loans.explainer(objectives=objectives).explain(loans.rejected().iloc[0])
    assert found.objectives == ("changes",)
    assert len(found) == 1


def test_an_axis_may_have_as_many_candidates_as_are_allowed() -> None:
    from sklearn.tree import DecisionTreeClassifier

    from p2ce.policy.features.feature import MOST_CANDIDATES

    rng = np.random.default_rng(0)
    people = pd.DataFrame({"Loan": rng.integers(0, MOST_CANDIDATES, 500), "Term": rng.integers(1, 5, 500)})
    model = DecisionTreeClassifier(max_depth=2).fit(people, people["Loan"] > MOST_CANDIDATES - 900)
    policy = Policy.infer(people, protect=None).within(Loan=(1, MOST_CANDIDATES)).step(Loan=1)
    explainer = p2ce.Explainer(model, people, policy=policy, target=True, plausibility=None)
    found = explainer.explain({"Loan": 0, "Term": 2})
    assert found.status is Status.OPTIMAL
    assert [option.values for option in found] == [
        {"Loan": int(np.floor(model.tree_.threshold[0])) + 1, "Term": 2}
    ]


def test_an_explainer_can_be_pickled() -> None:
    explainer = loans.explainer()
    again = pickle.loads(pickle.dumps(explainer))
    person = loans.people().iloc[0]
    assert again.explain(person).to_dict() == explainer.explain(person).to_dict()


def test_a_check_takes_the_explanation_of_the_same_person_only() -> None:
    explainer = loans.explainer()
    people = loans.people()
    other = explainer.explain(people.iloc[1])
    with pytest.raises(p2ce.P2CEError, match="another person"):
        explainer.evaluate(people.iloc[0], {}, explanation=other)
