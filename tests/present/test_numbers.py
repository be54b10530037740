"""Numbers are written in the form of their locale, and never as another value than they are."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.errors import InvalidArgument
from p2ce.present.numbers import Numbers

LOCALES = {"en_GB": (",", "."), "pt_BR": (".", ","), "es": (".", ",")}  # groups, decimals
locales = st.sampled_from(sorted(LOCALES))
finite = st.floats(allow_nan=False, allow_infinity=False)


def parsed(text: str, locale: str) -> Decimal:
    group, point = LOCALES[locale]
    digits = text.replace("\N{NO-BREAK SPACE}", "").rstrip("%").replace(group, "").replace(point, ".")
    return Decimal(digits)


@given(number=finite | st.integers(-(10**40), 10**40), locale=locales, decimals=st.integers(0, 3))
def test_what_is_written_in_full_is_the_number_itself(number: float, locale: str, decimals: int) -> None:
    numbers = Numbers(locale)
    for grouped in (True, False):
        text = numbers.full(number, decimals=decimals, grouped=grouped)
        assert type(number)(parsed(text, locale)) == number
    assert float(parsed(numbers.percent(number), locale) / 100) == float(number)


@given(score=finite.filter(lambda one: abs(one) < 1e15), threshold=finite, locale=locales)
def test_scores_stay_on_their_side_of_the_threshold(score: float, threshold: float, locale: str) -> None:
    for write in (Numbers(locale).score, Numbers(locale).prediction):
        shown = float(parsed(write(score, threshold), locale))
        assert (shown > threshold, shown < threshold) == (score > threshold, score < threshold)


@given(number=st.floats(0, 1e18), decimals=st.integers(0, 4), locale=locales)
def test_a_lower_limit_is_never_rounded_up(number: float, decimals: int, locale: str) -> None:
    shown = parsed(Numbers(locale).at_least(number, decimals), locale)
    assert shown <= Decimal(repr(number))
    assert (shown > 0) == (number > 0)


@given(count=st.integers(0, 10**50), locale=locales)
def test_counts_have_every_digit(count: int, locale: str) -> None:
    assert int(parsed(Numbers(locale).count(count), locale)) == count


@given(people=st.integers(1, 10**6), some=st.integers(0, 10**6), locale=locales)
def test_a_share_of_somebody_is_never_written_as_nobody(people: int, some: int, locale: str) -> None:
    text = Numbers(locale).share(min(some, people) / people)
    assert (parsed(text.lstrip("<> "), locale) == 0) == (some == 0)


@pytest.mark.parametrize(
    ("locale", "percent", "money", "whole", "listed", "dollars"),
    [
        ("en_GB", "25%", "€1,234.50", "€5,200", "a, b and c", "-US$5"),
        ("pt_BR", "25%", "€ 1.234,50", "€ 5.200", "a, b e c", "-US$ 5"),
        ("es", "25 %", "1.234,50 €", "5.200 €", "a, b y c", "-5 US$"),
    ],
)
def test_the_locale_decides(
    locale: str, percent: str, money: str, whole: str, listed: str, dollars: str
) -> None:
    numbers = Numbers(locale)
    written = (
        numbers.percent(0.25),
        numbers.money(1234.5, "EUR"),
        numbers.money(5200, "EUR"),
        numbers.listed(["a", "b", "c"]),
        numbers.money(-5, "USD"),
    )
    assert [one.replace("\N{NO-BREAK SPACE}", " ") for one in written] == [
        percent,
        money,
        whole,
        listed,
        dollars,
    ]


@pytest.mark.parametrize(
    ("locale", "written"), [("en_GB", "5.50%"), ("pt_BR", "5,50%"), ("es", "5,50\N{NO-BREAK SPACE}%")]
)
def test_decimals_of_percentages_are_filled_up_in_every_locale(locale: str, written: str) -> None:
    assert Numbers(locale).percent(0.055, decimals=2) == written


def test_rounding_up_to_the_next_power_of_ten() -> None:
    assert Numbers("en_GB").magnitude(99_999 * 10**36) == "1.0e41"


def test_zero_has_no_sign() -> None:
    numbers = Numbers("en_GB")
    assert (numbers.fixed(-0.0004, 3), numbers.score(-0.0), numbers.prediction(-0.0)) == (
        "0.000",
        "0.000",
        "0.000",
    )
    assert numbers.score(-0.0004, 0) == "-0.0004"


def test_what_is_no_number_is_still_written() -> None:
    numbers = Numbers("en_GB")
    for number in (math.inf, -math.inf, math.nan):
        assert numbers.full(number) == numbers.fixed(number, 2) == numbers.cost(number) == str(number)
    assert numbers.prediction(None) == "–"
    assert numbers.magnitude(10**5000) == "1.0e5000"


def test_an_unknown_locale_raises() -> None:
    with pytest.raises(InvalidArgument, match="'pt_BR'"):
        Numbers("xx_YY")
