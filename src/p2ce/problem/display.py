"""Say how a feature is called and written where people read it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from p2ce.errors import InvalidActions, nearest
from p2ce.visible import as_text, echoed

# One text for every language, or one for each: {"en": "loan amount", "pt": "o valor do empréstimo"}.
Words: TypeAlias = str | Mapping[str, str]

LANGUAGES = ("en", "pt", "es")
NUMBER = re.compile(r"[-+]?(\d\.\d*|[1-9]\d{0,300}(\.\d*)?|0|\.\d+)([eE][-+]?\d{1,2})?", re.ASCII)  # not 007
STYLES = ("grouped", "plain", "percent")
MOST_DECIMALS = 15
DISPLAY_KEYS = ("name", "unit", "unit_first", "style", "decimals", "values", "phrases")


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """How one feature is shown to people; everything left out is shown as it is in the data.

    Values are written in full unless ``decimals`` says otherwise, and then are rounded only where
    the model, the detector and every constraint accept the rounded row as well.

    >>> amount = Display(name={"en": "loan amount", "pt": "o valor do empréstimo"}, unit="EUR")
    >>> amount.name_in("en"), amount.name_in("pt"), amount.name_in("es")
    ('loan amount', 'o valor do empréstimo', 'loan amount')
    >>> guarantor = Display(phrases={True: "have a guarantor"})
    >>> guarantor.phrase_for(True, "en"), guarantor.phrase_for(1, "en"), guarantor.phrase_for(False, "en")
    ('have a guarantor', 'have a guarantor', '')
    """

    name: Words = ""  # a name in Portuguese or Spanish may begin with its article
    unit: Words = ""  # "EUR", "years", or "year|years" with its singular
    unit_first: bool = False  # "$5,200" and not "5,200 $"
    style: str = "grouped"  # 7,500; "plain" is 7500, for years and codes; "percent" writes 0.25 as 25 %
    decimals: int | None = None
    values: Mapping[Any, Words] = field(default_factory=dict)  # value → what it is called
    phrases: Mapping[Any, Words] = field(default_factory=dict)  # new value → the words for that change

    def __post_init__(self) -> None:
        """Bring keys to one form, and reject what could not be shown."""
        for key in ("name", "unit"):
            _check_words(key, getattr(self, key))
        for key in ("values", "phrases"):
            given = getattr(self, key)
            if not isinstance(given, Mapping):
                raise InvalidActions(
                    f"{key} of a display must be a dict from values to words, got {echoed(given)}."
                )
            named: dict[str, Words] = {}
            for value, words in given.items():
                _check_words(key, words)
                if value_key(value) in named:
                    raise InvalidActions(
                        f"{key} of a display name {echoed(value_key(value))} twice. Remove one."
                    )
                named[value_key(value)] = words
            object.__setattr__(self, key, named)
        if self.style not in STYLES:
            raise InvalidActions(
                f"A display has no style {echoed(self.style)}. {nearest(self.style, STYLES)}"
            )
        if type(self.unit_first) is not bool:
            raise InvalidActions(f"unit_first must be true or false, got {echoed(self.unit_first)}.")
        whole = isinstance(self.decimals, int) and not isinstance(self.decimals, bool)
        if self.decimals is not None and not (whole and 0 <= self.decimals <= MOST_DECIMALS):
            raise InvalidActions(
                f"decimals of a display must be a whole number from 0 to {MOST_DECIMALS}, "
                f"got {echoed(self.decimals)}."
            )

    def name_in(self, language: str) -> str:
        """Give the name in a language, "" if there is none."""
        return words_in(self.name, language)

    def unit_in(self, language: str, value: Any = None) -> str:
        """Give the unit in a language, "" if there is none; for a value of 1 its singular, if it has one.

        >>> Display(unit="year|years").unit_in("en"), Display(unit="year|years").unit_in("en", 1)
        ('years', 'year')
        """
        one, _, many = words_in(self.unit, language).partition("|")
        return one if not many or value == 1 else many

    def value_name(self, value: Any, language: str) -> str:
        """Give what a value is called, "" if it has no name of its own."""
        return words_in(self.values.get(value_key(value), ""), language)

    def phrase_for(self, value: Any, language: str) -> str:
        """Give the words for changing to a value, "" if there are none."""
        return words_in(self.phrases.get(value_key(value), ""), language)

    def rounded(self, value: float) -> float:
        """Round a number as it is to be shown; per cents have two decimals more than are seen.

        >>> Display(decimals=0).rounded(5237.4), Display(decimals=1, style="percent").rounded(0.12345)
        (5237.0, 0.123)
        """
        if self.decimals is None:
            return value
        return round(value, self.decimals + 2 * (self.style == "percent"))

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data, without what is as usual."""
        usual = Display()
        return {
            key: dict(value) if isinstance(value, Mapping) else value
            for key in DISPLAY_KEYS
            if (value := getattr(self, key)) != getattr(usual, key)
        }

    @classmethod
    def from_dict(cls, data: Any) -> "Display":
        """Read what a policy file or a dict says; an unknown entry raises and names the nearest."""
        if isinstance(data, Display):
            return data
        if not isinstance(data, Mapping):
            raise InvalidActions(f"A display has entries such as 'name' and 'unit', got {echoed(data)}.")
        for key in data:
            if key not in DISPLAY_KEYS:
                raise InvalidActions(f"A display has no entry {echoed(key)}. {nearest(key, DISPLAY_KEYS)}")
        return cls(**data)


def words_in(words: Words, language: str) -> str:
    """Choose the text for a language; a missing one falls back on English, then on the first there is."""
    if isinstance(words, str):
        return words
    return words.get(language) or words.get("en") or next(iter(words.values()), "")


def value_key(value: Any) -> str:
    """Name a value as a file does: yes and no are those of 0/1 columns as well, 7.0 and "7.0" are 7.

    >>> value_key(True), value_key(1), value_key("1.0"), value_key("true"), value_key("own"), value_key(0.25)
    ('1', '1', '1', '1', 'own', '0.25')
    >>> value_key("1e3"), value_key("007")
    ('1000', '007')
    """
    unwrapped = value.item() if hasattr(value, "item") else value
    if isinstance(unwrapped, bool):
        return str(int(unwrapped))
    text = as_text(unwrapped)
    if NUMBER.fullmatch(text):  # keys of a file are text, however numbers are written there
        unwrapped = float(text) if not text.lstrip("+-").isdigit() else int(text)
    if isinstance(unwrapped, float) and unwrapped.is_integer() and abs(unwrapped) < 1e15:
        return str(int(unwrapped))
    return {"true": "1", "false": "0"}.get(text.lower(), as_text(unwrapped))


def _check_words(key: str, words: Any) -> None:
    if isinstance(words, str):
        return
    fits = isinstance(words, Mapping) and all(isinstance(text, str) for text in words.values())
    if not fits:
        raise InvalidActions(
            f"{key} of a display must be text, or one text for each language, got {echoed(words)}. "
            f"Write it as {{'en': 'loan amount', 'pt': 'o valor do empréstimo'}}."
        )
    for language in words:
        if language not in LANGUAGES:
            raise InvalidActions(
                f"{key} of a display has words in {echoed(language)}. {nearest(language, LANGUAGES)}"
            )
