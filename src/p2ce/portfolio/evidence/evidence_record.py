"""Describe an evidence file: its person, the code that made it, and the checksum of every part."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from p2ce.tables.json_values import Value

FORMAT: Literal["p2ce.evidence/1"] = (
    "p2ce.evidence/1"  # increases if an old reader could misread the new format
)
RECORD, EXPLANATION, POLICY = "evidence.json", "explanation.json", "policy.yaml"
EXPLAINER, README, MODEL = "explainer.p2ce", "readme.txt", "model/"
SIGNATURE = "signature.json"  # covers all other parts, so the record cannot list it


@dataclass(frozen=True, slots=True, kw_only=True)
class GridAxis:
    """An axis of the grid: one feature, or several that move together, with the person's possible moves."""

    features: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]  # for each move, a value per feature


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRecord:
    """The content of `evidence.json`."""

    format: Literal["p2ce.evidence/1"] = FORMAT
    id: Value = None  # of the person, if there is one
    package: str  # the version of p2ce that made the explanation
    code: str  # SHA-256 of the sources of that version
    written_by: str  # SHA-256 of the sources that wrote this file, and the words of its readme
    versions: dict[str, str]  # library → version
    hashes: dict[str, str]  # "model" (by its scores), "model_file", "policy", "reference", "input" → SHA-256
    labels: dict[str, tuple[Value, ...]]  # of each category column, in the order of the codes
    grid: tuple[GridAxis, ...] | None = None  # None if the file was written without the model
    parts: dict[str, str]  # name → SHA-256, of all parts except this one and the signature


def plain_json(content: dict[str, Any]) -> bytes:
    """Write a part of an evidence file as JSON. The same content gives the same bytes."""
    return json.dumps(content, indent=1, allow_nan=False).encode()
