"""Change parts of an evidence file, with or without the checksums that would reveal it."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from p2ce.base.limits import DEFAULT
from p2ce.portfolio.evidence.evidence_record import SIGNATURE, EvidenceRecord
from p2ce.portfolio.evidence.readme import readme_of
from p2ce.result.explanation import Explanation
from p2ce.result.json_data import to_record

Change = Callable[[Any], Any]  # what json.loads gives, changed in place


def parts_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_parts(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def forged(path: Path, change: Change, *, part: str = "explanation.json", honest: bool = False) -> Path:
    """Write the file again with a changed part; an honest forger leaves the old checksums."""
    parts = parts_of(path)
    data = json.loads(parts[part])
    change(data)
    if part == "explanation.json":  # the policy stands in two parts, and options are numbered
        parts["policy.yaml"] = data["problem"]["policy"].encode()
        data["counterfactuals"] = [
            {**option, "number": number} for number, option in enumerate(data["counterfactuals"], start=1)
        ]
    parts[part] = json.dumps(data).encode()
    return write_parts(path.with_name("forged.zip"), parts if honest else sealed(parts))


def sealed(parts: dict[str, bytes]) -> dict[str, bytes]:
    """Return the parts with the checksums that they have now."""
    record = json.loads(parts["evidence.json"])
    others = {name: content for name, content in parts.items() if name not in ("evidence.json", SIGNATURE)}
    record["parts"] = {name: hashlib.sha256(content).hexdigest() for name, content in others.items()}
    return {**parts, "evidence.json": json.dumps(record).encode()}


def with_readme(path: Path) -> Path:
    """Write the readme of a forged file again, so it says what the parts say now."""
    parts = parts_of(path)
    record = to_record(json.loads(parts["evidence.json"]), EvidenceRecord, "record", DEFAULT)
    listed = {name: mark for name, mark in record.parts.items() if name != "readme.txt"}
    explanation = Explanation.from_json(parts["explanation.json"])
    parts["readme.txt"] = readme_of(replace(record, parts=listed), explanation).encode()
    return write_parts(path, sealed(parts))
