"""What is wanted of a model is said the same way everywhere."""

import math

import numpy as np
import pytest

from p2ce.result.outcome_text import is_range, lead_in_words, wanted_ends, wanted_in_words
from tests.result.examples import explanation


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "probability of 1 >= 0.5"),
        ({"scale": "decision", "threshold": 0.0, "target": "yes"}, "decision of 'yes' >= 0"),
        ({"scale": "lead", "threshold": 0.0, "target": "B"}, "class 'B' must win"),
        ({"scale": "lead", "threshold": 0.0, "target": np.str_("B")}, "class 'B' must win"),
        ({"threshold": 0.55, "margin": 0.05}, "probability of 1 >= 0.55, a margin of 0.05 included"),
        ({"scale": "lead", "threshold": 0.0, "target": (100, 200)}, "prediction between 100 and 200"),
        ({"scale": "lead", "threshold": 0.0, "target": (None, 1500.0)}, "prediction at most 1,500"),
        ({"scale": "lead", "threshold": 0.0, "target": (0.5, math.inf)}, "prediction at least 0.5"),
        (
            {"scale": "lead", "threshold": 0.0, "margin": 5.0, "target": (100, 200)},
            "prediction between 105 and 195, a margin of 5 included",
        ),
        (
            {"scale": "lead", "threshold": 0.0, "margin": 0.2, "target": (0.1, None)},
            "prediction at least 0.3, a margin of 0.2 included",
        ),
        (
            {"scale": "lead", "threshold": 0.0, "target": (100, 200), "models": 3},
            "prediction between 100 and 200 by all 3 models",
        ),
        (
            {"scale": "lead", "threshold": 0.0, "target": "B", "models": 2, "margin": 0.1},
            "'B' by both models, each beyond its own threshold, a margin of 0.1 included",
        ),
    ],
)
def test_in_words(fields: dict[str, object], words: str) -> None:
    assert wanted_in_words(explanation(**fields)) == words


def test_a_range_is_reported_from_a_class() -> None:
    assert is_range((1, 2))
    assert not is_range("ab")
    assert wanted_ends((-math.inf, 7)) == (7.0,)


def test_a_tie_is_not_shown_as_a_number() -> None:
    assert lead_in_words(math.nextafter(0.0, -1.0)) == "level, which is not enough"
    assert lead_in_words(0.0) == "level, which is enough"
