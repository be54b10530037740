"""Write an explanation as plain sentences for a person, an officer or an auditor."""

from collections.abc import Iterable
from dataclasses import replace

from p2ce.errors import InvalidArgument
from p2ce.present.advice import check_advice, option_in_words
from p2ce.present.audit import audit_lines
from p2ce.present.languages import check_audience
from p2ce.present.outcome_sentences import outcome_for_officer, outcome_for_person, result_of
from p2ce.present.plain_proof_sentences import plain_proof
from p2ce.present.proof_sentences import proof_sentence
from p2ce.present.relaxation_sentences import check_why, relaxations_in_words
from p2ce.present.speaker import Phrases, Speaker, speaker_of
from p2ce.result import Counterfactual, Explanation, Pick, Status, WhyNone
from p2ce.result.picks import BALANCED, DIFFERENT, ONLY, scaled_costs
from p2ce.visible import visible_lines

MOST_FOR_A_PERSON = 3  # options; more are no help to choose


def to_text(
    explanation: Explanation,
    *,
    audience: str = "person",
    language: str = "en",
    phrases: Phrases | None = None,
    why: WhyNone | None = None,
) -> str:
    """Write an explanation as plain sentences: the current outcome, each option, what is proven.

    `audience` is the "person" (the applicant: few options, plain words), an "officer" (all options, scores)
    or an "auditor" (every fact); `language` is "en", "pt" (Brazil) or "es". Names, units and formats
    are those of the policy's displays. `phrases` gives own words to changes, before those of the displays:
    ``{("HasGuarantor", True): "get a guarantor"}``. `why`, from `Explainer.why_none`, adds which
    relaxations give an option to a person who has none.

    Values are written in full, or as the display rounds them where that rounded row was verified too.

    >>> from p2ce.result import Certificate
    >>> option = Counterfactual(
    ...     values={"LoanAmount": 5200}, changes={"LoanAmount": (7500, 5200)},
    ...     costs={"changes": 1.0}, score=0.53,
    ... )
    >>> explanation = Explanation(
    ...     status=Status.OPTIMAL, person={"LoanAmount": 7500}, person_score=0.31, threshold=0.5, target=1,
    ...     counterfactuals=(option,), objectives=("changes",), dtypes={"LoanAmount": "int64"},
    ...     certificate=Certificate(proven=True, method="exact", model_family="LightGBM",
    ...                             bound="tree leaves", cells=96, axes=1, boxes=3, ties=True),
    ... )
    >>> print(to_text(explanation, audience="officer"))
    The probability of 1 is 0.310 and must reach 0.5. 1 option was found that achieves this:
    1. Lower LoanAmount from 7,500 to 5,200. This gives 0.530.
    Proven: this is the only Pareto-optimal option among 96 possible combinations; 3 boxes examined.
    """
    if not isinstance(explanation, Explanation):
        raise InvalidArgument(
            f"to_text() takes one Explanation, got {type(explanation).__name__}. Call it for each person."
        )
    check_audience(audience)
    check_why(explanation, why)
    check_advice(explanation, explanation.question)
    speaker = speaker_of(explanation, language, phrases)
    if audience == "auditor":
        return visible_lines(audit_lines(explanation, speaker, why))
    lines = current_outcome(explanation, audience=audience, language=language)
    options = option_sentences(explanation, audience=audience, language=language, phrases=phrases)
    lines += [f"{number}. {line}" for number, line in enumerate(options, start=1)]
    if audience == "officer":
        lines.append(proof_sentence(explanation, language))
    else:
        if (more := len(explanation) - len(options)) > 0:
            lines.append(speaker.counted("more", more))
        lines.append(plain_proof(explanation, language))
    if why is not None:
        lines += relaxations_in_words(why, speaker, audience=audience)
    if audience == "person" and explanation.status is not Status.ERROR:
        lines.append(speaker.say("no_promise"))
    return visible_lines(lines)


def current_outcome(explanation: Explanation, *, audience: str = "person", language: str = "en") -> list[str]:
    """Write the current outcome and the number of options; nothing where the score is unknown."""
    check_audience(audience)
    if explanation.status is Status.ERROR or explanation.person_score is None:
        return []
    speaker, found = speaker_of(explanation, language), len(explanation)
    accepted = explanation.status is Status.ALREADY_FAVOURABLE
    if audience != "person":
        sentence = outcome_for_officer(explanation, speaker)
        counted = speaker.counted("found", found) if found else speaker.say("found_none")
    else:
        sentence = outcome_for_person(explanation, speaker)
        counted = _what_you_can_do(found, speaker)
    return [sentence if accepted else f"{sentence} {counted}"]


def option_sentences(
    explanation: Explanation,
    *,
    audience: str = "person",
    language: str = "en",
    phrases: Phrases | None = None,
) -> list[str]:
    """Give one line per option: what to do, what it gives, and what it is best at.

    A person gets a few well-spread options of many, and no scores.
    """
    check_audience(audience)
    check_advice(explanation, explanation.question)
    speaker = speaker_of(explanation, language, phrases)
    count = MOST_FOR_A_PERSON if audience == "person" else max(len(explanation), 1)
    lines = []
    for pick in picked(explanation, count):
        parts = {"todo": _sentence(option_in_words(pick.counterfactual, speaker))}
        reasons = pick.reasons if audience == "person" else (one for one in pick.reasons if one != DIFFERENT)
        best = best_in_words(reasons, speaker)
        key = "your_option" if audience == "person" else "option"
        if audience != "person":
            parts["result"] = result_of(pick.counterfactual, explanation, speaker)
        lines.append(speaker.say(f"{key}_best", best=best, **parts) if best else speaker.say(key, **parts))
    return lines


def picked(explanation: Explanation, count: int) -> tuple[Pick, ...]:
    """Choose options with their reasons."""
    picks = explanation.pick(count)
    alike = len(explanation) > 1 and not scaled_costs(explanation).any()
    # Of options that all cost the same, none is balanced or unlike the others.
    return tuple(replace(one, reasons=(ONLY,)) for one in picks) if alike else picks


def best_in_words(reasons: Iterable[str], speaker: Speaker) -> str:
    """Join what an option is best at; "balanced" is said only of one that is best at nothing else."""
    named = [reason for reason in reasons if reason != ONLY]
    if len(named) > 1:
        named = [reason for reason in named if reason != BALANCED]
    return speaker.joined([speaker.best_at(reason) for reason in named])


def what_to_do(
    option: Counterfactual,
    explanation: Explanation,
    *,
    language: str = "en",
    phrases: Phrases | None = None,
) -> str:
    """Put all changes of one option into one clause, with a capital and no full stop."""
    check_advice([option], explanation.question)
    return _sentence(option_in_words(option, speaker_of(explanation, language, phrases)))


def _what_you_can_do(found: int, speaker: Speaker) -> str:
    if not found:
        return speaker.say("you_cannot")
    if found > MOST_FOR_A_PERSON:
        return speaker.say("you_can_few", count=MOST_FOR_A_PERSON)
    return speaker.counted("you_can", found)


def _sentence(text: str) -> str:
    """Begin with a capital, but leave the rest (feature names) as it is."""
    return text[:1].upper() + text[1:]
