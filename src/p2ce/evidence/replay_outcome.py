"""Hold what a second search found: what differs, what was compared, and what only the file says."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from p2ce.result.explanation import Explanation
from p2ce.visible import echoed

DifferenceKind: TypeAlias = Literal[
    "model",  # the model scores people of the reference otherwise
    "explainer",  # a part of the explainer in the file is not that of the verifier's own
    "person",  # the score of the person
    "status",
    "proven",
    "option removed",  # recorded, and not found again
    "option added",  # found now, and not recorded
    "option changed",  # the same changes, with other costs or scores
    "option repeated",  # recorded more than once
    "certificate",
    "problem",  # threshold, target, objectives, …
    "problem",  # what readers see of the problem: names, units, candidates, rules, policy, …
    "hash",  # of a part of the problem that is not what was hashed
    "record",  # what evidence.json states beside its hashes: labels, grid, versions
    "readme",
    "signature",
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
    """What a second search found, compared with what was recorded.

    `compared`, `not_compared` and `only_the_file_says` cover the file: whatever it holds is in one of them.
    """

    differences: tuple[Difference, ...]  # none where both are the same
    compared: tuple[str, ...]  # found again, from the inputs of the search, and compared
    not_compared: tuple[str, ...]  # stated in the file, and neither found again nor an input of the search
    # Inputs of the search that were taken from the file. A forger who changes one of them, and all that
    # follows from it, writes the evidence of another search, which is found again as well.
    only_the_file_says: tuple[str, ...]
    signature: str  # who signed the file, and whether that was verified
    versions: dict[str, tuple[str, str]]  # library → (recorded, installed), where they differ; no difference
    # What is stated for this person and is not the explainer's own ("max_changes", an entry of the policy) →
    # (of this person, the explainer's own); no difference, since explain() takes others for one person.
    personal: dict[str, tuple[Any, Any]]
    recorded: Explanation
    found: Explanation

    @property
    def same(self) -> bool:
        """Whether all that was compared is the same."""
        return not self.differences

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        number = len(self.recorded)
        options = f"{number} option{'s' * (number != 1)}"
        first = f"the same: {self.recorded.status}, {options}." if self.same else "not the same:"
        others = [f"  {difference}" for difference in self.differences]
        personal = [
            f"  for information: {name} is {echoed(own)} for this person, and {echoed(usual)} in the "
            "explainer's settings."
            for name, (own, usual) in self.personal.items()
        ]
        versions = [
            f"  for information: {name} was {then}, and is {now}."
            for name, (then, now) in self.versions.items()
        ]
        scope = [
            f"  {title}: {_listed(names)}."
            for title, names in (
                ("compared", self.compared),
                ("not compared", self.not_compared),
                ("only this file says", self.only_the_file_says),
                ("signature", (self.signature,)),
            )
            if names
        ]
        return "\n".join([first, *others, *personal, *versions, *scope])


def _listed(names: tuple[str, ...]) -> str:
    """Write names one after the other, with what belongs to one record together.

    >>> _listed(("status", "certificate.proven", "certificate.bound", "readme.txt"))
    'status, certificate (proven, bound), readme.txt'
    """
    found: dict[str, list[str]] = {}
    for name in names:
        holder, dot, entry = name.partition(".")
        is_entry = dot and holder in ("certificate", "problem")
        found.setdefault(holder if is_entry else name, []).extend([entry] if is_entry else [])
    return ", ".join(f"{name} ({', '.join(entries)})" if entries else name for name, entries in found.items())
