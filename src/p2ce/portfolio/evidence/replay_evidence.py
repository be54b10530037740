"""Repeat the search of an evidence file, and list what differs, what was compared and what was not."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.base.zip_parts import Parts
from p2ce.compile.archive import SavedExplainer, read_objectives, read_saved
from p2ce.compile.archive.stored_settings import read_policy
from p2ce.compile.archive.write_archive import HEAD, SCORES
from p2ce.compile.arguments import UNCHANGED
from p2ce.compile.fingerprint import fingerprint_of
from p2ce.compile.override import OBJECTIVES
from p2ce.compile.row_limits import LIMITS, stated_limits
from p2ce.errors import InvalidSignature
from p2ce.explainer import Explainer, problems_of, restored
from p2ce.policy.policy import Policy
from p2ce.policy.rules.predicate import require_trusted
from p2ce.portfolio.evidence.compare_explanations import (
    NOT_COMPARED,
    REPEATED,
    compared_fields,
    differences_of,
    entries_apart,
    record_entries,
)
from p2ce.portfolio.evidence.evidence_record import (
    EXPLAINER,
    EXPLANATION,
    README,
    RECORD,
    grid_of_instance,
    labels_of_codes,
)
from p2ce.portfolio.evidence.read_evidence import OpenedEvidence, read_evidence
from p2ce.portfolio.evidence.readme import readme_of
from p2ce.portfolio.evidence.replay_outcome import Difference, Replay
from p2ce.portfolio.evidence.signing import require_signature
from p2ce.portfolio.runs.manifest import code_hash
from p2ce.result.explanation import Explanation
from p2ce.tables.json_values import to_plain

ID = "the person's id"
ROW = "the person's row"
OF_EXPLAINER = ("policy", "settings of the explainer", "reference population")
OF_INSTANCE = (
    "policy",
    "max_changes",
    f"settings.{OBJECTIVES}",
    f"settings.{LIMITS}",
)  # what a call may override
HASHED = ("model", "policy", "reference")


def replay(
    path: "str | os.PathLike[str] | OpenedEvidence",
    model: Any,
    *,
    explainer: "str | os.PathLike[str] | None" = None,
    public_key: "str | os.PathLike[str] | None" = None,
    plausibility: Any = UNCHANGED,
    objectives: Any = UNCHANGED,
    model_sha256: str | None = None,
    trust_predicates: bool = False,
    limits: Limits = DEFAULT,
) -> Replay:
    """Repeat the search of an evidence file, with the same settings and without a time limit.

    Everything that the search determines is compared, including the names, units and texts that a reader
    sees. The model and the arguments below come from you, and all other inputs from the file. So a file that
    was forged consistently is valid evidence of another search. Pass your own explainer and a public key if
    you can. If the model scores people of the reference differently, this is a difference, and the search
    continues with it.

    Args:
        path: what `save` wrote.
        model: the model, as for `Explainer.load`.
        explainer: your own copy of the explainer, as `Explainer.save` wrote it. Its policy, settings and
            reference replace those of the file, and every part that differs is a difference.
        public_key: the file of an Ed25519 public key, as PEM or OpenSSH, that must verify the signature.
        plausibility: the detector, if it was a custom one. By default, as saved.
        objectives: all objectives of the explainer, if one was a custom one. By default, as saved.
        model_sha256: the SHA-256 of the model file, to compare with the recorded one.
        trust_predicates: accept rules that name Python functions, which run their author's code.
        limits: how much of a file is unpacked before it is rejected.
    """
    opened = path if isinstance(path, OpenedEvidence) else read_evidence(path, limits=limits)
    held = read_saved(f"{opened.path}/{EXPLAINER}", content=opened.explainer, limits=limits)
    saved = held if explainer is None else read_saved(explainer, limits=limits)
    saved.require_trusted(trust_predicates=trust_predicates)
    policy: Policy | None = _own_policy(opened, trust_predicates=trust_predicates, limits=limits)
    loaded = restored(
        replace(saved, path=opened.path) if explainer is None else saved,  # messages name the path
        model,
        plausibility=plausibility,
        objectives=objectives,
        check_model=False,
    )
    if opened.policy == loaded.problem.policy:
        policy = None
    found = _search(loaded, opened.explanation, policy)
    signature, unsigned = _signature(opened, public_key)
    personal = _personal(loaded, opened.explanation, found)
    scope = _Scope(opened, saved, found, model_sha256)
    differences = [
        *unsigned,
        *_other_model(saved, loaded),
        *(() if explainer is None else _other_parts(opened, explainer, limits)),
        *differences_of(opened.explanation, found),
        *scope.hashes(),
        *_record(opened, loaded, found),
        *_readme(opened),
    ]
    return Replay(
        differences=tuple(differences),
        compared=scope.compared(),
        not_compared=scope.not_compared(),
        only_the_file_says=_only_the_file_says(own=explainer is not None, personal=personal),
        signature=signature,
        versions=_versions(opened, found, model_sha256),
        personal=personal,
        recorded=opened.explanation,
        found=found,
    )


def verify_signature(
    path: "str | os.PathLike[str]", public_key: "str | os.PathLike[str]", *, limits: Limits = DEFAULT
) -> str:
    """Raise `InvalidSignature` unless the key that belongs to a public key has signed an evidence file.

    Return the fingerprint of the key, as `ssh-keygen -l` prints it.

    Args:
        path: what `save` wrote.
        public_key: the file of the Ed25519 public key, as PEM or OpenSSH.
        limits: how much of a file is unpacked before it is rejected.
    """
    opened = read_evidence(path, limits=limits)
    return require_signature(opened.signature, opened.parts, public_key)


def _own_policy(opened: OpenedEvidence, *, trust_predicates: bool, limits: Limits) -> Policy:
    policy = read_policy(opened.policy, limits)
    what = f"The policy in {echoed(opened.path)}"
    require_trusted((*policy.rules, *policy.proposed_rules), what, trusted=trust_predicates)
    return policy


def _search(explainer: Explainer, recorded: Explanation, policy: Policy | None) -> Explanation:
    given: dict[str, Any] = {name: getattr(recorded, name) for name in REPEATED}
    if recorded.certificate is not None:
        given["max_changes"] = recorded.certificate.max_changes
    assert recorded.problem is not None
    if (stated := recorded.problem.settings.get(OBJECTIVES)) is not None:
        given["objectives"] = read_objectives(stated)
    given["limits"] = stated_limits(recorded.problem)
    return explainer.explain(recorded.person, policy=policy, **given)


def _signature(
    opened: OpenedEvidence, public_key: "str | os.PathLike[str] | None"
) -> tuple[str, list[Difference]]:
    """Describe the signature. A required signature that is not valid is a difference."""
    if public_key is None:
        if opened.signature is None:
            return "none", []
        return f"names the key {echoed(opened.signature.key, most=60)[1:-1]}; not checked", []
    try:
        return f"by the key {require_signature(opened.signature, opened.parts, public_key)}: valid", []
    except InvalidSignature as error:
        what = str(error).rstrip(".")
        return "none" if opened.signature is None else "not valid", [Difference(kind="signature", what=what)]


def _other_model(saved: SavedExplainer, explainer: Explainer) -> Iterator[Difference]:
    problems = problems_of(explainer)
    apart = saved.other_scores(problems.own, problems.known.compiled.values)
    if apart is not None:
        what = f"it scores {apart.different} of {apart.people} people of the reference differently"
        yield Difference(kind="model", what=what, found=apart.largest)


def _other_parts(
    opened: OpenedEvidence, explainer: "str | os.PathLike[str]", limits: Limits
) -> Iterator[Difference]:
    """Compare the explainer in the file with the verifier's own, part by part."""
    then, now = (_stated_parts(source, limits) for source in (opened.explainer, explainer))
    for name in dict.fromkeys([*then, *now]):
        if then.get(name) != now.get(name):
            yield Difference(kind="explainer", what=f"its part {echoed(name)} differs from your own")


