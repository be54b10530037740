"""Every language says the same things."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import p2ce.present
from p2ce.errors import InvalidArgument
from p2ce.present.languages import LANGUAGES, load_words
from p2ce.present.render import AUDIENCES

VARIANTS = ("share", *AUDIENCES)
# The same words in English and in other languages: nothing is left to translate.
SHARED_WORDS = re.compile(r"\b(Option|Person|Status)\b")
# Keys that code puts together from parts: "status_" + "OPTIMAL".
PUT_TOGETHER = re.compile(
    r"^(label|status|objective|best|hash|pruned|scale|grid|moves|on|unproven|because|range|restriction|rule"
    r"|to_lead|leads|one_that_leads|optimal|proven_none|your_grid|chart_outcome|chart_first|you_rejected"
    r"|metric|probability_of|decision_for|title|different|only|raise|lower|none_because|your_none_because"
    r"|admitted_by|reason|stopped_by)(_|$)"
)


def texts(language: str) -> Iterator[tuple[str, str]]:
    """Return every text with its key; plural forms one by one."""
    entry: Any
    for key, entry in load_words(language).texts.items():
        yield from ((key, text) for text in (entry.values() if isinstance(entry, dict) else [entry]))


def base_of(key: str) -> str:
    """Return the key of which this one is a variant, or the key: `col_person` is not a variant of `col`."""
    base, _, variant = key.rpartition("_")
    return base if variant in VARIANTS and base in load_words("en").texts else key


def parts(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_texts(language: str) -> None:
    mine, english = load_words(language).texts, load_words("en").texts
    assert {base_of(key) for key in mine} == {base_of(key) for key in english}
    assert all(base_of(key) in mine for key in mine)
    for key, text in texts(language):
        base = key if key in english else base_of(key)
        allowed = set().union(*(parts(other) for name, other in texts("en") if name == base))
        assert parts(text) <= allowed, key
        assert isinstance(mine[key], dict) or parts(text) == allowed, key
        assert text.strip(), key
        assert not isinstance(mine[key], dict) or "other" in mine[key], key


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_sentences_are_translated(language: str) -> None:
    english = dict(texts("en"))
    same = [key for key, text in texts(language) if text == english.get(key)]
    # What is all parts, numbers or abbreviations may be the same everywhere.
    own = {key: SHARED_WORDS.sub("", re.sub(r"\{\w+\}", "", english[key])) for key in same}
    assert not [key for key, text in own.items() if re.search(r"[a-z]{4}", text)]


def test_no_text_is_left_over() -> None:
    folder = Path(p2ce.present.__file__).parent
    code = "".join(
        file.read_text(encoding="utf-8") for kind in ("py", "jinja") for file in folder.rglob(f"*.{kind}")
    )
    keys = (base_of(key) for key in load_words("en").texts)
    assert not [
        key
        for key in keys
        if not PUT_TOGETHER.match(key) and not re.search(rf"[\"']{key}(_steps)?[\"']", code)
    ]


def test_an_unknown_language_says_which_are_known() -> None:
    with pytest.raises(InvalidArgument, match=r"in the language 'xx'\. Known are 'en', .*'pt'"):
        load_words("xx")


def test_lists_sound_right_in_spanish() -> None:
    spanish = load_words("es")
    assert spanish.listed(["pida", "invierta"]) == "pida e invierta"
    assert spanish.listed(["agua", "hielo"]) == "agua y hielo"
    assert spanish.listed(["padre", "madre", "hijos"]) == "padre, madre e hijos"
    assert (spanish.listed([]), spanish.listed(["a"])) == ("", "a")
