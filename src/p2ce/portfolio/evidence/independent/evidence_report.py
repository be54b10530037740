"""Define the report on an evidence file: what was checked, what is broken, and what is not checked."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check of an evidence file."""

    what: str
    outcome: Literal["held", "broken", "unchecked", "sampled"]  # sampled: held for a sample
    details: str  # what is broken, why it is unchecked, or how much was tried


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReport:
    """The result of all checks. It passes if nothing is broken, and lists what is not proven."""

    checks: tuple[Check, ...]
    not_compared: tuple[str, ...] = ()  # statements of the file that no check covers
    only_the_file_says: tuple[str, ...] = ()  # what the checks assume

    @property
    def passed(self) -> bool:
        """Whether nothing is broken."""
        return all(check.outcome != "broken" for check in self.checks)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        lines = (f"{one.outcome:9}  {one.what}: {one.details}".rstrip(": ") for one in self.checks)
        left_out: dict[str, list[str]] = {}
        for name in self.not_compared:
            part, colon, entry = name.partition(": ")
            left_out.setdefault(f"not compared in {part}" if colon else "not compared", []).append(
                entry or part
            )
        if self.only_the_file_says:
            left_out["only this file says"] = [*self.only_the_file_says]
        scope = (f"{title}: {', '.join(names)}" for title, names in left_out.items())
        return "\n  ".join([f"evidence: {self._verdict()}", *lines, *scope])

    def _verdict(self) -> str:
        if not self.passed:
            return "failed"
        found = {
            outcome: ", ".join(check.what for check in self.checks if check.outcome == outcome)
            for outcome in ("sampled", "unchecked")
        }
        return "; ".join(["passed", *(f"{outcome}: {names}" for outcome, names in found.items() if names)])
