"""Load the words of each language from its file. All files have the same keys.

A file begins with facts about the language: `tag` (as in HTML), `locale`, `article` (put before names that
have none), `articles` (that names begin with, and headings leave out), `determiners` (names that begin with
one of these need no article), `and_before_i` (the "and" before a word that sounds like i). Texts have their
parts in braces. A text that depends on a count has plural forms, named as in Unicode ("one", "other"). A
variant, such as ``raise_share`` of ``raise`` or ``title_none_applicant`` of ``title_none``, may be left out.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest
from p2ce.present.numbers import Numbers

LANGUAGES = tuple(
    sorted(
        file.name.removesuffix(".toml")
        for file in files(__package__).iterdir()
        if file.name.endswith(".toml")
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageWords:
    """The words and numbers of one language."""

    language: str
    tag: str  # as in HTML
    numbers: Numbers = field(repr=False)
    article: str  # before a name that has none, in English
    articles: tuple[str, ...]  # that names begin with, and headings leave out
    determiners: tuple[str, ...]  # names that begin with one of these need no article
    before_i: str  # the "and" before a word that sounds like i, in Spanish
    texts: Mapping[str, Any] = field(repr=False)

    def say(self, key: str, **parts: object) -> str:
        """AreaLook in one text.

        >>> load_words("en").say("option_heading", number=2)
        'Option 2'
        """
        text: str = self.texts[key]
        return text.format_map(parts) if parts else text

    def counted(self, key: str, count: int | Decimal, /, **parts: object) -> str:
        """AreaLook in the text for a count, which is `{count}` there.

        >>> load_words("pt").counted("others", 1200)
        'Outras 1.200 opções'
        """
        forms = self.texts[key]
        text: str = forms.get(self.numbers.plural(count), forms["other"])
        if "count" not in parts:  # the caller may have written it
            parts["count"] = self.numbers.full(count)
        return text.format_map(parts)

    def variant(self, key: str, variant: str) -> str:
        """Return the key of a variant of a text, or of the text itself if there is none."""
        return f"{key}_{variant}" if f"{key}_{variant}" in self.texts else key

    def listed(self, parts: list[str]) -> str:
        """Join parts as in a sentence: "a, b and c"."""
        if self.before_i and len(parts) > 1 and _sounds_like_i(parts[-1]):
            return f"{', '.join(parts[:-1])} {self.before_i} {parts[-1]}"
        return self.numbers.listed(parts)


def load_words(language: str) -> LanguageWords:
    """Return the words of a language. Raise if there are none."""
    if language not in LANGUAGES:
        raise InvalidArgument(
            f"There are no texts in the language {echoed(language)}. {nearest(language, LANGUAGES)}"
        )
    return _parsed(language)


@cache
def _parsed(language: str) -> LanguageWords:
    texts = tomllib.loads(files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    about = texts.pop("language")
    return LanguageWords(
        language=language,
        tag=about["tag"],
        numbers=Numbers(about["locale"]),
        article=about.get("article", ""),
        articles=tuple(about["articles"]),
        determiners=tuple(about.get("determiners", ())),
        before_i=about.get("and_before_i", ""),
        texts=texts,
    )


def _sounds_like_i(word: str) -> bool:
    """Return whether a word begins with the sound of i: "ingresos" and "hijos", but not "hielo"."""
    rest = word.lower().removeprefix("h")
    return rest[:1] in ("i", "í") and rest[1:2] not in tuple("aeoáéó")
