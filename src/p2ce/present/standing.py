"""Write the model's current outcome for a person, and the outcome of an option."""

from typing import Any

import numpy as np

from p2ce.base.any_of import AnyOf
from p2ce.present.numbers import LARGEST, SCORE_DECIMALS
from p2ce.present.wording import Wording, capital
from p2ce.result import Counterfactual, Explanation, PersonPoints, Status
from p2ce.result.target import (
    LEAD,
    LEVEL,
    is_strict_limit,
    is_target_range,
    limit_of,
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
    if explanation.points is not None:
        return _standing_in_points(explanation, explanation.points, wording, accepted=accepted)
    exceeds = is_strict_limit(explanation.at_least, explanation.at_most) and not explanation.margin > 0
    exceeds &= not accepted
    if explanation.at_most is not None:
        key = "has_stayed" if accepted else "must_be_less" if exceeds else "must_stay"
    else:
        key = "has_reached" if accepted else "must_exceed" if exceeds else "must_reach"
    return wording.say(
        key,
        what=_subject(explanation, wording),
        score=score_text(score, explanation, wording),
        threshold=_limit_alone(explanation, wording) if exceeds else threshold_text(explanation, wording),
    )


def _standing_in_points(
    explanation: Explanation, points: PersonPoints, wording: Wording, *, accepted: bool
) -> str:
    assert points.person is not None, "the score is known"
    upper, several = points.at_most is not None, explanation.models > 1
    if accepted:
        key = "points_has_at_most" if upper else "points_has_at_least"
    else:
        key = "points_at_most" if upper else "points_at_least"
    limit = wording.numbers.points_limit(points.limit, points.decimals, upper=upper)
    return wording.say(
        key,
        what=wording.say("points_of_models" if several else "points_of", models=explanation.models),
        points=points_text(points.person, points, wording),
        threshold=wording.say("points_margin", number=limit) if explanation.margin > 0 else limit,
    )


def points_text(points: float, of_person: PersonPoints, wording: Wording) -> str:
    """Write points on their side of the limit."""
    return wording.numbers.points(
        points, of_person.limit, of_person.decimals, upper=of_person.at_most is not None
    )


def _subject(explanation: Explanation, wording: Wording) -> str:
    """Name the number that is limited: the probability or the decision score of the target."""
    several = "_models" if explanation.models > 1 else ""
    target = _quoted(explanation.target, wording)
    if explanation.scale != "probability":
        return wording.say(f"decision_for{several}", target=target, models=explanation.models)
    outcome = "" if explanation.problem is None else explanation.problem.outcome
    if explanation.at_most is None:
        return wording.say(f"probability_of{several}", target=target, models=explanation.models)
    if not outcome:
        key = "chance_of_class_models" if several else "chance_of_class"
        return wording.say(key, target=target, models=explanation.models)
    key = "chance_of_models" if several else "chance_of"
    return wording.say(key, outcome=outcome, models=explanation.models)


def score_text(score: float, explanation: Explanation, wording: Wording) -> str:
    """Write a score on its side of the limit; a probability that is limited from above in per cent."""
    limit = limit_of(explanation)
    if _is_percent(explanation):
        return wording.numbers.percent_score(score, limit)
    return wording.numbers.score(score, limit)


def _is_percent(explanation: Explanation) -> bool:
    return explanation.at_most is not None and explanation.scale == "probability"


def _limit_alone(explanation: Explanation, wording: Wording) -> str:
    limit = shown_end(limit_of(explanation))
    return wording.numbers.percent(limit) if _is_percent(explanation) else wording.full(limit)


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
    sign = 1.0 if explanation.at_most is None else -1.0
    own = sign * limit_of(explanation) - explanation.margin
    near = explanation.person_score is not None and sign * explanation.person_score >= own - ABOUT
    return wording.say(f"you_rejected{margin}" if near else "you_rejected")


def outcome_of(option: Counterfactual, explanation: Explanation, wording: Wording) -> str:
    """State the result of an option, without a full stop."""
    score, prediction = option.displayed_score, option.displayed_prediction
    if explanation.points is not None and option.displayed_points is not None:
        shown = points_text(option.displayed_points, explanation.points, wording)
        return wording.say("gives_points", points=shown)
    if explanation.scale != LEAD:
        return wording.say("gives", score=score_text(score, explanation, wording))
    if is_target_range(explanation.target) and explanation.models == 1:
        if prediction is None:
            return wording.say(
                "then_outside" if score < 0 else "then_inside", distance=_distance(score, wording)
            )
        return wording.say("gives", score=prediction_text(prediction, explanation, wording))
    if must_win(explanation):
        lead = lead_text(score, limit_of(explanation), wording)
        if prediction is None:
            return wording.say("then_leads", lead=lead)
        chance = prediction_text(prediction, explanation, wording)
        return wording.say("then_leads_chance", lead=lead, probability=chance)
    return _models_then(score, explanation, wording)


def model_output(
    explanation: Explanation,
    score: float | None,
    prediction: Any,
    wording: Wording,
    *,
    points: float | None = None,
) -> str:
    """Write the model's output in a table: points or its prediction if there are any, else the score."""
    if points is not None and explanation.points is not None:
        return points_text(points, explanation.points, wording)
    wanted = is_target_range(explanation.target) or must_win(explanation)
    if wanted and prediction is not None:
        return prediction_text(prediction, explanation, wording)
    return "–" if score is None else score_text(score, explanation, wording)


def output_name(explanation: Explanation) -> str:
    """Return the key for the model's output: points, a prediction, a probability, a lead or a score."""
    if explanation.points is not None:
        return "result_points"
    predicted = explanation.person_prediction is not None or any(
        option.prediction is not None for option in explanation
    )
    if is_target_range(explanation.target) and predicted:
        return "result_prediction"
    if must_win(explanation):
        return "result_probability" if predicted else "result_lead"
    return "result_probability" if _is_percent(explanation) else "result_score"


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
    shown = _limit_alone(explanation, wording)
    if not explanation.margin > 0:
        if not is_strict_limit(explanation.at_least, explanation.at_most):
            return shown
        return wording.say("more_than" if explanation.at_most is None else "less_than", number=shown)
    if _is_percent(explanation):
        points = wording.numbers.full(shown_end(100.0 * explanation.margin))
        return wording.say("with_margin_points", threshold=shown, margin=points)
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
    if isinstance(target, AnyOf):
        return " or ".join(map(class_name, target.classes))
    return repr(target.item() if isinstance(target, np.generic) else target)


def _quoted(target: Any, wording: Wording) -> str:
    """Write a class, or several, inside a sentence: a name in the quotation marks of the language."""
    if isinstance(target, AnyOf):
        return wording.numbers.either([_quoted(one, wording) for one in target.classes])
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
        shown = lead_text(lead, limit_of(explanation), wording)
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
