"""Search again what an evidence file holds, and list what differs."""

import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from p2ce.archive import AS_SAVED, read_saved
from p2ce.archive.stored_settings import read_actions
from p2ce.evidence.evidence_record import EXPLAINER, EXPLANATION, RECORD
from p2ce.evidence.read_evidence import OpenedEvidence, read_evidence
from p2ce.explainer import Explainer
from p2ce.limits import DEFAULT, Limits
from p2ce.portfolio.code_hash import code_hash
from p2ce.result.counterfactual import SCORES, Counterfactual, same_score
from p2ce.result.explanation import Explanation
from p2ce.tables.json_values import plain_fields
from p2ce.visible import echoed

DifferenceKind: TypeAlias = Literal[
    "model",  # the model scores people of the reference otherwise
    "person",  # the score of the person
    "status",
    "proven",
    "option removed",  # recorded, and not found again
    "option added",  # found now, and not recorded
    "option changed",  # the same changes, with other costs or scores
    "option repeated",  # recorded more than once
    "certificate",
    "problem",  # threshold, target, objectives, …
    "hash",  # of a part of the problem that is not what was hashed
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that differs between what was recorded and what was found again."""

    kind: DifferenceKind
    what: str  # the field, the option's changes, …
    recorded: Any = None  # None where there was nothing
    found: Any = None

    def __str__(self) -> str:
        if self.kind == "model":
            return f"model: {self.what}, by up to {self.found:.3g}."
        if self.kind == "option removed":
            return f"option removed: {self.what} was recorded, and is not found again."
        if self.kind == "option added":
            return f"option added: {self.what} is found now, and was not recorded."
        if self.kind == "option repeated":
            return f"option repeated: {self.what} was recorded {self.recorded} times."
        if self.recorded is self.found is None:
            return f"{self.kind}: {self.what}."
        return f"{self.kind}: {self.what} was {echoed(self.recorded)}, and is {echoed(self.found)}."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replay:
    """What a second search found, compared with what was recorded."""

    differences: tuple[Difference, ...]  # none where both are the same
    versions: dict[str, tuple[str, str]]  # library → (recorded, installed), where they differ; no difference
    # "max_changes", "policy" (its SHA-256) → (of this person, the explainer's own), where they differ; no
    # difference, since explain() takes others for one person.
    personal: dict[str, tuple[Any, Any]]
    recorded: Explanation
    found: Explanation

    @property
    def same(self) -> bool:
        """Whether the second search found the same."""
        return not self.differences

    def __str__(self) -> str:
        number = len(self.recorded)
        options = f"{number} option{'s' * (number != 1)}"
        first = f"the same: {self.recorded.status}, {options}." if self.same else "not the same:"
        others = [f"  {difference}" for difference in self.differences]
        personal = [
            f"  for information: {name} is {own} for this person, and {usual} in the explainer's settings."
            for name, (own, usual) in self.personal.items()
        ]
        versions = [
            f"  for information: {name} was {then}, and is {now}."
            for name, (then, now) in self.versions.items()
        ]
        return "\n".join([first, *others, *personal, *versions])


def replay(
    path: "str | os.PathLike[str] | OpenedEvidence",
    model: Any,
    *,
    plausibility: Any = AS_SAVED,
    objectives: Any = AS_SAVED,
    limits: Limits = DEFAULT,
) -> Replay:
    """Search again for the person of an evidence file, with the same settings and without a time limit.

    A model that scores people of the reference otherwise is a difference, and the search goes on with it. A
    rule of the policy that names a Python function has its module imported.

    Args:
        path: what `save` wrote.
        model: the model, as for `Explainer.load`.
        plausibility: the detector again, where it was one of your own.
        objectives: all objectives again, where one was of your own.
        limits: how much of a file is unpacked before it is rejected.
    """
    opened = path if isinstance(path, OpenedEvidence) else read_evidence(path, limits=limits)
    recorded = opened.explanation
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / EXPLAINER
        archive.write_bytes(opened.explainer)
        saved = replace(read_saved(archive, limits=limits), path=opened.path)  # which messages name
        saved.require_models(model)
        saved.with_own(plausibility=plausibility, objectives=objectives)
        explainer = Explainer.load(
            archive,
            model,
            plausibility=plausibility,
            objectives=objectives,
            check_model=False,
            limits=limits,
        )
    apart = saved.other_scores(explainer._problem, explainer._compiled.values)
    found = _search(explainer, opened, limits)
    differences = [*_differences(recorded, found), *_hashes(opened, found)]
    if apart is not None:
        what = f"it scores {apart.different} of {apart.people} people of the reference differently"
        differences.insert(0, Difference(kind="model", what=what, found=apart.largest))
    return Replay(
        differences=tuple(differences),
        versions=_versions(opened, found),
        personal=_personal(explainer, opened),
        recorded=recorded,
        found=found,
    )


def _search(explainer: Explainer, opened: OpenedEvidence, limits: Limits) -> Explanation:
    recorded = opened.explanation
    own = explainer._problem.question
    assert own is not None
    actions = None if opened.policy == own.policy else read_actions(opened.policy, limits)
    certificate = recorded.certificate
    if certificate is None:
        return explainer.explain(recorded.person, actions=actions, as_of=recorded.as_of)
    return explainer.explain(
        recorded.person, actions=actions, max_changes=certificate.max_changes, as_of=recorded.as_of
    )


def _differences(recorded: Explanation, found: Explanation) -> list[Difference]:
    if recorded == found:
        return []
    listed = [*_options(recorded, found), *_fields(recorded, found), *_certificates(recorded, found)]
    # What is not equal is never the same, whatever the fields say.
    return listed or [Difference(kind="problem", what="no field differs, but the explanations do")]


def _fields(recorded: Explanation, found: Explanation) -> Iterator[Difference]:
    apart = ("counterfactuals", "certificate", "kind", "question", "elapsed", "timings")
    then, now = (plain_fields(one, apart) for one in (recorded, found))
    for name in then:
        of_person = name.startswith("person")
        if not (same_score(then[name], now[name]) if of_person else then[name] == now[name]):
            kind: DifferenceKind = "person" if of_person else "status" if name == "status" else "problem"
            yield Difference(kind=kind, what=name, recorded=then[name], found=now[name])


def _certificates(recorded: Explanation, found: Explanation) -> Iterator[Difference]:
    before, after = recorded.certificate, found.certificate
    if before == after:
        return
    if before is None or after is None:
        yield Difference(kind="certificate", what="certificate", recorded=before, found=after)
        return
    compared = {one.name for one in fields(before) if one.compare}
    then, now = plain_fields(before), plain_fields(after)
    for name in then:
        if name in compared and then[name] != now[name]:
            kind: DifferenceKind = "proven" if name == "proven" else "certificate"
            yield Difference(kind=kind, what=name, recorded=then[name], found=now[name])


def _options(recorded: Explanation, found: Explanation) -> Iterator[Difference]:
    then, now = ({_moves(option): option for option in one} for one in (recorded, found))
    for moves, option in then.items():
        if moves not in now:
            yield Difference(kind="option removed", what=moves, recorded=option.number)
        elif option != now[moves]:
            yield from _changed(moves, option, now[moves])
    for moves, option in now.items():
        if moves not in then:
            yield Difference(kind="option added", what=moves, found=option.number)
    listed = [_moves(option) for option in recorded]
    for moves, times in Counter(listed).items():
        if times > 1:
            yield Difference(kind="option repeated", what=moves, recorded=times, found=1)
    if [*then] != [*now] and then.keys() == now.keys():
        order = [1 + [*now].index(moves) for moves in then]
        yield Difference(kind="problem", what="the order of options", recorded=order, found=sorted(order))


def _changed(moves: str, recorded: Counterfactual, found: Counterfactual) -> Iterator[Difference]:
    then, now = (plain_fields(option, ("number",)) for option in (recorded, found))
    for name, value in then.items():
        if not (same_score(value, now[name]) if name in SCORES else value == now[name]):
            what = f"{name} of {moves}"
            yield Difference(kind="option changed", what=what, recorded=value, found=now[name])


def _moves(option: Counterfactual) -> str:
    """Name an option by what it changes."""
    changes = (
        f"{name} {echoed(before, most=60)} → {echoed(after, most=60)}"
        for name, (before, after) in option.changes.items()
    )
    return ", ".join(changes)


def _hashes(opened: OpenedEvidence, found: Explanation) -> Iterator[Difference]:
    """Compare recorded hashes with what they are of; the model itself is compared by its scores."""
    recorded = opened.explanation.question
    assert recorded is not None
    assert found.question is not None
    now = {"policy": _sha256(opened.policy), "reference": found.question.hashes["reference"]}
    now["model"] = recorded.hashes.get("model", "")
    for place, hashes in ((RECORD, opened.record.hashes), (EXPLANATION, recorded.hashes)):
        for name, value in now.items():
            if (then := hashes.get(name)) != value:
                yield Difference(kind="hash", what=f"{name} in {place}", recorded=then, found=value)
    if (said := _sha256(recorded.policy)) != now["policy"]:
        what = f"the text of the policy in {EXPLANATION}"
        yield Difference(kind="hash", what=what, recorded=said, found=now["policy"])


def _personal(explainer: Explainer, opened: OpenedEvidence) -> dict[str, tuple[Any, Any]]:
    own, certificate = explainer._problem, opened.explanation.certificate
    assert own.question is not None
    pairs: dict[str, tuple[Any, Any]] = {
        "policy": (_sha256(opened.policy), _sha256(own.question.policy)),
    }
    if certificate is not None:
        pairs["max_changes"] = certificate.max_changes, own.max_changes
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _versions(opened: OpenedEvidence, found: Explanation) -> dict[str, tuple[str, str]]:
    assert found.question is not None
    then, now = opened.record.versions, found.question.versions
    names = dict.fromkeys([*then, *now])
    differ = {
        name: (then.get(name, "not there"), now.get(name, "not there"))
        for name in names
        if then.get(name) != now.get(name)
    }
    code = code_hash()
    return differ if opened.record.code == code else {**differ, "code": (opened.record.code, code)}
