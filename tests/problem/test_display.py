"""How features are called and written is kept as it was said, and nonsense is rejected."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidActions, UnknownFeature
from p2ce.problem import ActionSet
from p2ce.problem.display import LANGUAGES, STYLES, Display, value_key

words = st.text(max_size=20) | st.dictionaries(st.sampled_from(LANGUAGES), st.text(max_size=20))
named = st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=9)
names_of_values = st.lists(
    st.tuples(named, words), max_size=3, unique_by=lambda pair: value_key(pair[0])
).map(dict)
displays = st.builds(
    Display,
    name=words,
    unit=words,
    unit_first=st.booleans(),
    style=st.sampled_from(STYLES),
    decimals=st.none() | st.integers(0, 15),
    values=names_of_values,
    phrases=names_of_values,
)


@given(displays)
def test_a_display_survives_its_plain_form(display: Display) -> None:
    assert Display.from_dict(display.to_dict()) == display


@pytest.mark.parametrize(
    ("given_entries", "message"),
    [
        ({"nam": "loan"}, "has no entry 'nam'. Did you mean 'name'?"),
        ({"name": 3}, "name of a display must be text"),
        ({"name": {"english": "loan"}}, "has words in 'english'"),
        ({"unit": {"en": 1}}, "unit of a display must be text"),
        ({"style": "percents"}, "Did you mean 'percent'?"),
        ({"decimals": -1}, "from 0 to 15, got -1"),
        ({"decimals": True}, "got True"),
        ({"decimals": 1.0}, "got 1.0"),
        ({"values": ["own"]}, "must be a dict from values to words"),
        ({"phrases": {True: 3}}, "phrases of a display must be text"),
        ({"unit_first": 1}, "unit_first must be true or false"),
        ("loan", "has entries such as 'name'"),
    ],
)
def test_what_cannot_be_shown_is_rejected_with_the_way_out(given_entries: Any, message: str) -> None:
    with pytest.raises(InvalidActions, match="display") as caught:
        ActionSet.infer(pd.DataFrame({"Loan": [1, 9]})).display(Loan=given_entries)
    assert message in str(caught.value)
    assert "'Loan'" in str(caught.value)


def test_displays_go_by_name_and_change_no_candidate() -> None:
    actions = ActionSet.infer(pd.DataFrame({"Loan amount": [1, 9]}))
    named = actions.display({"Loan amount": Display(unit="EUR")})
    assert named["Loan amount"].display.unit_in("pt") == "EUR"
    assert named["Loan amount"].candidates().tolist() == actions["Loan amount"].candidates().tolist()
    with pytest.raises(UnknownFeature, match="Did you mean 'Loan amount'"):
        actions.display({"Loan amout": Display()})


def test_words_fall_back_on_english_then_on_any() -> None:
    assert Display(name={"en": "loan", "pt": "empréstimo"}).name_in("es") == "loan"
    assert Display(name={"pt": "empréstimo"}).name_in("en") == "empréstimo"
    assert Display(name={}).name_in("en") == ""


@pytest.mark.parametrize("yes", [True, 1, 1.0, np.True_, np.int8(1), np.float32(1), "true", "True"])
def test_yes_is_the_same_however_it_is_stored(yes: Any) -> None:
    assert value_key(yes) == "1"
    assert Display(phrases={True: "have one"}).phrase_for(yes, "en") == "have one"


@given(st.floats(-1e6, 1e6), st.integers(0, 10))
def test_rounding_goes_to_the_decimals_that_are_seen(value: float, decimals: int) -> None:
    plain, percent = Display(decimals=decimals), Display(decimals=decimals, style="percent")
    assert plain.rounded(value) == round(value, decimals)
    assert percent.rounded(value) == round(value, decimals + 2)
    assert Display().rounded(value) == value


def test_two_names_for_one_value_are_rejected() -> None:
    with pytest.raises(InvalidActions, match="name '1' twice"):
        Display(values={1: "one", "true": "yes"})


def test_words_for_a_label_that_does_not_exist_are_rejected() -> None:
    homes = ActionSet.infer(pd.DataFrame({"Home": ["own", "rent"]}))
    assert (
        homes.display(Home={"values": {"own": "a house"}})["Home"].display.value_name("own", "en")
        == "a house"
    )
    with pytest.raises(InvalidActions, match=r"none of its labels\. Did you mean 'own'"):
        homes.display(Home={"phrases": {"ownn": "buy a house"}})


@pytest.mark.parametrize("text", ["1.0", "1", "1e0", "+1", "1."])
def test_numbers_are_the_same_however_a_file_writes_them(text: str) -> None:
    assert value_key(text) == "1"


@pytest.mark.parametrize("text", ["", ".", "007", "1e", "e5", "-", "1_000", "inf", "nan"])
def test_what_is_no_number_stays_text(text: str) -> None:
    assert value_key(text) == text
