"""Write in one sentence what is proven."""

import math

from p2ce.present.grid_sentences import grid_sentences
from p2ce.present.numerals import in_language
from p2ce.present.outcome_sentences import all_models
from p2ce.present.speaker import Speaker, speaker_of
from p2ce.present.translate_rules import restated
from p2ce.result import Certificate, Explanation, Status
from p2ce.result.number_text import readable_count

# Bounds of black-box models: there, the number of evaluations counts.
EVALUATED = ("complete", "shap", "shap-paper")
REASONS = ("contradiction", "doubt", "misprint", "estimate")
MOST_WRITTEN = 10**15  # a larger count is written as its order of magnitude


def proof_sentence(explanation: Explanation, language: str = "en") -> str:
    """Give one sentence on what is proven, for every status, and more on grid and rules."""
    speaker, certificate = speaker_of(explanation, language), explanation.certificate
    sentence = _proof(explanation, speaker)
    if certificate is None or explanation.status in (Status.ERROR, Status.ALREADY_FAVOURABLE):
        return sentence
    exact = [speaker.say("proof_of_exact")] if is_proven(explanation) and shows_rounded(explanation) else []
    rules = {"rules_kept": certificate.rules, "rules_checked": certificate.checked_rules}
    return " ".join(
        [
            sentence,
            *grid_sentences(explanation, speaker),
            *exact,
            *(
                speaker.say(key, rules="; ".join(restated(text, speaker) for text in texts))
                for key, texts in rules.items()
                if texts
            ),
        ]
    )


def is_proven(explanation: Explanation) -> bool:
    """Return whether the front, or that there is no option, is proven."""
    finished = explanation.status in (Status.OPTIMAL, Status.NO_RECOURSE)
    return finished and explanation.certificate is not None and explanation.certificate.proven


def shows_rounded(explanation: Explanation) -> bool:
    """Return whether an option displays another value than the one that is proven."""
    return any(option.rounded for option in explanation)


def conditions_of(certificate: Certificate) -> str:
    """Give the suffix of the key for what an option must satisfy besides acceptance."""
    plausible = "_plausible" if certificate.detector_family else ""
    rules = "_rules" if certificate.rules or certificate.checked_rules else ""
    return f"{plausible}{rules}"


def clearly(explanation: Explanation, speaker: Speaker) -> str:
    """Say that a decision must be clear where a margin is required, as the words that follow "leads"."""
    return speaker.say("clearly") if explanation.margin > 0 else ""


def space_in_words(certificate: Certificate, speaker: Speaker) -> str:
    """Say among how many combinations was searched."""
    form = "space_one" if certificate.cells == 1 else "space_many"
    count = count_in_words(certificate.cells, speaker)
    return speaker.say(form, count=count, limit=limit_in_words(certificate, speaker))


def count_in_words(count: int, speaker: Speaker) -> str:
    """Write a count; one too long to take in is given by its order of magnitude."""
    text = in_language(readable_count(count).removeprefix("about "), speaker.language)
    return text if count < MOST_WRITTEN else speaker.say("about", number=text)


def miss_share(certificate: Certificate, speaker: Speaker) -> str:
    """Write the share of people for whom an estimate is expected to miss something."""
    assert certificate.miss_rate is not None  # the caller saw to it
    share = f"{_rounded_up(100 * certificate.miss_rate):g}"
    return speaker.say("percent", number=in_language(share, speaker.language))


def reason_unproven(explanation: Explanation) -> str:
    """Name why nothing is proven: "stopped", "unknown", or one of REASONS."""
    certificate = explanation.certificate
    if certificate is None:
        return "unknown"
    if explanation.status is Status.TIME_LIMIT:
        return "stopped"
    if certificate.unproven_because in REASONS:
        return certificate.unproven_because
    return "unknown" if certificate.explainer is None else "estimate"


def _proof(explanation: Explanation, speaker: Speaker) -> str:
    certificate, status = explanation.certificate, explanation.status
    if status is Status.ERROR:
        message = explanation.message
        return speaker.say("failed", message=message) if message else speaker.say("failed_silently")
    if status is Status.ALREADY_FAVOURABLE:
        return speaker.say("favourable")
    if certificate is None:
        return speaker.say("no_certificate")
    if status is Status.TIME_LIMIT:
        return _stopped(certificate, speaker, found=len(explanation))
    if status is Status.HEURISTIC or not certificate.proven:
        return _unproven(explanation, certificate, speaker)
    if not certificate.cells:
        return speaker.say("proven_nothing_moves")
    found = 0 if status is Status.NO_RECOURSE else len(explanation)
    return _proven(explanation, certificate, speaker, found=found)


