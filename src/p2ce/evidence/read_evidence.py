"""Read an evidence file without trusting it: checksums first, then every part by its own reader."""

import hashlib
import os
import re
import zipfile
from dataclasses import dataclass

from p2ce.archive.stored_values import Damaged
from p2ce.archive.zipped import Parts
from p2ce.errors import InvalidArgument, LimitExceeded, P2CEError
from p2ce.evidence.evidence_record import (
    EXPLAINER,
    EXPLANATION,
    FORMAT,
    MODEL,
    POLICY,
    RECORD,
    EvidenceRecord,
)
from p2ce.limits import DEFAULT, Limits
from p2ce.result.explanation import Explanation
from p2ce.result.json_data import parse_json, to_record
from p2ce.visible import echoed

MODEL_NAME = re.compile(rf"{MODEL}\w[\w.-]*", re.ASCII)  # no path that leads out of a folder


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenedEvidence:
    """The parts of an evidence file whose checksums hold."""

    path: str
    record: EvidenceRecord
    explanation: Explanation
    parts: dict[str, bytes]

    @property
    def policy(self) -> str:
        """The policy that applied, as YAML."""
        return self.parts[POLICY].decode("utf-8")

    @property
    def explainer(self) -> bytes:
        """The archive of the explainer."""
        return self.parts[EXPLAINER]

    @property
    def model_file(self) -> tuple[str, bytes] | None:
        """The name and content of the model's file, where it was kept."""
        names = [name for name in self.parts if MODEL_NAME.fullmatch(name)]
        return (names[0].removeprefix(MODEL), self.parts[names[0]]) if names else None


def read_evidence(path: "str | os.PathLike[str]", *, limits: Limits = DEFAULT) -> OpenedEvidence:
    """Read a file of `save`; an error is one line that says what is wrong, and which part was changed."""
    shown = os.fsdecode(path)
    try:
        return _read(shown, limits)
    except LimitExceeded as error:
        raise LimitExceeded(f"{echoed(shown)} is damaged, or too large. {error}") from error
    except FileNotFoundError as error:
        raise InvalidArgument(f"There is no file {echoed(shown)}. Check the path.") from error
    except OSError as error:
        raise InvalidArgument(f"Cannot read {echoed(shown)}: {error.strerror or error}.") from error
    except (Damaged, P2CEError, zipfile.BadZipFile, ValueError) as error:
        no_zip = isinstance(error, zipfile.BadZipFile)
        why = "it is no zip file, or was not written to the end" if no_zip else str(error)
        raise InvalidArgument(
            f"{echoed(shown)} is no sound evidence: {' '.join(why.split()).rstrip('.')}. Get it again from "
            "where it was saved."
        ) from error


def _read(path: str, limits: Limits) -> OpenedEvidence:
    with Parts(path, limits) as parts:
        if RECORD not in parts:
            raise Damaged(f"it has no part {echoed(RECORD)}")
        data = parse_json(parts.take(RECORD), RECORD, limits)
        record = to_record(data, EvidenceRecord, RECORD, limits, form=FORMAT)
        held = {name: parts.take(name) for name in record.parts}
        parts.require_empty()
    for name, expected in record.parts.items():
        if hashlib.sha256(held[name]).hexdigest() != expected:
            raise Damaged(f"its part {echoed(name, most=60)} was changed: its SHA-256 is another")
    for name in (EXPLANATION, POLICY, EXPLAINER):
        if name not in held:
            raise Damaged(f"it lacks the part {echoed(name)}")
    explanation = Explanation.from_json(held[EXPLANATION], limits=limits)
    if explanation.question is None:
        raise Damaged(f"its part {echoed(EXPLANATION)} has no question")
    return OpenedEvidence(path=path, record=record, explanation=explanation, parts=held)
