"""Write the model's current outcome for a person, and the outcome of an option."""

from typing import Any

from p2ce.present.numerals import in_language, rounded_down
from p2ce.present.speaker import Speaker
from p2ce.result import Counterfactual, Explanation, Status
from p2ce.result.number_text import SCORE_DECIMALS, readable_prediction, readable_score
from p2ce.result.outcome_text import (
    LEAD,
    LEVEL,
    class_in_words,
    is_range,
    is_strict,
    must_win,
    narrowed,
    shown_end,
    wanted_ends,
)

ABOUT = 1e-9  # what sums of thresholds and margins may be off by
MOST = 1e15  # a larger lead has no decimals to write


def outcome_for_officer(explanation: Explanation, speaker: Speaker) -> str:
    """Give the score and what it must reach; the score must be known."""
    score = explanation.person_score
    assert score is not None  # the caller saw to it
    accepted = explanation.status is Status.ALREADY_FAVOURABLE
    if explanation.scale == LEAD:
        return _outcome_by_lead(explanation, score, speaker, accepted=accepted)
    subject = "probability_of" if explanation.scale == "probability" else "decision_for"
    target = class_in_words(explanation.target)
    what = (
        speaker.say(subject, target=target)
        if explanation.models == 1
        else speaker.say(f"{subject}_models", target=target, models=explanation.models)
    )
    return speaker.say(
        "has_reached" if accepted else "must_reach",
        what=what,
        score=speaker.score(explanation, score),
        threshold=threshold_in_words(explanation, speaker),
    )


def outcome_for_person(explanation: Explanation, speaker: Speaker) -> str:
    """Write the model's current outcome in one plain sentence."""
    target, prediction = explanation.target, explanation.person_prediction
    if explanation.status is Status.ALREADY_FAVOURABLE:
        return speaker.say("you_accepted")
    margin = "_margin" if explanation.margin > 0 else ""
    if explanation.models > 1:
        return speaker.say(f"you_rejected_models{margin}", models=explanation.models)
    if explanation.scale == LEAD and is_range(target):
        wanted = wanted_range(explanation, speaker)
        if prediction is None:
            return speaker.say("you_rejected_range", range=wanted)
        shown = predicted(prediction, explanation, speaker)
        return speaker.say("you_predicted", prediction=shown, range=wanted)
    if must_win(explanation):
        return speaker.say("you_rejected_class", target=class_in_words(target))
    # The model itself may accept a person who stays below the margin.
    own = explanation.threshold - explanation.margin
    near = explanation.person_score is not None and explanation.person_score >= own - ABOUT
    return speaker.say(f"you_rejected{margin}" if near else "you_rejected")


def result_of(option: Counterfactual, explanation: Explanation, speaker: Speaker) -> str:
    """Say what an option leads to, without a full stop."""
    if explanation.scale != LEAD:
        return speaker.say("gives", score=speaker.score(explanation, option.displayed_score))
    prediction = option.displayed_prediction
    if is_range(explanation.target) and explanation.models == 1:
        if prediction is None:
            key = "then_outside" if option.displayed_score < 0 else "then_inside"
            return speaker.say(key, distance=_distance(option.displayed_score, speaker))
        return speaker.say("gives", score=predicted(prediction, explanation, speaker))
    if must_win(explanation):
        lead = lead_in_words(option.displayed_score, explanation.threshold, speaker)
        if prediction is None:
            return speaker.say("then_leads", lead=lead)
        chance = predicted(prediction, explanation, speaker)
        return speaker.say("then_leads_chance", lead=lead, probability=chance)
    return _models_then(option.displayed_score, explanation, speaker)


def all_models(models: int, speaker: Speaker) -> str:
    """Name all of several models, as they follow a preposition."""
    return speaker.say("all_two" if models == 2 else "all_more", models=models)


def wanted_range(explanation: Explanation, speaker: Speaker) -> str:
    """Write the range that a prediction must lie in, as it follows "must be", with the margin."""
    shown = _range(explanation.target, speaker)
    if not explanation.margin > 0:
        return shown
    return speaker.say(
        "range_margin",
        narrowed=_range(narrowed(explanation), speaker),
        range=shown,
        margin=speaker.full(explanation.margin),
    )


def _range(target: tuple[Any, Any], speaker: Speaker) -> str:
    low, high = (shown_end(end) if end is not None and wanted_ends((end, None)) else None for end in target)
    kind = {(True, True): "between", (True, False): "from", (False, True): "to"}.get(
        (low is not None, high is not None), "any"
    )
    return speaker.say(f"range_{kind}", low=speaker.full(low), high=speaker.full(high))


