"""Limit the size of inputs from outside.

Every parser has a limit, so a file that is too large ends in a one-line error. The defaults are far above
usual inputs. Larger inputs need a larger limit.
"""

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import IO

from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, LimitExceeded, nearest

MIB = 1 << 20
GIB = 1 << 30
ZIP_END, ZIP_END_BYTES = b"PK\x05\x06", 22  # the last record of a zip file
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 1 << 10, "MI": MIB, "GI": GIB}
AMOUNT = re.compile(r"(\d{1,30}(?:\.\d{0,30})?(?:e\d{1,2})?) *([KMG]I?)?B?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest inputs that are accepted. Sizes in bytes are those after unpacking.

    A larger input raises `LimitExceeded`, which names the limit. On the command line, write the names with
    hyphens: ``--limit table-rows=50e6``.

    Args:
        model_bytes: The size of a model file.
        model_memory: The address space of the process that parses a model file, in bytes.
        model_seconds: The running time of that process.
        table_bytes: The size of a file of rows.
        table_rows: The number of rows of a table.
        table_columns: The number of columns of a table.
        table_cells: The number of rows times columns of a table.
        policy_bytes: The size of a policy file.
        policy_values: The number of entries of all lists and mappings of a policy file.
        policy_depth: How deeply lists and mappings of a policy file may be nested.
        policy_rules: The number of rules of a policy.
        explanation_bytes: The size of an explanation's JSON.
        explanation_depth: How deeply that JSON may be nested.
        manifest_bytes: The size of a portfolio's manifest.json, and of its journal.jsonl.
        archive_bytes: The size of a file that `Explainer.save` or `p2ce.evidence.save` wrote.

    >>> Limits(table_rows=50_000_000).table_rows
    50000000
    """

    model_bytes: int = 2 * GIB
    model_memory: int = 8 * GIB
    model_seconds: float = 120.0
    table_bytes: int = GIB
    table_rows: int = 10_000_000
    table_columns: int = 10_000
    table_cells: int = 200_000_000  # a small file can describe many equal cells
    policy_bytes: int = 4 * MIB  # a policy of a thousand columns has a few hundred thousand
    policy_values: int = 100_000
    policy_depth: int = 20
    policy_rules: int = 1_000  # each is compared with all others
    explanation_bytes: int = 128 * MIB
    explanation_depth: int = 50
    manifest_bytes: int = 128 * MIB
    archive_bytes: int = 4 * GIB

    def __post_init__(self) -> None:
        """Reject a limit that is not a number of at least 1."""
        for field in fields(self):
            value = getattr(self, field.name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 1 <= value <= sys.float_info.max:
                raise InvalidArgument(
                    f"The limit {field.name} must be a number of at least 1; got {echoed(value)}."
                )


DEFAULT = Limits()


def require_within(limits: Limits, name: str, amount: float, what: str) -> None:
    """Raise if an amount exceeds the limit of this name. ``what`` begins the message."""
    if amount > getattr(limits, name):
        raise limit_exceeded(limits, name, what)


def limit_exceeded(limits: Limits, name: str, what: str) -> LimitExceeded:
    """Build the error that says which limit an input exceeds, and how to raise the limit.

    >>> print(limit_exceeded(Limits(), "policy_depth", "The policy is nested too deeply"))
    The policy is nested too deeply: the limit policy_depth is 20. If the input is right, raise the limit: \
limits=p2ce.Limits(policy_depth=...), or --limit policy-depth=... on the command line.
    """
    return LimitExceeded(
        f"{what}: the limit {name} is {getattr(limits, name):,}. If the input is right, raise the limit: "
        f"limits=p2ce.Limits({name}=...), or --limit {name.replace('_', '-')}=... on the command line."
    )


def read_limits(given: Iterable[str]) -> Limits:
    """Parse limits as written on the command line: ``table-rows=50e6``, ``model-memory=16GB``.

    >>> read_limits(["table-rows=50e6", "model-memory=16GB"]).model_memory
    16000000000
    """
    known = [field.name.replace("_", "-") for field in fields(Limits)]
    found: dict[str, float] = {}
    for text in given:
        name, _, amount = (part.strip() for part in text.partition("="))
        if name not in known:
            raise InvalidArgument(
                f"--limit {echoed(text)} does not name a known limit. {nearest(name, known)}"
            )
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
    """Return the size of a zip file's list of parts, which Python reads whole, or None without an end record.

    The end record is the last in the file. At most ``comment`` bytes may follow it.
    """
    file.seek(max(0, file.seek(0, os.SEEK_END) - ZIP_END_BYTES - comment))
    tail = file.read(ZIP_END_BYTES + comment)
    at = tail.rfind(ZIP_END)
    if at < 0 or len(tail) - at < ZIP_END_BYTES:
        return None
    return int.from_bytes(tail[at + 12 : at + 16], "little")
