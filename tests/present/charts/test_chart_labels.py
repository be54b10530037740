"""Charts have the same words in every language."""

from string import Formatter

import pytest

from p2ce.present.charts.chart_labels import LABELS, label
from p2ce.present.languages import LANGUAGES


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_there_are_labels_for_every_language() -> None:
    assert set(LABELS) == set(LANGUAGES)


@pytest.mark.parametrize("language", LABELS)
def test_all_languages_have_the_same_keys_with_the_same_parts(language: str) -> None:
    assert set(LABELS[language]) == set(LABELS["en"])
    for key, text in LABELS[language].items():
        assert text.strip()
        assert fields(text) == fields(LABELS["en"][key]), key


def test_a_label_is_filled_in() -> None:
    assert label("pt", "option", number=3) == "opção 3"
