"""Define how a feature is named and written in texts for readers."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

import msgspec
from msgspec import Meta

from p2ce.base.visible import as_text, echoed
from p2ce.errors import nearest
from p2ce.policy.file.typed_entries import Misfit, about, typed

LANGUAGE = re.compile(r"[a-z]{2,3}")  # a code such as "en"; texts fall back to English
Decimals: TypeAlias = Annotated[int, Meta(ge=0, le=15)] | None
Style: TypeAlias = Literal["grouped", "plain", "percent"]
# One text for all languages, or one for each: {"en": "loan amount", "pt": "o valor do empréstimo"}.
DisplayWords: TypeAlias = Annotated[
    str | Mapping[str, str],
    Meta(
        description="Text, or one text for each language.",
        extra_json_schema={"propertyNames": {"pattern": f"^{LANGUAGE.pattern}$"}},
    ),
]
NUMBER = re.compile(r"[-+]?(\d\.\d*|[1-9]\d{0,300}(\.\d*)?|0|\.\d+)([eE][-+]?\d{1,2})?", re.ASCII)  # not 007


class Display(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a feature is named and written in texts and charts. By default, it is shown as in the data.

    Every text can be a string, or a dict with one text for each language.

    Args:
        name: What the feature is called. The default is the column's name.
        unit: The unit after the number. "year|years" has a singular and a plural. "EUR" is shown as €.
        unit_first: Whether the unit comes before the number, as in $5,200. The default is False.
        style: "grouped" (the default) for 7,500, "plain" for 7500, or "percent" for 0.25 as 25%.
        decimals: The number of decimals to round to. A value is rounded only if the model, the detector and
            every constraint accept the row with the rounded value as well. The default, None, writes values
            in full.
        values: Names for values, such as ``{"A11": "no account"}``.
        phrases: Phrases for changes, by new value, such as ``{True: "have a guarantor"}``.

    >>> amount = Display(name={"en": "loan amount", "pt": "o valor do empréstimo"}, unit="EUR")
    >>> amount.name_in("en"), amount.name_in("pt"), amount.name_in("es")
    ('loan amount', 'o valor do empréstimo', 'loan amount')
    >>> guarantor = Display(phrases={True: "have a guarantor"})
    >>> guarantor.phrase_for(True, "en"), guarantor.phrase_for(1, "en"), guarantor.phrase_for(False, "en")
    ('have a guarantor', 'have a guarantor', '')
    """

    name: Annotated[
        DisplayWords, about("What it is called. A Portuguese name may begin with its article.")
    ] = ""
    unit: Annotated[
        DisplayWords, about("The unit after the number; 'year|years' has a singular; EUR is €.")
    ] = ""
    unit_first: Annotated[bool, about("Write the unit before the number, as in $5,200.")] = False
    style: Annotated[Style, about("7,500 or 7500, or 0.25 as 25%.")] = "grouped"
    decimals: Annotated[Decimals, about("Decimals to round to, if the rounded row was verified too.")] = None
    values: Annotated[Mapping[Any, DisplayWords], about("Names for values.")] = {}
    phrases: Annotated[
        Mapping[Any, DisplayWords], about("Phrases for changes, as in true: have a guarantor.")
    ] = {}

    def __post_init__(self) -> None:
        """Normalise keys, and reject entries that could not be shown."""
        for key in ("values", "phrases"):
            given = getattr(self, key)
            if isinstance(given, Mapping):
                named = {value_key(value): words for value, words in given.items()}
                if len(named) < len(given):
                    raise Misfit(f"{key} of a display names a value twice, got {echoed(given)}. Remove one.")
                msgspec.structs.force_setattr(self, key, named)
        for key, hint in FIELDS.items():
            given = typed(getattr(self, key), hint, f"{key} of a display")
            msgspec.structs.force_setattr(self, key, given)
        for words in (self.name, self.unit, *self.values.values(), *self.phrases.values()):
            for language in () if isinstance(words, str) else words:
                if not LANGUAGE.fullmatch(language):
                    raise Misfit(
                        f"A display has words for {echoed(language)}, which is not a language code. "
                        "Write a code such as 'en' or 'pt'."
                    )

    def name_in(self, language: str) -> str:
        """Return the name in a language, or "" if there is none."""
        return text_in(self.name, language)

    def unit_in(self, language: str, value: Any = None) -> str:
        """Return the unit in a language, or "". For a value of 1, return the singular if there is one.

        >>> Display(unit="year|years").unit_in("en"), Display(unit="year|years").unit_in("en", 1)
        ('years', 'year')
        """
        one, _, many = text_in(self.unit, language).partition("|")
        return one if not many or value == 1 else many

    def value_name(self, value: Any, language: str) -> str:
        """Return the name of a value in a language, or "" if it has none."""
        return text_in(self.values.get(value_key(value), ""), language)

    def phrase_for(self, value: Any, language: str) -> str:
        """Return the phrase for a change to a value, or "" if there is none."""
        return text_in(self.phrases.get(value_key(value), ""), language)

    def rounded(self, value: float) -> float:
        """Round a number for display. A percentage keeps two more decimals than are shown.

        >>> Display(decimals=0).rounded(5237.4), Display(decimals=1, style="percent").rounded(0.12345)
        (5237.0, 0.123)
        """
        if self.decimals is None:
            return value
        return round(value, self.decimals + 2 * (self.style == "percent"))

    def to_dict(self) -> dict[str, Any]:
        """Return the display as JSON-ready data, without defaults."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    @classmethod
    def from_dict(cls, data: Any) -> "Display":
        """Build a display from a dict or an entry of a policy file. An unknown entry is an error."""
        if isinstance(data, Display):
            return data
        if not isinstance(data, Mapping):
            raise Misfit(f"A display needs entries such as 'name' and 'unit', got {echoed(data)}.")
        for key in data:
            if key not in FIELDS:
                raise Misfit(f"A display has no entry {echoed(key)}. {nearest(key, FIELDS)}", (key,))
        return cls(**data)


FIELDS = get_type_hints(Display, include_extras=True)  # a Struct does not check the types of its arguments
AS_IT_IS = Display()  # checked once, for thousands of features


def text_in(words: DisplayWords, language: str) -> str:
    """Return the text for a language, or else the English one, or else the first one."""
    if isinstance(words, str):
        return words
    return words.get(language) or words.get("en") or next(iter(words.values()), "")


def value_key(value: Any) -> str:
    """Write a value as a key of a file. True and 1 have one key, and so have 7.0, "7.0" and 7.

    >>> value_key(True), value_key(1), value_key("1.0"), value_key("true"), value_key("own"), value_key(0.25)
    ('1', '1', '1', '1', 'own', '0.25')
    >>> value_key("1e3"), value_key("007")
    ('1000', '007')
    """
    unwrapped = value.item() if hasattr(value, "item") else value
    if isinstance(unwrapped, bool):
        return str(int(unwrapped))
    text = as_text(unwrapped)
    if NUMBER.fullmatch(text):  # keys of a file are text, in any notation of numbers
        unwrapped = float(text) if not text.lstrip("+-").isdigit() else int(text)
    if isinstance(unwrapped, float) and unwrapped.is_integer() and abs(unwrapped) < 1e15:
        return str(int(unwrapped))
    return {"true": "1", "false": "0"}.get(text.lower(), as_text(unwrapped))
