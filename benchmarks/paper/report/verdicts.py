"""Does the run show what it must show? Four claims, each judged cell by cell from the frames."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from benchmarks.paper.names import DATA_SETS, OURS
from benchmarks.paper.report.broken import broken_by_kind
from benchmarks.paper.report.results import CELL, Results
from benchmarks.paper.report.summaries import volumes
from benchmarks.paper.report.verdict_of_outliers import outlier_cells

# "partly": it holds wherever it was measured, but a cell that the claim speaks of was not.
State = Literal["holds", "fails", "partly", "not measured"]
RIVALS = ("p2ce", "p2ce-ablation")  # on the same grid, and they obey plausibility
ROUNDING = 1e-6  # costs are compared up to rounding, which moves a volume by less than this
TIMED_MODELS = ("logistic", "lightgbm")
TIMED_PEERS = ("nice", "dice-genetic", "dice-random")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim, whether it holds, what was counted, and the cells that say so (a column ``holds`` each)."""

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
        nothing_broken(results),
    )


def best_fronts(results: Results, summary: pd.DataFrame) -> Verdict:
    """The proven fronts dominate most, for everybody, and are those of brute force."""
    rows = []
    for (experiment, data, model), people in results.people.groupby(CELL, sort=False):
        proven = people[people["method"] == "proven"]
        rivals = people[people["method"].isin(RIVALS)]
        if proven.empty:
            continue
        gains, theirs = _gain(proven), _gain(rivals)
        theirs["proven"] = theirs["person"].map(gains.set_index("person")["gain"])
        theirs = theirs.dropna(subset=["proven"])
        worse = theirs.loc[theirs["proven"] < theirs["gain"] - ROUNDING, "person"].nunique()
        checked = int(proven["front_is_true"].notna().sum())
        true = int(proven["front_is_true"].sum())
        rows.append(
            {
                "experiment": experiment,
                "data": data,
                "model": model,
                "measure": "hypervolume" if experiment == "three" else "cost",
                **_means(summary, experiment, data, model),
                "compared": theirs["person"].nunique(),
                "worse": worse,
                "fronts_checked": checked,
                "fronts_true": true,
                "holds": _yes(not worse and true == checked, measured=len(theirs) > 0 or checked > 0),
            }
        )
    cells = _cells(rows)
    there = set(zip(cells["experiment"], cells["data"], cells["model"], strict=True)) if len(cells) else set()
    asked = {("three", data, model) for data in DATA_SETS for model in ("lightgbm", "mlp")}
    says = "No person was answered by “P²CE, proven” and by another method on its grid."
    if len(cells):
        says = (
            f"Compared with P²CE and P²CE (Ablation) for {cells['compared'].sum()} people in {len(cells)} "
            f"cells: {cells['worse'].sum()} of them did better with one of these. "
            f"{cells['fronts_true'].sum()} of {cells['fronts_checked'].sum()} proven fronts equal the one of "
            "brute force, where that was computed."
        )
    return Verdict(
        name="Best fronts, all of them true",
        claim="“P²CE, proven” has the best hypervolume of all methods on the same grid that obey "
        "plausibility, and 100 % of its fronts equal the brute-force front.",
        state=_state(cells, complete=asked <= there),
        says=says,
        cells=cells,
    )


def outliers_as_published(summary: pd.DataFrame) -> Verdict:
    """The proven answers are outliers as seldom or as often as the paper's, or it is said why not."""
    cells = outlier_cells(summary)
    says = "No answer of “P²CE, proven” stands beside a figure of the paper."
    measured = cells[cells["holds"].notna()]
    if len(measured):
        inside = int((measured["place"] == "inside").sum())
        explained = int(((measured["place"] != "inside") & (measured["explanation"] != "")).sum())
        below = int((measured["place"] == "below").sum())
        above = len(measured) - inside - below
        says = (
            f"{inside} of {len(measured)} measured cells lie inside. Outside: {below} with fewer outliers "
            f"than the paper, {above} with more; {explained} of these are explained."
        )
    return Verdict(
        name="Outliers as in the paper",
        claim="Outliers by the extended isolation forest lie within the 95 % interval of the paper's "
        "P²CE figures (50 people), cell by cell, or the difference is explained.",
        state=_state(cells, complete=len(measured) == len(cells)),
        says=says,
        cells=cells,
    )


