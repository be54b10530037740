"""Hold the words that belong to reports alone: one file per language, all with the same keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from p2ce.present.languages import LANGUAGES, templates
from p2ce.present.numerals import in_language


@dataclass(frozen=True, slots=True)
class Labels:
    """The words of one language."""

    language: str
    words: Mapping[str, str]

    def __call__(self, key: str, **parts: object) -> str:
        """Fill one label.

        >>> labels_for("en")("option", number=2)
        'Option 2'
        """
        return self.words[key].format(**parts)

    def counted(self, key: str, count: int, **parts: object) -> str:
        """Fill the label for one or for many.

        >>> labels_for("pt").counted("others", 1200)
        'Outras 1.200 opções'
        """
        return self(f"{key}_{'one' if count == 1 else 'many'}", count=self.count(count), **parts)

    def count(self, count: int) -> str:
        """Write a count in the form of the language."""
        return in_language(f"{count:,}", self.language)

    def for_audience(self, key: str, audience: str, **parts: object) -> str:
        """Fill the label that an audience has of its own, or else the one for all."""
        own = f"{key}_{audience}"
        return self(own if own in self.words else key, **parts)


def labels_for(language: str) -> Labels:
    """Give the labels of a language; an unknown one raises and lists those there are."""
    templates(language)  # raises where the language is unknown
    assert language in LANGUAGES  # else the line above has raised
    return Labels(language, import_module(f"p2ce.present.report.page_words.page_{language}").LABELS)
