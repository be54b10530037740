"""Write every fact that an auditor checks: the request, the options and the certificate, in full digits."""

from collections.abc import Iterable, Mapping
from typing import Any

from p2ce.comparing import EQUAL_DIGITS
from p2ce.present.advice import ALONG
from p2ce.present.grid_sentences import grid_name
from p2ce.present.numerals import in_language
from p2ce.present.outcome_sentences import threshold_in_words, wanted_range
from p2ce.present.proof_sentences import count_in_words, proof_sentence
from p2ce.present.relaxation_sentences import relaxations_in_words
from p2ce.present.speaker import Speaker
from p2ce.result import Certificate, Counterfactual, Explanation, Question, Status, WhyNone
from p2ce.result.number_text import readable
from p2ce.result.outcome_text import LEAD, class_in_words, is_range
from p2ce.result.picks import strengths
from p2ce.result.question import FIXED, PROTECTED
from p2ce.tables.cells import is_missing

SCALES = ("probability", "decision", LEAD)
PRUNED = ("dominated", "too many changes", "model bound", "plausibility bound", "rules", "estimate")
REASONS = {
    "estimate": "because_estimate_cut",
    "contradiction": "because_contradicted",
    "doubt": "because_too_close",
    "misprint": "because_misprinted",
}
WRITTEN_OUT = 10**60  # counts up to here are given to the last digit


def audit_lines(explanation: Explanation, speaker: Speaker, why: WhyNone | None = None) -> list[str]:
    """Give one fact per line: the request, the options, the certificate, the provenance."""
    lines = [*_request(explanation, speaker), *_options(explanation, speaker)]
    lines.append(proof_sentence(explanation, speaker.language))
    if explanation.certificate is not None:
        judged = any(option.plausibility is not None for option in explanation)
        lines += _certificate(explanation.certificate, speaker, judged=judged)
    if why is not None:
        lines += relaxations_in_words(why, speaker, audience="auditor")
    return [*lines, *_provenance(explanation.question, speaker)]


def _request(explanation: Explanation, speaker: Speaker) -> list[str]:
    target = explanation.target
    scale = speaker.say(f"scale_{explanation.scale}") if explanation.scale in SCALES else explanation.scale
    wanted = class_in_words(target)
    if is_range(target):
        wanted = speaker.say("target_range", range=wanted_range(explanation, speaker))
    person = "; ".join(f"{name} = {_raw(name, value, speaker)}" for name, value in explanation.person.items())
    threshold = threshold_in_words(explanation, speaker)
    facts = {
        "status": explanation.status,
        "target": wanted,
        "scale": scale,
        "threshold": speaker.full(explanation.threshold) if explanation.margin > 0 else threshold,
        **({"margin": speaker.full(explanation.margin)} if explanation.margin > 0 else {}),
        "models": speaker.figure(explanation.models, 0),
        "person": person,
        "person_score": _optional(explanation.person_score, speaker),
    }
    if explanation.person_prediction is not None:
        facts["person_prediction"] = speaker.full(explanation.person_prediction)
    if explanation.message and explanation.status is not Status.ERROR:  # there, the proof sentence has it
        facts["message"] = explanation.message
    facts["objectives"] = "; ".join(explanation.objectives)
    return [_line(label, text, speaker) for label, text in facts.items()]


def _options(explanation: Explanation, speaker: Speaker) -> list[str]:
    lines = [_line("options", speaker.figure(len(explanation), 0), speaker)]
    for number, (option, best) in enumerate(zip(explanation, strengths(explanation), strict=True), start=1):
        facts = {"costs": _amounts(option.costs, speaker), "score": speaker.full(option.score)}
        if option.prediction is not None:
            facts["prediction"] = speaker.full(option.prediction)
        if option.plausibility is not None:
            facts["plausibility"] = speaker.full(option.plausibility)
        if option.rounded:
            facts["displayed"] = "; ".join(
                f"{name} = {_raw(name, value, speaker)}" for name, value in option.rounded.items()
            )
            facts["displayed_score"] = speaker.full(option.displayed_score)
        if best:
            facts["best"] = "; ".join(best)
        lines.append(f"{number}. {_changes(option, speaker)}")
        lines += [f"   {_line(label, text, speaker)}" for label, text in facts.items()]
    return lines


def _changes(option: Counterfactual, speaker: Speaker) -> str:
    changes = []
    for name, (old, new) in option.changes.items():
        shown = speaker.name(name)
        named = name if shown == name else f"{name} ({shown})"
        change = f"{named}: {_raw(name, old, speaker)} → {_raw(name, new, speaker)}"
        feature = speaker.features.get(name)
        along = feature is not None and feature.moves == ALONG
        changes.append(speaker.say("moves_along", change=change) if along else change)
    return "; ".join(changes) or speaker.say("change_nothing")


