"""Format numbers, percentages, amounts of money, dates and lists for a locale. Nothing else does."""

import datetime
import math
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Decimal, localcontext
from functools import cache, lru_cache
from typing import Any

import numpy as np
from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.lists import format_list
from babel.numbers import NumberPattern, format_currency, format_percent, format_scientific, parse_pattern

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.tables.cells import is_missing

SCORE_DECIMALS = 3
COST_DIGITS = 4
MOST_DECIMALS = 17  # enough to separate any two doubles between 0.1 and 1
MOST_WRITTEN = 10**15  # a larger count is written by its order of magnitude
LARGEST = 1e15  # a larger float has no decimals to write
LEAST = 1e-4  # a smaller one is written with its power of ten
NOT_A_NUMBER = "–"


class Numbers:
    """The numbers of one locale. A number written in full is never rounded to another value.

    >>> numbers = Numbers("pt_BR")
    >>> numbers.full(7500.25), numbers.percent(0.25), numbers.money(1234.5, "EUR")
    ('7.500,25', '25%', '€\\xa01.234,50')
    """

    __slots__ = ("_money", "_point", "locale")

    def __init__(self, locale: str) -> None:
        try:
            self.locale = Locale.parse(locale)
        except (UnknownLocaleError, ValueError):
            raise InvalidArgument(
                f"The locale {echoed(locale)} is unknown. Write it as in 'pt_BR'."
            ) from None
        self._point: str = self.locale.number_symbols["latn"]["decimal"]
        self._money: str = self.locale.currency_formats["standard"].pattern

    def full(self, value: Any, dtype: str = "", *, decimals: int = 0, grouped: bool = True) -> str:
        """Write a number in full. `decimals` pads an existing fraction: 5.5 with two decimals is 5.50.

        A value of a float32 column is written with the digits that column can hold: the double behind
        ``np.float32(0.1)`` is 0.10000000149011612, but no user typed that.

        >>> Numbers("en_GB").full(7500.5, decimals=2), Numbers("en_GB").full(7500, decimals=2)
        ('7,500.50', '7,500')
        """
        exact = exact_decimal(value, dtype)
        if exact is None:
            return str(float(value))
        if exact and not LEAST <= abs(exact) < LARGEST and not isinstance(value, int):
            return str(format_scientific(exact, locale=self.locale, decimal_quantization=False))
        whole = exact == exact.to_integral_value()
        return self._written(exact, 0 if whole else decimals, grouped=grouped)

    def fixed(self, number: float, decimals: int) -> str:
        """Write a number rounded to so many decimals. A result of zero has no sign.

        >>> Numbers("en_GB").fixed(-0.0004, 3)
        '0.000'
        """
        if not math.isfinite(number):
            return str(number)
        return self._written(Decimal(f"{number:z.{decimals}f}"), decimals)

    def count(self, count: int) -> str:
        """Write a count to the last digit."""
        return self._written(Decimal(count), 0)

    def magnitude(self, count: int) -> str:
        """Write a count, or the order of magnitude of one that is too long to read.

        >>> Numbers("en_GB").magnitude(1234567), Numbers("es").magnitude(3 * 10**40)
        ('1,234,567', '3,0e40')
        """
        if count < MOST_WRITTEN:
            return self.count(count)
        # By its logarithm, since Python does not write integers of more than 4,300 digits.
        exponent, rest = divmod(math.log10(count), 1.0)
        digits = round(10**rest, 1)
        if digits >= 10:
            digits, exponent = 1.0, exponent + 1
        return f"{self.fixed(digits, 1)}e{exponent:.0f}"

    def score(self, score: float, *thresholds: float) -> str:
        """Write a score with few decimals, but enough to stay on its side of every threshold.

        >>> numbers = Numbers("en_GB")
        >>> numbers.score(0.53142, 0.5), numbers.score(0.49996, 0.5), numbers.score(0.5, 0.5)
        ('0.531', '0.49996', '0.500')
        """
        return self._on_its_side(score, thresholds, SCORE_DECIMALS)

    def prediction(self, value: Any, *ends: float) -> str:
        """Write a prediction with about four digits, or more if its side of an end depends on them.

        >>> numbers = Numbers("en_GB")
        >>> numbers.prediction(152.13348, 100, 200), numbers.prediction(99.9999, 100)
        ('152.1', '99.9999')
        >>> numbers.prediction(12345.6)
        '12,346'
        """
        if is_missing(value):
            return NOT_A_NUMBER
        if not isinstance(value, float | np.floating):
            return self.full(value)
        number = float(value)
        if not math.isfinite(number) or (number and not 1e-3 <= abs(number) < LARGEST):
            return self.full(number)
        return self._on_its_side(number, ends, _few_decimals(number))

    def cost(self, cost: float) -> str:
        """Write a cost with four significant digits, and whole costs as whole numbers.

        >>> numbers = Numbers("en_GB")
        >>> numbers.cost(2.0), numbers.cost(0.123456), numbers.cost(1234.5)
        ('2', '0.1235', '1,234')
        """
        if not math.isfinite(cost):
            return str(cost)
        digits = cost if float(cost).is_integer() or abs(cost) >= 1000 else float(f"{cost:.{COST_DIGITS}g}")
        return self.full(digits) if abs(cost) < 1000 else self.fixed(cost, 0)

    def at_least(self, number: float, decimals: int) -> str:
        """Write a number of at least 0 with so many decimals or more, never rounded up.

        >>> numbers = Numbers("en_GB")
        >>> numbers.at_least(0.00967, 3), numbers.at_least(14.99999, 3), numbers.at_least(0.00002, 3)
        ('0.009', '14.999', '0.00002')
        """
        if not math.isfinite(number) or number > LARGEST:
            return self.full(number)
        exact = Decimal(repr(float(number)))
        for places in range(decimals, MOST_DECIMALS):
            shorter = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_DOWN)
            if shorter or not exact:
                return self._written(shorter, decimals)
        return self.full(float(number))

    def percent(self, share: Any, dtype: str = "", *, decimals: int = 0) -> str:
        """Write a share in per cent, in full. `decimals` pads an existing fraction.

        >>> Numbers("es").percent(0.0525), Numbers("en_GB").percent(0.07)
        ('5,25\\xa0%', '7%')
        """
        exact, pattern = exact_decimal(share, dtype), self.locale.percent_formats[None].pattern
        if exact is None:
            return str(pattern.replace("#,##0", self.full(share)))
        hundredfold = exact.scaleb(2)
        if hundredfold and not LEAST <= abs(hundredfold) < LARGEST:
            return str(pattern.replace("#,##0", self.full(hundredfold)))
        whole = hundredfold == hundredfold.to_integral_value()
        if not whole and decimals:
            pattern = pattern.replace("#,##0", "#,##0." + "0" * decimals)
        return str(format_percent(exact, pattern, self.locale, decimal_quantization=False))

    def percent_score(self, score: float, *thresholds: float) -> str:
        """Write a probability in per cent with a decimal, or more to stay on its side of every threshold.

        >>> numbers = Numbers("en_GB")
        >>> numbers.percent_score(0.55142, 0.08), numbers.percent_score(0.0800004, 0.08)
        ('55.1%', '8.00004%')
        """
        for decimals in range(SCORE_DECIMALS, MOST_DECIMALS + 1):
            shown = float(f"{score:.{decimals}f}")
            if _same_side(score, shown, thresholds):
                return self.percent(Decimal(f"{score:.{decimals}f}"))
        return self.percent(score)

    def points_limit(self, limit: float, decimals: int | None, *, upper: bool) -> str:
        """Write the points to reach, rounded towards what is accepted; with few decimals if that is exact."""
        return self._points(shown_points_limit(limit, decimals, upper=upper), decimals)

    def points(self, points: float, limit: float, decimals: int | None, *, upper: bool) -> str:
        """Write points with few decimals, but on the side of the displayed limit that they are on.

        >>> numbers = Numbers("en_GB")
        >>> numbers.points(519.6, 520.0, 0, upper=False), numbers.points(531.4, 520.0, 0, upper=False)
        ('519.6', '531')
        >>> numbers.points_limit(520.3004, 0, upper=False), numbers.points(520.302, 520.3004, 0, upper=False)
        ('520.31', '520.31')
        """
        sign = -1.0 if upper else 1.0
        shown_limit = shown_points_limit(limit, decimals, upper=upper)
        reaches = sign * points >= sign * limit
        least = _few_decimals(points) if decimals is None else decimals
        for places in range(least, MOST_DECIMALS + 1) if math.isfinite(points) else ():
            shown = float(f"{points:.{places}f}")
            if (sign * shown >= sign * shown_limit) == reaches:
                return self.fixed(points, places)
        return self._points(shown_limit if reaches and math.isfinite(points) else points, decimals)

    def _points(self, points: float, decimals: int | None) -> str:
        if not math.isfinite(points):
            return "∞" if points > 0 else "-∞"
        least = _few_decimals(points) if decimals is None else decimals
        for places in range(least, MOST_DECIMALS + 1):
            if float(f"{points:.{places}f}") == points:
                return self.fixed(points, places)
        return self.full(points)

    def share(self, share: float) -> str:
        """Write a share of people, with a decimal near 0 and near 1.

        A positive share is never written as 0 %, and a share below 1 never as 100 %.

        >>> numbers = Numbers("en_GB")
        >>> numbers.share(0.622), numbers.share(0.0312), numbers.share(0.0001), numbers.share(0.0)
        ('62%', '3.1%', '< 0.1%', '0%')
        >>> numbers.share(0.904), numbers.share(0.996), numbers.share(0.9999), numbers.share(1.0)
        ('90%', '99.6%', '> 99.9%', '100%')
        """
        percent = 100.0 * share
        if 0 < percent < 0.1:
            return f"< {self.percent(Decimal('0.001'))}"
        if 99.9 < percent < 100:
            return f"> {self.percent(Decimal('0.999'))}"
        decimals = 1 if 0 < percent < 9.95 or 99 < percent < 100 else 0
        return self.percent(Decimal(f"{percent:.{decimals}f}") / 100)

    def money(self, amount: Any, currency: str, dtype: str = "") -> str:
        """Write an amount with its currency where the locale puts it. Whole amounts have no decimals.

        >>> Numbers("en_GB").money(5200, "EUR"), Numbers("es").money(1234.5, "EUR")
        ('€5,200', '1.234,50\\xa0€')
        """
        exact = exact_decimal(amount, dtype)
        if exact is None or abs(exact) >= LARGEST:
            return f"{self.full(amount)} {currency}"
        whole = exact == exact.to_integral_value()
        pattern = self._money.replace(".00", "") if whole else self._money
        return str(
            format_currency(
                exact, currency, pattern, self.locale, currency_digits=not whole, decimal_quantization=False
            )
        )

    def date(self, day: datetime.date) -> str:
        """Write a date with the name of its month.

        >>> Numbers("en_GB").date(datetime.date(2026, 11, 18))
        '18 November 2026'
        """
        return str(format_date(day, format="long", locale=self.locale))

    def is_currency(self, unit: str) -> bool:
        """Return whether a unit is the code of a currency, such as EUR."""
        return len(unit) == 3 and unit.isupper() and unit in self.locale.currencies

    @property
    def unit_gap(self) -> str:
        """The gap between a currency sign and the amount after it."""
        return "\N{NO-BREAK SPACE}" if "¤\N{NO-BREAK SPACE}" in self._money else ""

    def listed(self, parts: Sequence[str]) -> str:
        """Join parts as in a sentence: "a, b and c"."""
        return str(format_list(list(parts), locale=self.locale)) if parts else ""

    def either(self, parts: Sequence[str]) -> str:
        """Join alternatives as in a sentence: "a, b or c"."""
        return str(format_list(list(parts), style="or", locale=self.locale))

    def plural(self, count: int | Decimal) -> str:
        """Return the plural form for a number, as Unicode names it ("one", "other")."""
        return str(self.locale.plural_form(min(count, MOST_WRITTEN)))

    def _on_its_side(self, number: float, marks: Iterable[float], least: int) -> str:
        for decimals in range(least, MOST_DECIMALS + 1):
            shown = float(f"{number:.{decimals}f}")
            if _same_side(number, shown, marks):
                return self.fixed(number, decimals)
        return self.full(number)

    def _written(self, number: Decimal, decimals: int, *, grouped: bool = True) -> str:
        return _formatted(number, decimals, grouped, self.locale)


