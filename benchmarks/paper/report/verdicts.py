"""Does the run show what it must show? Four claims, each judged cell by cell from the frames."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from benchmarks.paper.experiments import plan
from benchmarks.paper.names import OURS
from benchmarks.paper.report import verdict_of_fronts, verdict_of_times
from benchmarks.paper.report.broken import WRONG, broken_by_kind
from benchmarks.paper.report.results import CELL, KEY, Results
from benchmarks.paper.report.verdict_of_fronts import front_cells
from benchmarks.paper.report.verdict_of_outliers import outlier_cells, outliers_in_words
from benchmarks.paper.report.verdict_of_times import time_cells, times_in_words

# "partly": it holds wherever it was measured, but not every cell of the claim was, for everybody asked.
State = Literal["holds", "fails", "partly", "not measured"]
PLANNED = {(task.experiment, task.data, task.model, task.method) for task in plan() if task.method in OURS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim, whether it holds, what was counted, and the cells that say so.

    A cell's ``holds`` is 1 or 0, or NaN where it was not measured or decides nothing.
    """

    name: str
    claim: str
    state: State
    says: str
    cells: pd.DataFrame


def verdicts(results: Results, summary: pd.DataFrame) -> tuple[Verdict, ...]:
    """Judge the four claims of the project from one run."""
    return (
        best_fronts(results, summary),
        outliers_as_published(summary),
        faster_than_peers(summary),
        nothing_broken(results, summary),
    )


def best_fronts(results: Results, summary: pd.DataFrame) -> Verdict:
    """The proven fronts dominate most, for everybody, and are those of brute force."""
    cells = front_cells(results, summary)
    measured = _keys(cells[cells["holds"].notna()], CELL)
    says = "Nobody was answered by “P²CE, proven”."
    if len(cells):
        compared = cells[cells["compared"] > 0]
        says = (
            f"Compared with P²CE and P²CE (Ablation) in {compared['compared'].sum():,} questions (a person "
            f"in a cell) of {len(compared)} cells: {cells['worse'].sum()} were answered better by one of "
            f"these. {cells['fronts_true'].sum():,} of {cells['fronts_checked'].sum():,} proven fronts equal "
            f"the one of brute force. {len(verdict_of_fronts.PLANNED & measured)} of "
            f"{len(verdict_of_fronts.PLANNED)} planned cells were measured for everybody asked."
        )
    return Verdict(
        name="Best fronts, all of them true",
        claim="“P²CE, proven” has the best hypervolume (with one objective: the least cost) of all methods "
        "on the same grid that obey plausibility, and 100 % of its fronts equal the brute-force front.",
        state=_state(cells, complete=measured >= verdict_of_fronts.PLANNED),
        says=says,
        cells=cells,
    )


def outliers_as_published(summary: pd.DataFrame) -> Verdict:
    """The proven answers are outliers as seldom or as often as the paper's, or it is said why not."""
    cells = outlier_cells(summary)
    return Verdict(
        name="Outliers as in the paper",
        claim="Outliers by the extended isolation forest lie within the 95 % interval of the paper's "
        "P²CE figures (50 people), cell by cell, or the difference is explained.",
        state=_state(cells, complete=bool(cells["holds"].notna().all())),
        says=outliers_in_words(cells),
        cells=cells,
    )


def faster_than_peers(summary: pd.DataFrame) -> Verdict:
    """Half of the people wait less for a proof than half of the people wait for a peer's answer."""
    cells = time_cells(summary)
    measured = _keys(cells[cells["holds"].notna()], [*CELL, "peer"])
    return Verdict(
        name="Faster than NICE and DiCE, on logistic regression and LightGBM",
        claim="The median time per person (in explain_many, verification included) is below NICE's and "
        "DiCE's in the same run, for logistic regression and LightGBM, on all three data sets.",
        state=_state(cells, complete=measured >= verdict_of_times.PLANNED),
        says=times_in_words(cells),
        cells=cells,
    )


def nothing_broken(results: Results, summary: pd.DataFrame) -> Verdict:
    """No answer of this project is wrong; the peers' are counted."""
    cells = broken_by_kind(results)[["method", "given", *WRONG, "only_changes"]]
    ours = cells["method"].isin(OURS)
    # MAPOCAM does not ask for plausibility.
    implausible = cells["implausible"].where(cells["method"] != "mapocam", 0)
    wrong = cells["invalid"] + cells["not_allowed"] + cells["off_grid"] + implausible
    cells["holds"] = np.where(ours, (wrong == 0).astype(float), np.nan)
    says = "There is no answer of this project."
    if ours.any():
        # The answers of NICE with a bare model are those of NICE again.
        mine, theirs = cells[ours], cells[~ours & (cells["method"] != "nice-bare")]
        untold = theirs.loc[theirs["method"] != "ocean", "only_changes"].sum()
        says = (
            f"This project: {mine['invalid'].sum():,} invalid, {mine['not_allowed'].sum():,} not allowed, "
            f"{mine['off_grid'].sum():,} off the grid and, of the methods that ask for plausibility, "
            f"{implausible[ours].sum():,} implausible, of {mine['given'].sum():,} answers. Peers: "
            f"{theirs['invalid'].sum():,} invalid, {theirs['not_allowed'].sum():,} not allowed "
            f"({untold:,} of these, of DiCE and NICE, only for more than three changes, a limit that the two "
            f"cannot be told) and {theirs['implausible'].sum():,} implausible of "
            f"{theirs['given'].sum():,}."
        )
    everybody = _keys(summary[summary["people"] == summary["asked"]], KEY)
    return Verdict(
        name="Nothing broken",
        claim="0 invalid or constraint-breaking answers from this project; the peers' counts are stated.",
        state=_state(cells, complete=everybody >= PLANNED),
        says=says,
        cells=cells,
    )


def _keys(frame: pd.DataFrame, columns: list[str]) -> set[tuple[str, ...]]:
    return set(frame[columns].itertuples(index=False, name=None))


def _state(cells: pd.DataFrame, *, complete: bool) -> State:
    if not cells["holds"].notna().any():
        return "not measured"
    if (cells["holds"] == 0).any():
        return "fails"
    return "holds" if complete else "partly"
