"""Save everything behind one explanation: a zip file with all inputs and results of the search."""

import hashlib
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.base.files import write_whole
from p2ce.base.visible import echoed
from p2ce.base.zip_parts import zipped
from p2ce.compile.archive import read_objectives, read_saved
from p2ce.compile.fingerprint import codes_fingerprint
from p2ce.compile.override import OBJECTIVES
from p2ce.errors import InvalidArgument
from p2ce.explainer import Explainer, parts_to_save, problems_of
from p2ce.portfolio.evidence.evidence_record import (
    EXPLAINER,
    EXPLANATION,
    MODEL,
    POLICY,
    README,
    RECORD,
    SIGNATURE,
    EvidenceRecord,
    grid_of_instance,
    labels_of_codes,
    plain_json,
)
from p2ce.portfolio.evidence.readme import readme_of
from p2ce.portfolio.evidence.signing import signature_of
from p2ce.portfolio.runs.manifest import code_hash
from p2ce.result.certificate import Status
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.problem_record import ProblemRecord
from p2ce.tables.codebook import codebook_of
from p2ce.tables.json_values import Value, plain_fields

if TYPE_CHECKING:
    from p2ce.portfolio.runs.portfolio_results import PortfolioResults

SAFE_NAME = re.compile(r"[^\w.-]+", re.ASCII)


def save(
    explanation: "Explanation | PortfolioResults",
    path: "str | os.PathLike[str]",
    *,
    id: Value = None,  # noqa: A002
    explainer: "Explainer | str | os.PathLike[str] | None" = None,
    model_file: "str | os.PathLike[str] | None" = None,
    with_model: bool = False,
    sign: "str | os.PathLike[str] | None" = None,
    passphrase: str | None = None,
) -> None:
    """Save the evidence of one explanation as a zip file. The same inputs give the same bytes.

    Args:
        explanation: the explanation, or the results of a portfolio run, as `p2ce.portfolio.PortfolioResults`.
        path: the zip file to write.
        id: the id of the person. For a portfolio, it selects the person.
        explainer: the explainer of the explanation, or the path of a file that `Explainer.save` wrote. With a
            path, the file has no grid, and `p2ce.evidence.check` cannot verify the proof. For a portfolio,
            the default is the explainer that the run kept.
        model_file: the model file, whose SHA-256 is recorded. For a portfolio, the file that the run used.
        with_model: include the whole model file.
        sign: the file of an Ed25519 private key, as PEM or OpenSSH, that signs all parts.
        passphrase: the passphrase of that key, if it is encrypted.

    The file contains the whole reference population. Protect it as you protect the data.
    """
    code, hashes = code_hash(), {}
    if not isinstance(explanation, Explanation):
        _require_results(explanation, id)
        results, explanation = explanation, explanation.explanation(id)
        code, hashes = results.manifest.code, dict(results.manifest.hashes)
        explainer = results.path / EXPLAINER if explainer is None else explainer
    problem = _problem_of(explanation)
    certificate = explanation.certificate
    if certificate is not None and certificate.score_tolerance:
        raise InvalidArgument(
            "evidence.save() needs a model whose scores repeat, or no one could check the proof. This was "
            f"explained with score_tolerance={echoed(certificate.score_tolerance)}. Set the model's seed, "
            "and explain the person again without it."
        )
    if explanation.unlisted:
        raise InvalidArgument(
            "evidence.save() needs every option that was found, or no one could check the proof. "
            f"{echoed(explanation.unlisted)} of them are not listed here. Call more() without n=."
        )
    if explainer is None:
        raise InvalidArgument(
            "evidence.save() of an explanation needs the explainer that made it. Pass explainer=…"
        )
    held, record = _of_explainer(explainer, explanation)
    parts = {
        EXPLANATION: plain_json(explanation.to_dict()),
        POLICY: problem.policy.encode(),
        EXPLAINER: held,
    }
    hashes |= problem.hashes
    if model_file is not None:
        content = _content(model_file, "The model")
        if hashes.setdefault("model_file", _sha256(content)) != _sha256(content):
            raise InvalidArgument(
                f"{echoed(os.fsdecode(model_file))} is not the model file of the run: its SHA-256 is "
                f"{_sha256(content)}, expected {hashes['model_file']}. Pass the file that the run used."
            )
        if with_model:
            name = SAFE_NAME.sub("_", Path(os.fsdecode(model_file)).name).lstrip(".")
            parts[f"{MODEL}{name or 'model'}"] = content
    elif with_model:
        raise InvalidArgument("with_model=True needs the model file. Pass model_file=…")
    record = replace(
        record,
        id=id,
        package=problem.versions.get("p2ce", ""),
        code=code,
        written_by=code_hash(),
        versions=problem.versions,
        hashes=dict(sorted(hashes.items())),
    )
    record = replace(record, parts={name: _sha256(part) for name, part in parts.items()})
    parts[README] = readme_of(record, explanation).encode()
    record = replace(record, parts={name: _sha256(part) for name, part in parts.items()})
    parts = {RECORD: plain_json(plain_fields(record)), **parts}
    if sign is not None:
        parts[SIGNATURE] = plain_json(plain_fields(signature_of(parts, sign, passphrase=passphrase)))
    write_whole(path, zipped(parts), what="The evidence")


