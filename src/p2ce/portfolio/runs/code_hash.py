"""Distinguish versions of this package by the content of its files."""

import hashlib
from functools import cache
from pathlib import Path

# The files that determine explanations and their texts. Kernels are compiled from them.
ENDINGS = (".py", ".jinja", ".toml", ".json")


@cache
def code_hash() -> str:
    """Return the SHA-256 of all sources of the installed package."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    files = {
        path.relative_to(package).as_posix(): path for path in package.rglob("*") if path.suffix in ENDINGS
    }
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name].read_bytes() + b"\0")
    return digest.hexdigest()
