"""Change parts of an evidence file, with or without the checksums that would reveal it."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    parts[part] = json.dumps(data).encode()
    if part == "explanation.json":  # the policy stands in two parts
        parts["policy.yaml"] = data["question"]["policy"].encode()
    if not honest:
        record = json.loads(parts["evidence.json"])
        others = {name: content for name, content in parts.items() if name != "evidence.json"}
        record["parts"] = {name: hashlib.sha256(content).hexdigest() for name, content in others.items()}
        parts["evidence.json"] = json.dumps(record).encode()
    return write_parts(path.with_name("forged.zip"), parts)
