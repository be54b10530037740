"""Are rules that cannot be meant rejected, with the way out?"""

import numpy as np
import pandas as pd
import pytest

from p2ce.errors import ContradictoryConstraints, InvalidActions, UnknownFeature
from p2ce.problem import ActionSet
from p2ce.problem.rules import (
    CHANGES,
    Rule,
    allow_only,
    at_most_one_of,
    exclusive,
    forbid,
    if_then,
    inequality,
    linked,
    one_hot,
    predicate,
    together,
)
from p2ce.problem.rules.rule_conflicts import check_rules

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
ACTIONS = ActionSet.infer(PEOPLE)
HOUSING = one_hot("Housing", ["own", "rent", "free"])


def check(*rules: Rule, actions: ActionSet = ACTIONS) -> None:
    check_rules(actions.features, rules)


def test_rules_that_make_sense_pass() -> None:
    check(
        linked("Years", "Age"),
        linked("Age", "Income", 0.5),
        HOUSING,
        inequality("Years <= Age"),
        together("Job", "Income"),
        exclusive("Job", "Years"),
        at_most_one_of("own", "Years"),
        forbid("Job", {"cook": ["clerk"], None: ["cook"]}),
        allow_only("Grade", {"a": ["b", "d"]}),
        if_then(if_={"Grade": ("b", None), "Income": None}, then={"Job": CHANGES, "Age": (30, 40)}),
        predicate(len),
    )


def rejected(
    message: str, *rules: Rule, actions: ActionSet = ACTIONS, error: type[Exception] = InvalidActions
) -> None:
    with pytest.raises(error, match=message):
        check(*rules, actions=actions)
    if len(rules) == 2:  # whichever comes first
        with pytest.raises(error):
            check(*reversed(rules), actions=actions)


def test_unknown_columns() -> None:
    rejected(
        "'Agee', which is no column. Did you mean 'Age'", inequality("Agee <= Years"), error=UnknownFeature
    )


def test_links_in_a_circle() -> None:
    rejected("run in a circle: Age ← Years ← Age", linked("Years", "Age"), linked("Age", "Years"))
    ring = [linked("Age", "Years"), linked("Years", "Income"), linked("Income", "Age"), linked("Age", "own")]
    rejected("run in a circle", *ring, error=ContradictoryConstraints)


def test_a_follower_with_two_drivers() -> None:
    rejected("'Age' is linked to both 'Years' and 'Income'", linked("Years", "Age"), linked("Income", "Age"))
    rejected("linked to 'Years' twice", linked("Years", "Age"), linked("Years", "Age", 2))


@pytest.mark.parametrize("name", ["Age", "Years"])
def test_a_linked_partner_that_is_fixed(name: str) -> None:
    message = rf"'{name}' is fixed.*or what fixes '{name}': a linked partner never moves on its own"
    rejected(message, linked("Years", "Age"), actions=ACTIONS.fix(name), error=ContradictoryConstraints)


def test_groups_that_share_columns() -> None:
    other = one_hot("Other", ["free", "own"])
    rejected("'free' is in two groups|'own' is in two groups", HOUSING, other, error=ContradictoryConstraints)
    rejected("'own' is in the group 'Housing' and in the link", HOUSING, linked("Years", "own"))
    rejected("two one_hot", HOUSING, one_hot("Housing", ["own", "rent"]))


def test_groups_of_other_columns() -> None:
    rejected("'Years' of 'G' is a whole number", one_hot("G", ["own", "Years"]))
    rejected("'Job' of 'G' is a category", one_hot("G", ["own", "Job"]))
    rejected("'Job', which is a column already", one_hot("Job", ["own", "rent"]))


def test_a_group_is_fixed_as_a_whole() -> None:
    rejected(
        "'own' of the group 'Housing' cannot change, but 'rent', 'free' can",
        HOUSING,
        actions=ACTIONS.fix("own"),
    )
    check(HOUSING, actions=ACTIONS.fix("own", "rent", "free"))


@pytest.mark.parametrize(
    "rule",
    [linked("Years", "Job"), inequality("Job <= 3"), at_most_one_of("own", "Grade")],
    ids=lambda r: r.kind,
)
def test_rules_about_numbers_reject_categories(rule: Rule) -> None:
    rejected("holds categories", rule)


def test_values_that_a_column_never_has() -> None:
    rejected("'cok', which is no value of 'Job'. Did you mean 'cook'", forbid("Job", {"cok": ["clerk"]}))
    rejected("'x' for 'Age', which holds numbers", if_then(if_={"Age": "x"}, then={"Years": 1}))
    rejected("categories have no order", if_then(if_={"Job": ("a", "b")}, then={"Years": 1}))
    rejected("'e', which is no value of 'Grade'", if_then(if_={"Grade": ("a", "e")}, then={"Years": 1}))


def test_what_must_change_together_and_must_not() -> None:
    rejected("'Age' and 'Job' can never change", together("Age", "Job"), exclusive("Job", "Age", "own"))
    rejected(
        "can never change", linked("Years", "Age"), exclusive("Years", "Age"), error=ContradictoryConstraints
    )
    rejected("keeps the group 'Housing' from going", HOUSING, exclusive("own", "rent"))
    check(together("Age", "Job"), exclusive("Age", "own"))


def test_consequences_outside_of_values() -> None:
    actions = ACTIONS.values(Age=[30, 40], Job=["cook"], Grade=["a", "b"])
    for then in ({"Age": 20}, {"Age": (41, None)}, {"Job": ["clerk"]}, {"Grade": ("c", None)}, {"Job": None}):
        message = "demands what none of the values"
        rejected(message, if_then(if_={"own": 1}, then=then), actions=actions, error=ContradictoryConstraints)
    for then in ({"Age": (None, 35)}, {"Job": ["clerk", "cook"]}, {"Grade": ("b", "c")}, {"Years": 77}):
        check(if_then(if_={"own": 1}, then=then), actions=actions)


def test_consequences_that_a_fixed_column_must_change() -> None:
    rule = if_then(if_={"own": 1}, then={"Age": CHANGES})
    rejected("demands that 'Age' changes, but it is fixed", rule, actions=ACTIONS.fix("Age"))


def test_the_action_set_checks_whichever_is_said_last() -> None:
    with pytest.raises(ContradictoryConstraints, match="is fixed"):
        ACTIONS.rule(linked("Years", "Age")).fix("Age")
    with pytest.raises(UnknownFeature, match="'Agee'"):
        ACTIONS.rule(inequality("Agee <= 3"))
