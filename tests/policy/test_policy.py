"""Do constraints mean what they say, in any order, and are mistakes named at once?"""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy import Kind, Policy
from p2ce.policy.features.feature import MOST_CANDIDATES
from p2ce.rules import change_at_most_one, linked, together

PEOPLE = pd.DataFrame(
    {
        "Age": np.arange(18, 78),
        "LoanAmount": np.arange(60) * 200 + 437,
        "Rate": np.linspace(0.0, 1.0, 60),
        "Owns": [0, 1] * 30,
        "Flag": [True, False] * 30,
        "Small": np.arange(60, dtype=np.int8),
        "Single": np.linspace(0.0, 1.0, 60, dtype=np.float32),
    }
)
ACTIONS = Policy.infer(PEOPLE, protect=None)
NUMBERS = st.floats(-20_000, 20_000).map(lambda value: round(value, 3))
RANGES = st.tuples(NUMBERS, NUMBERS).map(lambda ends: (min(ends), max(ends)))


def candidates(policy: Policy, name: str) -> list[float]:
    return policy[name].candidates().tolist()


def within(name: str, ends: tuple[float, float], policy: Policy = ACTIONS) -> list[float]:
    """Return the candidates inside a range, none where there are none."""
    try:
        narrowed = policy.within({name: ends})
    except InvalidPolicy:
        return []
    return candidates(narrowed, name)


