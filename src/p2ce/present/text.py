"""Write an explanation as plain sentences."""

from typing import Any

from p2ce.errors import InvalidOption
from p2ce.present.proof import proof_sentence
from p2ce.present.trade_offs import trade_offs
from p2ce.present.words import Phrases, change_in_words, counted, joined, sentence
from p2ce.result import Counterfactual, Explanation, Status
from p2ce.result.numbers import readable, readable_prediction, readable_score
from p2ce.result.wanted import (
    LEAD,
    class_in_words,
    is_range,
    lead_in_words,
    must_win,
    range_in_words,
    wanted_ends,
    wanted_in_words,
)


def to_text(explanation: Explanation, *, phrases: Phrases | None = None) -> str:
    """Write an explanation as plain sentences: where the person stands, each option, the proof.

    Values are written in full (7,500, never 7.5k), so what is read is what was verified. `phrases`
    gives own words to changes: ``{("HasGuarantor", True): "get a guarantor"}``.

    >>> from p2ce.result import Certificate
    >>> option = Counterfactual(
    ...     values={"LoanAmount": 5200}, changes={"LoanAmount": (7500, 5200)},
    ...     costs={"changes": 1.0}, score=0.53,
    ... )
    >>> explanation = Explanation(
    ...     status=Status.OPTIMAL, person={"LoanAmount": 7500}, person_score=0.31, threshold=0.5, target=1,
    ...     counterfactuals=(option,), objectives=("changes",), dtypes={"LoanAmount": "int64"},
    ...     certificate=Certificate(proven=True, method="exact", model_family="LightGBM",
    ...                             bound="tree leaves", cells=96, axes=1, boxes=3),
    ... )
    >>> print(to_text(explanation))
    The probability of 1 is 0.310 and must reach 0.5. 1 option does:
    1. Lower LoanAmount from 7,500 to 5,200. This gives 0.530.
    Proven: this is the only Pareto-optimal option among 96 possible combinations; 3 boxes examined.
    """
    if not isinstance(explanation, Explanation):
        raise InvalidOption(
            f"to_text() takes one Explanation, got {type(explanation).__name__}. Call it for each person."
        )
    lines = [*standing(explanation)]
    for number, line in enumerate(option_sentences(explanation, phrases=phrases), start=1):
        lines.append(f"{number}. {line}")
    lines.append(proof_sentence(explanation))
    return "\n".join(lines)


def standing(explanation: Explanation) -> list[str]:
    """Say where the person stands and how many options there are; nothing where that is unknown."""
    if explanation.status is Status.ERROR or explanation.person_score is None:
        return []
    found = len(explanation)
    found_words = (
        f"{counted(found, 'option')} {'does' if found == 1 else 'do'}:" if found else "No option was found."
    )
    accepted = explanation.status is Status.ALREADY_FAVOURABLE
    if explanation.scale == LEAD:
        reached = _reached(explanation)
        if found and reached:
            found_words = f"With {counted(found, 'option')} it {reached}:"
        return [_standing_by_lead(explanation) + ("" if accepted else f" {found_words}")]
    score = readable_score(explanation.person_score, explanation.threshold)
    threshold = readable(explanation.threshold)
    what = "probability of" if explanation.scale == "probability" else "decision score for"
    of_all = "" if explanation.models == 1 else f", by the strictest of {explanation.models} models,"
    wanted = f"The {what} {explanation.target}{of_all} is {score}"
    if accepted:
        return [f"{wanted}, and {threshold} is enough."]
    return [f"{wanted} and must reach {threshold}. {found_words}"]


