"""The current outcome is written for every kind of score."""

from dataclasses import replace

import pytest

from p2ce.present import to_text
from p2ce.present.write_text import option_sentences
from p2ce.result import Explanation, Status
from tests.result.examples import explanation


def first_line(written: Explanation, audience: str = "officer") -> str:
    return to_text(written, audience=audience).splitlines()[0]


def with_predictions(*predictions: float | None, **fields: object) -> Explanation:
    answer = explanation(scale="lead", threshold=0.0, **fields)
    options = (replace(found, prediction=number) for found, number in zip(answer, predictions, strict=True))
    return replace(answer, counterfactuals=tuple(options))


def test_a_class_that_must_win() -> None:
    answer = with_predictions(0.45, 0.61, target="B", person_score=-0.12, person_prediction=0.31)
    assert first_line(answer) == (
        "Class 'B' must win, and is 0.120 behind (its probability is 0.310). "
        "2 options were found that achieve this:"
    )
    assert first_line(answer, "person").startswith("At present, the model does not predict 'B' for you. You")
    written = option_sentences(answer, audience="officer")[0]
    assert written.endswith("It is then 0.530 ahead, with a probability of 0.450 (smallest change overall).")
    accepted = explanation(
        scale="lead", threshold=0.0, target="B", person_score=0.25, status=Status.ALREADY_FAVOURABLE,
        counterfactuals=(),
    )  # fmt: skip
    assert first_line(accepted) == "Class 'B' already wins: it is 0.250 ahead."
    tie = with_predictions(None, None, target="B", person_score=-5e-324)
    assert first_line(tie).startswith("Class 'B' must win, and is level, which is not enough. 2 opt")
    assert option_sentences(tie, audience="officer")[1].endswith("It is then 0.530 ahead (fewest changes).")


@pytest.mark.parametrize(
    ("fields", "officer", "person"),
    [
        (
            {"target": (100, 200), "person_prediction": 87.25},
            "The prediction is 87.25 and must be between 100 and 200. 2 options",
            "The model predicts 87.25 for you; it must be between 100 and 200. You can",
        ),
        (
            {"target": (100, None), "person_prediction": 99.99999},
            "The prediction is 99.99999 and must be at least 100. 2 options",
            "The model predicts 99.99999 for you; it must be at least 100. You can",
        ),
        (
            {"target": (None, 200), "person_score": -12.5},
            "The prediction must be at most 200; today it is 12.50 outside. 2 options",
            "At present, the model's prediction for you is not at most 200. You can",
        ),
        (
            {"target": (100, float("inf")), "person_score": -0.5, "margin": 1.0},
            "must be at least 101 (at least 100, with a margin of 1); today it is 0.500 outside.",
            "the model's prediction for you is not at least 101 (at least 100, with a margin of 1). You",
        ),
        (
            {"target": (100, 200), "person_prediction": 102.0, "margin": 5, "person_score": -3.0},
            "is 102.0 and must be between 105 and 195 (between 100 and 200, with a margin of 5).",
            "it must be between 105 and 195 (between 100 and 200, with a margin of 5). You",
        ),
        (
            {"target": (100, 200), "person_prediction": 1.0, "counterfactuals": ()},
            "The prediction is 1.000 and must be between 100 and 200. No option was found.",
            "it must be between 100 and 200. We found no option that would change that",
        ),
        (
            {"target": (100, 200), "person_prediction": 150.0, "status": Status.ALREADY_FAVOURABLE},
            "The prediction is 150.0; it must be between 100 and 200, and is.",
            "The model already accepts your application.",
        ),
        (
            {"target": (None, None), "person_score": 1.0, "status": Status.ALREADY_FAVOURABLE},
            "The prediction must be any number, and is.",
            "The model already accepts your application.",
        ),
        (
            {"target": (100, 200), "person_score": -15342.25, "models": 3},
            "The predictions of all 3 models must be between 100 and 200; the farthest is 15,342 outside. 2",
            "At present, at least one of 3 models rejects your application. You can",
        ),
        (
            {"target": (100, 200), "person_score": 0.25, "models": 2, "status": Status.ALREADY_FAVOURABLE},
            "of both models must be between 100 and 200; the nearest to an end is 0.250 inside.",
            "The model already accepts your application.",
        ),
        (
            {"target": "B", "person_score": 0.25, "models": 2},
            "Of 2 models, the strictest is 0.250 above its threshold.",
            "At present, at least one of 2 models rejects your application.",
        ),
        (
            {"target": "B", "person_score": -0.25, "models": 2, "margin": 0.1},
            "Of 2 models, the strictest is 0.250 below its threshold (with a margin of 0.1).",
            "At present, at least one of 2 models does not accept your application clearly enough.",
        ),
    ],
)
def test_leads_of_other_kinds(fields: dict[str, object], officer: str, person: str) -> None:
    written = explanation(**{"scale": "lead", "threshold": 0.0, **fields})
    assert officer in first_line(written)
    assert person in first_line(written, "person")


def test_an_option_tells_what_is_predicted_then() -> None:
    answer = with_predictions(123.456, None, target=(100, 200), person_prediction=87.0)
    first, second = option_sentences(answer, audience="officer")
    assert "This gives 123.5 (" in first
    assert "The prediction is then 0.530 inside (" in second
    several = replace(answer, models=2)
    written = option_sentences(several, audience="officer")[0]
    assert "The predictions of both models are then 0.530 or more inside" in written


@pytest.mark.parametrize(
    ("lead", "range_", "words"),
    [
        (0.00967, False, "All 3 models are then 0.009 or more above their thresholds"),
        (0.0000321, False, "All 3 models are then 0.00003 or more above their thresholds"),
        (0.0, False, "All 3 models are then 0.000 or more above their thresholds"),
        (-0.2, False, "The strictest model is then 0.200 below its threshold"),
        (14.999999999999773, True, "The predictions of all 3 models are then 14.99 or more inside"),
        (15342.7, True, "The predictions of all 3 models are then 15,342 or more inside"),
        (-3.0, True, "The farthest of the predictions is then 3.000 outside"),
    ],
)
def test_what_holds_at_least_is_rounded_down(lead: float, range_: bool, words: str) -> None:
    written = explanation(
        scale="lead", threshold=0.0, target=(0, 99_999) if range_ else "B", models=3, person_score=-1.0
    )
    moved = tuple(replace(found, score=lead) for found in written)
    first = option_sentences(replace(written, counterfactuals=moved), audience="officer")[0]
    assert f". {words}" in first


@pytest.mark.parametrize(
    ("score", "words"),
    [(0.512, "does not accept your application clearly enough"), (0.31, "rejects your application")],
)
def test_a_margin_is_written_in_words(score: float, words: str) -> None:
    written = explanation(threshold=0.55, margin=0.05, person_score=score)
    assert words in first_line(written, "person")
    assert first_line(written).startswith(
        f"The probability of 1 is {score:.3f} and must reach 0.55 (with a margin of"
    )
