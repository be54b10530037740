"""Check how a proposal is judged: by the model, the detector, the constraints and a known front."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from p2ce import Policy
from p2ce.result import Restriction, Violation
from tests.populations import loans
from tests.populations.loans import PERSON
from tests.properties.amount import examples


def policy() -> Policy:
    return (
        Policy.infer(loans.people(), protect=None)
        .fix("Years")
        .increase_only("Income")
        .within(Debt=(-3.0, 2.0))
    )


@pytest.mark.parametrize(
    "objectives", [("mean_distance", "max_distance", "changes"), ("euclidean", "percentile_shift")]
)
def test_options_of_a_front_are_judged_as_they_were_found_and_dominated_by_nothing(
    objectives: tuple[str, ...],
) -> None:
    explainer = loans.explainer(policy=policy(), plausibility=loans.detector(), objectives=objectives)
    options = 0
    for found in explainer.explain_many(loans.people().iloc[:15]):
        for option in found:
            for proposal in (option, option.values, {name: now for name, (_, now) in option.changes.items()}):
                judged = explainer.evaluate(found.person, proposal, explanation=found)
                assert judged
                assert (judged.valid, judged.plausible, judged.allowed, judged.on_grid) == (True,) * 4
                assert (judged.broken, judged.better) == ((), ())
                assert judged.changes == option.changes
                assert judged.costs == option.costs  # to the last bit
                assert (judged.score, judged.plausibility) == (option.score, option.plausibility)
                assert str(judged).startswith("accepted by the model")
                options += 1
    assert options > 10


@pytest.mark.parametrize(
    ("proposal", "restriction", "how"),
    [
        ({}, None, {}),
        ({"Debt": 0.123}, None, {}),
        ({"Years": 3}, {"kind": "fixed", "feature": "Years"}, {"before": 2, "after": 3}),
        (
            {"Income": 14},
            {"kind": "direction", "feature": "Income", "direction": "up"},
            {"before": 15, "after": 14},
        ),
        (
            {"Debt": -3.5},
            {"kind": "range", "feature": "Debt", "low": -3.0, "high": 2.0},
            {"before": 1.0, "after": -3.5},
        ),
        (
            {"Income": 20, "Debt": 0.0, "Owns": True, "Rate": 0.25},
            {"kind": "changes", "most": 3},
            {"changes": 4},
        ),
    ],
    ids=["stays", "off the grid", "fixed", "direction", "range", "too many changes"],
)
def test_what_is_broken_is_listed(proposal: Any, restriction: Any, how: Any) -> None:
    judged = loans.explainer(policy=policy()).evaluate(PERSON, proposal)
    broken = () if restriction is None else (Violation(restriction=Restriction(**restriction), **how),)
    assert not judged.ok
    assert judged.broken == broken
    assert judged.allowed == (not broken)
    assert all(str(one) in str(judged) for one in broken)
    assert judged.better is None  # no front to compare with
    if not proposal:
        assert judged.on_grid
        assert not judged.valid
        assert set(judged.costs.values()) == {0.0}


def test_a_proposal_is_compared_with_the_front_and_judged_by_the_detector() -> None:
    explainer = loans.explainer(plausibility=loans.detector(), max_changes=None)
    found = explainer.explain(PERSON)
    outlier = {"Income": 500, "Debt": -90.0, "Owns": True, "Rate": 1.0, "Years": 11}
    judged = explainer.evaluate(PERSON, outlier, explanation=found)
    assert (judged.valid, judged.plausible, judged.ok, bool(judged)) == (True, False, False, False)
    assert "not plausible" in str(judged)
    assert judged.better
    for option in judged.better:
        assert all(option.costs[name] <= judged.costs[name] for name in judged.costs)


def test_a_method_that_requires_no_plausibility_is_not_judged_by_it() -> None:
    """Issue 13: options of a proven front of MAPOCAM were called "not plausible"."""
    explainer = loans.explainer(method=p2ce.paper.Mapocam(), plausibility=loans.detector(), contamination=0.5)
    outliers = 0
    for found in explainer.explain_many(loans.rejected().iloc[:12]):
        for option in found:
            judged = explainer.evaluate(found.person, option.values, explanation=found)
            assert (judged.plausible, judged.plausibility) == (None, option.plausibility)
            assert judged.ok
            assert "plausibility not required" in str(judged)
            outliers += option.plausibility < 0
        assert explainer.feature_map(found, "Income", "Debt", size=3).plausible is None
    assert outliers > 0


VALUES = (1.0, 2.0, 3.0, 4.0)
PRICES = st.lists(st.integers(0, 40), min_size=len(VALUES), max_size=len(VALUES))


@examples(25)  # prices of few values meet in most examples
@given(PRICES, PRICES)
def test_no_option_of_a_front_dominates_another_however_close_they_cost(
    one: list[int], other: list[int]
) -> None:
    """Prices differ by about as much as counts as a difference."""
    frame = pd.DataFrame({"a": [0.0, *VALUES], "b": [0.0, 1.0, 0.0, 1.0, 0.0]})

    def priced(name: str, steps: list[int]) -> p2ce.objectives.CostTable:
        table = {value: 1.0 + step * 2.0**-31 for value, step in zip(VALUES, steps, strict=True)}
        return p2ce.objectives.CostTable(name, {"a": {0.0: 0.0, **table}, "b": {0.0: 0.0, 1.0: 3.0}})

    explainer = p2ce.Explainer(
        lambda rows: (rows["a"] > 0).to_numpy(dtype=np.float64),
        frame,
        target=1,
        policy=Policy.infer(frame, protect=None).candidates(a=list(VALUES)),
        objectives=[priced("one", one), priced("other", other)],
        plausibility=None,
        bound=None,
    )
    found = explainer.explain({"a": 0.0, "b": 0.0})
    assert len(found) > 0
    for option in found:
        judged = explainer.evaluate(found.person, option.values, explanation=found)
        assert (judged.better, judged.costs) == ((), option.costs)
