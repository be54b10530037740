"""Do constraints on categories and on missing values mean what they say?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy import Policy
from p2ce.tables.codebook import MISSING, codebook_of

SCHOOL = ["none", "school", "college", "phd"]
PEOPLE = pd.DataFrame(
    {
        "Housing": ["own", "rent", "rent", None, "free", "own"],
        "School": pd.Categorical(
            ["none", "phd", "school", None, "none", "phd"], categories=SCHOOL, ordered=True
        ),
        "Income": [10.0, 20.0, np.nan, 40.0, 50.0, 60.0],
        "Years": pd.array([1, 2, None, 4, 5, 6], dtype="Int64"),
        "Insured": pd.array([True, None, False, True, True, False], dtype="boolean"),
        "Age": [20, 30, 40, 50, 60, 70],
    }
)
ACTIONS = Policy.infer(PEOPLE, protect=None)
CODEBOOK = codebook_of(PEOPLE)
NOTHING = [None, np.nan, pd.NA, pd.NaT]  # and MISSING, the code of a missing number


def test_values_name_labels_in_any_order_and_once() -> None:
    policy = ACTIONS.candidates(Housing=["free", "own", "own"])
    assert policy["Housing"].candidates().tolist() == ["own", "free"]  # as the codes go
    assert policy == ACTIONS.candidates({"Housing": np.array(["own", "free"])})
    assert policy["Housing"].allows("rent", "own")
    assert not policy["Housing"].allows("own", "rent")
    assert policy["Housing"].allows("rent", "rent")  # a legal place to stay
    assert ACTIONS.candidates(Insured=[True])["Insured"].candidates().tolist() == [1.0]


def test_ordered_categories_go_up_and_down() -> None:
    up, down = ACTIONS.increase_only("School")["School"], ACTIONS.decrease_only("School")["School"]
    assert up.allows("none", "phd")
    assert not up.allows("phd", "none")
    assert not up.allows("college", "school")  # no one has it, but it has a place
    assert up.allows("school", "college")
    assert down.allows("college", "school")
    assert not down.allows("school", "college")


def test_a_label_that_the_order_does_not_know_lies_behind_all_as_its_code_does() -> None:
    assert not ACTIONS.increase_only("School")["School"].allows("guild", "phd")
    assert ACTIONS.decrease_only("School")["School"].allows("guild", "phd")


@pytest.mark.parametrize(
    ("name", "nothing"),
    [
        *((name, one) for name in ("Housing", "School", "Income", "Years") for one in NOTHING),
        ("Income", MISSING),
    ],
)
def test_missing_values_stay_or_become_known_and_the_other_way_only_if_asked(name: str, nothing: Any) -> None:
    known = ACTIONS[name].candidates().tolist()[0]
    assert ACTIONS[name].allows(nothing, nothing)
    assert ACTIONS[name].allows(nothing, known)
    assert not ACTIONS[name].allows(known, nothing)
    assert not ACTIONS.keep_missing(name)[name].allows(nothing, known)
    assert ACTIONS.allow_missing(name)[name].allows(known, nothing)
    fixed = ACTIONS.allow_missing(name).protect(name)[name]
    assert (fixed.fixed, fixed.protected, len(fixed.candidates())) == (True, True, 0)
    assert fixed.allows(nothing, None)
    assert not fixed.allows(nothing, known)
    assert not fixed.allows(known, nothing)


def test_what_fills_a_gap_keeps_to_range_and_values_but_has_no_direction() -> None:
    policy = ACTIONS.within(Income=(20, 30)).candidates(Years=[2, 3]).decrease_only("School", "Income")
    assert policy["Income"].allows(np.nan, 25.0)
    assert not policy["Income"].allows(np.nan, 35.0)
    assert policy["Years"].allows(pd.NA, 2)
    assert not policy["Years"].allows(pd.NA, 4)
    assert policy["School"].allows(None, "phd")


@given(st.data())
def test_what_is_a_candidate_is_allowed(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(PEOPLE.columns.tolist()))
    policy = ACTIONS
    if data.draw(st.booleans()) and policy[name].holds_missing:
        policy = policy.allow_missing(name)
    if data.draw(st.booleans()):
        some = data.draw(st.sets(st.sampled_from(policy[name].candidates().tolist()), min_size=1))
        policy = policy.candidates({name: list(some)})
    before = data.draw(st.sampled_from(PEOPLE[name].tolist()))
    coding = CODEBOOK[name]
    for code in policy[name].codes(coding):
        assert policy[name].allows(before, coding.plain(code))


def test_the_table_shows_labels_and_what_was_asked_of_missing_values() -> None:
    policy = ACTIONS.protect("School").candidates(Housing=["own", "free"]).allow_missing("Income")
    lines = str(policy.keep_missing("Years").increase_only("Years")).splitlines()
    assert lines[0] == "Policy: 6 features, 5 may change"
    assert lines[2].split() == ["Housing", "category", "to", "any", "label", "2:", "own,", "free"]
    assert lines[3].split() == ["School", "category", "never,", "protected"]
    assert lines[4].endswith("; may go missing")
    assert lines[5].endswith("; missing stays")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ACTIONS.candidates(Housing=["rnt"]),
            "lists 'rnt', which is not in the data. Did you mean 'rent'",
        ),
        (lambda: ACTIONS.candidates(School=["college"]), "lists 'college', which is not in the data"),
        (
            lambda: ACTIONS.candidates(Housing=[1]),
            "lists 1, which is not in the data. Known are 'own', 'rent'",
        ),
        (lambda: ACTIONS.candidates(Housing=[["own"]]), r"lists \['own'\], which is not in the data"),
        (
            lambda: ACTIONS.candidates(Housing=["own", None]),
            r"got the missing value None\. Use allow_missing\('Housing'\)",
        ),
        (lambda: ACTIONS.candidates(Housing="own"), r"expects a list .*'Housing': \['own', 'rent'\]"),
        (lambda: ACTIONS.candidates(Housing=[]), "'Housing' is empty"),
        (
            lambda: ACTIONS.within(Housing=(0, 1)),
            r"within\(\) is for numbers, .* is a category.*\['own', 'rent'\]",
        ),
        (lambda: ACTIONS.step(School=1), r"step\(\) is for numbers, but 'School' is a category"),
        (lambda: ACTIONS.increase_only("Housing"), "'Housing' is a category without an order"),
        (lambda: ACTIONS.decrease_only("Housing"), "cannot go up or down. .*ordered=True"),
        (
            lambda: ACTIONS.allow_missing("Age"),
            "'Age' cannot become missing: its column is int64, which has no",
        ),
        (
            lambda: ACTIONS.allow_missing("Income").increase_only("Income"),
            "increase_only and may become missing",
        ),
        (
            lambda: ACTIONS.decrease_only("School").allow_missing("School"),
            "decrease_only and may become missing",
        ),
        (lambda: ACTIONS.protect([["Age"]]), "in a list. Pass one list"),
    ],
)
def test_a_mistake_is_named_with_its_fix(call: object, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        call()  # type: ignore[operator]
