"""The sentences are true to the answer and read well."""

import math
from dataclasses import replace

import pytest
from hypothesis import given

from p2ce.present import to_text
from p2ce.present.proof import proof_sentence
from p2ce.present.text import option_sentences
from p2ce.present.trade_offs import trade_offs
from p2ce.present.words import change_in_words, joined
from p2ce.result import Explanation, Status
from tests.result.examples import CERTIFICATE, explanation, explanations, option

UNPROVEN = replace(CERTIFICATE, proven=False, unproven_because="contradiction")
PAPER = replace(UNPROVEN, unproven_because="estimate", bound="shap-paper", explainer="sampling", residual=0.0)
CALIBRATED = replace(PAPER, bound="shap", miss_rate=0.01, sample_size=199)


def test_the_whole_text() -> None:
    assert to_text(explanation()).splitlines() == [
        "The probability of 1 is 0.310 and must reach 0.5. 2 options do:",
        "1. Lower LoanAmount from 7,500 to 6,000 and change HasGuarantor from no to yes. "
        "This gives 0.530 (smallest change overall).",
        "2. Lower LoanAmount from 7,500 to 2,500. This gives 0.530 (fewest changes).",
        "Proven: these are all the Pareto-optimal plausible options among 1,234,567 possible combinations; "
        "431 boxes examined, 2 points confirmed by the model itself.",
    ]


def test_own_phrases_are_used() -> None:
    text = to_text(explanation(), phrases={("HasGuarantor", True): "get a guarantor"})
    assert "1. Lower LoanAmount from 7,500 to 6,000 and get a guarantor. This gives" in text


@given(explanations())
def test_every_answer_can_be_told(answer: Explanation) -> None:
    text = to_text(answer)
    assert text
    assert ("Proven" in text.splitlines()[-1]) <= (
        answer.certificate is not None and answer.certificate.proven
    )


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"status": Status.ERROR, "message": "'Age' is missing. Add it."},
            "No answer: 'Age' is missing. Add it.",
        ),
        ({"status": Status.ALREADY_FAVOURABLE, "counterfactuals": ()}, "Nothing has to change"),
        (
            {"status": Status.NO_RECOURSE, "counterfactuals": ()},
            "Proven: none of 1,234,567 possible combinations",
        ),
        ({"status": Status.HEURISTIC, "certificate": UNPROVEN}, "better ones may exist"),
        (
            {"status": Status.HEURISTIC, "counterfactuals": (), "certificate": UNPROVEN},
            "options may still exist",
        ),
        ({"status": Status.HEURISTIC, "certificate": UNPROVEN}, "contradicts what was read from it"),
        (
            {"status": Status.HEURISTIC, "certificate": replace(UNPROVEN, unproven_because="doubt")},
            "rounding left too many points in doubt",
        ),
        ({"status": Status.HEURISTIC, "certificate": PAPER}, "how often it misses some is not known"),
        (
            {"status": Status.HEURISTIC, "certificate": CALIBRATED},
            "calibrated on 199 people, it is expected to miss some for no more than 1 % of people like them",
        ),
        ({"certificate": None}, "No certificate was kept"),
        ({"certificate": replace(CERTIFICATE, detector_family=None)}, "all the Pareto-optimal options among"),
        (
            {"counterfactuals": (option(mean_distance=1.0, Age=42),)},
            "the only Pareto-optimal plausible option",
        ),
    ],
)
def test_the_proof_is_honest_for_every_status(fields: dict[str, object], told: str) -> None:
    assert told in proof_sentence(explanation(**fields))


def test_time_limit_tells_what_is_open() -> None:
    stopped = replace(
        CERTIFICATE, proven=False, open_boxes=1_200, open_costs={"mean_distance": 0.25, "changes": 1.0}
    )
    told = proof_sentence(explanation(status=Status.TIME_LIMIT, certificate=stopped))
    assert told == (
        "Not proven: the search was stopped early, the options are the best found so far; 1,200 boxes among "
        "1,234,567 possible combinations are still open and could reach mean_distance 0.25 "
        "and changes 1 at best."
    )


def test_an_unproven_certificate_is_never_told_as_proven() -> None:
    unproven = explanation(certificate=UNPROVEN)
    assert proof_sentence(unproven).startswith("Not proven")


def test_a_person_already_accepted_is_told_so() -> None:
    accepted = explanation(status=Status.ALREADY_FAVOURABLE, counterfactuals=(), person_score=0.5)
    assert to_text(accepted).startswith("The probability of 1 is 0.500, and 0.5 is enough.")


def test_a_refused_person_just_below_is_not_shown_at_the_threshold() -> None:
    assert "is 0.49999 and must reach 0.5" in to_text(explanation(person_score=0.49999))


