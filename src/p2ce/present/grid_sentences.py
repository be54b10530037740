"""Say for which grid an explanation holds: where its values come from, and in which steps."""

from p2ce.present.speaker import Speaker
from p2ce.result import Certificate, Explanation, Feature
from p2ce.result.certificate import FINEST, GIVEN, INFERRED
from p2ce.result.grid_words import MOST_NAMED, claims_none, displayed_step, says_its_grid, stepped_features

# Grid → what an auditor reads of it, and how the officer's sentence on it begins.
NAMES = {GIVEN: "grid_given", INFERRED: "grid_inferred", FINEST: "grid_finest"}
SENTENCES = {GIVEN: "on_given", INFERRED: "on_inferred", FINEST: "on_finest"}


def grid_sentences(explanation: Explanation, speaker: Speaker) -> list[str]:
    """Give the officer's sentences on the grid, where an explanation is misleading without them."""
    certificate = explanation.certificate
    if certificate is None or not says_its_grid(explanation):
        return []
    sentence = _with_steps(SENTENCES[certificate.grid], explanation, speaker)
    return [sentence, speaker.say("on_finest_open")] if certificate.finest_open else [sentence]


def plain_grid_sentence(explanation: Explanation, speaker: Speaker) -> list[str]:
    """Give the same for the applicant, as one short sentence; none where no feature may change."""
    certificate, question = explanation.certificate, explanation.question
    if certificate is None or not says_its_grid(explanation):
        return []
    if certificate.grid == FINEST:
        return [speaker.say("your_grid_finest" if claims_none(explanation) else "your_grid_finest_some")]
    if question is not None and not any(one.may_change for one in question.features.values()):
        return []
    return [_with_steps("your_grid_open" if certificate.finest_open else "your_grid", explanation, speaker)]


def grid_name(certificate: Certificate, speaker: Speaker) -> str:
    """Name the grid among the facts of a certificate."""
    return speaker.say(NAMES[certificate.grid])


def steps_in_words(explanation: Explanation, speaker: Speaker) -> str:
    """Name the first features that may change with the steps they may take; nothing where none has any."""
    features = stepped_features(explanation.question)
    names = [_steps_of(one, speaker) for one in features[:MOST_NAMED]]
    if len(features) > MOST_NAMED:
        names.append(speaker.counted("steps_more", len(features) - MOST_NAMED))
    return speaker.joined(names)


def _with_steps(key: str, explanation: Explanation, speaker: Speaker) -> str:
    steps = steps_in_words(explanation, speaker)
    return speaker.say(f"{key}_steps", steps=steps) if steps else speaker.say(key)


def _steps_of(feature: Feature, speaker: Speaker) -> str:
    assert feature.steps is not None  # stepped_features saw to it
    name, share = speaker.name(feature.name), speaker.share_form(feature.name)
    least, most = (displayed_step(step) for step in feature.steps)
    if least == most:
        return speaker.say(f"steps_equal{share}", name=name, step=speaker.amount(feature.name, least))
    before = speaker.amount(feature.name, least, unit=feature.display.unit_first)
    return speaker.say(
        f"steps_between{share}", name=name, least=before, most=speaker.amount(feature.name, most)
    )
