"""Which constraints did answers break, and how often? Counted by kind, method by method."""

import pandas as pd

from benchmarks.paper.report.results import Results, sorted_by_names

WRONG = {  # what is wrong with an answer → the column that says so unless it is 1; nothing said is wrong too
    "invalid": "valid",
    "not_allowed": "allowed",
    "implausible": "plausible",
    "off_grid": "on_grid",
}
KINDS = {  # kinds of the run → words for readers
    "immutable": "changes what may not change",
    "range": "leaves the range",
    "whole": "no whole number",
    "changes": "too many changes, or none",
}


def broken_by_kind(results: Results) -> pd.DataFrame:
    """One row per method with an answer; an answer counts once per kind of constraint that it breaks.

    ``only_changes`` counts answers that are not allowed for too many changes alone.
    """
    answers = results.answers
    kinds = answers["broken"].map(kinds_of)
    named = {kind for these in kinds for kind in these}
    found = [*(kind for kind in KINDS if kind in named), *sorted(named - set(KINDS))]
    counted = pd.DataFrame(
        {
            "method": answers["method"],
            "given": 1,
            **{name: answers[column] != 1 for name, column in WRONG.items()},
            "only_changes": answers["broken"].str.fullmatch(r"changes: \d+ > \d+"),
            **{f"kind: {kind}": kinds.map(lambda these, kind=kind: kind in these) for kind in found},
        }
    )
    totals = counted.groupby("method", as_index=False, sort=False).sum()
    return sorted_by_names(totals, ["method"])


def kinds_of(broken: str) -> frozenset[str]:
    """The kinds in a text such as "immutable: Age; changes: 5 > 3"."""
    parts = (part.strip() for part in broken.split(";"))
    return frozenset(part.split(":")[0].strip() for part in parts if part)
