"""Are the proven fronts the best and the true ones? Judged person by person, for everybody who was asked."""

import numpy as np
import pandas as pd

from benchmarks.paper.experiments import PLAN, plan
from benchmarks.paper.report.results import CELL, Results
from benchmarks.paper.report.summaries import volumes

PLANNED = {(task.experiment, task.data, task.model) for task in plan()}
RIVALS = ("p2ce", "p2ce-ablation")  # on the same grid, and they obey plausibility
SHOWN = ("proven", *RIVALS, "mapocam")
ROUNDING = 1e-6  # costs are compared up to rounding, which moves a volume by less than this


def front_cells(results: Results, summary: pd.DataFrame) -> pd.DataFrame:
    """One row per cell in which “P²CE, proven” answered.

    ``holds`` is 0 when somebody did better with a rival or a front is not the true one. It is 1 only when
    every front of the people asked was checked and compared with every rival of the plan; a cell of the plan
    without a rival (forests) speaks of true fronts only.
    """
    rows = []
    for (experiment, data, model), people in results.people.groupby(CELL, sort=False):
        proven = people[people["method"] == "proven"]
        if proven.empty:
            continue
        rivals = people[people["method"].isin(RIVALS)]
        rivals = rivals[rivals["person"].isin(proven["person"])]
        theirs = _gains(rivals, experiment)
        worse = (_gains(proven, experiment).reindex(theirs.index) < theirs - ROUNDING).any(axis=1)
        checked, true = int(proven["front_is_true"].notna().sum()), int(proven["front_is_true"].sum())
        cell = summary[(summary[CELL] == [experiment, data, model]).all(axis=1)].set_index("method")
        asked = cell.loc["proven", "asked"]
        planned = [method for method in PLAN[experiment][2] if method in RIVALS] if experiment in PLAN else []
        all_compared = rivals["method"].isin(planned).sum() == asked * len(planned)
        rows.append(
            {
                "experiment": experiment,
                "data": data,
                "model": model,
                **_means(cell, "hypervolume" if experiment == "three" else "cost"),
                "asked": asked,
                "compared": theirs.index.nunique(),
                "worse": worse[worse].index.nunique(),
                "fronts_checked": checked,
                "fronts_true": true,
                "holds": 0.0
                if worse.any() or true < checked
                else 1.0
                if checked == asked and all_compared
                else np.nan,
            }
        )
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*CELL, "measure", "holds"])


def _gains(people: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """What is to be large for each person: both hypervolumes, or minus the cost; no answer is the least."""
    gains = {"cost": -people["best_cost"].fillna(np.inf)}
    if experiment == "three":
        gains = {name: volumes(people, name) for name in ("hypervolume", "hypervolume_grid")}
    return pd.DataFrame(gains).set_axis(people["person"], axis=0)


def _means(cell: pd.DataFrame, measure: str) -> dict[str, object]:
    """The means, and over how many people: a method that leaves out hard people looks cheaper."""
    counted = "people" if measure == "hypervolume" else "answered"
    there = cell.reindex(SHOWN)
    return {
        "measure": measure,
        **there[f"{measure}_mean"].to_dict(),
        **there[counted].add_prefix("people of ").to_dict(),
    }
