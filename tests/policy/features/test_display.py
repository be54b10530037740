"""How features are called and written is kept as it was said, and nonsense is rejected."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidPolicy
from p2ce.policy import Policy
from p2ce.policy.features.display import Display, value_key
from tests.policy.random_displays import displays


@given(displays)
def test_a_display_survives_its_plain_form(display: Display) -> None:
    assert Display.from_dict(display.to_dict()) == display


@pytest.mark.parametrize(
    ("given_entries", "message"),
    [
        ({"nam": "loan"}, "has no entry 'nam'. Did you mean 'name'?"),
        ({"name": 3}, "name of a display must be text"),
        ({"name": {"english": "loan"}}, "has words for 'english'"),
        ({"unit": {"en": 1}}, "unit of a display must be text"),
        ({"style": "percents"}, "Did you mean 'percent'?"),
        ({"decimals": -1}, "a whole number at least 0, got -1"),
        ({"decimals": True}, "got True"),
        ({"decimals": 1.0}, "got 1.0"),
        ({"values": ["own"]}, "must be entries such as 'key: value'"),
        ({"phrases": {True: 3}}, "phrases of a display must be text"),
        ({"unit_first": 1}, "unit_first of a display must be true or false"),
        ("loan", "needs entries such as 'name'"),
    ],
)
def test_what_cannot_be_shown_is_rejected_with_the_way_out(given_entries: Any, message: str) -> None:
    with pytest.raises(InvalidPolicy, match="display") as caught:
        Policy.infer(pd.DataFrame({"Loan": [1, 9]})).display(Loan=given_entries)
    assert message in str(caught.value)
    assert "'Loan'" in str(caught.value)


def test_displays_go_by_name_and_change_no_candidate() -> None:
    policy = Policy.infer(pd.DataFrame({"Loan amount": [1, 9]}))
    named = policy.display({"Loan amount": Display(unit="EUR")})
    assert named["Loan amount"].display.unit_in("pt") == "EUR"
    assert named["Loan amount"].candidates().tolist() == policy["Loan amount"].candidates().tolist()
    with pytest.raises(InvalidPolicy, match="Did you mean 'Loan amount'"):
        policy.display({"Loan amout": Display()})


def test_words_fall_back_on_english_then_on_any() -> None:
    assert Display(name={"en": "loan", "pt": "empréstimo"}).name_in("es") == "loan"
    assert Display(name={"pt": "empréstimo"}).name_in("en") == "empréstimo"
    assert Display(name={}).name_in("en") == ""


@given(st.floats(-1e6, 1e6), st.integers(0, 10))
def test_rounding_goes_to_the_decimals_that_are_seen(value: float, decimals: int) -> None:
    plain, percent = Display(decimals=decimals), Display(decimals=decimals, style="percent")
    assert plain.rounded(value) == round(value, decimals)
    assert percent.rounded(value) == round(value, decimals + 2)
    assert Display().rounded(value) == value


def test_values_have_one_name_each_and_labels_exist() -> None:
    homes = Policy.infer(pd.DataFrame({"Home": ["own", "rent"]}))
    named = homes.display(Home={"values": {"own": "a house"}})["Home"].display
    assert named.value_name("own", "en") == "a house"
    with pytest.raises(InvalidPolicy, match=r"not one of its labels\. Did you mean 'own'"):
        homes.display(Home={"phrases": {"ownn": "buy a house"}})
    with pytest.raises(InvalidPolicy, match="names a value twice"):
        Display(values={1: "one", "true": "yes"})


ONES = [True, 1, 1.0, np.True_, np.int8(1), np.float32(1), "true", "True", "1.0", "1", "1e0", "+1", "1."]
TEXTS = ["", ".", "007", "1e", "e5", "-", "1_000", "inf", "nan"]


@pytest.mark.parametrize(("value", "key"), [*((one, "1") for one in ONES), *((text, text) for text in TEXTS)])
def test_values_are_the_same_however_they_are_stored_or_written(value: Any, key: str) -> None:
    assert value_key(value) == key
    assert Display(phrases={True: "have one"}).phrase_for(value, "en") == ("have one" if key == "1" else "")