def shown_points_limit(limit: float, decimals: int | None, *, upper: bool) -> float:
    """Round a limit in points towards what is accepted, to at most two decimals more than points have."""
    if not math.isfinite(limit):
        return limit
    most = (_few_decimals(limit) if decimals is None else decimals) + 2
    nearest = round(limit, most)
    if abs(nearest - limit) <= 1e-9 * max(1.0, abs(limit)):  # the rounding error of a logarithm
        return nearest
    with localcontext(prec=400):
        rounding = ROUND_FLOOR if upper else ROUND_CEILING
        return float(Decimal(limit).quantize(Decimal(1).scaleb(-most), rounding=rounding))


def _few_decimals(number: float) -> int:
    """Return the decimals that give about four digits."""
    return max(0, SCORE_DECIMALS + 1 - len(str(int(abs(number))))) if math.isfinite(number) else 0


def _same_side(number: float, shown: float, marks: Iterable[float]) -> bool:
    return all((shown > one) == (number > one) and (shown < one) == (number < one) for one in marks)


def exact_decimal(value: Any, dtype: str = "") -> Decimal | None:
    """Return the shortest decimal that equals this number and no other; None for infinities and NaN.

    >>> exact_decimal(float(np.float32(0.1)), "float32"), exact_decimal(-0.0), exact_decimal(0.07)
    (Decimal('0.1'), Decimal('0'), Decimal('0.07'))
    """
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int | np.integer):
        return Decimal(int(value))
    if not math.isfinite(value):
        return None
    narrow = np.float32(value) if dtype == "float32" else None
    text = str(narrow) if narrow is not None and float(narrow) == value else repr(float(value))
    return Decimal(text).normalize() if value else Decimal(0)


@lru_cache(maxsize=20_000)  # a page shows most numbers more than once
def _formatted(number: Decimal, decimals: int, grouped: bool, locale: Locale) -> str:
    with localcontext(prec=max(28, len(number.as_tuple().digits) + decimals + 1)):
        return str(_pattern(decimals, grouped).apply(number, locale, decimal_quantization=False))


@cache
def _pattern(decimals: int, grouped: bool) -> NumberPattern:
    return parse_pattern(("#,##0" if grouped else "0") + ("." + "0" * decimals if decimals else ""))
