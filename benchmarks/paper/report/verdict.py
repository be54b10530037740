"""What is a verdict? A claim, the cases that bear on it, and what these amount to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.paper.report import words
from benchmarks.paper.report.table import Cell, Group, Table

State = Literal["holds", "partly", "fails", "open"]
NOT_MEASURED = "It was not measured in this run."
SIGNS: dict[State, str] = {"holds": "✓", "partly": "◐", "fails": "✗", "open": "–"}
OF_THE_PAPER: dict[State, str] = {
    "holds": "reproduced",
    "partly": "reproduced in part",
    "fails": "reversed",
    "open": "not testable",
}
OF_THIS_PROJECT: dict[State, str] = {
    "holds": "shown",
    "partly": "shown in part",
    "fails": "not shown",
    "open": "not measured",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One study (or method) that bears on a claim: its figures, and whether the claim holds there."""

    name: str
    figures: tuple[str, ...]
    holds: bool | None  # None: shown only


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim, whether it holds, what was measured, and why it is as it is."""

    name: str
    where: str  # in the paper
    claim: str
    state: State
    says: str
    cause: str  # found by what was measured; "" where nothing is to be explained
    columns: tuple[str, ...]
    cases: tuple[Case, ...]
    in_words: dict[State, str]

    @property
    def state_in_words(self) -> str:
        """How the claim came out, and in how many cases."""
        outcome = self.in_words[self.state]
        judged = [case for case in self.cases if case.holds is not None]
        if self.state != "partly":
            return outcome
        return f"{outcome}: {sum(bool(case.holds) for case in judged)} of {len(judged)}"

    @property
    def evidence(self) -> Table:
        """The cases as a table."""
        rows = tuple(
            (Cell(text=case.name), *(Cell(text=text) for text in case.figures), _mark(case))
            for case in self.cases
        )
        return Table(
            caption=f"Evidence: {self.name}",
            columns=("Study", *self.columns, "So"),
            groups=(Group(title="", rows=rows),),
        )


def judge(
    name: str,
    where: str,
    claim: str,
    *,
    columns: tuple[str, ...],
    cases: Sequence[Case],
    says: str = "",
    cause: str = "",
    needed: int | None = None,
    in_words: dict[State, str] = OF_THE_PAPER,
) -> Verdict:
    """Put a verdict together: it holds if every case does, or at least ``needed`` of them."""
    judged = [bool(case.holds) for case in cases if case.holds is not None]
    state: State = "open"
    if judged:
        enough = len(judged) if needed is None else needed
        state = "holds" if sum(judged) >= enough else "partly" if any(judged) else "fails"
    return Verdict(
        name=name,
        where=where,
        claim=claim,
        state=state,
        says=says if judged else f"{says} That is too little to judge." if cases else NOT_MEASURED,
        cause=cause if judged else "",
        columns=columns,
        cases=tuple(cases),
        in_words=in_words,
    )


def _mark(case: Case) -> Cell:
    if case.holds is None:
        return Cell(text=words.NOTHING)
    return Cell(text="✓ yes", kind="good") if case.holds else Cell(text="✗ no", kind="bad")
