"""Write in one plain sentence for the applicant what is proven."""

import math

from p2ce.present.grid_sentences import plain_grid_sentence
from p2ce.present.proof_sentences import (
    MOST_WRITTEN,
    clearly,
    conditions_of,
    is_proven,
    limit_in_words,
    miss_share,
    reason_unproven,
    shows_rounded,
    space_in_words,
)
from p2ce.present.speaker import Speaker, speaker_of
from p2ce.result import Certificate, Explanation, Status

LONGEST_WRITTEN = 10**4000  # Python writes no integers of more than 4,300 digits


def plain_proof(explanation: Explanation, language: str = "en") -> str:
    """Give what is proven in one plain sentence; where nothing is proven, give what holds anyway.

    It covers the combinations that the policy allows. "Easier" is meant in the objectives: every other
    accepted combination costs at least as much as some option, in every objective. Where there is no
    option, a short sentence says which values that holds for.
    """
    speaker, certificate = speaker_of(explanation, language), explanation.certificate
    if explanation.status is Status.ERROR:
        message = explanation.message
        return speaker.say("your_failed", message=message) if message else speaker.say("your_failed_silently")
    if explanation.status is Status.ALREADY_FAVOURABLE:
        return speaker.say("your_favourable")
    if certificate is None:
        return speaker.say("your_no_certificate")
    claim = _claim(explanation, certificate, speaker)
    return " ".join([claim, *plain_grid_sentence(explanation, speaker), *_exact(explanation, speaker)])


def _claim(explanation: Explanation, certificate: Certificate, speaker: Speaker) -> str:
    unfinished = explanation.status in (Status.TIME_LIMIT, Status.HEURISTIC)
    if unfinished or not certificate.proven:
        return _unproven(explanation, certificate, speaker)
    if not certificate.cells:
        return speaker.say("your_proof_nothing_moves")
    found = 0 if explanation.status is Status.NO_RECOURSE else len(explanation)
    return _proven(explanation, certificate, speaker, found=found)


def _exact(explanation: Explanation, speaker: Speaker) -> list[str]:
    rounded = is_proven(explanation) and shows_rounded(explanation)
    return [speaker.say("your_proof_of_exact")] if rounded else []


def _proven(explanation: Explanation, certificate: Certificate, speaker: Speaker, *, found: int) -> str:
    conditions, clear = conditions_of(certificate), clearly(explanation, speaker)
    if certificate.cells == 1:
        if found:
            return speaker.say("your_proof_sole_some")
        if not conditions and not clear:
            return speaker.say("your_proof_sole_none")
        needed = speaker.say(f"to_lead{conditions}", clearly=clear)
        return speaker.say("your_proof_sole_none_if", to_lead=needed)
    space = _space(certificate, speaker)
    if not found:
        leads = speaker.say(f"leads{conditions}", clearly=clear)
        return speaker.say("your_proof_none", space=space, leads=leads)
    return speaker.say(
        "your_proof_only" if found == 1 else "your_proof_all",
        space=space,
        one=speaker.say(f"one_that_leads{conditions}", clearly=clear),
        count=speaker.figure(found, 0),
        objectives=speaker.joined([speaker.objective(name) for name in explanation.objectives]),
    )


def _unproven(explanation: Explanation, certificate: Certificate, speaker: Speaker) -> str:
    reason, found = reason_unproven(explanation), len(explanation)
    if reason == "estimate" and certificate.miss_rate is not None:
        because = speaker.say("because_estimate_rate", share=miss_share(certificate, speaker))
    else:
        because = speaker.say(f"because_{reason}")
    sentence = speaker.say("your_unproven_some" if found else "your_unproven_none", because=because)
    if not found or certificate.verified < found:
        return sentence
    return f"{sentence} {speaker.counted('your_options_work', found)}"


def _space(certificate: Certificate, speaker: Speaker) -> str:
    cells = certificate.cells
    if cells < MOST_WRITTEN:
        return space_in_words(certificate, speaker)
    # Powers of ten are for those who calculate; a number of so many digits can be pictured.
    digits = len(str(cells)) if cells < LONGEST_WRITTEN else math.floor(math.log10(cells)) + 1
    limit = limit_in_words(certificate, speaker)
    return speaker.say("all_are_huge", limit=limit, digits=speaker.figure(digits, 0))
