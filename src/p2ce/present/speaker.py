"""Write names, values and changes in a language, in the format of the policy's displays."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from p2ce.present.languages import templates
from p2ce.present.numerals import full_number, in_language
from p2ce.result import Explanation, Feature, Question
from p2ce.result.number_text import readable, readable_cost, readable_score
from p2ce.result.one_hot_groups import Groups, groups_of, level_names
from p2ce.result.picks import BALANCED, BEST_IN_WORDS, DIFFERENT, ONLY
from p2ce.result.plain import Value
from p2ce.tables.cells import is_missing

# (feature, new value) → the words for that change, such as ("HasGuarantor", True) → "get a guarantor".
Phrases: TypeAlias = Mapping[tuple[str, Value], str]

ARTICLES = {"en": ("the",), "pt": ("o", "a", "os", "as"), "es": ("el", "la", "los", "las")}
DETERMINERS = ("the", "your", "their", "his", "her")  # names that begin with one need no article
# In Spanish, "y" becomes "e" before the sound of i: "intereses e ingresos", but "piedra y hielo".
SOUNDS_LIKE_I = re.compile(r"(i|í|hi|hí)(?![aeoáéó])", re.IGNORECASE)


def speaker_for(
    question: Question | None,
    language: str = "en",
    phrases: Phrases | None = None,
    *,
    dtypes: Mapping[str, str] | None = None,
) -> "Speaker":
    """Make the speaker of a language; without a question, columns are called by their own names.

    `phrases` gives own words to changes. `dtypes` are those of the columns, so that a value of a float32
    column is written with the digits that people typed; `speaker_of` takes them from an explanation.

    >>> speaker_for(None, "pt").change("LoanAmount", 7500.5, 5200)
    'reduza LoanAmount de 7.500,5 para 5.200'
    """
    words = templates(language)
    features = {} if question is None else question.features
    return Speaker(
        language=language,
        words=words,
        features=features,
        phrases=phrases or {},
        dtypes=dtypes or {},
        groups=groups_of(features),
    )


def speaker_of(explanation: Explanation, language: str = "en", phrases: Phrases | None = None) -> "Speaker":
    """Make the speaker for one explanation."""
    return speaker_for(explanation.question, language, phrases, dtypes=explanation.dtypes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Says names, values and changes in one language. What it returns is plain text, not escaped."""

    language: str
    words: Mapping[str, str] = field(repr=False)  # key → template
    features: Mapping[str, Feature] = field(default_factory=dict, repr=False)
    phrases: Phrases = field(default_factory=dict, repr=False)
    dtypes: Mapping[str, str] = field(default_factory=dict, repr=False)
    groups: Groups = field(default_factory=dict, repr=False)  # categories that are spread over columns

    def say(self, key: str, **parts: object) -> str:
        """Fill a template of this language."""
        return self.words[key].format(**parts)

    def counted(self, key: str, count: int, **parts: object) -> str:
        """Fill the template for one or for many, which counts as `{count}`."""
        form = "one" if count == 1 else "many"
        return self.say(f"{key}_{form}", count=self.figure(count, 0), **parts)

    def name(self, column: str) -> str:
        """Give a display name without its article, or the column's own name: for headings and axes."""
        return self._bare(self._display_name(column)) or column

    def named(self, column: str) -> str:
        """Give a name as it stands inside a sentence: with an article, if it is a display name."""
        own = self._display_name(column)
        if not own or self.language != "en":
            return own or column
        return own if own.partition(" ")[0].lower() in DETERMINERS else f"the {own}"

    def value(self, column: str, value: object) -> str:
        """Write a value with its unit, in full: "5,200 EUR", "yes", "own home", "missing"."""
        text = self.number(column, value)
        return self._with_unit(column, text, value) if self._is_measured(column, value) else text

    def number(self, column: str, value: object) -> str:
        """Write a value as `value` does, without its unit; a category of several columns has levels."""
        plain = _unwrapped(value)
        if column in self.groups and isinstance(plain, tuple):
            return self._level(column, plain)
        feature = self.features.get(column)
        if feature is not None and not is_missing(plain):
            if called := feature.display.value_name(plain, self.language):
                return called
            if _is_binary(feature) and plain in (0, 1):
                return self.say("yes" if plain else "no")
        if not isinstance(plain, int | float) or isinstance(plain, bool) or is_missing(plain):
            return self.full(plain)
        return self._styled(column, plain, self.dtypes.get(column, ""))

    def amount(self, column: str, size: float, *, unit: bool = True) -> str:
        """Write by how much a value changes, which has the style and unit of values but never their names."""
        text = self._styled(column, size)
        return self._with_unit(column, text, size) if unit else text

    def axis(self, column: str) -> str:
        """Give the name with the unit, for the axis of a chart."""
        unit = self._unit(column)
        return self.say("axis", name=self.name(column), unit=unit) if unit else self.name(column)

    def figure(self, number: float, decimals: int) -> str:
        """Write any other number, such as a share, with so many decimals."""
        # As an integer, since a float would lose the last digits of a long count.
        whole = isinstance(number, int) and not decimals
        return in_language(f"{number:,}" if whole else f"{number:,.{decimals}f}", self.language)

    def full(self, value: object) -> str:
        """Write any other value in full."""
        plain = _unwrapped(value)
        if is_missing(plain):
            return self.say("missing")
        if isinstance(plain, bool):
            return self.say("yes" if plain else "no")
        if isinstance(plain, int | float):
            return in_language(readable(plain), self.language)
        return self._label(plain)

    def change(self, column: str, old: object, new: object, *, said: object = None) -> str:
        """Say what to do with one feature, in the imperative and without a capital.

        `said` is the rounded new value that was verified, if there is one. The old value is never rounded.
        """
        if (own := self._phrase(column, new)) is not None:
            return own
        was, becomes = _shown(old, new, said)
        before, after = self.before_and_after(column, old, new, said=said)
        verb = self._verb(column, was, becomes)
        return self.say(verb, name=self.named(column), old=before, new=after)

    def before_and_after(
        self, column: str, old: object, new: object, *, said: object = None
    ) -> tuple[str, str]:
        """Write the two values of a change, with a unit that follows the number only at the second."""
        was, becomes = _shown(old, new, said)
        before, after = self.value(column, was), self.value(column, becomes)
        both_measured = self._is_measured(column, was) and self._is_measured(column, becomes)
        if both_measured and self._unit(column) and not self.features[column].display.unit_first:
            before = self.number(column, was)
        return before, after

    def share_form(self, column: str) -> str:
        """Give the end of the key for changes of percentages: in Spanish, these have an article."""
        feature = self.features.get(column)
        return "_share" if feature is not None and feature.display.style == "percent" else ""

    def objective(self, name: str) -> str:
        """Give a short noun for an objective; one of the user's own is called by its own name."""
        return self.say(f"objective_{name}") if name in BEST_IN_WORDS else name

    def best_at(self, reason: str) -> str:
        """Put one reason of a pick, or one strength, into words."""
        if reason in BEST_IN_WORDS:
            return self.say(f"best_{reason}")
        return (
            self.say(reason)
            if reason in (BALANCED, DIFFERENT, ONLY)
            else self.say("best_other", objective=reason)
        )

    def score(self, explanation: Explanation, score: float) -> str:
        """Write a score with few decimals, but on its own side of the threshold."""
        return in_language(readable_score(score, explanation.threshold), self.language)

    def cost(self, cost: float) -> str:
        """Write a cost to four significant digits."""
        return in_language(readable_cost(cost), self.language)

    def joined(self, parts: Sequence[str]) -> str:
        """Join parts as a sentence does: "a, b and c"."""
        if len(parts) < 2:
            return "".join(parts)
        first, last = ", ".join(parts[:-1]), parts[-1]
        if self.language == "es" and SOUNDS_LIKE_I.match(last):
            return f"{first} e {last}"
        return self.say("and", first=first, last=last)

    def _styled(self, column: str, number: float, dtype: str = "") -> str:
        feature = self.features.get(column)
        style = "grouped" if feature is None else feature.display.style
        decimals = None if feature is None else feature.display.decimals
        text = in_language(full_number(number, dtype=dtype, style=style, decimals=decimals), self.language)
        return self.say("percent", number=text) if style == "percent" else text

    def _level(self, group: str, level: tuple[str, ...]) -> str:
        names = level_names(self.features, group, self.language)
        return self.joined([self._bare(names.get(column, column)) for column in level]) or self.say(
            "no_level"
        )

    def _bare(self, name: str) -> str:
        """Leave out the article that a name begins with."""
        first, _, rest = name.partition(" ")
        # Not of The Hague and La Paz.
        return rest.strip() if first in ARTICLES[self.language] and rest.strip() else name

    def _display_name(self, column: str) -> str:
        feature = self.features.get(column)
        return "" if feature is None else feature.display.name_in(self.language).strip()

    def _unit(self, column: str, value: object = None) -> str:
        feature = self.features.get(column)
        return "" if feature is None else feature.display.unit_in(self.language, value).strip()

    def _with_unit(self, column: str, text: str, value: object) -> str:
        unit = self._unit(column, value)
        if not unit:
            return text
        if not self.features[column].display.unit_first:
            return f"{text} {unit}"
        sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
        # "$5,200", but "R$ 5.200" in Portuguese and "EUR 5,200" everywhere.
        gap = " " if unit[-1].isalnum() or self.language == "pt" else ""
        return f"{sign}{unit}{gap}{digits}"

    def _is_measured(self, column: str, value: object) -> bool:
        """Return whether a value is a number with a unit, not a label, yes or no, or a named value."""
        plain, feature = _unwrapped(value), self.features.get(column)
        if isinstance(plain, bool) or not isinstance(plain, int | float) or plain != plain:
            return False
        if feature is None:
            return True
        return not (
            (_is_binary(feature) and plain in (0, 1)) or feature.display.value_name(plain, self.language)
        )

    def _label(self, label: Any) -> str:
        text = str(label)
        # Quoted where it could be misread for a missing value, or not be seen.
        return repr(text) if text in ("", self.say("missing")) or text != text.strip() else text

    def _phrase(self, column: str, new: object) -> str | None:
        """Find the own words for a change; those for None are for every missing value."""
        if column in self.groups:
            # The words for a level are those for setting its column.
            return self._phrase(new[0], True) if isinstance(new, tuple) and len(new) == 1 else None
        given = self.phrases.get((column, None if is_missing(new) else new))  # type: ignore[arg-type]
        if given is not None or is_missing(new) or column not in self.features:
            return given
        return self.features[column].display.phrase_for(new, self.language) or None

    def _verb(self, column: str, old: Any, new: Any) -> str:
        if is_missing(old) != is_missing(new):
            return "fill_in" + self.share_form(column) if is_missing(old) else "leave_out"
        feature = self.features.get(column)
        # Yes and no, labels and named codes have no order that people would call higher or lower.
        ordered = _are_ordered(old, new) and (feature is None or feature.kind != "category")
        measured = self._is_measured(column, old) and self._is_measured(column, new)
        if not (ordered and measured) or old == new:
            return "change"
        return ("raise" if new > old else "lower") + self.share_form(column)


def _shown(old: object, new: object, said: object) -> tuple[Any, Any]:
    """Choose the displayed values: the old one as it is, the new one as its verified rounding."""
    was, becomes = _unwrapped(old), _unwrapped(new)
    rounded = said is not None and _unwrapped(said) != was
    return was, _unwrapped(said) if rounded else becomes


def _unwrapped(value: object) -> Any:
    return value.item() if hasattr(value, "item") and not getattr(value, "ndim", 0) else value


def _is_binary(feature: Feature | None) -> bool:
    return feature is not None and feature.kind == "binary"


def _are_ordered(old: Any, new: Any) -> bool:
    """Return whether two values have an order; missing values have none."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (old, new))
    return numbers and not is_missing(old) and not is_missing(new)
