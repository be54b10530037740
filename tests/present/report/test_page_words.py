"""Every language has the same labels, with the same places to fill, and none is idle."""

from pathlib import Path
from string import Formatter

import pytest

import p2ce.present.report
from p2ce.errors import InvalidArgument
from p2ce.present.languages import LANGUAGES
from p2ce.present.report.page_words import labels_for
from p2ce.result import Certificate, Status

FOLDER = Path(p2ce.present.report.__file__).parent


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_have_the_same_keys_in_the_same_order(language: str) -> None:
    assert list(labels_for(language).words) == list(labels_for("en").words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_label_is_empty_or_fills_in_something_else(language: str) -> None:
    for key, template in labels_for(language).words.items():
        assert template.strip(), key
        # Where one thing is counted, a language may write the number out.
        allowed = fields(labels_for("en").words[key])
        assert fields(template) <= allowed, key
        assert fields(template) == allowed or key.endswith("_one"), key


def test_every_status_and_count_has_a_label() -> None:
    for language in LANGUAGES:
        for status in Status:
            assert labels_for(language)(f"status_{status.value}")
        for name in Certificate.__slots__:
            assert f"cert_{name}" in labels_for(language).words


def test_no_label_is_idle() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))
    made = ("cert_", "status_", "moves_", "hash_", "title_")  # put together from parts
    for key in labels_for("en").words:
        base = key
        for ending in ("_one", "_many", "_person", "_officer", "_auditor"):
            base = base.removesuffix(ending)
        assert key.startswith(made) or f'"{base}"' in code or f'"{key}"' in code, key


def test_an_unknown_language_is_rejected() -> None:
    with pytest.raises(InvalidArgument, match="Known are 'en', 'pt', 'es'"):
        labels_for("de")