def narrow_and_wide(
    name: str, narrow: tuple[float, float], wide: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return two ranges in the unit of a column, the first inside the second."""
    unit = 1000 if PEOPLE[name].max() <= 1 else 1
    low, high = (round(end / unit, 3) for end in narrow)
    return (low, high), (min(wide[0] / unit, low), max(wide[1] / unit, high))


def inside(name: str, values: list[float], ends: tuple[float, float]) -> list[float]:
    low, high = (float(PEOPLE[name].dtype.type(end)) if name == "Single" else end for end in ends)
    return [value for value in values if low <= value <= high]


@given(st.sampled_from(PEOPLE.columns.tolist()), RANGES, RANGES)
def test_narrowing_a_range_only_removes_multiples_of_a_step(
    name: str, wide: tuple[float, float], narrow: tuple[float, float]
) -> None:
    policy = Policy.infer(PEOPLE, grid="paper")
    narrow, wide = narrow_and_wide(name, narrow, wide)
    assert within(name, narrow, policy) == inside(name, within(name, wide, policy), narrow)


INFERRED = ["Age", "LoanAmount", "Rate", "Small", "Single"]


@given(st.sampled_from(INFERRED), RANGES, RANGES)
def test_narrowing_a_range_keeps_the_inferred_candidates_inside(
    name: str, wide: tuple[float, float], narrow: tuple[float, float]
) -> None:
    narrow, wide = narrow_and_wide(name, narrow, wide)
    found = set(candidates(ACTIONS.within({name: narrow}), name))
    for wider in (ACTIONS, ACTIONS.within({name: wide})):
        assert found.issuperset(inside(name, candidates(wider, name), narrow))
    assert found == set(inside(name, sorted(found), narrow))


@given(st.sampled_from(INFERRED), NUMBERS, st.floats(0, 50).map(lambda width: round(width, 3)))
def test_a_range_has_a_candidate_wherever_the_column_has_a_value(name: str, low: float, width: float) -> None:
    ends = (low, low + width)
    feature = ACTIONS.within({name: ends})[name]
    found = feature.candidates().tolist()
    if feature.kind is Kind.NUMBER:
        assert found
    else:
        held = np.iinfo(PEOPLE[name].dtype)
        whole = range(max(int(np.ceil(low)), held.min), min(int(np.floor(ends[1])), held.max) + 1)
        assert bool(found) == bool(len(whole))
        assert all(value in whole for value in found)
    assert feature.count() == len(found)
    assert feature.settled().candidates().tolist() == found


def test_a_narrow_range_holds_round_numbers_and_its_ends() -> None:
    assert candidates(ACTIONS.within(LoanAmount=(501, 577)), "LoanAmount") == [501, *range(505, 576, 5), 577]
    assert candidates(ACTIONS.within(Rate=(0.502, 0.503)), "Rate")[:3] == [0.502, 0.5021, 0.5022]
    listed = Policy.infer(pd.DataFrame({"Price": np.arange(200) / 100}))
    assert candidates(listed.within(Price=(0.10, 0.13)), "Price") == [0.1, 0.11, 0.12, 0.13]
    nowhere = ACTIONS.within(Age=(30.2, 30.8))
    assert candidates(nowhere, "Age") == []
    assert "0: none in this range" in repr(nowhere)


@given(st.sampled_from(["LoanAmount", "Rate", "Single"]), st.data())
def test_a_candidate_as_shown_is_inside_a_range_that_it_ends(name: str, data: st.DataObject) -> None:
    policy = Policy.infer(PEOPLE, grid="paper", protect=None)
    low, high = sorted(data.draw(st.tuples(*[st.sampled_from(candidates(policy, name))] * 2)))
    found = within(name, (low, high), policy)
    assert (found[0], found[-1]) == (low, high)


@given(st.integers(1, 500), RANGES)
def test_candidates_are_the_typed_multiples_inside_the_range(
    thousandths: int, ends: tuple[float, float]
) -> None:
    low, high = ends[0] / 1000, ends[1] / 1000
    multiples = (i * thousandths / 1000 for i in range(-20_001, 20_002))
    expected = [multiple for multiple in multiples if low <= multiple <= high]
    assume(len(expected) <= MOST_CANDIDATES)
    assert within("Rate", (low, high), ACTIONS.step(Rate=thousandths / 1000)) == expected


@pytest.mark.parametrize(
    ("policy", "name", "expected"),
    [
        (ACTIONS.within(Age=(0, 9)).within(Age=(30, 31)), "Age", [30, 31]),  # the last one counts
        (ACTIONS.step({"LoanAmount": 2}).within(LoanAmount=(501, 505)), "LoanAmount", [502, 504]),
        (ACTIONS.step(Rate=0.1).within(Rate=(0.1, 0.3)), "Rate", [0.1, 0.2, 0.3]),
        (ACTIONS.step(Single=0.1).within(Single=(0.1, 0.3)), "Single", np.float32([0.1, 0.2, 0.3])),
        (ACTIONS.within(Small=(-1000, 1000)).step(Small=50), "Small", [-100, -50, 0, 50, 100]),
        (ACTIONS.within(Flag=(-5, 5)), "Flag", [0, 1]),
        (ACTIONS.within(Flag=(1, 1)), "Flag", [1]),
        (ACTIONS.candidates(Single=[0.1]), "Single", np.float32([0.1])),
        (ACTIONS.candidates(Flag=[True]), "Flag", [1]),
        (ACTIONS.candidates(Age=np.array([3, 1])), "Age", [1, 3]),
        (ACTIONS.candidates(Rate=[-0.0, 0.0]), "Rate", [0]),
        (ACTIONS.fix("Age"), "Age", []),
        (ACTIONS.fix("Age").within(Age=(50, 60)), "Age", []),
    ],
)
def test_candidates_are_those_that_were_named(policy: Policy, name: str, expected: list[float]) -> None:
    assert candidates(policy, name) == [float(value) for value in expected]
    assert all(policy[name].allows(-1.0, value) for value in expected)


SOME = ACTIONS.fix("Age").increase_only("Rate").within(LoanAmount=(500, 900)).candidates(Small=[1, 5])


@pytest.mark.parametrize(
    ("name", "before", "after", "allowed"),
    [
        ("Age", 40, 40, True),
        ("Age", 40, 41, False),
        ("Rate", 0.2, 0.3, True),
        ("Rate", 0.3, 0.2, False),
        ("LoanAmount", 5000, 700, True),
        ("LoanAmount", 5000, 950, False),
        ("LoanAmount", 5000, 5000, True),  # a value outside the range is a legal place to stay
        ("Small", 3, 5, True),
        ("Small", 3, 4, False),
    ],
)
def test_what_is_allowed_follows_what_was_named(
    name: str, before: float, after: float, allowed: bool
) -> None:
    assert SOME[name].allows(before, after) == allowed


def test_values_replace_range_and_step_and_within_filters_in_any_order() -> None:
    named = ACTIONS.candidates(Age=[70, 20, 50, 20, 200])
    assert candidates(named, "Age") == [20.0, 50.0, 70.0, 200.0]
    one = named.within(Age=(30, 80)).step(Age=7)
    other = ACTIONS.step(Age=7).within(Age=(30, 80)).candidates(Age=[70, 20, 50, 20, 200])
    assert one == other
    assert hash(one) == hash(other)
    assert candidates(one, "Age") == [50.0, 70.0]


def test_the_table_is_readable_also_with_far_too_many_candidates() -> None:
    policy = ACTIONS.fix("Age").increase_only("Rate").step(LoanAmount=1).within(LoanAmount=(0, 10**9))
    lines = str(policy).splitlines()
    assert lines[0] == "Policy: 7 features, 6 may change"
    assert "never" in lines[2]
    assert "1,000,000,001: 0–1000000000, every 1" in lines[3]
    assert "up only" in lines[4]
    assert lines[5].endswith("2: 0, 1")
    assert repr(policy) == str(policy)


TOGETHER, AT_MOST_ONE = together("Age", "Rate"), change_at_most_one("Owns", "Flag")


def test_rules_are_added_in_order_once_and_taken_away_by_their_equals() -> None:
    policy = ACTIONS.with_rules(TOGETHER).with_rules(AT_MOST_ONE, together("Age", "Rate"), AT_MOST_ONE)
    assert policy.rules == (TOGETHER, AT_MOST_ONE)
    assert ACTIONS.with_rules() == ACTIONS.with_rules([]) == ACTIONS.without_rules() == ACTIONS
    assert ACTIONS.with_rules([TOGETHER, AT_MOST_ONE]) == ACTIONS.with_rules(TOGETHER, AT_MOST_ONE) == policy
    assert policy.without_rules([TOGETHER, AT_MOST_ONE]).rules == ()
    assert policy.fix("Single").rules == policy.rules
    assert policy.without_rules(together("Age", "Rate")).rules == (AT_MOST_ONE,)
    lines = str(policy).splitlines()
    assert lines[0] == "Policy: 7 features, 7 may change, 2 rules"
    assert lines[-3:] == ["  rules", f"    {TOGETHER.text()}", f"    {AT_MOST_ONE.text()}"]


@pytest.mark.parametrize(
    "call",
    [
        *("fix", "protect", "free", "increase_only", "decrease_only"),
        *("keep_missing", "allow_missing", "leave_special"),
    ],
)
@pytest.mark.parametrize("several", [list, np.array, pd.Index, iter])
def test_names_are_passed_one_by_one_or_in_lists(call: str, several: Callable[[list[str]], Any]) -> None:
    constrain = getattr(ACTIONS, call)
    assert constrain(several(["Rate", "Single"])) == constrain("Rate", "Single")
    assert constrain(["Rate"], "Single") == constrain("Rate", "Single")
    assert constrain([]) == ACTIONS


def test_an_open_end_is_that_of_the_inferred_range() -> None:
    age = ACTIONS["Age"]
    assert ACTIONS.within(Age=(None, 40)) == ACTIONS.within(Age=(age.low, 40))
    assert ACTIONS.within(Age=[40, None]) == ACTIONS.within(Age=(40, age.high))
    assert ACTIONS.within(Age=(30, 31)).within(Age=(None, None)) == ACTIONS.within(Age=(age.low, age.high))


def test_sets_compare_by_content_however_they_were_said_and_survive_pickling() -> None:
    policy = ACTIONS.fix("Age").within(Rate=(0.2, 0.8)).candidates(Owns=[1]).with_rules(TOGETHER)
    copy = pickle.loads(pickle.dumps(policy))
    assert (copy, hash(copy)) == (policy, hash(policy))
    assert copy != ACTIONS
    assert ACTIONS["Age"].fixed is False  # every call returns a new set
    assert ACTIONS.within(Age=(20, 40)) == ACTIONS.within({"Age": [20, 40]})
    assert ACTIONS.step({"Age": 5}, Rate=0.1) == ACTIONS.step(Age=5).step(Rate=0.1)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([together("Agee", "Rate")], "'Agee'.*Did you mean 'Age'"),
        ([[[TOGETHER]]], r"with_rules\(\) expects rules, got \["),
        (["Age <= Rate"], "expects rules, got 'Age <= Rate'. Build one with p2ce.rules"),
        ([type(TOGETHER)], "expects rules, got <class"),
        ([linked("Age", "Small"), linked("Small", "Age")], "cycle"),
    ],
)
def test_a_rule_that_makes_no_sense_is_rejected(rules: list[Any], message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        ACTIONS.with_rules(*rules)


UNKNOWN = "There is no feature 'Agee'. Did you mean 'Age'?"


@pytest.mark.parametrize(
    "call",
    [
        lambda: ACTIONS.fix("Age", "Agee"),
        lambda: ACTIONS.increase_only("Agee"),
        lambda: ACTIONS.decrease_only("Agee"),
        lambda: ACTIONS.within(Agee=(1, 2)),
        lambda: ACTIONS.step({"Agee": 1}),
        lambda: ACTIONS.candidates(Agee=[1]),
        lambda: ACTIONS.protect("Agee"),
        lambda: ACTIONS.keep_missing("Agee"),
        lambda: ACTIONS.allow_missing("Agee"),
        lambda: ACTIONS["Agee"],
    ],
)
def test_an_unknown_name_suggests_the_nearest(call: object) -> None:
    with pytest.raises(InvalidPolicy) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == UNKNOWN


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ACTIONS.within(Age=(60, 20)),
            r"60–20 of 'Age', which is an empty range. Swap the ends: \(20, 60\)",
        ),
        (lambda: ACTIONS.within(Age=(20, np.nan)), "finite numbers, got nan"),
        (lambda: ACTIONS.within(Age=(-np.inf, 20)), "finite numbers, got -inf"),
        (lambda: ACTIONS.within(Age=(0, 1e305)), r"finite numbers, got 1e\+305"),
        (lambda: ACTIONS.within(Age=20), r"expects \(low, high\) for 'Age', got 20"),
        (lambda: ACTIONS.within(Age=(1, 2, 3)), r"got \(1, 2, 3\)"),
        (lambda: ACTIONS.within(Age="20-30"), "got '20-30'"),
        (lambda: ACTIONS.within(Age=(None, 3)), "end of 'Age' open.* is empty. Write both ends"),
        (lambda: ACTIONS.within([("Age", 1)]), r"keywords or a dict, got list. Write within\(\{'Age'"),
        (lambda: ACTIONS.within({"Age": (1, 2)}, Age=(1, 2)), "'Age' twice"),
        (lambda: ACTIONS.step(Age=1).within(Age=(30.2, 30.8)), "holds no multiple of its step 1. Widen"),
        (
            lambda: ACTIONS.step(LoanAmount=100).within(LoanAmount=(501, 549)),
            r"no multiple of its step 100. .*call .step\(\{'LoanAmount': 2\}\) first",
        ),
        (lambda: ACTIONS.within(Owns=(0.2, 0.8)), "no multiple of its step 1"),
        (lambda: ACTIONS.step(Small=1).within(Small=(500, 600)), "500–600 of 'Small'"),
        (lambda: ACTIONS.step(Age=0), "must be above 0, got 0"),
        (lambda: ACTIONS.step(Age=-5), "got -5. Use increase_only"),
        (lambda: ACTIONS.step(Age=np.inf), "finite numbers, got inf"),
        (lambda: ACTIONS.step(Age="5"), "expects numbers, got '5'"),
        (lambda: ACTIONS.step(Age=2.5), "must be whole, got 2.5. Use 2"),
        (lambda: ACTIONS.step(Owns=2), "binary, so its step must be 1, got 2"),
        (lambda: ACTIONS.step(Age=10_000), "The inferred range is .* no multiple of its step 10000"),
        (lambda: ACTIONS.candidates(Age=[]), "is empty. List at least one"),
        (lambda: ACTIONS.candidates(Age=5), "expects a list for 'Age', got 5"),
        (lambda: ACTIONS.candidates(Age="own"), "expects a list for 'Age', got 'own'"),
        (lambda: ACTIONS.candidates(Age=["own"]), "expects numbers, got 'own'.*holds numbers, not labels"),
        (lambda: ACTIONS.candidates(Age=[np.nan]), "finite numbers, got nan"),
        (lambda: ACTIONS.candidates(Age=[2.5]), "lists 2.5, but the column is int64 and holds whole numbers"),
        (lambda: ACTIONS.candidates(Flag=[2]), "column is bool and holds False and True"),
        (lambda: ACTIONS.candidates(Small=[200]), "int8 and holds whole numbers from -128 to 127"),
        (lambda: ACTIONS.candidates(Single=[1e300]), "float32 and holds numbers up to 3.4"),
        (lambda: ACTIONS.candidates(Age=range(30_001)), "30,001 values for 'Age', more than the 30,000"),
        (
            lambda: ACTIONS.candidates(Age=[1, 2]).within(Age=(5, 9)),
            r"leaves none of its candidates\(\) 1, 2",
        ),
        (
            lambda: ACTIONS.within(Age=(6, 9)).candidates(Age=[1, 2]),
            r"leaves none of its candidates\(\) 1, 2",
        ),
        (lambda: ACTIONS.increase_only("Age").decrease_only("Age"), r"both .*fix\('Age'\)"),
        (lambda: ACTIONS.fix([["Age", "Rate"]]), r"names of features, got \['Age', 'Rate'\] in a list"),
        (lambda: ACTIONS.without_rules(TOGETHER), r"There is no rule .* to remove. None is known"),
        (lambda: ACTIONS.fix("Age").with_rules(linked("Small", "Age")), "'Age' is fixed"),
        (lambda: ACTIONS.with_rules(linked("Small", "Age")).fix("Age"), "'Age' is fixed"),
        (
            lambda: ACTIONS.step(LoanAmount=1).within(LoanAmount=(0, 10**9))["LoanAmount"].candidates(),
            "1,000,000,001 candidates in 0–1000000000, more than the 30,000 allowed",
        ),
    ],
)
def test_a_mistake_is_named_with_its_fix(call: object, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        call()  # type: ignore[operator]


def test_the_paper_grid_keeps_its_low_end_under_step_and_within() -> None:
    policy = Policy.infer(PEOPLE, grid="paper", protect=None)
    low = policy["LoanAmount"].anchor
    stepped = candidates(policy.step(LoanAmount=100).within(LoanAmount=(0, 2000)), "LoanAmount")
    assert low in stepped
    assert set(np.diff(stepped)) == {100.0}
    assert policy["Owns"].kind is Kind.BINARY
