"""Are codes kept apart from numbers: detected where they look like ones, named where the user names them?"""

import logging

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy import Kind, Policy
from p2ce.policy.inference.special_values import detected

PEOPLE = pd.DataFrame(
    {
        "Months": [-9] * 5 + [-8] * 5 + list(range(40)),
        "Income": [1000.0 + 50 * i for i in range(45)] + [99999.0] * 5,
        "Age": [*range(20, 69), 99],
        "Change": list(range(-25, 25)),
    }
)


def test_codes_are_found_where_they_stand_apart_from_numbers() -> None:
    numbers = {name: PEOPLE[name].to_numpy(float) for name in PEOPLE}
    assert detected(numbers) == {"Months": (-9.0, -8.0), "Income": (99999.0,)}
    assert detected({"Days": np.repeat([999.0, 3.0, 6.0, 10.0], 5)}) == {"Days": (999.0,)}
    # A number among others is one, however it is written.
    assert detected({"Score": np.repeat(np.arange(990.0, 1010.0), 5)}) == {}
    assert detected({"Pay": np.repeat(np.arange(-2.0, 9.0), 5)}) == {"Pay": (-2.0, -1.0)}
    assert detected({"Points": np.repeat([99.0, *range(600, 851)], 5)}) == {"Points": (99.0,)}


@pytest.mark.parametrize(
    "values",
    [
        np.repeat(np.arange(-2.0, 3.0), 5),  # a scale has numbers below zero
        np.repeat(np.arange(-9.0, 60.0), 5),
        np.repeat([-1.0, 0.0, 1.0], 9),
        np.repeat([0.0, 1.0, 2.0, 10.0], 5),  # too few others to say what is far
        np.repeat([0.0, *range(5_000, 5_100)], 5),  # no income is an income
        np.append(np.arange(60.0), [400.0] * 2),  # two rows are outliers
        np.append(np.arange(60.0), [400.5] * 5),
        np.repeat([6.0, 12.0, 24.0, 36.0, 48.0, 60.0, 72.0], 9),
    ],
)
def test_ordinary_numbers_are_no_codes(values: np.ndarray) -> None:
    assert detected({"x": values}) == {}


def test_repeated_numbers_far_beyond_all_others_are_codes() -> None:
    late = np.concatenate([np.zeros(900), np.repeat(np.arange(1.0, 18.0), 2), [96.0] * 5, [98.0] * 264])
    assert detected({"late": late}) == {"late": (96.0, 98.0)}
    employed = np.concatenate([-np.arange(1.0, 3_000.0), [365_243.0] * 500])
    assert detected({"days": employed, "days back": -employed}) == {
        "days": (365_243.0,),
        "days back": (-365_243.0,),
    }


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(0, 40))
def test_what_lies_within_the_others_is_never_a_code(values: list[int], value: int) -> None:
    column = np.array([*range(41), *values, *[value] * 9], dtype=np.float64)
    assert detected({"x": column}) == {}


def test_by_default_what_looks_like_a_code_is_one(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="p2ce"):
        policy = Policy.infer(PEOPLE, protect=None)
    assert policy["Months"].special == (-9.0, -8.0)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "-9, -8 in 'Months'; 99999 in 'Income'" in record.getMessage()
    assert "special_values=None" in record.getMessage()
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="p2ce"):
        none = Policy.infer(PEOPLE, protect=None, special_values=None)
        named = Policy.infer(PEOPLE, protect=None, special_values={"Months": [-9]})
    assert (none["Months"].special, named["Months"].special) == ((), (-9.0,))
    assert not caplog.records


def test_special_values_count_neither_for_ranges_nor_for_candidates() -> None:
    policy = Policy.infer(PEOPLE, special_values={"Months": [-9, -8], "Income": 99999})
    months = policy["Months"]
    assert months.low == 0
    assert months.candidates().min() >= 0
    assert policy["Income"].candidates().max() < 5_000
    wide = policy.within(Months=(-20, 50))["Months"]
    assert not {-9.0, -8.0} & set(wide.candidates().tolist())
    flags = pd.DataFrame({"Flag": [0, 1, 9, 1, 0, 9, 9]})
    assert Policy.infer(flags, special_values={"Flag": [9]})["Flag"].kind is Kind.BINARY


def test_nobody_takes_a_code_and_leaving_it_has_to_be_allowed() -> None:
    policy = Policy.infer(PEOPLE, special_values={"Months": [-9, -8]}).free("Months")
    policy = policy.decrease_only("Months")
    months = policy["Months"]
    assert months.allows(-9, -9)
    assert not months.allows(5, -9)
    assert not months.allows(-9, -8)
    assert not months.allows(-9, 3)
    leaving = policy.leave_special("Months")["Months"]
    assert leaving.allows(-9, 3)  # neither up nor down
    assert not leaving.allows(-9, -8)
    assert not leaving.allows(3, 5)
    assert not policy.leave_special("Months").fix("Months")["Months"].allows(-9, 3)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"Month": [-9]}, InvalidPolicy, "Did you mean 'Months'"),
        ({"Months": ["x"]}, InvalidPolicy, "must be numbers"),
        ({"Age": list(range(200))}, InvalidPolicy, "no number is left"),
        ("guess", InvalidPolicy, "'detect'"),
        ([1, 2], InvalidPolicy, "a dict of column"),
    ],
)
def test_what_is_wrong_is_said(wrong: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Policy.infer(PEOPLE, special_values=wrong)  # type: ignore[arg-type]


def test_a_policy_file_keeps_them(tmp_path: object) -> None:
    path = f"{tmp_path}/policy.yaml"
    policy = Policy.infer(PEOPLE, special_values={"Months": [-9, -8]}).leave_special("Months")
    policy.save(path)
    assert Policy.load(path) == policy
    assert "special values -9, -8 may be left" in str(policy)
