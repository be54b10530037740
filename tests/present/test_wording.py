"""Names, values and changes follow the displays."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from p2ce.policy.features.display import Display
from p2ce.present.wording import Wording, wording_for
from p2ce.result import Feature, ProblemRecord
from tests.present.cases import PROBLEM


def wording(language: str = "en", *, kind: str = "number", **display: object) -> Wording:
    feature = Feature(name="X", kind=kind, display=Display(**display))  # type: ignore[arg-type]
    return wording_for(ProblemRecord(features={"X": feature}), language)


@pytest.mark.parametrize(
    ("language", "name", "in_a_sentence", "in_a_heading"),
    [
        ("en", "loan amount", "the loan amount", "loan amount"),
        ("en", "the rent", "the rent", "rent"),
        ("en", "your rent", "your rent", "your rent"),
        ("en", "The Hague office", "The Hague office", "The Hague office"),
        ("pt", "o valor", "o valor", "valor"),
        ("es", "la cuota", "la cuota", "cuota"),
        ("es", "La Paz", "La Paz", "La Paz"),
        ("es", "la", "la", "la"),  # an article alone is a name
        ("en", "", "X", "X"),
    ],
)
def test_names_have_an_article_in_sentences_only(
    language: str, name: str, in_a_sentence: str, in_a_heading: str
) -> None:
    written = wording(language, name=name)
    assert (written.named("X"), written.name("X"), written.axis("X")) == (
        in_a_sentence,
        in_a_heading,
        in_a_heading,
    )
    assert wording(language, name=name, unit="km").axis("X") == f"{in_a_heading} (km)"


@pytest.mark.parametrize(
    ("language", "display", "value", "written"),
    [
        ("en", {"unit": "year|years"}, 1, "1 year"),
        ("pt", {"unit": {"pt": "ano|anos"}}, 1.0, "1 ano"),
        ("es", {"unit": {"es": "año|años"}}, 2, "2 años"),
        ("en", {"unit": "EUR"}, 7500.25, "€7,500.25"),
        ("pt", {"unit": "EUR"}, 7500.25, "€ 7.500,25"),
        ("es", {"unit": "EUR"}, 7500.25, "7.500,25 €"),
        ("en", {"unit": "EUR"}, 5.12345, "€5.12345"),
        ("en", {"unit": "$", "unit_first": True}, -7500, "-$7,500"),
        ("pt", {"unit": "R$", "unit_first": True}, 7500, "R$ 7.500"),
        ("en", {"unit": "points", "unit_first": True}, 7500, "points 7,500"),
        ("en", {"style": "plain"}, 1998.0, "1998"),
        ("en", {"style": "percent"}, 0.07, "7%"),
        ("pt", {"style": "percent"}, -0.0725, "-7,25%"),
        ("es", {"style": "percent"}, 12.5, "1.250 %"),
        ("en", {"style": "percent", "decimals": 2}, 0.055, "5.50%"),
        ("en", {"decimals": 2, "unit": "km"}, 5.5, "5.50 km"),
        ("en", {"decimals": 2, "unit": "km"}, 5.0, "5 km"),
        ("en", {"unit": "km"}, None, "missing"),
        ("pt", {"unit": "km"}, math.nan, "sem informação"),
        ("en", {"unit": "km"}, math.inf, "inf km"),
        ("en", {"unit": "km", "values": {0: "nothing"}}, 0, "nothing"),
        ("es", {"values": {"own": {"en": "owned", "es": "propia"}}}, "own", "propia"),
        ("en", {}, "missing", "'missing'"),
        ("es", {}, "missing", "missing"),
        ("en", {}, " own", "' own'"),
        ("en", {}, np.int64(1200), "1,200"),
        ("pt", {}, np.True_, "sim"),
    ],
)
def test_values(language: str, display: dict[str, object], value: object, written: str) -> None:
    text = wording(language, **display).value("X", value)
    assert text.replace("\N{NO-BREAK SPACE}", " ") == written


def test_yes_and_no_of_columns_of_zeros_and_ones() -> None:
    flag = wording("es", kind="binary", unit="km")
    assert [flag.value("X", one) for one in (1, 0.0, True)] == ["sí", "no", "sí"]
    assert wording_for(None).value("X", 1) == "1"


def test_digits_of_narrow_columns() -> None:
    value = float(np.float32(0.1))
    assert wording_for(None, dtypes={"X": "float32"}).value("X", value) == "0.1"
    assert wording_for(None).value("X", value) == "0.10000000149011612"


@pytest.mark.parametrize(
    ("display", "value", "written"),
    [
        ({"unit": "EUR"}, 2000.1, "€2,000.10"),
        ({"style": "percent"}, 0.07, "7%"),
        ({"style": "percent", "decimals": 2}, 0.0725, "7.25%"),
    ],
)
def test_digits_of_money_and_shares_in_narrow_columns(
    display: dict[str, object], value: float, written: str
) -> None:
    feature = Feature(name="X", kind="number", display=Display(**display))  # type: ignore[arg-type]
    shown = wording_for(ProblemRecord(features={"X": feature}), "en", dtypes={"X": "float32"})
    assert shown.value("X", float(np.float32(value))) == written


@pytest.mark.parametrize(
    ("display", "old", "new", "written"),
    [
        ({"unit": "km"}, 7500, 5200, "lower X from 7,500 to 5,200 km"),
        ({"unit": "EUR"}, 5200.5, 7500, "raise X from €5,200.50 to €7,500"),
        ({"unit": "$", "unit_first": True}, 2, 1, "lower X from $2 to $1"),
        ({"unit": "km", "values": {0: "none"}}, 0, 500, "change X from none to 500 km"),
        ({}, 5200, 5200, "change X from 5,200 to 5,200"),
        ({}, "rent", "own", "change X from rent to own"),
        ({}, False, True, "change X from no to yes"),
        ({}, None, 42_000, "tell us X (only if the true value is 42,000; we have no value today)"),
        ({}, 42_000.0, math.nan, "do not state X (only where the form allows this; today we have 42,000)"),
    ],
)
def test_changes(display: dict[str, object], old: object, new: object, written: str) -> None:
    assert wording(**display).change("X", old, new) == written


@pytest.mark.parametrize(
    ("language", "step", "written"),
    [
        ("en", 0.01, "1 percentage point"),
        ("en", 0.0025, "0.25 percentage points"),
        ("pt", 0.0025, "0,25 ponto percentual"),
        ("pt", 0.02, "2 pontos percentuais"),
        ("es", 0.01, "1 punto porcentual"),
        ("es", 0.0025, "0,25 puntos porcentuales"),
    ],
)
def test_percentages_are_points_apart(language: str, step: float, written: str) -> None:
    assert wording(language, style="percent").step("X", step) == written
    assert wording(language, unit="km").step("X", 2.0) == "2 km"


def test_phrases_come_before_those_of_displays() -> None:
    written = wording_for(PROBLEM, "pt")
    assert written.change("HasGuarantor", 0, 1) == "apresente um fiador"
    assert written.change("HasGuarantor", 1, 0) == "mude fiador: de “sim” para “não”"
    phrases = {("HasGuarantor", True): "get one", ("Savings", None): "withhold them", ("Savings", 5): "save"}
    own = wording_for(PROBLEM, phrases=phrases)
    assert own.change("HasGuarantor", 0, 1) == "get one"
    assert own.change("Savings", 5, math.nan) == own.change("Savings", 5, None) == "withhold them"
    assert own.change("Savings", None, 5) == "save"


def test_a_change_is_rounded_only_to_what_was_verified() -> None:
    rent = wording(name="rent", decimals=0)
    assert rent.change("X", 7512.4, 6199.9999, rounded=6200.0) == "lower the rent from 7,512 to 6,200"
    assert rent.change("X", 7512.4, 6199.9999) == "lower the rent from 7,512.4 to 6,199.9999"
    # The old value stays on its side of the new one; a rounding that undoes the change is not used.
    assert rent.change("X", 6200.3, 6199.9, rounded=6200.0) == "lower the rent from 6,200.3 to 6,200"
    assert rent.change("X", 6200, 6199.9, rounded=6200.0) == "lower the rent from 6,200 to 6,199.9"


@pytest.mark.parametrize(
    ("display", "old", "new", "written"),
    [
        ({"unit": "%", "decimals": 2}, 68.08865190000001, 40.5, "68.09 to 40.50 %"),
        ({"style": "percent", "decimals": 2}, 0.6808865190000001, 0.405, "68.09% to 40.50%"),
        ({}, 68.08865190000001, 40.5, "68.0887 to 40.5"),
        ({"decimals": 0}, 68.08865190000001, 40.25, "68.09 to 40.25"),
        ({"decimals": 2}, 68.08865190000001, 68.09, "68.089 to 68.09"),
        ({}, 1234567.891, 1000000.0, "1,234,567.89 to 1,000,000"),
        ({}, 0.000123456789, 0.1, "0.000123457 to 0.1"),
        ({"decimals": 0}, 0.2, 0.0, "0.2 to 0"),
        ({"decimals": 2}, 12345678, 5.0, "12,345,678 to 5"),
    ],
)
def test_a_current_value_has_the_decimals_of_its_feature(
    display: Any, old: float, new: float, written: str
) -> None:
    assert wording(**display).change("X", old, new).endswith(f"from {written}")


@given(
    st.floats(-1e9, 1e9).map(lambda value: value + 0.0),
    st.floats(-1e9, 1e9).map(lambda value: value + 0.0),
    st.none() | st.integers(0, 4),
)
def test_a_change_stays_visible_whatever_is_rounded(old: float, new: float, decimals: int | None) -> None:
    assume(old != new)
    before, after = wording(decimals=decimals).before_and_after("X", old, new)
    assert before != after


def test_objectives_of_the_users_own_keep_their_names() -> None:
    portuguese = wording_for(None, "pt")
    assert (portuguese.objective("changes"), portuguese.objective("effort")) == (
        "número de mudanças",
        "effort",
    )
    assert portuguese.best_at("effort") == "menor valor de effort"
