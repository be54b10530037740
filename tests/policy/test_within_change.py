"""Does a limit relative to today mean what its sentence says, in Python, in a file and in texts?"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce import Policy
from p2ce.errors import InvalidPolicy
from p2ce.policy.features.describe_features import candidates_of, described_candidates
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.file.policy_document import read_document
from p2ce.policy.file.policy_file import parse_policy, policy_text
from p2ce.policy.file.policy_lint import lint

PEOPLE = pd.DataFrame(
    {
        "Income": [20_000.0, 31_500.5, 45_000.0, np.nan] * 10,
        "Years": [0, 3, 12, 7] * 10,
        "Months": [-9, 3, 5, 8] * 10,
        "Owns": [0, 1] * 20,
        "Job": ["a", "b"] * 20,
    }
)
POLICY = Policy.infer(PEOPLE, protect=None, special_values={"Months": [-9]})


def limited(**limits: Any) -> Policy:
    return POLICY.within_change(limits)


@pytest.mark.parametrize(
    ("limit", "stated", "text"),
    [
        ("+10%", (0, "+10%"), "at most 10% above and not below today's value"),
        ("-10%", ("-10%", 0), "not above and at most 10% below today's value"),
        ("±2.5%", ("-2.5%", "+2.5%"), "at most 2.5% above and at most 2.5% below today's value"),
        ("−10 %", ("-10%", 0), "not above and at most 10% below today's value"),
        (500, (0, 500), "at most 500 above and not below today's value"),
        (-500, (-500, 0), "not above and at most 500 below today's value"),
        ((-2, 5.5), (-2, 5.5), "at most 5.5 above and at most 2 below today's value"),
        (["-10%", None], ("-10%", None), "at most 10% below today's value"),
        ((None, "5%"), (None, "+5%"), "at most 5% above today's value"),
        (("0%", 3), (0, 3), "at most 3 above and not below today's value"),
    ],
)
def test_every_form_has_one_meaning(limit: Any, stated: tuple[Any, ...], text: str) -> None:
    policy = limited(Income=limit)
    found = candidates_of(policy["Income"])
    assert found is not None
    assert found.within_change == stated
    assert described_candidates(policy["Income"]).endswith(text)
    assert limited(Income=stated) == policy
    parsed = parse_policy(read_document(policy_text(policy))).policy()
    assert parsed == policy
    assert policy_text(parsed) == policy_text(policy)
    assert policy.within_change(Income=None) == limited(Income=(None, None))


@pytest.mark.parametrize(
    ("name", "limit", "message"),
    [
        ("Income", "10%", r"without a sign. Write '\+10%'"),
        ("Income", "ten", r"expects an amount or a pair"),
        ("Income", "+10", r"expects an amount or a pair"),
        ("Income", (1, 5), r"first end must be at most 0"),
        ("Income", (-5, -1), r"first end must be at most 0"),
        ("Income", (0, 0), r"allows no change. Use fix\('Income'\)"),
        ("Income", 0, r"allows no change"),
        ("Income", (1, 2, 3), r"expects an amount or a pair"),
        ("Income", ("±5%", None), r"expects an amount or a pair"),
        ("Income", True, r"."),
        ("Income", float("nan"), r"finite"),
        ("Job", "+10%", r"'Job' is a category"),
        ("Owns", 1, r"'Owns' is binary"),
        ("Incme", "+10%", r"Did you mean 'Income'"),
    ],
)
def test_other_forms_say_what_to_write(name: str, limit: Any, message: str) -> None:
    if limit is True:  # a bool is the number 1
        assert limited(Income=True) == limited(Income=1)
        return
    with pytest.raises(InvalidPolicy, match=message):
        limited(**{name: limit})


def test_a_limit_against_the_only_direction_is_an_error() -> None:
    with pytest.raises(InvalidPolicy, match="'Income' is increase_only, but within_change"):
        POLICY.increase_only("Income").within_change(Income="-10%")
    with pytest.raises(InvalidPolicy, match="'Income' is decrease_only, but within_change"):
        limited(Income="+10%").decrease_only("Income")


def test_missing_and_special_values_have_no_size() -> None:
    policy = limited(Income="+10%", Months=1).leave_special("Months").allow_missing("Income")
    assert policy["Income"].allows(None, 45_000.0)
    assert policy["Income"].allows(20_000.0, None)
    assert not policy.keep_missing("Income")["Income"].allows(None, 45_000.0)
    assert policy["Months"].allows(-9, 8)
    assert not policy["Months"].allows(3, 8)
    assert policy["Months"].allows(3, 4)


AMOUNTS = st.integers(0, 300).map(lambda tenths: tenths / 10)
ENDS = st.none() | st.tuples(AMOUNTS, st.booleans())


@given(ENDS, ENDS, st.sampled_from(["Income", "Years"]), st.data())
def test_no_value_beyond_is_allowed(down: Any, up: Any, name: str, data: st.DataObject) -> None:
    def written(end: Any, sign: int) -> Any:
        return None if end is None else f"{'-' * (sign < 0)}{end[0]}%" if end[1] else sign * end[0]

    pair = written(down, -1), written(up, 1)
    if all(end is not None and end[0] == 0 for end in (down, up)):
        return
    feature: FeaturePolicy = limited(**{name: pair})[name]
    before = data.draw(st.integers(-5_000, 5_000)) / (100 if name == "Income" else 1)
    after = before + data.draw(st.integers(-5_000, 5_000)) / (100 if name == "Income" else 1)

    def room(end: Any) -> float:
        return np.inf if end is None else end[0] * abs(before) / 100 if end[1] else end[0]

    change = after - before
    if abs(change - room(up)) > 1e-6 and abs(-change - room(down)) > 1e-6:  # the decimals decide there
        assert feature.allows(before, after) == (-room(down) <= change <= room(up))


def test_a_policy_file_names_the_line_of_a_bad_limit() -> None:
    text = policy_text(limited(Income="+10%"))
    line = next(at for at, one in enumerate(text.split("\n"), start=1) if "within_change" in one)
    found = parse_policy(read_document(text.replace("[0, +10%]", "10%"))).faults
    assert [(fault.line, "without a sign" in fault.message) for fault in found] == [(line, True)]


def test_a_check_names_people_whom_a_percentage_gives_no_room() -> None:
    parsed = parse_policy(read_document(policy_text(limited(Years="+10%", Income="+10%"))))
    (found,) = [one for one in lint(parsed, PEOPLE) if one.code == "percent-of-zero"]
    assert "'Years' is in percent, and 10 of 40 people are at 0" in found.message
