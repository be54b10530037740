"""Names, values and changes follow the displays, and values are never rounded otherwise."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.languages import LANGUAGES
from p2ce.present.speaker import Speaker, speaker_for, speaker_of
from p2ce.problem.display import Display
from p2ce.result import Feature, Question
from tests.present.cases import QUESTION, answer


def speaker(language: str = "en", *, kind: str = "number", **display: object) -> Speaker:
    feature = Feature(name="X", kind=kind, display=Display(**display))  # type: ignore[arg-type]
    return speaker_for(Question(features={"X": feature}), language)


def test_names_with_and_without_article() -> None:
    for language, named, name in (
        ("en", "the loan amount", "loan amount"),
        ("pt", "o valor do empréstimo", "valor do empréstimo"),
        ("es", "el importe del préstamo", "importe del préstamo"),
    ):
        speaking = speaker_for(QUESTION, language)
        assert (speaking.named("LoanAmount"), speaking.name("LoanAmount")) == (named, name)
        assert speaking.axis("LoanAmount") == f"{name} (EUR)"
        assert speaking.named("Unknown") == speaking.name("Unknown") == speaking.axis("Unknown") == "Unknown"
    assert speaker(name="the rent").named("X") == "the rent"
    assert speaker(name="your rent").named("X") == "your rent"
    assert speaker(name="the rent").name("X") == "rent"
    assert speaker("es", name="La").name("X") == "La"  # an article alone is a name


@pytest.mark.parametrize(
    ("language", "display", "value", "speaking"),
    [
        ("en", {"unit": "year|years"}, 1, "1 year"),
        ("pt", {"unit": {"pt": "ano|anos"}}, 1.0, "1 ano"),
        ("es", {"unit": {"es": "año|años"}}, 2, "2 años"),
        ("en", {"unit": "EUR"}, 7500.25, "7,500.25 EUR"),
        ("pt", {"unit": "EUR"}, 7500.25, "7.500,25 EUR"),
        ("es", {"unit": "EUR"}, 7500.25, "7.500,25 EUR"),
        ("en", {"unit": "$", "unit_first": True}, -7500, "-$7,500"),
        ("pt", {"unit": "R$", "unit_first": True}, 7500, "R$ 7.500"),
        ("en", {"unit": "EUR", "unit_first": True}, 7500, "EUR 7,500"),
        ("en", {"style": "plain"}, 1998.0, "1998"),
        ("en", {"style": "percent"}, 0.07, "7 %"),
        ("pt", {"style": "percent"}, -0.0725, "-7,25%"),
        ("es", {"style": "percent"}, 12.5, "1.250 %"),
        ("en", {"style": "percent"}, 1e30, "1e+32 %"),
        ("en", {"decimals": 2, "unit": "EUR"}, 5.5, "5.50 EUR"),
        ("en", {"decimals": 2, "unit": "EUR"}, 5.12345, "5.12345 EUR"),
        ("en", {"decimals": 2, "unit": "EUR"}, 5.0, "5 EUR"),
        ("en", {"unit": "EUR"}, None, "missing"),
        ("pt", {"unit": "EUR"}, math.nan, "ausente"),
        ("en", {"unit": "EUR"}, math.inf, "inf EUR"),
        ("en", {"unit": "EUR", "values": {0: "nothing"}}, 0, "nothing"),
        ("es", {"values": {"own": {"en": "owned", "es": "propia"}}}, "own", "propia"),
        ("en", {}, "missing", "'missing'"),
        ("es", {}, "missing", "missing"),
        ("en", {}, " own", "' own'"),
        ("en", {}, np.int64(1200), "1,200"),
        ("pt", {}, np.True_, "sim"),
    ],
)
def test_values(language: str, display: dict[str, object], value: object, speaking: str) -> None:
    assert speaker(language, **display).value("X", value) == speaking


def test_yes_and_no_of_columns_of_zeros_and_ones() -> None:
    speaking = speaker("es", kind="binary", unit="EUR")
    assert (speaking.value("X", 1), speaking.value("X", 0.0), speaking.value("X", True)) == ("sí", "no", "sí")
    assert speaker_for(None).value("X", 1) == "1"


def test_digits_of_narrow_columns() -> None:
    value = float(np.float32(0.1))
    assert speaker_for(None, dtypes={"X": "float32"}).value("X", value) == "0.1"
    assert speaker_for(None).value("X", value) == "0.10000000149011612"


@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**20), 10**20),
    st.sampled_from(["grouped", "plain", "percent"]),
    st.sampled_from(LANGUAGES),
    st.none() | st.integers(0, 3),
)
def test_what_is_written_is_the_value_itself(
    value: float, style: str, language: str, decimals: int | None
) -> None:
    text = speaker(language, style=style, decimals=decimals).value("X", value)
    digits = text.rstrip("% ")
    digits = digits.replace(".", "").replace(",", ".") if language != "en" else digits.replace(",", "")
    read = Decimal(digits) / (100 if style == "percent" else 1)
    assert type(value)(read) == value


def test_changes_of_numbers() -> None:
    speaking = speaker(name="rent", unit="EUR")
    assert speaking.change("X", 7500, 5200) == "lower the rent from 7,500 to 5,200 EUR"
    assert speaking.change("X", 5200.5, 7500) == "raise the rent from 5,200.5 to 7,500 EUR"
    assert speaking.change("X", 5200, 5200) == "change the rent from 5,200 to 5,200 EUR"
    assert speaker(name="rent", unit="$", unit_first=True).change("X", 2, 1) == "lower the rent from $2 to $1"
    none = speaker(name="rent", unit="EUR", values={0: "none"})
    assert none.change("X", 0, 500) == "change the rent from none to 500 EUR"
    coded = speaker(kind="category")
    assert coded.change("X", 1, 2) == "change X from 1 to 2"


def test_changes_without_a_question() -> None:
    speaking = speaker_for(None)
    assert speaking.change("Rate", 0.5, 0.75) == "raise Rate from 0.5 to 0.75"
    assert speaking.change("Housing", "rent", "own") == "change Housing from rent to own"
    assert speaking.change("HasGuarantor", False, True) == "change HasGuarantor from no to yes"
    for missing in (None, math.nan):
        assert speaking.change("Income", missing, 42_000) == (
            "state Income (only if the true value is 42,000; missing so far)"
        )
        assert speaking.change("Income", 42_000.0, missing) == (
            "leave Income unstated (only if that is permitted; now 42,000)"
        )


def test_phrases_come_before_those_of_displays() -> None:
    speaking = speaker_for(QUESTION, "pt")
    assert speaking.change("HasGuarantor", 0, 1) == "apresente um fiador"
    assert speaking.change("HasGuarantor", 1, 0) == "mude fiador de sim para não"
    phrases = {("HasGuarantor", True): "get one", ("Savings", None): "withhold them", ("Savings", 5): "save"}
    own = speaker_for(QUESTION, phrases=phrases)
    assert own.change("HasGuarantor", 0, 1) == "get one"
    assert own.change("Savings", 5, math.nan) == own.change("Savings", 5, None) == "withhold them"
    assert own.change("Savings", None, 5) == "save"


def test_a_change_is_rounded_only_to_what_was_verified() -> None:
    speaking = speaker(name="rent", decimals=0)
    assert speaking.change("X", 7512.4, 6199.9999, said=6200.0) == "lower the rent from 7,512.4 to 6,200"
    assert speaking.change("X", 7512.4, 6199.9999) == "lower the rent from 7,512.4 to 6,199.9999"
    # An old value is never rounded; a rounding that undoes the change is not used.
    assert speaking.change("X", 6200.3, 6199.9, said=6200.0) == "lower the rent from 6,200.3 to 6,200"
    assert speaking.change("X", 6200, 6199.9, said=6200.0) == "lower the rent from 6,200 to 6,199.9"
    share = speaker("es", name="el interés", decimals=1, style="percent")
    assert share.change("X", 0.07512, 0.05) == "reduzca el interés del 7,512 % al 5 %"


def test_joined_parts() -> None:
    english, spanish = speaker_for(None), speaker_for(None, "es")
    assert [english.joined(list("abc")[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert spanish.joined(["pida", "invierta"]) == "pida e invierta"
    assert spanish.joined(["agua", "hielo"]) == "agua y hielo"
    assert spanish.joined(["madre", "hijos"]) == "madre e hijos"


def test_objectives_and_what_is_best() -> None:
    speaking = speaker_for(None, "pt")
    assert speaking.objective("changes") == "número de mudanças"
    assert speaking.objective("effort") == "effort"
    assert [speaking.best_at(one) for one in ("changes", "balanced", "different", "only", "effort")] == [
        "menos mudanças",
        "opção equilibrada",
        "opção diferente das demais",
        "a opção encontrada",
        "menor valor de effort",
    ]


def test_other_numbers() -> None:
    speaking = speaker_of(answer(), "es")
    assert speaking.figure(7500.256, 2) == "7.500,26"
    assert speaking.figure(10**30 + 1, 0).replace(".", "") == str(10**30 + 1)
    assert speaking.score(answer(), 0.49999) == "0,49999"
    assert (speaking.cost(0.123456), speaking.cost(2.0)) == ("0,1235", "2")
    assert [speaking.full(value) for value in (0.25, True, None, "a.b")] == ["0,25", "sí", "ausente", "a.b"]


def test_a_name_keeps_a_capital_article() -> None:
    assert speaker(name="The Hague office").name("X") == "The Hague office"
    assert speaker("es", name="La Paz").name("X") == "La Paz"
    assert speaker("es", name="la cuota").name("X") == "cuota"


def test_an_unknown_language_raises() -> None:
    with pytest.raises(InvalidArgument, match="'pt'"):
        speaker_for(None, "pt-BR")
