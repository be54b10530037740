"""Tell versions of this package apart by what its files say."""

import hashlib
from functools import cache
from pathlib import Path

# What explanations and their texts are made of; compiled kernels are made from these.
ENDINGS = (".py", ".jinja", ".toml", ".json")


@cache
def code_hash() -> str:
    """Return the SHA-256 of all sources of the installed package."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    files = {
        path.relative_to(package).as_posix(): path for path in package.rglob("*") if path.suffix in ENDINGS
    }
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name].read_bytes() + b"\0")
    return digest.hexdigest()
