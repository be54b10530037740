"""No option breaks a rule, as it is stated a second time."""

from typing import Any

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import p2ce
from tests.oracle import plain
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, table_problems

QUICK = ["LightGBM", "histogram boosting", "logistic regression behind a one-hot encoder", "function"]


def plain_options(found: p2ce.Explanation) -> list[dict[str, Any]]:
    """Return the options as plain rows."""
    return [{name: plain(value) for name, value in option.values.items()} for option in found]


@examples(10)
@given(
    problem=table_problems(
        QUICK, columns=st.integers(3, 5), rule_count=st.integers(1, 4), detector=st.just(False)
    )
)
def test_no_option_breaks_a_rule(problem: StatedProblem) -> None:
    """Every rule is stated again in pandas; the objects that the search uses are not used."""
    for person, found in zip(problem.people, problem.explain_all(), strict=True):
        assert found.status is not p2ce.Status.ERROR
        rows = pd.DataFrame(plain_options(found), columns=list(problem.frame), dtype=object)
        for one in problem.stated:
            assert one.keeps(person, rows).all(), one.rule.text()
