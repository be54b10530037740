"""What came out? One row per experiment, data set, model and method, with the paper's figures beside it."""

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.paper.findings import UNFINISHED
from benchmarks.paper.report.broken import WRONG
from benchmarks.paper.report.intervals import over_seeds, wilson
from benchmarks.paper.report.published import published
from benchmarks.paper.report.results import KEY, Results, sorted_by_names

WORK = ("calls", "cells", "explanations", "nodes")


def summarise(results: Results) -> pd.DataFrame:
    """Everything the tables and figures show, as numbers; shares are between 0 and 1, times in seconds.

    Costs, hypervolumes, times and counts of work are means over seeds of each seed's mean over people, with
    Student's 95 % interval (``_low``, ``_high``) where there are two seeds or more. Shares of outliers and of
    true fronts are of the people of all seeds, with Wilson's interval.

    Costs, hypervolumes, outliers and ``answers`` speak of valid answers only, as an invalid one answers
    nothing. ``given`` counts all, and so do ``invalid``, ``not_allowed``, ``implausible`` and ``off_grid``;
    of these an answer whose verdict is not there is wrong. An outlier share is the mean over the people
    answered of each one's share, so that its interval counts people. ``requested`` is how many people the
    studies have, ``people`` for how many there is a row. Times are of a call for one person;
    ``seconds_in_batch`` is the share of a call for all.
    """
    rows = []
    studies = results.studies.drop_duplicates(["data", "model", "seed"])
    requested = studies.groupby(["data", "model"])["people"].sum()
    answers = dict(iter(results.answers.groupby(KEY, sort=False)))
    people = dict(iter(results.people.groupby(KEY, sort=False)))
    for key in dict.fromkeys([*people, *answers]):
        row = dict(zip(KEY, key, strict=True))
        experiment, data, model, _ = key
        mine = people.get(key, results.people[:0])
        given = answers.get(key, results.answers[:0])
        proven = people.get((experiment, data, model, "proven"), results.people[:0])
        rows.append(
            {
                **row,
                "requested": requested.get((data, model), np.nan),
                **_people(mine),
                **_costs(mine, proven),
                **_answers(mine, given),
                **_published(row),
            }
        )
    if not rows:
        return pd.DataFrame(columns=[*KEY, "requested", "people"])
    return sorted_by_names(pd.DataFrame(rows), KEY)


def _people(mine: pd.DataFrame) -> dict[str, Any]:
    statuses = mine["status"][mine["status"] != ""].value_counts()
    seconds = seconds_of_a_call(mine)
    checked, true = int(mine["front_is_true"].notna().sum()), int(mine["front_is_true"].sum())
    low, high = wilson(true / checked if checked else np.nan, checked)
    return {
        "people": len(mine),
        "seeds": mine["seed"].nunique(),
        "finished": int((~mine["status"].isin(UNFINISHED)).sum()),
        **_mean(seconds, mine, "seconds"),
        "seconds_median": seconds.median(),
        "seconds_in_batch": mine["seconds"].where(mine["method"] == "proven").median(),
        **{name: _mean(mine[name], mine, name)[f"{name}_mean"] for name in WORK},
        "fronts_checked": checked,
        "fronts_true": true,
        "fronts_low": low,
        "fronts_high": high,
        "plausible_fronts_checked": int(mine["front_is_plausible_truth"].notna().sum()),
        "plausible_fronts_true": int(mine["front_is_plausible_truth"].sum()),
        "statuses": ", ".join(f"{count}\N{NO-BREAK SPACE}{status}" for status, count in statuses.items()),
    }


def _costs(mine: pd.DataFrame, proven: pd.DataFrame) -> dict[str, Any]:
    answered = mine.loc[mine["best_cost"].notna(), "person"]
    there = proven[proven["person"].isin(answered)]
    return {
        **_mean(mine["best_cost"], mine, "cost"),
        # Over the same people, so that the easy ones favour no method.
        "cost_of_proven": over_seeds(there["best_cost"], there["seed"])[0],
        **_mean(volumes(mine, "hypervolume"), mine, "hypervolume"),
        **_mean(volumes(mine, "hypervolume_grid"), mine, "hypervolume_grid"),
    }


def seconds_of_a_call(mine: pd.DataFrame) -> pd.Series:
    """What a call for one person took; a peer has no other calls, so that only ours have a second column."""
    return mine["seconds_alone"].fillna(mine["seconds"])


def volumes(mine: pd.DataFrame, column: str) -> pd.Series:
    """Without an answer a front dominates nothing; with one objective there is no volume."""
    measured = mine[column]
    three = mine["experiment"] == "three"
    return measured.mask(three & measured.isna() & ~(mine["answers"] > 0), 0.0)


def _answers(mine: pd.DataFrame, given: pd.DataFrame) -> dict[str, Any]:
    valid = given[given["valid"] == 1]
    answered = valid["person"].nunique()
    share = mean_over_people(valid, "outlier")
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
        "outliers_axis_parallel": mean_over_people(valid, "outlier_axis_parallel"),
        **{name: int((given[column] != 1).sum()) for name, column in WRONG.items()},
    }


def mean_over_people(answers: pd.DataFrame, truth: str) -> float:
    """A person with ten answers weighs as much as one with a single answer, as in the authors' code."""
    return float(answers.groupby("person")[truth].mean().mean())


def _published(row: dict[str, str]) -> dict[str, Any]:
    found = published(row["experiment"], row["data"], row["model"], row["method"])
    values: dict[str, Any] = {"published_outliers": found.outliers / 100 if found else np.nan}
    for name in ("cost", "hypervolume", "seconds"):
        spread = getattr(found, name, None)
        values[f"published_{name}"] = spread.mean if spread else np.nan
        values[f"published_{name}_sd"] = spread.spread if spread else np.nan
    return values


def _mean(values: pd.Series, mine: pd.DataFrame, name: str) -> dict[str, float]:
    mean, low, high = over_seeds(values, mine["seed"])
    return {f"{name}_mean": mean, f"{name}_low": low, f"{name}_high": high}
