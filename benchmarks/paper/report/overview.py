"""What was reproduced, what was reversed, and why? One short table, for the first screen."""

from collections.abc import Sequence

from benchmarks.paper.report.table import Cell, Group, Table
from benchmarks.paper.report.verdict import SIGNS, State, Verdict

ORDER: tuple[State, ...] = ("holds", "partly", "fails", "open")


def overview(judged: Sequence[Verdict]) -> Table:
    """One row per claim of the paper: those that hold first."""
    rows = tuple(
        (
            Cell(text=verdict.name, beside=verdict.where),
            Cell(text=f"{SIGNS[verdict.state]} {verdict.state_in_words}", kind=_kind(verdict)),
            Cell(text=_why(verdict)),
        )
        for state in ORDER
        for verdict in judged
        if verdict.state == state
    )
    return Table(
        caption="The paper's claims",
        columns=("The paper says", "This run", "Why"),
        groups=(Group(title="", rows=rows),),
        words=frozenset({0, 1, 2}),
    )


def _why(verdict: Verdict) -> str:
    if verdict.state in ("holds", "open") or not verdict.cause:
        return verdict.says
    return verdict.cause


def _kind(verdict: Verdict) -> str:
    return {"holds": "good", "fails": "bad"}.get(verdict.state, "")