def _certificate(certificate: Certificate, speaker: Speaker, *, judged: bool) -> list[str]:
    """List the facts of the certificate; ``judged`` says that options have plausibility values."""
    most = certificate.max_changes
    no_detector = speaker.say("detector_reported_only" if judged else "no_detector")
    facts = {
        "method": certificate.method,
        "model": certificate.model_family,
        "bound": certificate.bound,
        "detector": certificate.detector_family or no_detector,
        "grid": grid_name(certificate, speaker),
        "finest_open": speaker.full(certificate.finest_open),
        "cells": _count(certificate.cells, speaker),
        "axes": _count(certificate.axes, speaker),
        "max_changes": speaker.say("no_limit") if most is None else _count(most, speaker),
        "ties": speaker.full(certificate.ties),
        "boxes": _count(certificate.boxes, speaker),
        "scored": _count(certificate.scored, speaker),
        **({"attributed": _count(certificate.attributed, speaker)} if certificate.attributed else {}),
        "pruned": "; ".join(
            f"{pruned_by(rule, speaker)} {_count(count, speaker)}"
            for rule, count in certificate.pruned.items()
        )
        or speaker.say("none"),
        "verified": _count(certificate.verified, speaker),
        "discrepancies": _count(certificate.discrepancies, speaker),
        "open_boxes": _count(certificate.open_boxes, speaker),
    }
    if certificate.open_costs:
        facts["open_costs"] = _amounts(certificate.open_costs, speaker)
    facts["digits"] = _count(EQUAL_DIGITS, speaker)
    if certificate.unproven_because is not None:
        reason = REASONS.get(certificate.unproven_because)
        facts["because"] = certificate.unproven_because if reason is None else speaker.say(reason)
    estimated = {
        "estimate": certificate.explainer,
        "residual": certificate.residual,
        "miss_rate": certificate.miss_rate,
        "sample": certificate.sample_size,
    }
    facts |= {label: speaker.full(value) for label, value in estimated.items() if value is not None}
    rules = {"rules": certificate.rules, "checked_rules": certificate.checked_rules}
    facts |= {label: "; ".join(texts) for label, texts in rules.items() if texts}
    return [_line(label, text, speaker) for label, text in facts.items()]


def _provenance(question: Question | None, speaker: Speaker) -> list[str]:
    if question is None:
        return [_line("question", speaker.say("not_recorded"), speaker)]
    none = speaker.say("none")
    unknown = speaker.say("not_recorded")
    facts = {
        "policy_rules": "; ".join(question.rules) or none,
        "protected": _listed(question, PROTECTED) or none,
        "fixed": _listed(question, FIXED) or none,
        "along": _listed(question, ALONG),
        "people": _count(question.people, speaker) if question.people else unknown,
        "versions": _pairs(question.versions.items()) or unknown,
        "hashes": _pairs(question.hashes.items()) or unknown,
        "settings": _pairs((name, speaker.full(value)) for name, value in question.settings.items()),
    }
    return [_line(label, text, speaker) for label, text in facts.items() if text]


def _listed(question: Question, moves: str) -> str:
    return "; ".join(name for name, feature in question.features.items() if feature.moves == moves)


def _pairs(items: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{name} {text}" for name, text in items)


def _line(label: str, text: object, speaker: Speaker) -> str:
    return speaker.say("line", label=speaker.say(f"label_{label}"), value=text)


def _raw(name: str, value: Any, speaker: Speaker) -> str:
    """Write a value as the data hold it: without the names, units and styles of displays."""
    if isinstance(value, float) and not is_missing(value):
        return in_language(readable(value, speaker.dtypes.get(name, "")), speaker.language)
    return speaker.full(value)


def _optional(value: Any, speaker: Speaker) -> str:
    return speaker.say("not_recorded") if value is None else speaker.full(value)


def _amounts(amounts: Mapping[str, float], speaker: Speaker) -> str:
    return "; ".join(f"{name} {speaker.full(amount)}" for name, amount in amounts.items())


def pruned_by(rule: str, speaker: Speaker) -> str:
    """Name the rule by which boxes were pruned."""
    return speaker.say(f"pruned_{rule.replace(' ', '_')}") if rule in PRUNED else rule


def _count(count: int, speaker: Speaker) -> str:
    return speaker.figure(count, 0) if count < WRITTEN_OUT else count_in_words(count, speaker)
