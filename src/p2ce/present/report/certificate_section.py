"""Put the certificate on the page: what is proven, and its numbers."""

from p2ce.comparing import EQUAL_DIGITS
from p2ce.present.audit import pruned_by
from p2ce.present.grid_sentences import grid_name
from p2ce.present.plain_proof_sentences import plain_proof
from p2ce.present.proof_sentences import count_in_words, proof_sentence
from p2ce.present.report.page_parts import Facts, Fold, Part, Section, Text
from p2ce.present.report.reader import Reader
from p2ce.present.translate_rules import restated
from p2ce.result import Certificate, Explanation

TEXTS = ("unproven_because", "method", "model_family", "detector_family", "bound", "explainer")
ORDER = (
    "method",
    "model_family",
    "detector_family",
    "bound",
    "grid",
    "finest_open",
    "cells",
    "axes",
    "max_changes",
    "boxes",
    "scored",
    "attributed",
    "verified",
    "discrepancies",
    "open_boxes",
    "unproven_because",
    "explainer",
    "sample_size",
    "ties",
)


def certificate_section(explanation: Explanation, reader: Reader) -> Section:
    """Say in a sentence what was proven, and fold the numbers below it."""
    parts: list[Part] = [Text(text=proof_of(explanation, reader))]
    if explanation.certificate is not None:
        facts = certificate_facts(explanation, explanation.certificate, reader)
        parts.append(
            Fold(
                title=reader.labels("proof_numbers"),
                parts=(Facts(pairs=facts),),
                opened=reader.is_auditor,
                on_paper=not reader.is_person,
            )
        )
    title = reader.labels.for_audience("proof_heading", reader.audience)
    return Section(title=title, parts=tuple(parts))


def proof_of(explanation: Explanation, reader: Reader) -> str:
    """Say what was proven, as plainly as the reader needs it."""
    prove = plain_proof if reader.is_person else proof_sentence
    return prove(explanation, reader.language)


def certificate_facts(
    explanation: Explanation, certificate: Certificate, reader: Reader
) -> tuple[tuple[str, str], ...]:
    """List everything that the certificate holds."""
    labels, speaker = reader.labels, reader.speaker(explanation)
    facts = [
        (labels("cert_status"), explanation.status.value),
        (labels("cert_proven"), labels("yes" if certificate.proven else "no")),
    ]
    for name in ORDER:
        value = getattr(certificate, name)
        if value is None or (name == "attributed" and not value):
            continue
        if name == "grid":
            written = grid_name(certificate, speaker)
        elif isinstance(value, bool):
            written = labels("yes" if value else "no")
        else:
            written = str(value) if name in TEXTS else count_in_words(value, speaker)
        facts.append((labels(f"cert_{name}"), written))
    facts += [
        (labels("cert_pruned", rule=pruned_by(rule, speaker)), count_in_words(boxes, speaker))
        for rule, boxes in certificate.pruned.items()
    ]
    if certificate.miss_rate is not None:
        facts.append((labels("cert_miss_rate"), speaker.full(certificate.miss_rate)))
    if certificate.residual is not None:
        facts.append((labels("cert_residual"), speaker.full(certificate.residual)))
    facts += [
        (labels("cert_open_costs", objective=speaker.objective(one)), speaker.full(cost))
        for one, cost in (certificate.open_costs or {}).items()
    ]
    facts.append((labels("cert_digits"), count_in_words(EQUAL_DIGITS, speaker)))
    for name, rules in (("cert_rules", certificate.rules), ("cert_checked_rules", certificate.checked_rules)):
        facts += [(labels(name), rule if reader.is_auditor else restated(rule, speaker)) for rule in rules]
    return tuple(facts)
