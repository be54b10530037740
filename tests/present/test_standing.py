"""Where a person stands is told for every kind of score."""

from dataclasses import replace

import pytest

from p2ce.present import to_text
from p2ce.present.text import option_sentences
from p2ce.result import Explanation, Status
from tests.result.examples import explanation


def first_line(told: Explanation, audience: str = "officer") -> str:
    return to_text(told, audience=audience).splitlines()[0]


def with_predictions(*predictions: float | None, **fields: object) -> Explanation:
    answer = explanation(scale="lead", threshold=0.0, **fields)
    options = (replace(found, prediction=number) for found, number in zip(answer, predictions, strict=True))
    return replace(answer, counterfactuals=tuple(options))


def test_a_class_that_must_win() -> None:
    answer = with_predictions(0.45, 0.61, target="B", person_score=-0.12, person_prediction=0.31)
    assert first_line(answer) == (
        "Class 'B' must win, and is 0.120 behind (its probability is 0.310). "
        "There are 2 options that achieve this:"
    )
    assert first_line(answer, "person").startswith("As things stand, the model does not decide for 'B'. You")
    told = option_sentences(answer, audience="officer")[0]
    assert told.endswith("It is then 0.530 ahead, with a probability of 0.450 (smallest change overall).")
    accepted = explanation(
        scale="lead", threshold=0.0, target="B", person_score=0.25, status=Status.ALREADY_FAVOURABLE,
        counterfactuals=(),
    )  # fmt: skip
    assert first_line(accepted) == "Class 'B' already wins: it is 0.250 ahead."
    margin = explanation(scale="lead", threshold=0.1, target="B", person_score=0.05, counterfactuals=())
    assert first_line(margin) == "Class 'B' must win by 0.1, and is 0.050 ahead. No option was found."
    tie = with_predictions(None, None, target="B", person_score=-5e-324)
    assert first_line(tie).startswith("Class 'B' must win, and is level, which is not enough. There")
    assert option_sentences(tie, audience="officer")[1].endswith("It is then 0.530 ahead (fewest changes).")


@pytest.mark.parametrize(
    ("fields", "officer", "person"),
    [
        (
            {"target": (100, 200), "person_prediction": 87.25},
            "The prediction is 87.25 and must be between 100 and 200. There are",
            "The model predicts 87.25 for you; wanted is between 100 and 200. You can",
        ),
        (
            {"target": (100, None), "person_prediction": 99.99999},
            "The prediction is 99.99999 and must be at least 100. There are",
            "The model predicts 99.99999 for you; wanted is at least 100. You can",
        ),
        (
            {"target": (None, 200), "person_score": -12.5},
            "The prediction must be at most 200; today it is 12.50 outside. There are",
            "As things stand, the model's prediction for you is not at most 200. You can",
        ),
        (
            {"target": (100, float("inf")), "person_score": 0.5, "threshold": 1.0},
            "must be at least 100, 1 or more from its ends; today it is 0.500 inside, which is not",
            "the model's prediction for you is not at least 100, 1 or more from its ends. You",
        ),
        (
            {"target": (100, 200), "person_prediction": 1.0, "counterfactuals": ()},
            "The prediction is 1.000 and must be between 100 and 200. No option was found.",
            "wanted is between 100 and 200. We found nothing that you could change",
        ),
        (
            {"target": (100, 200), "person_prediction": 150.0, "status": Status.ALREADY_FAVOURABLE},
            "The prediction is 150.0; it must be between 100 and 200, and is.",
            "The model already decides in your favour.",
        ),
        (
            {"target": (None, None), "person_score": 1.0, "status": Status.ALREADY_FAVOURABLE},
            "The prediction must be any number, and is.",
            "The model already decides in your favour.",
        ),
        (
            {"target": (100, 200), "person_score": -0.25, "models": 3},
            "Of 3 models, whose predictions must be between 100 and 200, the strictest is 0.250 below its "
            "threshold. There are 2 options",
            "As things stand, not all 3 models decide in your favour. You can",
        ),
        (
            {"target": "B", "person_score": 0.25, "models": 2},
            "Of 2 models, the strictest is 0.250 above its threshold.",
            "As things stand, not all 2 models decide in your favour.",
        ),
    ],
)
def test_leads_of_other_kinds(fields: dict[str, object], officer: str, person: str) -> None:
    told = explanation(**{"scale": "lead", "threshold": 0.0, **fields})
    assert officer in first_line(told)
    assert person in first_line(told, "person")


def test_an_option_tells_what_is_predicted_then() -> None:
    answer = with_predictions(123.456, None, target=(100, 200), person_prediction=87.0)
    first, second = option_sentences(answer, audience="officer")
    assert "This gives 123.5 (" in first
    assert "The prediction is then 0.530 inside (" in second
    several = replace(answer, models=2)
    assert (
        "All models are then at least 0.530 above its threshold"
        in option_sentences(several, audience="officer")[0]
    )
