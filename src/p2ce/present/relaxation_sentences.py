"""Write which relaxations of the restrictions give a person an option."""

from p2ce.errors import InvalidArgument
from p2ce.present.advice import check_advice, option_in_words
from p2ce.present.speaker import Speaker
from p2ce.present.translate_rules import restated
from p2ce.result import Explanation, Relaxation, Status, WhyNone
from p2ce.result.plain import plain_values

KINDS = ("changes", "direction", "range", "missing", "rule", "plausibility")


def check_why(explanation: Explanation, why: object) -> None:
    """Raise if `why` is no WhyNone, belongs to another person, or changes a protected feature."""
    if why is None:
        return
    if not isinstance(why, WhyNone):
        raise InvalidArgument(
            f"why expects what Explainer.why_none() returned, got {type(why).__name__}. Pass that or None."
        )
    if explanation.status is not Status.NO_RECOURSE:
        raise InvalidArgument(
            f"why explains why a person has no option, but this explanation is {explanation.status}. "
            f"Leave it out here."
        )
    # In their JSON form, where a missing value equals itself.
    if plain_values(why.person) != plain_values({name: explanation.person.get(name) for name in why.person}):
        raise InvalidArgument(
            "why was found for another person than the one explained: their values differ. "
            "Pass what Explainer.why_none() returned for this explanation."
        )
    check_advice([relaxation.counterfactual for relaxation in why], explanation.question)


def relaxations_in_words(why: WhyNone, speaker: Speaker, *, audience: str) -> list[str]:
    """Give a line on the number of relaxations, one for each, and one on whether these are all.

    Restrictions are quoted, in the reader's words where there are such; an auditor reads them as they are.
    """
    considered = speaker.figure(len(why.considered), 0)
    # A person reads that more may exist, but not which sets of restrictions took too long.
    verbatim = audience == "auditor"
    undecided = [] if audience == "person" else _undecided(why, speaker, verbatim=verbatim)
    if not len(why):
        return [
            speaker.say("no_relaxation" if why.complete else "no_relaxation_found", considered=considered),
            *undecided,
        ]
    return [
        speaker.say("relaxations", considered=considered),
        *(f"- {_relaxation(relaxation, speaker, verbatim=verbatim)}" for relaxation in why),
        *undecided,
        speaker.say("relaxations_complete" if why.complete else "relaxations_incomplete"),
    ]


def _relaxation(relaxation: Relaxation, speaker: Speaker, *, verbatim: bool) -> str:
    named = [
        _named(text, kind, speaker, verbatim=verbatim)
        for text, kind in zip(relaxation.restrictions, relaxation.kinds, strict=True)
    ]
    return speaker.say(
        "relaxation" if relaxation.proven else "relaxation_unproven",
        restrictions=speaker.joined(named),
        todo=option_in_words(relaxation.counterfactual, speaker),
    )


def _undecided(why: WhyNone, speaker: Speaker, *, verbatim: bool) -> list[str]:
    return [
        speaker.say(
            "undecided",
            restrictions=speaker.joined([_named(text, "", speaker, verbatim=verbatim) for text in names]),
        )
        for names in why.undecided
    ]


def _named(text: str, kind: str, speaker: Speaker, *, verbatim: bool) -> str:
    quoted = speaker.say("quoted", text=text) if verbatim else restated(text, speaker, quoted=True)
    return speaker.say(f"restriction_{kind}", text=quoted) if kind in KINDS else quoted
