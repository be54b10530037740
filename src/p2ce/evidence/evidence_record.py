"""Describe an evidence file: what it is about, which code made it, and the checksum of every part."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from p2ce.tables.json_values import Value

FORMAT: Literal["p2ce.evidence/1"] = "p2ce.evidence/1"  # grows when an old reader could misread the new form
RECORD, EXPLANATION, POLICY = "evidence.json", "explanation.json", "policy.yaml"
EXPLAINER, README, MODEL = "explainer.p2ce", "readme.txt", "model/"
SIGNATURE = "signature.json"  # over all other parts, so that the record cannot list it


@dataclass(frozen=True, slots=True, kw_only=True)
class GridAxis:
    """One feature of the grid, or several that move together, and where the person may go on it."""

    features: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]  # of each move, a value for every one of the features


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRecord:
    """What `evidence.json` holds."""

    format: Literal["p2ce.evidence/1"] = FORMAT
    id: Value = None  # of the person, where there is one
    package: str  # the version of p2ce that made the explanation
    code: str  # SHA-256 of the sources of that version
    written_by: str  # SHA-256 of the sources that wrote this file, and the words of its readme
    versions: dict[str, str]  # library → version
    hashes: dict[str, str]  # "model" (by its scores), "model_file", "policy", "reference", "input" → SHA-256
    labels: dict[str, tuple[Value, ...]]  # of each column of categories, in the order of their codes
    grid: tuple[GridAxis, ...] | None = None  # None where no model was at hand when the file was written
    parts: dict[str, str]  # name → SHA-256, of all but this one and the signature


def plain_json(content: dict[str, Any]) -> bytes:
    """Write a part of an evidence file as JSON, the same to the byte each time."""
    return json.dumps(content, indent=1, allow_nan=False).encode()
