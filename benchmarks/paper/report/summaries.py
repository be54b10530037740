"""What came out? One row per experiment, data set, model and method, with the paper's figures beside it."""

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.paper.report.intervals import wilson
from benchmarks.paper.report.published import published
from benchmarks.paper.report.results import KEY, Results, sorted_by_names


def summarise(results: Results) -> pd.DataFrame:
    """Everything the tables and figures show, as numbers; shares are between 0 and 1, times in seconds.

    Costs, hypervolumes, outliers and ``answers`` speak of valid answers only, as an invalid one answers
    nothing. ``given`` counts all, and so do ``invalid``, ``not_allowed``, ``implausible`` and ``off_grid``.
    Outlier shares are of answers; their interval counts people, because one person's answers resemble
    each other and are no independent evidence.
    """
    rows = []
    answers = dict(iter(results.answers.groupby(KEY, sort=False)))
    people = dict(iter(results.people.groupby(KEY, sort=False)))
    for key in dict.fromkeys([*people, *answers]):
        row = dict(zip(KEY, key, strict=True))
        experiment, data, model, _ = key
        mine = people.get(key, results.people[:0])
        given = answers.get(key, results.answers[:0])
        proven = people.get((experiment, data, model, "proven"), results.people[:0])
        rows.append(
            {**row, **_people(mine), **_costs(mine, proven), **_answers(mine, given), **_published(row)}
        )
    if not rows:
        return pd.DataFrame(columns=[*KEY, "people"])
    return sorted_by_names(pd.DataFrame(rows), KEY)


def _people(mine: pd.DataFrame) -> dict[str, Any]:
    statuses = mine["status"][mine["status"] != ""].value_counts()
    errors = mine["error"][mine["error"] != ""]
    return {
        "people": len(mine),
        **_spread(mine["seconds"], "seconds"),
        "seconds_median": mine["seconds"].median(),
        "alone_median": mine["seconds_alone"].median(),
        "fronts_checked": int(mine["front_is_true"].notna().sum()),
        "fronts_true": int(mine["front_is_true"].sum()),
        "plausible_fronts_checked": int(mine["front_is_plausible_truth"].notna().sum()),
        "plausible_fronts_true": int(mine["front_is_plausible_truth"].sum()),
        "statuses": ", ".join(f"{count}\N{NO-BREAK SPACE}{status}" for status, count in statuses.items()),
        "errors": len(errors),
    }


def _costs(mine: pd.DataFrame, proven: pd.DataFrame) -> dict[str, Any]:
    answered = mine.loc[mine["best_cost"].notna(), "person"]
    there = proven.loc[proven["person"].isin(answered), "best_cost"]
    return {
        **_spread(mine["best_cost"], "cost"),
        "cost_of_proven": there.mean(),  # over the same people, so that the easy ones favour nobody
        **_spread(volumes(mine, "hypervolume"), "hypervolume"),
        **_spread(volumes(mine, "hypervolume_wide"), "hypervolume_wide"),
    }


def volumes(mine: pd.DataFrame, column: str) -> pd.Series:
    """Without an answer a front dominates nothing; with one objective there is no volume."""
    measured = mine[column]
    three = mine["experiment"] == "three"
    return measured.mask(three & measured.isna() & ~(mine["answers"] > 0), 0.0)


def _answers(mine: pd.DataFrame, given: pd.DataFrame) -> dict[str, Any]:
    valid = given[given["valid"] == 1]
    answered = valid["person"].nunique()
    share = valid["outlier"].mean()
    low, high = wilson(share, answered)
    people = len(mine)
    return {
        "answered": answered,
        "answered_share": answered / people if people else np.nan,
        "given": len(given),
        "answers": len(valid),
        "answers_per_person": len(valid) / people if people else np.nan,
        "outliers": share,
        "outliers_low": low,
        "outliers_high": high,
        "outliers_axis_parallel": valid["outlier_axis_parallel"].mean(),
        "invalid": int((given["valid"] == 0).sum()),
        "not_allowed": int((given["allowed"] == 0).sum()),
        "implausible": int((given["plausible"] == 0).sum()),
        "off_grid": int((given["on_grid"] == 0).sum()),
    }


def _published(row: dict[str, str]) -> dict[str, Any]:
    found = published(row["experiment"], row["data"], row["model"], row["method"])
    values: dict[str, Any] = {"published_outliers": found.outliers / 100 if found else np.nan}
    for name in ("cost", "hypervolume", "seconds"):
        spread = getattr(found, name, None)
        values[f"published_{name}"] = spread.mean if spread else np.nan
        values[f"published_{name}_sd"] = spread.spread if spread else np.nan
    return values


def _spread(values: pd.Series, name: str) -> dict[str, float]:
    return {f"{name}_mean": values.mean(), f"{name}_sd": values.std(ddof=1)}
