"""Hold the words of each language: templates with the same keys; `audit_*.py` has those for auditors."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from p2ce.errors import InvalidArgument, nearest
from p2ce.visible import echoed

LANGUAGES = ("en", "pt", "es")  # English, Portuguese (Brazil), Spanish
AUDIENCES = ("person", "officer", "auditor")


def templates(language: str) -> Mapping[str, str]:
    """Give the templates of a language by key; an unknown language raises and lists the known ones.

    >>> templates("pt")["yes"]
    'sim'
    """
    if language not in LANGUAGES:
        raise InvalidArgument(
            f"language expects one of the languages there are words for, got {echoed(language)}. "
            f"{nearest(language, LANGUAGES)}"
        )
    return _words(language)


@cache
def _words(language: str) -> Mapping[str, str]:
    parts = (f"p2ce.present.languages.{language}", f"p2ce.present.languages.audit_{language}")
    return {key: template for part in parts for key, template in import_module(part).WORDS.items()}


def check_audience(audience: str) -> None:
    """Raise if the audience is unknown."""
    if audience not in AUDIENCES:
        raise InvalidArgument(
            f"audience expects one of those that texts are written for, got {echoed(audience)}. "
            f"{nearest(audience, AUDIENCES)}"
        )
