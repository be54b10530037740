"""Write the readme of an evidence file: plain text for a reader who has only the file."""

import textwrap

from p2ce.base.visible import echoed, visible_code
from p2ce.portfolio.evidence.evidence_record import MODEL, EvidenceRecord
from p2ce.result.explanation import Explanation
from p2ce.result.rendered import rendered

WIDTH = 100


def readme_of(record: EvidenceRecord, explanation: Explanation) -> str:
    """Write what the file is, what was searched, what was found, and how to repeat the search."""
    about = "one person" if record.id is None else f"person {echoed(record.id)}"
    sections = {
        f"Evidence of the explanation of {about}": _what_it_is(record),
        "The explanation": [rendered("explanation_text", explanation)],
        "What is proven": _what_is_proven(explanation),
        "How to repeat the search": _how_to_repeat(record),
        "Versions and hashes": _made_by(record),
        "Confidential": [
            "explainer.p2ce contains the whole reference population, and explanation.json the person's row. "
            "Protect this file as you protect the data.",
        ],
    }
    lines: list[str] = []
    for title, paragraphs in sections.items():
        lines += [title, "=" * len(title) if not lines else "-" * len(title), ""]
        lines += [f"{_wrapped(paragraph)}\n" for paragraph in paragraphs]
    return "\n".join(lines)


def _what_it_is(record: EvidenceRecord) -> list[str]:
    held = {
        "evidence.json": "versions, hashes, the grid that was searched, and the SHA-256 of every other part",
        "explanation.json": "the person, every option with its values, costs and scores, and the certificate",
        "policy.yaml": "what may change, and how",
        "explainer.p2ce": "settings, reference population and plausibility forest, but no model",
    }
    held |= {name: "the model file" for name in record.parts if name.startswith(MODEL)}
    return [
        "p2ce finds everything that a person could change to be accepted by a model. This file contains all "
        "inputs and all results of the search for one person.",
        "\n".join(f"  {name}: {what}" for name, what in held.items()),
        "The checksums reveal accidental damage. They are not a signature: anyone who changes a part can "
        "change its checksum, too. If there is a signature.json, verify it with the signer's public key: "
        "p2ce replay this.zip --public-key key.pub. Otherwise compare the SHA-256 of the whole file with one "
        "that was kept elsewhere.",
    ]


def _what_is_proven(explanation: Explanation) -> list[str]:
    certificate = explanation.certificate
    if certificate is None or not certificate.proven:
        return [
            "The listed options are verified: the model itself evaluated each of them. Nothing else is "
            "proven."
        ]
    limit = "any number of" if certificate.max_changes is None else f"at most {certificate.max_changes}"
    return [
        f"Among all {echoed(certificate.cells)} combinations of {limit} changes on the grid, every "
        "accepted, plausible and allowed one costs at least as much as one of the options, in every "
        "objective. "
        f"The grid is {certificate.grid}; boxes were pruned by {certificate.bound}."
    ]


def _how_to_repeat(record: EvidenceRecord) -> list[str]:
    model = "" if any(name.startswith(MODEL) for name in record.parts) else " --model model.txt"
    return [
        f"  Software: p2ce {record.package}, whose sources have the SHA-256 {record.code}\n"
        f"  p2ce replay this.zip{model}",
        "It verifies the checksums, repeats the search, and reports every difference. It lists what it "
        "compared, what it did not compare, and what rests on this file alone. To use your own copy of the "
        "explainer instead of the one in this file, add --explainer yours.p2ce. A short program that shares "
        "no code with the search checks the options one by one:",
        "  from p2ce import evidence\n  print(evidence.check('this.zip', model))",
    ]


def _made_by(record: EvidenceRecord) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    hashes = {"code": record.code, **record.hashes}
    return [versions, "\n".join(f"  {name}: {value}" for name, value in hashes.items())]


def _wrapped(paragraph: str) -> str:
    shown = visible_code(paragraph)
    return shown if "\n" in shown or shown.startswith(" ") else textwrap.fill(shown, WIDTH)
