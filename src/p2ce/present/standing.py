"""Write the model's current outcome for a person, and the outcome of an option."""

from typing import Any

import numpy as np

from p2ce.present.numbers import LARGEST, SCORE_DECIMALS
from p2ce.present.wording import Wording, capital
from p2ce.result import Counterfactual, Explanation, Status
from p2ce.result.target import (
    LEAD,
    LEVEL,
    is_strict,
    is_target_range,
    must_win,
    narrowed,
    shown_end,
    wanted_ends,
)

ABOUT = 1e-9  # the largest rounding error of a sum of thresholds and margins


def exact_standing(explanation: Explanation, wording: Wording) -> str:
    """Return the score and what it must reach. The score must be known."""
    score = explanation.person_score
    assert score is not None  # the caller has checked it
    accepted = explanation.status is Status.ACCEPTED
    if explanation.scale == LEAD:
        return _standing_by_lead(explanation, score, wording, accepted=accepted)
    subject = "probability_of" if explanation.scale == "probability" else "decision_for"
    several = "_models" if explanation.models > 1 else ""
    strict = is_strict(explanation.at_least) and not explanation.margin > 0
    exceeds = strict and not accepted
    return wording.say(
        "has_reached" if accepted else "must_exceed" if exceeds else "must_reach",
        what=wording.say(
            f"{subject}{several}", target=_quoted(explanation.target, wording), models=explanation.models
        ),
        score=wording.numbers.score(score, explanation.at_least),
        threshold=wording.full(shown_end(explanation.at_least))
        if exceeds
        else threshold_text(explanation, wording),
    )


def plain_standing(explanation: Explanation, wording: Wording) -> str:
    """Write the model's current outcome in one plain sentence."""
    target, prediction = explanation.target, explanation.person_prediction
    if explanation.status is Status.ACCEPTED:
        return wording.say("you_accepted")
    margin = "_margin" if explanation.margin > 0 else ""
    if explanation.models > 1:
        return wording.say(f"you_rejected_models{margin}", models=explanation.models)
    if explanation.scale == LEAD and is_target_range(target):
        wanted = range_to_reach(explanation, wording)
        if prediction is None:
            return wording.say("you_rejected_range", range=wanted)
        shown = prediction_text(prediction, explanation, wording)
        return wording.say("you_predicted", prediction=shown, range=wanted)
    if must_win(explanation):
        return wording.say("you_rejected_class", target=_quoted(target, wording))
    # The model itself may accept a person who misses the margin.
    own = explanation.at_least - explanation.margin
    near = explanation.person_score is not None and explanation.person_score >= own - ABOUT
    return wording.say(f"you_rejected{margin}" if near else "you_rejected")


def outcome_of(option: Counterfactual, explanation: Explanation, wording: Wording) -> str:
    """State the result of an option, without a full stop."""
    score, prediction = option.displayed_score, option.displayed_prediction
    if explanation.scale != LEAD:
        return wording.say("gives", score=wording.numbers.score(score, explanation.at_least))
    if is_target_range(explanation.target) and explanation.models == 1:
        if prediction is None:
            return wording.say(
                "then_outside" if score < 0 else "then_inside", distance=_distance(score, wording)
            )
        return wording.say("gives", score=prediction_text(prediction, explanation, wording))
    if must_win(explanation):
        lead = lead_text(score, explanation.at_least, wording)
        if prediction is None:
            return wording.say("then_leads", lead=lead)
        chance = prediction_text(prediction, explanation, wording)
        return wording.say("then_leads_chance", lead=lead, probability=chance)
    return _models_then(score, explanation, wording)


def model_output(explanation: Explanation, score: float | None, prediction: Any, wording: Wording) -> str:
    """Write the model's output in a table: its prediction if there is one, else the score."""
    wanted = is_target_range(explanation.target) or must_win(explanation)
    if wanted and prediction is not None:
        return prediction_text(prediction, explanation, wording)
    return "–" if score is None else wording.numbers.score(score, explanation.at_least)


def output_name(explanation: Explanation) -> str:
    """Return the key for the model's output: a prediction, a probability, a lead or a score."""
    predicted = explanation.person_prediction is not None or any(
        option.prediction is not None for option in explanation
    )
    if is_target_range(explanation.target) and predicted:
        return "result_prediction"
    if must_win(explanation):
        return "result_probability" if predicted else "result_lead"
    return "result_score"


def all_models(models: int, wording: Wording) -> str:
    """Name all of several models, in the form that follows a preposition."""
    return wording.say("all_two" if models == 2 else "all_more", models=models)


def range_to_reach(explanation: Explanation, wording: Wording) -> str:
    """Write the range that a prediction must lie in, in the form that follows "must be", with the margin."""
    shown = _range(explanation.target, wording)
    if not explanation.margin > 0:
        return shown
    return wording.say(
        "range_margin",
        narrowed=_range(narrowed(explanation), wording),
        range=shown,
        margin=wording.full(explanation.margin),
    )