def _proven(explanation: Explanation, certificate: Certificate, speaker: Speaker, *, found: int) -> str:
    conditions, clear = conditions_of(certificate), clearly(explanation, speaker)
    parts = {
        "work": _confirmed(certificate, explanation.models, speaker),
        "limit": limit_in_words(certificate, speaker),
        "space": space_in_words(certificate, speaker),
    }
    if certificate.cells == 1:
        needed = speaker.say(f"to_lead{conditions}", clearly=clear)
        return speaker.say("proven_sole_some" if found else "proven_sole_none", to_lead=needed, **parts)
    if not found:
        return speaker.say(f"proven_none{conditions}", clearly=clear, **parts)
    # Without ties, one option stands for all of its cost.
    equal = "" if certificate.ties else speaker.say("up_to_equals")
    kind = speaker.say(f"optimal_{'one' if found == 1 else 'many'}{conditions}")
    return speaker.say("proven_only" if found == 1 else "proven_all", kind=kind, equal=equal, **parts)


def _stopped(certificate: Certificate, speaker: Speaker, *, found: int) -> str:
    left = speaker.counted("open", certificate.open_boxes, space=space_in_words(certificate, speaker))
    if certificate.open_costs:
        costs = [
            speaker.say("cost_of", objective=speaker.objective(name), cost=speaker.cost(cost))
            for name, cost in certificate.open_costs.items()
        ]
        left = speaker.say("open_at_best", left=left, costs=speaker.joined(costs))
    held = speaker.say("best_so_far" if found else "none_so_far")
    # An estimate that was made may have pruned nothing yet.
    unsure = certificate.explainer is not None and certificate.pruned.get("estimate") != 0
    key = "stopped_unsure" if unsure else "stopped"
    return speaker.say(key, held=held, left=left)


def _unproven(explanation: Explanation, certificate: Certificate, speaker: Speaker) -> str:
    parts = {
        "held": speaker.say("better_may_exist" if len(explanation) else "some_may_exist"),
        "space": space_in_words(certificate, speaker),
        "work": _work(certificate, speaker),
    }
    reason = reason_unproven(explanation)
    if reason == "unknown":
        return speaker.say("unproven", **parts)
    if reason != "estimate":
        return speaker.say(f"unproven_{reason}", **parts)
    return speaker.say("unproven_estimate", misses=_misses(certificate, speaker), **parts)


def _misses(certificate: Certificate, speaker: Speaker) -> str:
    """Write the miss rate of an estimate, if it is known."""
    if certificate.miss_rate is None:
        return speaker.say("misses_unknown")
    return speaker.counted("misses", certificate.sample_size or 0, share=miss_share(certificate, speaker))


def _rounded_up(percentage: float) -> float:
    """Round to two digits, never down: what is stated is an upper bound."""
    digits = 1 - math.floor(math.log10(percentage)) if percentage > 0 else 0
    return math.ceil(percentage * 10.0**digits * (1 - 1e-12)) / 10.0**digits


def limit_in_words(certificate: Certificate, speaker: Speaker) -> str:
    """Say how many changes are allowed at once; nothing where that is no limit."""
    most = certificate.max_changes
    return "" if most is None or certificate.axes <= most else speaker.counted("limit", most)


def _work(certificate: Certificate, speaker: Speaker) -> str:
    if certificate.bound in EVALUATED:
        return (
            speaker.counted("evaluated", certificate.scored)
            if certificate.scored
            else speaker.say("evaluated_none")
        )
    return speaker.counted("examined", certificate.boxes)


def _confirmed(certificate: Certificate, models: int, speaker: Speaker) -> str:
    # Only the model is named: the library's own detector is its compiled score, and is not evaluated again.
    work = _work(certificate, speaker)
    if not certificate.verified:
        return work
    if models == 1:
        return speaker.counted("confirmed", certificate.verified, work=work)
    named = all_models(models, speaker)
    return speaker.counted("confirmed_models", certificate.verified, work=work, all=named)