def faster_than_peers(summary: pd.DataFrame) -> Verdict:
    """Half of the people wait less for a proof than half of the people wait for a peer's answer."""
    rows = []
    timed = summary[summary["model"].isin(TIMED_MODELS)] if len(summary) else summary
    for (experiment, data, model), found in timed.groupby(CELL, sort=False):
        medians = found.set_index("method")["seconds_median"]
        proven = medians.get("proven", np.nan)
        for peer in TIMED_PEERS:
            theirs = medians.get(peer, np.nan)
            if np.isnan(proven) or np.isnan(theirs):
                continue
            rows.append(
                {
                    "experiment": experiment,
                    "data": data,
                    "model": model,
                    "peer": peer,
                    "proven": proven,
                    "theirs": theirs,
                    "times": theirs / proven if proven > 0 else np.inf,
                    "holds": _yes(proven < theirs, measured=True),
                }
            )
    cells = _cells(rows)
    there = set(zip(cells["data"], cells["model"], cells["peer"], strict=True)) if len(cells) else set()
    asked = {(data, model, peer) for data in DATA_SETS for model in TIMED_MODELS for peer in TIMED_PEERS}
    says = "No peer was timed beside “P²CE, proven” on logistic regression or LightGBM."
    if len(cells):
        says = (
            f"Faster in {int((cells['holds'] == 1).sum())} of {len(cells)} comparisons, "
            f"by factors of {cells['times'].min():.1f} to {cells['times'].max():,.0f}. "
            f"{len(asked - there)} of {len(asked)} pairs of a study and a peer were not measured."
        )
    return Verdict(
        name="Faster than NICE and DiCE",
        claim="The median time per person (in explain_many, verification included) is below NICE's and "
        "DiCE's in the same run, for logistic regression and LightGBM, on all three data sets.",
        state=_state(cells, complete=asked <= there),
        says=says,
        cells=cells,
    )


def nothing_broken(results: Results) -> Verdict:
    """No answer of this project misses the decision or breaks a constraint; the peers' are counted."""
    cells = broken_by_kind(results)[["method", "given", "invalid", "not_allowed", "implausible", "off_grid"]]
    ours = cells["method"].isin(OURS)
    wrong = cells["invalid"] + cells["not_allowed"]
    cells["holds"] = np.where(ours, (wrong == 0).astype(float), np.nan)
    says = "There is no answer of this project."
    if ours.any():
        # The answers of NICE with a bare model are those of NICE again.
        mine, theirs = cells[ours], cells[~ours & (cells["method"] != "nice-bare")]
        says = (
            f"This project: {mine['invalid'].sum():,} invalid and {mine['not_allowed'].sum():,} not allowed "
            f"of {mine['given'].sum():,} answers. Peers: {theirs['invalid'].sum():,} invalid, "
            f"{theirs['not_allowed'].sum():,} not allowed and {theirs['implausible'].sum():,} implausible of "
            f"{theirs['given'].sum():,}."
        )
    return Verdict(
        name="Nothing broken",
        claim="0 invalid or constraint-breaking answers from this project; the peers' counts are stated.",
        state=_state(cells, complete=True),
        says=says,
        cells=cells,
    )


def _gain(people: pd.DataFrame) -> pd.DataFrame:
    """What is to be large for each person: the hypervolume, or minus the cost; no answer is the least."""
    three = people["experiment"] == "three"
    gain = volumes(people, "hypervolume").where(three, -people["best_cost"].fillna(np.inf))
    return people[["person"]].assign(gain=gain)


def _means(summary: pd.DataFrame, experiment: str, data: str, model: str) -> dict[str, float]:
    cell = summary[(summary[CELL] == [experiment, data, model]).all(axis=1)].set_index("method")
    column = "hypervolume_mean" if experiment == "three" else "cost_mean"
    return {
        method: float(cell[column].get(method, np.nan))
        for method in ("proven", "p2ce", "p2ce-ablation", "mapocam")
    }


def _cells(rows: list[dict[str, object]]) -> pd.DataFrame:
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*CELL, "holds"])


def _yes(holds: bool, *, measured: bool) -> float:
    return float(holds) if measured else np.nan


def _state(cells: pd.DataFrame, *, complete: bool) -> State:
    if not cells["holds"].notna().any():
        return "not measured"
    if (cells["holds"] == 0).any():
        return "fails"
    return "holds" if complete else "partly"