def _stated_parts(source: "str | os.PathLike[str] | bytes", limits: Limits) -> dict[str, Any]:
    """Return the parts of an explainer without versions and scores, which are compared separately."""
    with Parts(source, limits) as parts:
        held: dict[str, Any] = {name: parts.take(name) for name in parts if name != SCORES}
    head = json.loads(held[HEAD])
    del head["versions"], head["model"]["fingerprint"]
    return {**held, HEAD: head}


class _Scope:
    """The statements of a file that were compared, and the hashes that do not match."""

    def __init__(
        self, opened: OpenedEvidence, saved: SavedExplainer, found: Explanation, model_sha256: str | None
    ) -> None:
        assert opened.explanation.problem is not None
        assert found.problem is not None
        self.opened, self.recorded = opened, opened.explanation.problem
        self.now = {"policy": _sha256(opened.policy.encode())}
        self.now["reference"] = found.problem.hashes["reference"]
        # Another machine may round scores differently. The model itself is compared by its scores.
        known = (fingerprint_of(saved.scores), found.problem.hashes["model"])
        self.knows_model = self.recorded.hashes.get("model") in known
        self.now["model"] = self.recorded.hashes.get("model", "")
        if opened.model_file is not None:
            self.now["model_file"] = _sha256(opened.model_file[1])
        elif model_sha256 is not None and opened.record.hashes.get("model_file") == model_sha256:
            self.now["model_file"] = model_sha256  # a different hash is information, like a different version

    def hashes(self) -> Iterator[Difference]:
        """Compare recorded hashes with the content."""
        places = ((RECORD, self.opened.record.hashes), (EXPLANATION, self.recorded.hashes))
        for place, hashes in places:
            for name, value in self.now.items():
                if (name in HASHED or place == RECORD) and (then := hashes.get(name)) != value:
                    yield Difference(kind="hash", what=f"{name} in {place}", recorded=then, found=value)
        if (said := _sha256(self.recorded.policy.encode())) != self.now["policy"]:
            what = f"the text of the policy in {EXPLANATION}"
            yield Difference(kind="hash", what=what, recorded=said, found=self.now["policy"])

    def compared(self) -> tuple[str, ...]:
        readme = (README,) if _written_by_this_code(self.opened) else ()
        grid = ("grid",) if self.opened.record.grid is not None else ()
        return (*compared_fields(), "policy.yaml", "labels", *grid, *map(_hash_of, self._known()), *readme)

    def not_compared(self) -> tuple[str, ...]:
        hashes = dict.fromkeys([*self.opened.record.hashes, *self.recorded.hashes])
        grid = ("the searched grid",) if self.opened.record.grid is None else ()
        readme = () if _written_by_this_code(self.opened) else (README,)
        others = (*grid, "package", "code", "written_by", *readme)
        left = (_hash_of(name) for name in hashes if name not in self._known())
        return (*NOT_COMPARED, *others, *left, *self.opened.unknown)

    def _known(self) -> list[str]:
        return [name for name in self.now if name != "model" or self.knows_model]