def threshold_text(explanation: Explanation, wording: Wording) -> str:
    """Write what a score must reach, and which part of that is a margin."""
    shown = wording.full(shown_end(explanation.at_least))
    if not explanation.margin > 0:
        return wording.say("more_than", number=shown) if is_strict(explanation.at_least) else shown
    return wording.say("with_margin", threshold=shown, margin=wording.full(explanation.margin))


def prediction_text(prediction: Any, explanation: Explanation, wording: Wording) -> str:
    """Write what the model predicts, with few digits, but enough to stay on its side of the threshold."""
    if not is_target_range(explanation.target) and isinstance(prediction, float) and 0.0 <= prediction <= 1.0:
        return wording.numbers.fixed(prediction, SCORE_DECIMALS)  # a probability
    ends = wanted_ends(narrowed(explanation)) if is_target_range(explanation.target) else ()
    return wording.numbers.prediction(prediction, *ends)


def lead_text(lead: float, threshold: float, wording: Wording) -> str:
    """State how far something is ahead or behind, with the sign in words."""
    if abs(lead) < LEVEL and threshold == 0.0:
        return wording.say("level_enough" if lead >= 0 else "level_short")
    number = wording.numbers.score(abs(lead), abs(threshold), 0.0)
    return wording.say("behind" if lead < 0 else "ahead", number=number)


def class_name(target: Any) -> str:
    """Write a class as a person would type it, without NumPy's wrapping.

    >>> class_name(np.str_("B")), class_name(np.int64(2))
    ("'B'", '2')
    """
    return repr(target.item() if isinstance(target, np.generic) else target)


def _quoted(target: Any, wording: Wording) -> str:
    """Write a class inside a sentence, a name in the quotation marks of the language."""
    return wording.say("quoted", text=target) if isinstance(target, str) else class_name(target)


def _range(target: tuple[Any, Any], wording: Wording) -> str:
    low, high = (shown_end(end) if end is not None and wanted_ends((end, None)) else None for end in target)
    kind = {(True, True): "between", (True, False): "from", (False, True): "to"}.get(
        (low is not None, high is not None), "any"
    )
    return wording.say(f"range_{kind}", low=wording.full(low), high=wording.full(high))


def _standing_by_lead(explanation: Explanation, lead: float, wording: Wording, *, accepted: bool) -> str:
    """State the result of a person whose score is a lead: over classes, inside a range, or over models."""
    prediction = explanation.person_prediction
    if is_target_range(explanation.target) and explanation.models == 1:
        wanted = range_to_reach(explanation, wording)
        if prediction is not None:
            key = "prediction_has" if accepted else "prediction_must"
            shown = prediction_text(prediction, explanation, wording)
            return wording.say(key, prediction=shown, range=wanted)
        if accepted:
            return wording.say("unknown_has", range=wanted)
        key = "unknown_must_outside" if lead < 0 else "unknown_must_inside"
        return wording.say(key, range=wanted, distance=_distance(lead, wording))
    if must_win(explanation):
        shown = lead_text(lead, explanation.at_least, wording)
        if prediction is not None:
            chance = prediction_text(prediction, explanation, wording)
            shown = wording.say("lead_with_chance", lead=shown, probability=chance)
        key = "class_has" if accepted else "class_must"
        return wording.say(key, target=_quoted(explanation.target, wording), lead=shown)
    if not is_target_range(explanation.target):
        beyond = wording.say(
            "below" if lead < 0 else "above",
            number=wording.numbers.score(abs(lead), 0.0),
            margin=_margin_included(explanation, wording),
        )
        return wording.say("models_stand", models=explanation.models, beyond=beyond)
    return wording.say(
        "models_stand_range" if lead < 0 else "models_stand_inside",
        all=all_models(explanation.models, wording),
        range=range_to_reach(explanation, wording),
        distance=_distance(lead, wording),
    )


def _models_then(lead: float, explanation: Explanation, wording: Wording) -> str:
    """State how far several models are then beyond their thresholds, never more than they are."""
    named = all_models(explanation.models, wording)
    if is_target_range(explanation.target):
        if lead < 0:
            return wording.say("then_models_outside", distance=_distance(lead, wording))
        digits = len(str(int(lead))) if lead < LARGEST else 0
        distance = wording.numbers.at_least(lead, max(4 - digits, 0))
        return wording.say("then_models_range", all=named, distance=distance)
    margin = _margin_included(explanation, wording)
    if lead < 0:
        return wording.say("then_models_below", number=wording.numbers.score(-lead, 0.0), margin=margin)
    number = wording.numbers.at_least(lead, SCORE_DECIMALS)
    return capital(wording.say("then_models", all=named, number=number, margin=margin))


def _distance(lead: float, wording: Wording) -> str:
    return wording.numbers.prediction(abs(lead), 0.0)


def _margin_included(explanation: Explanation, wording: Wording) -> str:
    if not explanation.margin > 0:
        return ""
    return wording.say("margin_included", margin=wording.full(explanation.margin))
