"""Write names, values and changes in a language, in the format of the policy's displays."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeAlias

from p2ce.present.languages import LanguageWords, load_words
from p2ce.present.numbers import Numbers, exact_decimal
from p2ce.result import Explanation, Feature, ProblemRecord
from p2ce.result.one_hot_groups import Groups, category_groups, level_names
from p2ce.result.picks import BALANCED, DIFFERENT, ONLY
from p2ce.tables.cells import is_missing
from p2ce.tables.json_values import Value

CURRENT_DIGITS = 6  # of a current value whose feature states no decimals
MOST_MORE = 18  # decimals that are added before a value is written in full
# (feature, new value) → the words for that change, such as ("HasGuarantor", True) → "get a guarantor".
Phrases: TypeAlias = Mapping[tuple[str, Value], str]


def wording_for(
    problem: ProblemRecord | None,
    language: str = "en",
    phrases: Phrases | None = None,
    *,
    dtypes: Mapping[str, str] | None = None,
) -> "Wording":
    """Make the wording of a language. Without a problem, columns have their own names.

    `phrases` replaces the words for changes. `dtypes` are those of the columns, so that a value of a float32
    column is written with the digits that people typed.

    >>> wording_for(None, "pt").change("LoanAmount", 7500.5, 5200)
    'reduza LoanAmount de 7.500,5 para 5.200'
    """
    features = {} if problem is None else problem.features
    return Wording(
        words=load_words(language),
        features=features,
        phrases=phrases or {},
        dtypes=dtypes or {},
        groups=category_groups(features),
    )


def wording_of(explanation: Explanation, language: str = "en", phrases: Phrases | None = None) -> "Wording":
    """Make the wording for one explanation."""
    return wording_for(explanation.problem, language, phrases, dtypes=explanation.dtypes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Names, values and changes in one language. The results are plain text, not escaped."""

    words: LanguageWords
    features: Mapping[str, Feature] = field(default_factory=dict, repr=False)
    phrases: Phrases = field(default_factory=dict, repr=False)
    dtypes: Mapping[str, str] = field(default_factory=dict, repr=False)
    groups: Groups = field(default_factory=dict, repr=False)  # categories that are encoded in several columns

    @property
    def language(self) -> str:
        return self.words.language

    @property
    def numbers(self) -> Numbers:
        return self.words.numbers

    def say(self, key: str, **parts: object) -> str:
        """AreaLook in a text of this language."""
        return self.words.say(key, **parts)

    def counted(self, key: str, count: int, /, **parts: object) -> str:
        """AreaLook in the text for a count."""
        return self.words.counted(key, count, **parts)

    def listed(self, parts: list[str]) -> str:
        """Join parts as in a sentence: "a, b and c"."""
        return self.words.listed(parts)

    def name(self, column: str) -> str:
        """Return a display name without its article, or the column's own name: for headings and axes."""
        return self._bare(self._display_name(column)) or column

    def named(self, column: str) -> str:
        """Return a name for use inside a sentence: with an article, if it is a display name."""
        own, words = self._display_name(column), self.words
        if not own or not words.article or own.partition(" ")[0].lower() in words.determiners:
            return own or column
        return f"{words.article} {own}"

    def axis(self, column: str) -> str:
        """Return the name with the unit, for the axis of a chart."""
        unit = self._unit(column)
        return self.say("axis", name=self.name(column), unit=unit) if unit else self.name(column)

    def value(self, column: str, value: object, *, unit: bool = True) -> str:
        """Write a value in full, with its unit: "5,200 km", "yes", "own home", "missing".

        The value of a category that is encoded in several columns is the tuple of those that are 1.
        """
        plain = unwrapped(value)
        if column in self.groups and isinstance(plain, tuple):
            names = level_names(self.features, column, self.language)
            return self.listed([self._bare(names.get(str(one), str(one))) for one in plain]) or self.say(
                "no_level"
            )
        feature = self.features.get(column)
        if feature is not None and not is_missing(plain):
            if called := feature.display.value_name(plain, self.language):
                return called
            if feature.kind == "binary" and plain in (0, 1):
                return self.say("yes" if plain else "no")
        if not _is_number(plain):
            return self.full(plain)
        return self.amount(column, plain, self.dtypes.get(column, ""), unit=unit)

    def amount(self, column: str, amount: float, dtype: str = "", *, unit: bool = True) -> str:
        """Write a number in the style and unit of a column's values, but never as a value's name."""
        feature = self.features.get(column)
        if feature is None:
            return self.numbers.full(amount, dtype)
        display, measure = feature.display, self._unit(column, amount) if unit else ""
        if self.numbers.is_currency(measure):
            return self.numbers.money(amount, measure, dtype)
        decimals = display.decimals or 0
        if display.style == "percent":
            text = self.numbers.percent(amount, dtype, decimals=decimals)
        else:
            text = self.numbers.full(amount, dtype, decimals=decimals, grouped=display.style != "plain")
        if not measure:
            return text
        if not display.unit_first:
            return f"{text} {measure}"
        sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
        return f"{sign}{measure}{' ' if measure[-1].isalnum() else self.numbers.unit_gap}{digits}"

    def unit_follows(self, column: str) -> bool:
        """Return whether a unit follows the number, so that one unit after several numbers is enough."""
        unit = self._unit(column)
        return bool(unit) and not (self.features[column].display.unit_first or self.numbers.is_currency(unit))

    def full(self, value: object) -> str:
        """Write any other value in full."""
        plain = unwrapped(value)
        if is_missing(plain):
            return self.say("missing")
        if isinstance(plain, bool):
            return self.say("yes" if plain else "no")
        if isinstance(plain, int | float):
            return self.numbers.full(plain)
        text = str(plain)
        # Quoted if it could be mistaken for a missing value, or not be seen.
        return repr(text) if text in ("", self.say("missing")) or text != text.strip() else text

    def change(self, column: str, old: object, new: object, *, rounded: object = None) -> str:
        """State how to change one feature, in the imperative and without a capital.

        `rounded` is the rounded new value that was verified, if there is one.
        """
        if (own := self._phrase(column, new)) is not None:
            return own
        before, after = self.before_and_after(column, old, new, rounded=rounded)
        verb = self._verb(column, unwrapped(old), _displayed(old, new, rounded))
        return self.say(verb, name=self.named(column), old=before, new=after)

    def before_and_after(
        self, column: str, old: object, new: object, *, rounded: object = None
    ) -> tuple[str, str]:
        """Write the two values of a change. A unit that follows the number is only written at the second."""
        becomes = _displayed(old, new, rounded)
        both = self._is_measured(column, old) and self._is_measured(column, becomes)
        shared = both and self.unit_follows(column)
        return self.current(column, old, becomes, unit=not shared), self.value(column, becomes)

    def current(self, column: str, value: object, *advised: object, unit: bool = True) -> str:
        """Write a current value with the feature's decimals, or with six digits if it states none.

        It has as many decimals as an advised value, up to six. It has more if it would otherwise look like
        that value, or lie on its other side. Nothing depends on the remaining digits: only advised values are
        verified, and those are never cut.

        >>> wording_for(None).current("Rate", 68.08865190000001, 40.5)
        '68.0887'
        >>> wording_for(None).current("Rate", 68.08865190000001, 68.0887)
        '68.08865'
        """
        plain = unwrapped(value)
        if isinstance(plain, float) and math.isfinite(plain) and self._is_measured(column, plain):
            numbers = [one for one in map(unwrapped, advised) if _is_number(one)]
            decimals = max([self._decimals(column, plain), *map(_decimals_of, numbers)])
            plain = _shortened(plain, numbers, decimals)
        return self.value(column, plain, unit=unit)

    def _decimals(self, column: str, value: float) -> int:
        """Return the number of decimals of a current value, as in the data."""
        feature = self.features.get(column)
        if feature is not None and feature.display.decimals is not None:
            return feature.display.decimals + 2 * (feature.display.style == "percent")
        before_point = math.floor(math.log10(abs(value))) + 1 if value else 1
        return max(CURRENT_DIGITS - before_point, 2)

    def step(self, column: str, step: float, *, unit: bool = True) -> str:
        """Write the distance between two values. For percentages, it is in percentage points."""
        exact = exact_decimal(step) if self.is_share(column) else None
        if exact is None:
            return self.amount(column, step, unit=unit)
        points = exact.scaleb(2).normalize()
        return self.words.counted("percentage_points", points) if unit else self.numbers.full(points)

    def share_form(self, key: str, column: str) -> str:
        """Return the key of a text about percentages, which have an article in Spanish."""
        return self.words.variant(key, "share") if self.is_share(column) else key

    def is_share(self, column: str) -> bool:
        """Return whether the values of a column are written as percentages."""
        feature = self.features.get(column)
        return feature is not None and feature.display.style == "percent"

    def objective(self, name: str) -> str:
        """Return a short noun for an objective. A custom objective has its own name."""
        return self.say(f"objective_{name}") if f"objective_{name}" in self.words.texts else name

    def best_at(self, reason: str) -> str:
        """Write one reason why an option is highlighted."""
        if reason in (BALANCED, DIFFERENT, ONLY):
            return self.say(reason)
        key = f"best_{reason}"
        return self.say(key) if key in self.words.texts else self.say("best_other", objective=reason)

    def _bare(self, name: str) -> str:
        """Remove the article at the beginning of a name."""
        first, _, rest = name.partition(" ")
        # Not of The Hague and La Paz.
        return rest.strip() if first in self.words.articles and rest.strip() else name

    def _display_name(self, column: str) -> str:
        feature = self.features.get(column)
        return "" if feature is None else feature.display.name_in(self.language).strip()

    def _unit(self, column: str, value: object = None) -> str:
        feature = self.features.get(column)
        return "" if feature is None else feature.display.unit_in(self.language, value).strip()

    def _is_measured(self, column: str, value: object) -> bool:
        """Return whether a value is a number, not a label, yes or no, or a named value."""
        plain, feature = unwrapped(value), self.features.get(column)
        if not _is_number(plain):
            return False
        if feature is None:
            return True
        is_flag = feature.kind == "binary" and plain in (0, 1)
        return not is_flag and not feature.display.value_name(plain, self.language)

    def _phrase(self, column: str, new: object) -> str | None:
        """Find the custom words for a change. Words for None apply to every missing value."""
        if column in self.groups:
            # The words for a level are those for setting its column.
            return self._phrase(new[0], True) if isinstance(new, tuple) and len(new) == 1 else None
        given = self.phrases.get((column, None if is_missing(new) else new))  # type: ignore[arg-type]
        if given is not None or is_missing(new) or column not in self.features:
            return given
        return self.features[column].display.phrase_for(new, self.language) or None

    def _verb(self, column: str, old: Any, new: Any) -> str:
        if is_missing(old) != is_missing(new):
            return self.share_form("fill_in", column) if is_missing(old) else "leave_out"
        feature = self.features.get(column)
        # Yes and no, labels and named codes have no order that people would call higher or lower.
        ordered = self._is_measured(column, old) and self._is_measured(column, new) and old != new
        if not ordered or (feature is not None and feature.kind == "category"):
            return "change"
        return self.share_form("raise" if new > old else "lower", column)


def capital(text: str) -> str:
    """Begin with a capital, and leave the rest unchanged, such as feature names."""
    return text[:1].upper() + text[1:]


def unwrapped(value: object) -> Any:
    """Return the Python value of a NumPy scalar."""
    return value.item() if hasattr(value, "item") and not getattr(value, "ndim", 0) else value


def _displayed(old: object, new: object, rounded: object) -> Any:
    """Choose the new value to display: its verified rounded value, unless that equals the old value."""
    return unwrapped(new if rounded is None or unwrapped(rounded) == unwrapped(old) else rounded)


def _shortened(value: float, others: list[float], decimals: int) -> float:
    """Round a value to so many decimals, or to as many as keep it on its side of all others."""
    for places in range(decimals, decimals + MOST_MORE):
        short = round(value, places) + 0.0
        if all((short > other) - (short < other) == (value > other) - (value < other) for other in others):
            return short
    return value


def _decimals_of(value: float) -> int:
    """Count the decimals of a number, up to six."""
    exponent = Decimal(repr(value)).as_tuple().exponent
    return min(max(-exponent, 0), CURRENT_DIGITS) if isinstance(exponent, int) and value % 1 else 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not is_missing(value)
