"""How large an input from outside may be before it is rejected.

Every parser has a limit on what it reads, so that a file made to be too large ends in one line of error. The
defaults are far above what people have; larger inputs need a larger limit.
"""

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import IO

from p2ce.errors import InvalidArgument, LimitExceeded, nearest
from p2ce.visible import echoed

MIB = 1 << 20
GIB = 1 << 30
ZIP_END, ZIP_END_BYTES = b"PK\x05\x06", 22  # the last record of a zip file
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 1 << 10, "MI": MIB, "GI": GIB}
AMOUNT = re.compile(r"(\d{1,30}(?:\.\d{0,30})?(?:e\d{1,2})?) *([KMG]I?)?B?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest inputs that are parsed; bytes are those after unpacking.

    What goes beyond raises `LimitExceeded`, which names the limit. On the command line the same names are
    written with hyphens: ``--limit table-rows=50e6``.

    >>> Limits(table_rows=50_000_000).table_rows
    50000000
    """

    model_bytes: int = 2 * GIB
    model_memory: int = 8 * GIB  # address space of the process that parses a model file
    model_seconds: float = 120.0  # for that process, from its start to its end
    table_bytes: int = GIB  # of a file of people
    table_rows: int = 10_000_000
    table_columns: int = 10_000
    table_cells: int = 200_000_000  # rows times columns: a small file may stand for many equal cells
    policy_bytes: int = 4 * MIB  # a policy of a thousand columns has a few hundred thousand
    policy_values: int = 100_000  # entries of all lists and mappings
    policy_depth: int = 20  # lists and mappings within each other
    policy_rules: int = 1_000  # each is compared with all others
    explanation_bytes: int = 128 * MIB  # of an explanation's JSON
    explanation_depth: int = 50
    manifest_bytes: int = 128 * MIB  # of manifest.json and journal.jsonl of a portfolio
    archive_bytes: int = 4 * GIB  # of what `Explainer.save` wrote

    def __post_init__(self) -> None:
        """Reject limits that are none."""
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 1 <= value <= sys.float_info.max:
                raise InvalidArgument(
                    f"The limit {field.name} is a number of at least 1; got {echoed(value)}."
                )


DEFAULT = Limits()


def require_within(limits: Limits, name: str, amount: float, what: str) -> None:
    """Raise if an amount is beyond the limit of this name; ``what`` begins the sentence."""
    if amount > getattr(limits, name):
        raise limit_exceeded(limits, name, what)


def limit_exceeded(limits: Limits, name: str, what: str) -> LimitExceeded:
    """Build the error that says which limit an input exceeds, and how to raise it.

    >>> print(limit_exceeded(Limits(), "policy_depth", "The policy is nested too deeply"))
    The policy is nested too deeply: the limit policy_depth is 20. If that is meant, raise it: \
limits=p2ce.Limits(policy_depth=...), or --limit policy-depth=... on the command line.
    """
    return LimitExceeded(
        f"{what}: the limit {name} is {getattr(limits, name):,}. If that is meant, raise it: "
        f"limits=p2ce.Limits({name}=...), or --limit {name.replace('_', '-')}=... on the command line."
    )


def read_limits(given: Iterable[str]) -> Limits:
    """Read limits as the command line takes them: ``table-rows=50e6``, ``model-memory=16GB``.

    >>> read_limits(["table-rows=50e6", "model-memory=16GB"]).model_memory
    16000000000
    """
    known = [field.name.replace("_", "-") for field in fields(Limits)]
    found: dict[str, float] = {}
    for text in given:
        name, _, amount = (part.strip() for part in text.partition("="))
        if name not in known:
            raise InvalidArgument(f"--limit {echoed(text)} names no limit. {nearest(name, known)}")
        match = AMOUNT.fullmatch(amount)
        if match is None:
            raise InvalidArgument(
                f"--limit {echoed(text)} has no amount. Write a number, such as --limit table-rows=50e6 or "
                "--limit model-memory=16GB."
            )
        number = float(match[1]) * UNITS[(match[2] or "").upper()]
        found[name.replace("-", "_")] = int(number) if number.is_integer() else number
    return Limits(**found)  # type: ignore[arg-type]


def zip_list_bytes(file: IO[bytes], *, comment: int = 0) -> int | None:
    """Return the size of the list of parts of a zip file, which Python reads whole; None if it has no end.

    The last record of the file says so. ``comment`` is how many bytes may stand behind it.
    """
    file.seek(max(0, file.seek(0, os.SEEK_END) - ZIP_END_BYTES - comment))
    tail = file.read(ZIP_END_BYTES + comment)
    at = tail.rfind(ZIP_END)
    if at < 0 or len(tail) - at < ZIP_END_BYTES:
        return None
    return int.from_bytes(tail[at + 12 : at + 16], "little")