def _require_results(results: object, id: Value) -> None:  # noqa: A002
    """Reject anything but one explanation or the results of a run, and results without an id."""
    if not hasattr(results, "manifest"):
        todo = "Select one person: explanations.loc[id]." if isinstance(results, Explanations) else ""
        raise InvalidArgument(
            "evidence.save() needs an Explanation or PortfolioResults first; got "
            f"{type(results).__name__}. {todo or 'Pass what explain() returned.'}"
        )
    if id is None:
        raise InvalidArgument("evidence.save() of a portfolio needs the id of one person. Pass id=…")


def _problem_of(explanation: Explanation) -> ProblemRecord:
    if explanation.status is Status.ERROR:
        raise InvalidArgument(f"A row that could not be explained has no evidence: {explanation.message}")
    if explanation.problem is None:
        raise InvalidArgument(
            "The explanation has no problem, so its policy, hashes and versions are unknown. Use an "
            "explanation that explain() returned, or one written with to_dict(problem=True)."
        )
    if (stated := explanation.problem.settings.get(OBJECTIVES)) is not None:
        read_objectives(stated)  # raises if the search could not be repeated
    return explanation.problem


def _of_explainer(
    explainer: "Explainer | str | os.PathLike[str]", explanation: Explanation
) -> tuple[bytes, EvidenceRecord]:
    """Return the explainer's archive, and a record with the entries that only the explainer knows."""
    known: dict[str, Any] = {
        "package": "",
        "code": "",
        "written_by": "",
        "versions": {},
        "hashes": {},
        "parts": {},
    }
    if isinstance(explainer, Explainer):
        grid = grid_of_instance(explainer, explanation)
        labels = labels_of_codes(problems_of(explainer).own.codebook)
        return zipped(parts_to_save(explainer)), EvidenceRecord(labels=labels, grid=grid, **known)
    reference = read_saved(explainer).given.reference
    codebook = codebook_of(reference)
    assert explanation.problem is not None
    if codes_fingerprint(codebook, codebook.encode(reference)) != explanation.problem.hashes["reference"]:
        raise InvalidArgument(
            f"{echoed(os.fsdecode(explainer))} has another reference than the explanation. Pass the "
            "explainer that made it."
        )
    columns = [name for name in codebook.names if name in explanation.dtypes]
    return _content(explainer, "The explainer"), EvidenceRecord(
        labels=labels_of_codes(codebook.of(columns)), **known
    )


def _content(path: "str | os.PathLike[str]", what: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        shown = echoed(os.fsdecode(path))
        raise InvalidArgument(
            f"{what} {shown} cannot be read: {error.strerror or error}. Check the path."
        ) from error


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
