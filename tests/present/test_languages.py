"""Every language says the same things."""

import re
from pathlib import Path
from string import Formatter

import pytest

import p2ce.present
from p2ce.errors import InvalidArgument
from p2ce.present.languages import AUDIENCES, LANGUAGES, check_audience, templates

ENGLISH = templates("en")
# Keys that are put together from parts: "found" + "_one".
PUT_TOGETHER = re.compile(
    r"(_one|_many|_models|_margin|_steps)$|^(different|only)$"
    r"|^(best|objective|range|pruned|label|scale|restriction|leads|one_that_leads|to_lead|optimal|proven"
    r"|because|unproven|raise|lower|fill_in|along_part|steps_equal|steps_between|your_option|option)(_|$)"
)


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_templates(language: str) -> None:
    words = templates(language)
    assert list(words) == list(ENGLISH)
    for key, template in words.items():
        assert placeholders(template) == placeholders(ENGLISH[key]), key
        assert template.strip(), key


@pytest.mark.parametrize("language", ["pt", "es"])
def test_sentences_are_translated(language: str) -> None:
    words = templates(language)
    # What is all placeholders, numbers or abbreviations may be the same everywhere.
    same = {key for key in words if words[key] == ENGLISH[key] and re.search(r"[a-z]{4}", _bare(words[key]))}
    assert not same


def _bare(template: str) -> str:
    return re.sub(r"\{\w+\}", "", template)


def test_no_template_is_left_over() -> None:
    folder = Path(p2ce.present.__file__).parent
    code = "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    unused = [key for key in ENGLISH if f'"{key}"' not in code and not PUT_TOGETHER.search(key)]
    assert not unused


def test_unknown_names_say_which_are_known() -> None:
    with pytest.raises(InvalidArgument, match=r"got 'fr'\. Known are 'en', 'pt', 'es'"):
        templates("fr")
    with pytest.raises(InvalidArgument, match="Did you mean 'officer'"):
        check_audience("Officers")
    for audience in AUDIENCES:
        check_audience(audience)