def _hash_of(name: str) -> str:
    return f"hash of {name}"


def _record(opened: OpenedEvidence, explainer: Explainer, found: Explanation) -> Iterator[Difference]:
    """Compare what evidence.json states: labels, grid, and the versions that the explanation also has."""
    record, problem = opened.record, opened.explanation.problem
    assert problem is not None
    pairs: dict[str, tuple[Any, Any]] = {
        "labels": (record.labels, labels_of_codes(problems_of(explainer).own.codebook)),
        "versions": (record.versions, problem.versions),
        "package": (record.package, problem.versions.get("p2ce", "")),
    }
    if record.grid is not None:
        pairs["grid"] = record.grid, grid_of_instance(explainer, found)
    for what, before, after in opened.overruled:
        yield Difference(kind="record", what=what, recorded=before, found=after)
    for name, (then, now) in pairs.items():
        for what, before, after in entries_apart(to_plain(then), to_plain(now), name):
            yield Difference(kind="record", what=f"{what} in {RECORD}", recorded=before, found=after)


def _readme(opened: OpenedEvidence) -> Iterator[Difference]:
    """Compare the readme with the text of this code. Other code may have other words."""
    if not _written_by_this_code(opened):
        return
    parts = {name: value for name, value in opened.record.parts.items() if name != README}
    expected = readme_of(replace(opened.record, parts=parts), opened.explanation)
    if opened.readme != expected:
        lines = zip_longest(opened.readme.split("\n"), expected.split("\n"))
        place, (then, now) = next(
            (place, pair) for place, pair in enumerate(lines, start=1) if pair[0] != pair[1]
        )
        yield Difference(kind="readme", what=f"line {place}", recorded=then, found=now)


def _written_by_this_code(opened: OpenedEvidence) -> bool:
    return opened.record.written_by == code_hash()


def _personal(explainer: Explainer, recorded: Explanation, found: Explanation) -> dict[str, tuple[Any, Any]]:
    own, certificate = problems_of(explainer).own, recorded.certificate
    assert found.problem is not None
    entries = entries_apart(record_entries(found.problem), record_entries(own.record))
    pairs = {what: (of_instance, usual) for what, of_instance, usual in entries if what != "policy"}
    if found.problem.policy != own.record.policy:
        pairs["policy"] = found.problem.hashes["policy"], own.record.hashes["policy"]
    if certificate is not None and certificate.max_changes != own.max_changes:
        pairs["max_changes"] = certificate.max_changes, own.max_changes
    return pairs


def _only_the_file_says(*, own: bool, personal: dict[str, Any]) -> tuple[str, ...]:
    of_instance = tuple(f"{name} of this person" for name in OF_INSTANCE if name in personal)
    return (ID, ROW, *REPEATED, *(of_instance if own else (*OF_EXPLAINER, *of_instance)))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _versions(
    opened: OpenedEvidence, found: Explanation, model_sha256: str | None
) -> dict[str, tuple[str, str]]:
    assert found.problem is not None
    then, now = dict(opened.record.versions), dict(found.problem.versions)
    then["code"], now["code"] = opened.record.code, code_hash()
    if model_sha256 is not None and "model_file" in opened.record.hashes:
        then["model_file"], now["model_file"] = opened.record.hashes["model_file"], model_sha256
    return {
        name: (then.get(name, "missing"), now.get(name, "missing"))
        for name in dict.fromkeys([*then, *now])
        if then.get(name) != now.get(name)
    }