def _standing_by_lead(explanation: Explanation) -> str:
    """Say where a person stands whose score is a lead: over other classes, inside a range, over models."""
    lead, prediction = explanation.person_score, explanation.person_prediction
    assert lead is not None  # the caller saw to it
    accepted = explanation.status is Status.ALREADY_FAVOURABLE
    if is_range(explanation.target) and explanation.models == 1:
        shown = "" if prediction is None else f" is {_predicted(prediction, explanation)} and"
        verb = "lies" if accepted else "must lie"
        if len(wanted_ends(explanation.target)) < 2:
            verb = "is" if accepted else "must be"
        wanted = wanted_in_words(explanation).removeprefix("prediction ")
        where = "" if prediction is not None or accepted else f"; today it is {_outside(lead)}"
        return f"The prediction{shown} {verb} {wanted}{where}."
    if must_win(explanation):
        chance = "" if prediction is None else f" (its probability is {_predicted(prediction, explanation)})"
        named = class_in_words(explanation.target)
        if accepted:
            return f"Class {named} already wins: it is {lead_in_words(lead, explanation.threshold)}{chance}."
        must = wanted_in_words(explanation).removeprefix("class ")
        return f"Class {must}, and is {lead_in_words(lead, explanation.threshold)}{chance}."
    wanted = ""
    if is_range(explanation.target):
        wanted = f", whose predictions must be {range_in_words(explanation.target)}"
    return f"Of {explanation.models} models{wanted}, the last one is {_beyond(lead)}."


def _reached(explanation: Explanation) -> str:
    """Give the verb for what an option brings about; none where several models have to be spoken of."""
    if must_win(explanation):
        return "wins"
    if not is_range(explanation.target) or explanation.models > 1:
        return ""
    return "does" if len(wanted_ends(explanation.target)) == 2 else "is"


def _predicted(prediction: Any, explanation: Explanation) -> str:
    if not is_range(explanation.target) and isinstance(prediction, float) and 0.0 <= prediction <= 1.0:
        return f"{prediction:.3f}"  # a probability
    ends = wanted_ends(explanation.target) if is_range(explanation.target) else ()
    return readable_prediction(prediction, *ends)


def _outside(lead: float) -> str:
    """Say how far a prediction is from the wanted range.

    >>> _outside(-12.5)
    '12.50 outside'
    """
    return f"{readable_prediction(abs(lead), 0.0)} {'outside' if lead < 0 else 'inside'}"


def _beyond(lead: float) -> str:
    """Say on which side of its own threshold a model is, and how far.

    >>> _beyond(-0.25), _beyond(0.5)
    ('0.250 below its threshold', '0.500 above its threshold')
    """
    return f"{readable_score(abs(lead), 0.0)} {'below' if lead < 0 else 'above'} its threshold"


def option_sentences(explanation: Explanation, *, phrases: Phrases | None = None) -> list[str]:
    """Give one line per option: what to do, what it gives, and what it is best at."""
    lines = []
    for option, strengths in zip(explanation, trade_offs(explanation), strict=True):
        result = _result(option, explanation)
        best_at = f" ({joined(strengths)})" if strengths else ""
        lines.append(f"{what_to_do(option, explanation, phrases=phrases)}. {result}{best_at}.")
    return lines


def _result(option: Counterfactual, explanation: Explanation) -> str:
    """Say what an option leads to."""
    if explanation.scale != LEAD:
        return f"This gives {readable_score(option.score, explanation.threshold)}"
    prediction = option.prediction
    if is_range(explanation.target) and explanation.models == 1:
        if prediction is None:
            return f"The prediction is then {_outside(option.score)}"
        return f"This gives {_predicted(prediction, explanation)}"
    if must_win(explanation):
        chance = (
            "" if prediction is None else f", with a probability of {_predicted(prediction, explanation)}"
        )
        return f"It is then {lead_in_words(option.score, explanation.threshold)}{chance}"
    return f"All models are then at least {_beyond(option.score)}"


def what_to_do(option: Counterfactual, explanation: Explanation, *, phrases: Phrases | None = None) -> str:
    """Put all changes of one option into one clause, with a capital and no full stop."""
    parts = [
        change_in_words(name, old, new, dtype=explanation.dtypes.get(name, ""), phrases=phrases)
        for name, (old, new) in option.changes.items()
    ]
    return sentence(joined(parts)) if parts else "Change nothing"
