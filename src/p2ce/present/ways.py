"""Tell which restrictions stand between a person and an option."""

from p2ce.errors import InvalidOption
from p2ce.present.advice import option_in_words
from p2ce.present.speaker import Speaker
from p2ce.result import Explanation, Opening, Status, WhyNone

KINDS = ("changes", "direction", "range", "missing", "rule", "plausibility")
NAMING = ("direction", "range", "missing", "rule")  # kinds that name columns


def check_why(explanation: Explanation, why: object) -> None:
    """Refuse a `why` that is none, or that belongs to an answer with options."""
    if why is None:
        return
    if not isinstance(why, WhyNone):
        raise InvalidOption(
            f"why expects what Explainer.why_none() returned, got {type(why).__name__}. Pass that or None."
        )
    if explanation.status is not Status.NO_RECOURSE:
        raise InvalidOption(
            f"why tells why a person has no option, but this explanation is {explanation.status}. "
            f"Leave it out here."
        )


def ways_in_words(why: WhyNone, speaker: Speaker, *, audience: str) -> list[str]:
    """Give a line on how many ways would open, one for each, and one on whether these are all.

    Restrictions come in English from where they were tried, so that they are quoted. Their columns have the
    names of displays there, except for an auditor, who reads them as they are.
    """
    considered = speaker.figure(len(why.considered), 0)
    # A person is told that more may exist, but not which sets of restrictions took too long.
    undecided = [] if audience == "person" else _undecided(why, speaker)
    if not len(why):
        return [speaker.say("no_way" if why.complete else "no_way_found", considered=considered), *undecided]
    verbatim = audience == "auditor"
    return [
        speaker.say("ways", considered=considered),
        *(f"- {_way(opening, speaker, verbatim=verbatim)}" for opening in why),
        *undecided,
        speaker.say("ways_complete" if why.complete else "ways_incomplete"),
    ]


def _way(opening: Opening, speaker: Speaker, *, verbatim: bool) -> str:
    named = [
        _named(text, kind, speaker, verbatim=verbatim)
        for text, kind in zip(opening.restrictions, opening.kinds, strict=True)
    ]
    return speaker.say(
        "way" if opening.proven else "way_unproven",
        restrictions=speaker.joined(named),
        todo=option_in_words(opening.counterfactual, speaker),
    )


def _undecided(why: WhyNone, speaker: Speaker) -> list[str]:
    return [
        speaker.say(
            "undecided", restrictions=speaker.joined([speaker.say("quoted", text=text) for text in names])
        )
        for names in why.undecided
    ]


def _named(text: str, kind: str, speaker: Speaker, *, verbatim: bool) -> str:
    if not verbatim and kind in NAMING:
        # Beyond its column in front, only a rule is made of names.
        text = speaker.with_names(text, first_only=kind != "rule")
    quoted = speaker.say("quoted", text=text)
    return speaker.say(f"restriction_{kind}", text=quoted) if kind in KINDS else quoted
