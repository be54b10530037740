"""The texts of every audience and language are, to the letter, those that were proofread.

After a wanted change: P2CE_WRITE_GOLDEN=1 pytest -n0 tests/present/test_golden.py, then read the difference.
"""

import os
from pathlib import Path

import pytest

from p2ce.present import to_text
from p2ce.present.languages import AUDIENCES, LANGUAGES
from tests.present.cases import CASES

FOLDER = Path(__file__).parent / "golden"


def written(audience: str, language: str) -> str:
    parts = []
    for name, (explanation, why) in CASES.items():
        text = to_text(explanation, audience=audience, language=language, why=why)
        parts.append(f"=== {name}\n{text}\n")
    return "\n".join(parts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("audience", AUDIENCES)
def test_the_text_is_the_one_that_was_read(audience: str, language: str) -> None:
    file = FOLDER / f"{audience}.{language}.txt"
    now = written(audience, language)
    if os.environ.get("P2CE_WRITE_GOLDEN"):
        file.write_text(now, encoding="utf-8")
    assert now == file.read_text(encoding="utf-8")


def test_every_file_is_compared() -> None:
    expected = {f"{audience}.{language}.txt" for audience in AUDIENCES for language in LANGUAGES}
    assert {file.name for file in FOLDER.iterdir()} == expected
