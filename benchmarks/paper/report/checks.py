"""Does the default engine do what this project says? Judged person by person, for all people of the run."""

import numpy as np
import pandas as pd

from benchmarks.paper.names import OURS, WITHOUT_PLAUSIBILITY
from benchmarks.paper.report import words
from benchmarks.paper.report.broken import WRONG, broken_by_kind
from benchmarks.paper.report.cells import cells
from benchmarks.paper.report.results import Results
from benchmarks.paper.report.verdict import OF_THIS_PROJECT, Case, Verdict, judge

RIVALS = ("p2ce", "p2ce-ablation", "authors-p2ce", "authors-ablation")  # same grid, and plausible
ROUNDING = 1e-6  # costs are compared up to rounding, which moves a volume by less than this


def checks(results: Results, summary: pd.DataFrame) -> tuple[Verdict, ...]:
    """The claims of this project."""
    return best_fronts(results, summary), nothing_broken(results)


def best_fronts(results: Results, summary: pd.DataFrame) -> Verdict:
    """No method has a better answer, and every proven front is the one of brute force."""
    cases, better, compared = [], 0, 0
    for experiment in ("inlierness", "one", "three", "forests"):
        for cell in cells(results, summary, experiment):
            row = cell.row("proven")
            if row is None:
                continue
            column, sign = ("volume", 1.0) if experiment == "three" else ("cost", -1.0)
            ours = (sign * cell.people("proven")[column]).fillna(-np.inf)
            worse: set[int] = set()
            people: set[int] = set()
            for rival in RIVALS:
                theirs = (sign * cell.people(rival)[column]).fillna(-np.inf)
                common = ours.index.intersection(theirs.index)
                people |= set(common)
                worse |= set(common[ours[common] < theirs[common] - ROUNDING])
            better, compared = better + len(worse), compared + len(people)
            complete = row["fronts_checked"] == row["requested"]
            wrong = bool(worse) or row["fronts_true"] < row["fronts_checked"]
            figures = (
                words.of(len(worse), len(people)),
                words.of(row["fronts_true"], row["fronts_checked"]),
                f"{row['requested']:.0f}",
            )
            name = f"{words.name_of(experiment).partition(':')[0]}, {cell.name}"
            cases.append(
                Case(name=name, figures=figures, holds=False if wrong else True if complete else None)
            )
    proven = summary[summary["method"] == "proven"] if len(summary) else summary
    says = ""
    if len(proven):
        says = (
            f"{proven['fronts_true'].sum():,.0f} of {proven['fronts_checked'].sum():,.0f} proven fronts "
            f"equal the one of brute force; {better} of {compared:,} people were answered better by P²CE "
            "or P²CE (Ablation)."
        )
    return judge(
        "The proven fronts are the best and the true ones",
        "this project",
        "Every front of the default engine equals the front of brute force, and no method has a better one "
        "from a method on the same grid that obeys plausibility.",
        columns=("Better with P²CE or Ablation", "Fronts true", "People"),
        cases=cases,
        says=says,
        in_words=OF_THIS_PROJECT,
    )


def nothing_broken(results: Results) -> Verdict:
    """No answer of this project is wrong; those of the other methods are counted."""
    counts = broken_by_kind(results)
    cases = []
    for row in counts.to_dict("records"):
        wrong = row["invalid"] + row["not_allowed"] + row["off_grid"]
        wrong += 0 if row["method"] in WITHOUT_PLAUSIBILITY else row["implausible"]
        figures = tuple(f"{row[name]:,}" for name in ("given", *WRONG))
        ours = row["method"] in OURS
        cases.append(
            Case(name=words.name_of(row["method"]), figures=figures, holds=wrong == 0 if ours else None)
        )
    mine, theirs = (counts[counts["method"].isin(OURS) == ours] for ours in (True, False))
    says = (
        f"This project: {mine['invalid'].sum():,} invalid, {mine['not_allowed'].sum():,} not allowed and "
        f"{mine['off_grid'].sum():,} off the grid, of {mine['given'].sum():,} answers. Others: "
        f"{theirs['invalid'].sum():,} invalid, {theirs['not_allowed'].sum():,} not allowed "
        f"({theirs['only_changes'].sum():,} of these only for more than three changes, a limit that DiCE, "
        f"NICE and OCEAN do not take) and {theirs['implausible'].sum():,} implausible, of "
        f"{theirs['given'].sum():,}."
    )
    return judge(
        "Nothing is broken",
        "this project",
        "No answer of this project is invalid, breaks a constraint or leaves the grid, and where "
        "plausibility is required, none is implausible.",
        columns=("Answers", "Invalid", "Not allowed", "Implausible", "Off the grid"),
        cases=cases,
        says=says,
        in_words=OF_THIS_PROJECT,
    )