def predicted(prediction: Any, explanation: Explanation, speaker: Speaker) -> str:
    """Write what the model predicts: few digits, but enough to stay on its side of what is wanted."""
    if not is_range(explanation.target) and isinstance(prediction, float) and 0.0 <= prediction <= 1.0:
        return speaker.figure(prediction, 3)  # a probability
    ends = wanted_ends(narrowed(explanation)) if is_range(explanation.target) else ()
    return in_language(readable_prediction(prediction, *ends), speaker.language)


def lead_in_words(lead: float, threshold: float, speaker: Speaker) -> str:
    """Say how far something is ahead or behind, the sign in words."""
    if abs(lead) < LEVEL and threshold == 0.0:
        return speaker.say("level_enough" if lead >= 0 else "level_short")
    number = in_language(readable_score(abs(lead), abs(threshold), 0.0), speaker.language)
    return speaker.say("behind" if lead < 0 else "ahead", number=number)


def _outcome_by_lead(explanation: Explanation, lead: float, speaker: Speaker, *, accepted: bool) -> str:
    """Say where a person stands whose score is a lead: over other classes, inside a range, over models."""
    prediction = explanation.person_prediction
    if is_range(explanation.target) and explanation.models == 1:
        wanted = wanted_range(explanation, speaker)
        if prediction is not None:
            key = "prediction_has" if accepted else "prediction_must"
            return speaker.say(key, prediction=predicted(prediction, explanation, speaker), range=wanted)
        if accepted:
            return speaker.say("unknown_has", range=wanted)
        key = "unknown_must_outside" if lead < 0 else "unknown_must_inside"
        return speaker.say(key, range=wanted, distance=_distance(lead, speaker))
    if must_win(explanation):
        return _outcome_of_class(explanation, lead, speaker, accepted=accepted)
    if not is_range(explanation.target):
        beyond = _beyond(lead, explanation, speaker)
        return speaker.say("models_stand", models=explanation.models, beyond=beyond)
    return speaker.say(
        "models_stand_range" if lead < 0 else "models_stand_inside",
        all=all_models(explanation.models, speaker),
        range=wanted_range(explanation, speaker),
        distance=_distance(lead, speaker),
    )


def _outcome_of_class(explanation: Explanation, lead: float, speaker: Speaker, *, accepted: bool) -> str:
    target, prediction = class_in_words(explanation.target), explanation.person_prediction
    shown = lead_in_words(lead, explanation.threshold, speaker)
    if prediction is not None:
        chance = predicted(prediction, explanation, speaker)
        shown = speaker.say("lead_with_chance", lead=shown, probability=chance)
    if accepted:
        return speaker.say("class_has", target=target, lead=shown)
    return speaker.say("class_must", target=target, lead=shown)


def threshold_in_words(explanation: Explanation, speaker: Speaker) -> str:
    """Write what a score must reach, and how much of that is a margin."""
    shown = speaker.full(shown_end(explanation.threshold))
    if not explanation.margin > 0:
        return speaker.say("more_than", number=shown) if is_strict(explanation.threshold) else shown
    return speaker.say("with_margin", threshold=shown, margin=speaker.full(explanation.margin))


def _distance(lead: float, speaker: Speaker) -> str:
    return in_language(readable_prediction(abs(lead), 0.0), speaker.language)


def _beyond(lead: float, explanation: Explanation, speaker: Speaker) -> str:
    """Say on which side of its own threshold a model is, and how far."""
    number = in_language(readable_score(abs(lead), 0.0), speaker.language)
    margin = _margin_included(explanation, speaker)
    return speaker.say("below" if lead < 0 else "above", number=number, margin=margin)


def _models_then(lead: float, explanation: Explanation, speaker: Speaker) -> str:
    """Say how far several models are then beyond what is wanted of each; never more than they are."""
    named = all_models(explanation.models, speaker)
    if is_range(explanation.target):
        if lead < 0:
            return speaker.say("then_models_outside", distance=_distance(lead, speaker))
        digits = len(str(int(lead))) if lead < MOST else 0
        distance = in_language(rounded_down(lead, max(4 - digits, 0)), speaker.language)
        return speaker.say("then_models_range", all=named, distance=distance)
    margin = _margin_included(explanation, speaker)
    if lead < 0:
        number = in_language(readable_score(-lead, 0.0), speaker.language)
        return speaker.say("then_models_below", number=number, margin=margin)
    number = in_language(rounded_down(lead, SCORE_DECIMALS), speaker.language)
    sentence = speaker.say("then_models", all=named, number=number, margin=margin)
    return sentence[:1].upper() + sentence[1:]


def _margin_included(explanation: Explanation, speaker: Speaker) -> str:
    if not explanation.margin > 0:
        return ""
    return speaker.say("margin_included", margin=speaker.full(explanation.margin))
