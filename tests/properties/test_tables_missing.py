"""A missing value is a value: it stays, becomes known where allowed, and appears where allowed."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier

import p2ce
from tests.oracle import plain, typed_rows
from tests.populations.small_models import OF_TABLES
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, table_problems

WITH_GAPS = ("debt", "years", "flag", "home")


GAPS = st.lists(st.sampled_from(WITH_GAPS), min_size=1, unique=True)
FAMILIES = [family for family in OF_TABLES if "network" not in family]


def with_gaps(gaps: list[str]) -> st.SearchStrategy[tuple[StatedProblem, list[str]]]:
    """Draw problems that have the first of these columns, and perhaps others of them."""
    return st.tuples(
        table_problems(FAMILIES, columns=st.integers(3, 5), must=st.just(gaps[:1])), st.just(gaps)
    )


@examples(10)
@given(drawn=GAPS.flatmap(with_gaps))
def test_missing_stays_unless_it_may_be_filled(drawn: tuple[StatedProblem, list[str]]) -> None:
    problem, gaps = drawn
    person = {name: None if name in gaps else value for name, value in problem.person.items()}
    assert None in person.values()
    row = typed_rows([person], problem.frame)
    found = problem.explainer().explain(row)
    for name, value in person.items():
        feature = problem.policy[name]
        assert (plain(found.person[name]) is None) == (value is None)
        for option in found:
            now = plain(option.values[name])
            if value is None:
                assert now is None or (feature.fillable and not feature.fixed)
            elif now is None:
                assert feature.may_go_missing
            assert (name in option.changes) == (now != value)


PEOPLE = pd.DataFrame({"income": [np.nan, 10.0, 20.0, 30.0] * 15, "age": [30, 40, 50, 60] * 15})
LABEL = [0, 0, 1, 1] * 15
LACKING = {"income": np.nan, "age": 40}


def explained(policy: p2ce.Policy, person: dict[str, Any], label: Any = LABEL) -> p2ce.Explanation:
    model = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2).fit(PEOPLE, label)
    return p2ce.Explainer(model, PEOPLE, target=1, policy=policy.fix("age"), plausibility=None).explain(
        person
    )


def test_provide_proof_of_income() -> None:
    policy = p2ce.Policy.infer(PEOPLE, grid="paper", protect=None)
    found = explained(policy, LACKING)
    assert found.status is p2ce.Status.OPTIMAL
    (option,) = found
    assert option.changes.keys() == {"income"}
    assert np.isnan(option.changes["income"][0])
    assert option.costs["changes"] == 1.0
    assert option.costs["max_distance"] == 1.0  # a change from missing counts as one standard deviation
    assert explained(policy.keep_missing("income"), LACKING).status is p2ce.Status.NO_RECOURSE
