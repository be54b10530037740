"""Read an untrusted evidence file: verify checksums first, then parse every part."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed, shortened
from p2ce.base.zip_parts import Damaged, Parts
from p2ce.errors import InvalidArgument, LimitExceeded, P2CEError
from p2ce.portfolio.evidence.compare_explanations import alike
from p2ce.portfolio.evidence.evidence_record import (
    EXPLAINER,
    EXPLANATION,
    FORMAT,
    MODEL,
    POLICY,
    README,
    RECORD,
    SIGNATURE,
    EvidenceRecord,
    plain_json,
)
from p2ce.portfolio.evidence.signing import FORMAT as SIGNATURE_FORMAT
from p2ce.portfolio.evidence.signing import Signature
from p2ce.result.explanation import Explanation
from p2ce.result.json_data import parse_json, to_record
from p2ce.tables.json_values import plain_fields

UNKNOWN = object()
REQUIRED = (EXPLANATION, POLICY, EXPLAINER, README)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenedEvidence:
    """The parts of an evidence file with valid checksums."""

    path: str
    record: EvidenceRecord
    explanation: Explanation
    policy: str  # the policy in effect, as YAML
    readme: str
    signature: Signature | None  # not verified here; see `p2ce.evidence.verify_signature`
    unknown: tuple[str, ...]  # entries that this version does not know
    # Entries that are parsed differently from what is written (part and place, written, parsed), such as an
    # option's number that is not its position.
    overruled: tuple[tuple[str, Any, Any], ...]
    parts: dict[str, bytes]  # all of them

    @property
    def explainer(self) -> bytes:
        """The archive of the explainer."""
        return self.parts[EXPLAINER]

    @property
    def model_file(self) -> tuple[str, bytes] | None:
        """The name and content of the model file, if it was kept."""
        names = [name for name in self.parts if name.startswith(MODEL)]
        return (names[0].removeprefix(MODEL), self.parts[names[0]]) if names else None


def read_evidence(path: "str | os.PathLike[str]", *, limits: Limits = DEFAULT) -> OpenedEvidence:
    """Read a file that `save` wrote. An error is one line that names the damaged part."""
    shown = os.fsdecode(path)
    try:
        return _read(shown, limits)
    except LimitExceeded as error:
        raise LimitExceeded(f"{echoed(shown)} is damaged, or too large. {error}") from error
    except FileNotFoundError as error:
        raise InvalidArgument(f"The file {echoed(shown)} does not exist. Check the path.") from error
    except OSError as error:
        raise InvalidArgument(f"Cannot read {echoed(shown)}: {error.strerror or error}.") from error
    except (Damaged, P2CEError, ValueError) as error:
        raise InvalidArgument(
            f"{echoed(shown)} is not a valid evidence file: {' '.join(str(error).split()).rstrip('.')}. Get "
            "the file again from its source."
        ) from error


def _read(path: str, limits: Limits) -> OpenedEvidence:
    with Parts(path, limits) as parts:
        held = {name: parts.take(name) for name in parts}
    if RECORD not in held:
        raise Damaged(f"it has no part {echoed(RECORD)}")
    data = parse_json(held[RECORD], RECORD, limits, unique=True)
    record = to_record(data, EvidenceRecord, RECORD, limits, form=FORMAT)
    _check_names({*record.parts}, {*held} - {RECORD, SIGNATURE})
    for name, expected in record.parts.items():
        if hashlib.sha256(held[name]).hexdigest() != expected:
            raise Damaged(f"its part {echoed(name, most=60)} was changed: its SHA-256 differs")
    plain = parse_json(held[EXPLANATION], EXPLANATION, limits, unique=True)
    explanation = Explanation.from_dict(plain, limits=limits)
    if explanation.problem is None:
        raise Damaged(f"its part {echoed(EXPLANATION)} has no problem")
    for name in explanation.person:
        if name not in explanation.dtypes:
            raise Damaged(f"the person has the column {echoed(name)}, which is none of the model's columns")
    pairs = {RECORD: (data, plain_fields(record)), EXPLANATION: (plain, explanation.to_dict(times=True))}
    apart = [one for part, pair in pairs.items() for one in _read_otherwise(*pair, f"{part}: ")]
    return OpenedEvidence(
        path=path,
        record=record,
        explanation=explanation,
        policy=_text(held, POLICY),
        readme=_text(held, README),
        signature=_signature(held, limits),
        unknown=tuple(dict.fromkeys(place for place, _, read in apart if read is UNKNOWN)),
        overruled=tuple(entry for entry in apart if entry[2] is not UNKNOWN),
        parts=held,
    )


def _check_names(listed: set[str], held: set[str]) -> None:
    """Reject a file whose parts are not exactly those that `save` writes."""
    for name in (*REQUIRED, *sorted(listed)):
        if name not in held:
            raise Damaged(f"it lacks the part {echoed(name, most=60)}")
    models = [name for name in sorted(held) if name.startswith(MODEL) and name.count("/") == 1]
    for name in sorted(held):
        if name not in (*REQUIRED, *models[:1]):
            raise Damaged(f"it has the unexpected part {echoed(name, most=60)}")
        if name not in listed:
            raise Damaged(f"its part {echoed(name, most=60)} has no checksum")


def _text(held: dict[str, bytes], name: str) -> str:
    try:
        return held[name].decode("utf-8")
    except UnicodeDecodeError as error:
        raise Damaged(f"its part {echoed(name)} is not text in UTF-8: {error.reason}") from None


def _signature(held: dict[str, bytes], limits: Limits) -> Signature | None:
    if SIGNATURE not in held:
        return None
    data = parse_json(held[SIGNATURE], SIGNATURE, limits, unique=True)
    signature = to_record(data, Signature, SIGNATURE, limits, form=SIGNATURE_FORMAT)
    if held[SIGNATURE] != plain_json(plain_fields(signature)):  # no signature covers it
        raise Damaged(f"its part {echoed(SIGNATURE)} was changed")
    return signature


def _read_otherwise(data: Any, known: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield entries of JSON data that the parsed record lacks, or has differently."""
    if isinstance(data, dict) and isinstance(known, dict):
        for name, entry in data.items():
            inside = shortened(f"{place}{name}", 100)
            if name in known:
                yield from _read_otherwise(entry, known[name], f"{inside}.")
            else:
                yield inside, entry, UNKNOWN
    elif isinstance(data, list) and isinstance(known, list) and len(data) == len(known):
        for entry, other in zip(data, known, strict=True):
            yield from _read_otherwise(entry, other, place)
    elif not alike(data, known):
        yield place.rstrip("."), data, known
