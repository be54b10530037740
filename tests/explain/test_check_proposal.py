"""Check how proposals of somebody else are judged."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import ActionSet
from p2ce.grid.candidate_costs import Join
from p2ce.objectives.objective import FittedObjective, Reference
from tests.populations import loans
from tests.properties.amount import examples

PERSON = {"Income": 15, "Debt": 1.0, "Owns": False, "Rate": 0.5, "Years": 2}


def actions() -> ActionSet:
    return ActionSet.infer(loans.people()).fix("Years").increase_only("Income").within(Debt=(-3.0, 2.0))


def test_options_of_the_front_are_judged_good_and_beaten_by_nobody() -> None:
    explainer = loans.explainer(actions=actions(), plausibility=loans.detector())
    found = explainer.explain(PERSON)
    assert len(found) > 0
    for option in found:
        for proposal in (option.values, {name: now for name, (_, now) in option.changes.items()}):
            told = explainer.check(PERSON, proposal, explanation=found)
            assert told.ok
            assert told.valid
            assert told.plausible
            assert told.allowed
            assert told.on_grid
            assert told.broken == ()
            assert told.better == ()
            assert told.changes == option.changes
            assert told.costs == pytest.approx(option.costs, rel=1e-9)
            assert (told.score, told.plausibility) == (option.score, option.plausibility)
            assert str(told).startswith("accepted by the model")


def test_staying_is_refused_and_costs_nothing() -> None:
    explainer = loans.explainer(actions=actions())
    told = explainer.check(PERSON, {})
    assert not told.valid
    assert not told.ok
    assert told.allowed
    assert told.changes == {}
    assert set(told.costs.values()) == {0.0}
    assert told.better is None


@pytest.mark.parametrize(
    ("proposal", "words"),
    [
        ({"Years": 3}, "'Years' is fixed, but goes 2 → 3."),
        ({"Income": 14}, "'Income' may only increase, but goes 15 → 14."),
        ({"Debt": -3.5}, "'Debt' goes 1 → -3.5, outside of what within() and values() allow."),
        (
            {"Income": 20, "Debt": 0.0, "Owns": True, "Rate": 0.25},
            "4 features change, at most 3 may.",
        ),
    ],
)
def test_what_is_broken_is_said_in_words(proposal: dict[str, object], words: str) -> None:
    told = loans.explainer(actions=actions()).check(PERSON, proposal)
    assert not told.allowed
    assert not told.ok
    assert told.broken == (words,)
    assert words in str(told)


def test_off_the_grid_is_not_against_the_rules() -> None:
    told = loans.explainer(actions=actions()).check(PERSON, {"Debt": 0.123})
    assert told.allowed
    assert not told.on_grid


def test_a_dear_proposal_is_beaten_by_what_is_known() -> None:
    explainer = loans.explainer(actions=actions(), plausibility=None)
    found = explainer.explain(PERSON)
    dear = {"Income": 59, "Debt": -3.0, "Owns": True}
    told = explainer.check(PERSON, dear, explanation=found)
    assert told.valid
    assert told.plausible is None
    assert told.better
    for option in told.better:
        assert all(option.costs[name] <= told.costs[name] for name in told.costs)


def test_an_outlier_is_called_implausible() -> None:
    explainer = loans.explainer(plausibility=loans.detector(), max_changes=None)
    proposal = {"Income": 500, "Debt": -90.0, "Owns": True, "Rate": 1.0, "Years": 11}
    told = explainer.check(PERSON, proposal)
    assert told.valid
    assert told.plausible is False
    assert not told.ok
    assert "not plausible" in str(told)


def test_a_method_that_asks_for_no_plausibility_is_not_judged_by_it() -> None:
    """Issue 13: options of a proven front of MAPOCAM were called "not plausible"."""
    explainer = loans.explainer(method="mapocam", plausibility=loans.detector(), contamination=0.5)
    people = loans.refused()
    outliers = 0
    for row in people.iloc[:12].to_dict("records"):
        found = explainer.explain(row)
        for option in found:
            told = explainer.check(row, option.values, explanation=found)
            assert told.plausible is None
            assert told.plausibility == option.plausibility
            assert told.ok
            assert "not plausible" not in str(told)
            assert "plausibility not required" in str(told)
            outliers += option.plausibility < 0
        assert explainer.map_of(found, "Income", "Debt", size=3).plausible is None
    assert outliers > 0


def test_the_judgement_of_our_own_forest_is_scikit_learns() -> None:
    from sklearn.ensemble import IsolationForest

    people = loans.people()
    asked = {"n_estimators": 20, "contamination": 0.1, "random_state": 0}
    theirs = IsolationForest(**asked).fit(people.to_numpy(float))
    explainer = loans.explainer(plausibility=p2ce.IsolationForest(**asked), max_changes=None)
    for position in range(20):
        proposal = people.iloc[position]
        told = explainer.check(PERSON, proposal.to_dict())
        row = people.iloc[[position]].to_numpy(float)
        assert told.plausibility == pytest.approx(theirs.decision_function(row)[0], abs=1e-15)


VALUES = (1.0, 2.0, 3.0, 4.0)
PRICES = st.lists(st.integers(0, 40), min_size=len(VALUES), max_size=len(VALUES))


@examples(40)
@given(PRICES, PRICES)
def test_no_option_of_a_front_beats_another_however_close_they_cost(one: list[int], other: list[int]) -> None:
    """Prices that differ by about as much as is told apart, and once more as roots."""
    frame = pd.DataFrame({"a": [0.0, *VALUES], "b": [0.0, 1.0, 0.0, 1.0, 0.0]})

    def priced(name: str, steps: list[int]) -> p2ce.CostTable:
        table = {value: 1.0 + step * 2.0**-31 for value, step in zip(VALUES, steps, strict=True)}
        return p2ce.CostTable(name, {"a": {0.0: 0.0, **table}, "b": {0.0: 0.0, 1.0: 3.0}})

    explainer = p2ce.Explainer(
        lambda rows: (rows["a"] > 0).to_numpy(dtype=float),
        frame,
        actions=ActionSet.infer(frame).values(a=list(VALUES)),
        objectives=[priced("one", one), Root(priced("other", other))],
        plausibility=None,
        bound="none",
    )
    found = explainer.explain({"a": 0.0, "b": 0.0})
    assert len(found) > 0
    for option in found:
        told = explainer.check(found.person, option.values, explanation=found)
        assert told.better == ()
        assert told.costs == option.costs


class Root(p2ce.Objective):
    """Another objective, of which people see the root."""

    def __init__(self, of: p2ce.Objective) -> None:
        self.of = of

    @property
    def name(self) -> str:
        return self.of.name

    @property
    def join(self) -> Join:
        return self.of.join

    def fit(self, reference: Reference) -> FittedObjective:
        return FittedRoot(self.of.fit(reference))


class FittedRoot(FittedObjective):
    """What the other one costs, and its root to be shown."""

    def __init__(self, of: FittedObjective) -> None:
        self.of, self.name, self.join = of, of.name, of.join

    def costs(self, column: int, values: np.ndarray, current: np.ndarray) -> np.ndarray:
        return self.of.costs(column, values, current)

    def report(self, total: np.ndarray) -> np.ndarray:
        return np.sqrt(total)


@pytest.mark.parametrize(
    "objectives", [("mean_distance", "max_distance", "changes"), ("euclidean", "percentile_shift")]
)
def test_a_point_costs_in_a_check_what_it_costs_in_the_search(objectives: tuple[str, ...]) -> None:
    explainer = loans.explainer(actions=actions(), objectives=objectives)
    people = loans.people()
    for found in explainer.explain_many(people.iloc[:40]):
        for option in found:
            told = explainer.check(found.person, option.values, explanation=found)
            assert told.costs == option.costs  # to the last bit
            assert told.better == ()
