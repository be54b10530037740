"""Are rules that cannot be meant rejected, with the way out?"""

import numpy as np
import pandas as pd
import pytest

from p2ce.errors import InvalidPolicy
from p2ce.policy import Policy
from p2ce.policy.rules import (
    CHANGES,
    Rule,
    allow_only,
    at_most_one_nonzero,
    change_at_most_one,
    forbid,
    implies,
    inequality,
    linked,
    one_hot,
    predicate,
    together,
)
from p2ce.policy.rules.rule_conflicts import check_rules

PEOPLE = pd.DataFrame(
    {
        "Age": [20, 30, 40, 50],
        "Years": [1, 5, 9, 20],
        "Income": [1.5, np.nan, 3.5, 9.5],
        "own": [0, 1, 0, 1],
        "rent": [1, 0, 0, 0],
        "free": [0, 0, 1, 0],
        "Job": ["cook", "clerk", "cook", None],
        "Grade": pd.Categorical(list("abca"), categories=list("abcd"), ordered=True),
    }
)
ACTIONS = Policy.infer(PEOPLE, protect=None)
NAMED = ACTIONS.candidates(Age=[30, 40], Job=["cook"], Grade=["a", "b"])
HOUSING, YEARS = one_hot("Housing", ["own", "rent", "free"]), linked("Years", "Age")
RING = [linked("Age", "Years"), linked("Years", "Income"), linked("Income", "Age"), linked("Age", "own")]


def if_own(**then: object) -> Rule:
    return implies({"own": 1}, then)


def if_(**condition: object) -> Rule:
    return implies(condition, {"Years": 1})


@pytest.mark.parametrize(
    ("rules", "policy"),
    [
        ([YEARS, linked("Age", "Income", 0.5), HOUSING, inequality("Years <= Age")], ACTIONS),
        # Two causes of one feature, and two ways from one feature to another.
        ([YEARS, linked("Income", "Age"), linked("Years", "own"), linked("own", "Age", -2)], ACTIONS),
        (
            [
                together("Job", "Income"),
                change_at_most_one("Job", "Years"),
                at_most_one_nonzero("own", "Years"),
            ],
            ACTIONS,
        ),
        (
            [forbid("Job", {"cook": ["clerk"], None: ["cook"]}), allow_only("Grade", {"a": ["b", "d"]})],
            ACTIONS,
        ),
        ([if_(Grade=("b", None), Income=None), if_own(Job=CHANGES, Age=(30, 40)), predicate(len)], ACTIONS),
        ([HOUSING], ACTIONS.fix("own", "rent", "free")),
        ([together("Age", "Job"), change_at_most_one("Age", "own")], ACTIONS),
        ([if_own(Age=(None, 35)), if_own(Job=["clerk", "cook"]), if_own(Grade=("b", "c"))], NAMED),
        ([if_own(Years=77)], NAMED),
    ],
)
def test_rules_that_make_sense_pass(rules: list[Rule], policy: Policy) -> None:
    check_rules(policy.features, rules)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([inequality("Agee <= Years")], "'Agee', which is not a column. Did you mean 'Age'"),
        ([YEARS, linked("Age", "Years")], "form a cycle: Age ← Years ← Age"),
        (RING, "form a cycle"),
        ([YEARS, linked("Income", "Age", counts="each")], "disagree on whether it counts"),
        ([linked("own", "Years"), linked("rent", "Years"), linked("Years", "rent")], "form a cycle"),
        ([YEARS, linked("Years", "Age", 2)], "linked to 'Years' twice"),
        ([HOUSING, one_hot("Other", ["free", "own"])], "'free' is in two groups|'own' is in two groups"),
        ([HOUSING, linked("Years", "own")], "'own' is in the group 'Housing' and in the link"),
        ([HOUSING, one_hot("Housing", ["own", "rent"])], "two one_hot"),
        ([one_hot("G", ["own", "Years"])], "'Years' of 'G' is a whole number"),
        ([one_hot("G", ["own", "Job"])], "'Job' of 'G' is a category"),
        ([one_hot("Job", ["own", "rent"])], "'Job', which is already a column"),
        ([linked("Years", "Job")], "holds categories"),
        ([inequality("Job <= 3")], "holds categories"),
        ([at_most_one_nonzero("own", "Grade")], "holds categories"),
        ([forbid("Job", {"cok": ["clerk"]})], "'cok', which is not a value of 'Job'. Did you mean 'cook'"),
        ([if_(Age="x")], "'x' for 'Age', which holds numbers"),
        ([if_(Job=("a", "b"))], "categories have no order"),
        ([if_(Grade=("a", "e"))], "'e', which is not a value of 'Grade'"),
        (
            [together("Age", "Job"), change_at_most_one("Job", "Age", "own")],
            "'Age' and 'Job' can never change",
        ),
        ([YEARS, change_at_most_one("Years", "Age")], "can never change"),
        ([HOUSING, change_at_most_one("own", "rent")], "prevents the group 'Housing' from changing"),
    ],
)
def test_rules_that_cannot_be_meant_are_rejected_in_any_order(rules: list[Rule], message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        check_rules(ACTIONS.features, rules)
    with pytest.raises(InvalidPolicy):
        check_rules(ACTIONS.features, rules[::-1])


NONE_OF_THEM = "requires a value that is not among the candidates"


@pytest.mark.parametrize(
    ("rule", "policy", "message"),
    [
        (
            YEARS,
            ACTIONS.fix("Age"),
            r"'Age' is fixed.*or release 'Age' with free.*: it then moves only together",
        ),
        (YEARS, ACTIONS.fix("Years"), r"'Years' is fixed.*or release 'Years'"),
        (HOUSING, ACTIONS.fix("own"), "'own' of the group 'Housing' cannot change, but 'rent', 'free' can"),
        (if_own(Age=20), NAMED, NONE_OF_THEM),
        (if_own(Age=(41, None)), NAMED, NONE_OF_THEM),
        (if_own(Job=["clerk"]), NAMED, NONE_OF_THEM),
        (if_own(Job=None), NAMED, NONE_OF_THEM),
        (if_own(Grade=("c", None)), NAMED, NONE_OF_THEM),
        (if_own(Age=CHANGES), ACTIONS.fix("Age"), "requires that 'Age' changes, but it is fixed"),
    ],
)
def test_a_rule_contradicts_what_features_may_do(rule: Rule, policy: Policy, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        policy.with_rules(rule)