def test_a_decision_function_is_not_called_a_probability() -> None:
    assert "decision score for 1 is -2.000 and must reach 0." in to_text(
        explanation(scale="decision", person_score=-2.0, threshold=0.0)
    )


def test_strengths_shared_by_all_are_left_out() -> None:
    same = (option(mean_distance=0.1, Age=42), option(mean_distance=0.1, Age=43))
    assert trade_offs(explanation(counterfactuals=same)) == [[], []]
    assert trade_offs(explanation(counterfactuals=same[:1])) == [[]]


def test_an_own_objective_is_called_by_its_name() -> None:
    options = tuple(
        replace(found, costs={"effort": cost}) for found, cost in zip(explanation(), (1.0, 2.0), strict=True)
    )
    assert trade_offs(explanation(counterfactuals=options, objectives=("effort",))) == [["lowest effort"], []]


def test_changes_in_words() -> None:
    assert change_in_words("Rate", 0.5, 0.75) == "raise Rate from 0.5 to 0.75"
    assert change_in_words("Housing", "rent", "own") == "change Housing from rent to own"
    assert [joined([]), joined(["a"]), joined(["a", "b"])] == ["", "a", "a and b"]
    assert change_in_words("Income", None, 42_000) == "change Income from missing to 42,000"
    assert change_in_words("Income", math.nan, 42_000.0) == "change Income from missing to 42,000"
    assert change_in_words("Income", 42_000.0, math.nan) == "change Income from 42,000 to missing"
    phrases = {("Income", None): "withhold Income", ("Housing", "own"): "buy a home"}
    assert change_in_words("Income", 1.0, math.nan, phrases=phrases) == "withhold Income"
    assert change_in_words("Housing", None, "own", phrases=phrases) == "buy a home"


def with_predictions(*predictions: float | None, **fields: object) -> Explanation:
    answer = explanation(scale="lead", threshold=0.0, **fields)
    options = (replace(found, prediction=number) for found, number in zip(answer, predictions, strict=True))
    return replace(answer, counterfactuals=tuple(options))


def test_a_class_that_must_win() -> None:
    answer = with_predictions(0.45, 0.61, target="B", person_score=-0.12, person_prediction=0.31)
    lines = to_text(answer).splitlines()
    assert lines[0] == (
        "Class 'B' must win, and is 0.120 behind (its probability is 0.310). With 2 options it wins:"
    )
    assert "It is then 0.530 ahead, with a probability of 0.450 (smallest change overall)." in lines[1]
    accepted = explanation(
        scale="lead", threshold=0.0, target="B", person_score=0.25, status=Status.ALREADY_FAVOURABLE,
        counterfactuals=(),
    )  # fmt: skip
    assert to_text(accepted).startswith("Class 'B' already wins: it is 0.250 ahead.\n")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"target": (100, 200), "person_prediction": 87.25},
            "The prediction is 87.25 and must lie between 100 and 200. With 2 options it does:",
        ),
        (
            {"target": (100, None), "person_prediction": 99.99999},
            "The prediction is 99.99999 and must be at least 100. With 2 options it is:",
        ),
        (
            {"target": (None, 200), "person_score": -12.5},
            "The prediction must be at most 200; today it is 12.50 outside. With 2 options it is:",
        ),
        (
            {"target": (100, 200), "person_prediction": 1.0, "counterfactuals": ()},
            "The prediction is 1.000 and must lie between 100 and 200. No option was found.",
        ),
        (
            {"target": (100, 200), "person_prediction": 150.0, "status": Status.ALREADY_FAVOURABLE},
            "The prediction is 150.0 and lies between 100 and 200.",
        ),
        (
            {"target": (100, 200), "person_score": -0.25, "models": 3},
            "Of 3 models, whose predictions must be between 100 and 200, the last one is 0.250 below its "
            "threshold. 2 options do:",
        ),
    ],
)
def test_a_range_that_a_prediction_must_lie_in(fields: dict[str, object], told: str) -> None:
    assert to_text(explanation(scale="lead", threshold=0.0, **fields)).splitlines()[0] == told


def test_an_option_tells_what_is_predicted_then() -> None:
    answer = with_predictions(123.456, None, target=(100, 200), person_prediction=87.0)
    first, second = option_sentences(answer)
    assert "This gives 123.5 (" in first
    assert "The prediction is then 0.530 inside (" in second


def test_rules_are_told_with_the_proof() -> None:
    ruled = replace(CERTIFICATE, rules=("a <= b", "c moves with d"), checked_rules=("own check",))
    told = proof_sentence(explanation(certificate=ruled))
    assert told.startswith("Proven: ")
    assert told.endswith(
        "Combinations that break a rule were left out: a <= b; c moves with d. "
        "Checked on each candidate, without shortening the search: own check."
    )
    accepted = explanation(status=Status.ALREADY_FAVOURABLE, certificate=ruled)
    assert "rule" not in proof_sentence(accepted)
