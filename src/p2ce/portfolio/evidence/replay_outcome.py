"""Define the result of a repeated search: what differs, what was compared, and what rests on the file."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from p2ce.base.visible import echoed
from p2ce.result.explanation import Explanation

DifferenceKind: TypeAlias = Literal[
    "model",  # the model scores people of the reference differently
    "explainer",  # a part of the explainer in the file differs from the verifier's own
    "person",  # the score of the person
    "status",
    "proven",
    "option removed",  # recorded, but not found again
    "option added",  # found now, but not recorded
    "option changed",  # the same changes with other costs or scores
    "option repeated",  # recorded more than once
    "certificate",
    "problem",  # threshold, target, objectives, …
    "problem",  # what readers see of the problem: names, units, candidates, rules, policy, …
    "hash",  # a recorded hash that does not match the content
    "record",  # other statements of evidence.json: labels, grid, versions
    "readme",
    "signature",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A difference between the recorded and the repeated search."""

    kind: DifferenceKind
    what: str  # the field, the option's changes, …
    recorded: Any = None  # None if there was nothing
    found: Any = None

    def __str__(self) -> str:
        if self.kind == "model":
            return f"model: {self.what}, by up to {self.found:.3g}."
        if self.kind == "option removed":
            return f"option removed: {self.what} was recorded, but is not found again."
        if self.kind == "option added":
            return f"option added: {self.what} is found now, but was not recorded."
        if self.kind == "option repeated":
            return f"option repeated: {self.what} was recorded {self.recorded} times."
        if self.recorded is self.found is None:
            return f"{self.kind}: {self.what}."
        return f"{self.kind}: {self.what} was {echoed(self.recorded)} and is {echoed(self.found)}."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replay:
    """The result of a repeated search, compared with the record.

    Every statement of the file is in `compared`, `not_compared` or `only_the_file_says`.
    """

    differences: tuple[Difference, ...]  # empty if both are the same
    compared: tuple[str, ...]  # results of the search that were compared
    not_compared: tuple[str, ...]  # statements that are neither a result nor an input of the search
    # Inputs of the search that come from the file. A forger who changes one of them and all its consequences
    # writes valid evidence of another search.
    only_the_file_says: tuple[str, ...]
    signature: str  # the signer, and whether the signature was verified
    versions: dict[str, tuple[str, str]]  # library → (recorded, installed) if they differ, for information
    # Settings of this person that are not the explainer's ("max_changes", an entry of the policy) → (of this
    # person, of the explainer). For information, since explain() accepts other settings for one person.
    personal: dict[str, tuple[Any, Any]]
    recorded: Explanation
    found: Explanation

    @property
    def same(self) -> bool:
        """Whether everything that was compared is the same."""
        return not self.differences

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        number = len(self.recorded)
        options = f"{number} option{'s' * (number != 1)}"
        first = f"the same: {self.recorded.status}, {options}." if self.same else "not the same:"
        others = [f"  {difference}" for difference in self.differences]
        personal = [
            f"  for information: {name} is {echoed(own)} for this person, but {echoed(usual)} in the "
            "explainer's settings."
            for name, (own, usual) in self.personal.items()
        ]
        versions = [
            f"  for information: {name} was {then} and is {now}."
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
    """Write a list of names, grouped by record.

    >>> _listed(("status", "certificate.proven", "certificate.bound", "readme.txt"))
    'status, certificate (proven, bound), readme.txt'
    """
    found: dict[str, list[str]] = {}
    for name in names:
        holder, dot, entry = name.partition(".")
        is_entry = dot and holder in ("certificate", "problem")
        found.setdefault(holder if is_entry else name, []).extend([entry] if is_entry else [])
    return ", ".join(f"{name} ({', '.join(entries)})" if entries else name for name, entries in found.items())
