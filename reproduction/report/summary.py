"""Summarise a run: one row per experiment, data set, model and method, with 95 % intervals."""

from functools import cache
from math import isnan, nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from reproduction.findings import UNFINISHED

KEY = ["experiment", "data", "model", "method"]
WORK = ("calls", "cells", "explanations", "nodes")
PEOPLE_IN_THE_PAPER = 50  # rejected people behind each row of the paper
PUBLISHED_AS = {  # method → its name in the paper, where it differs
    "authors-mapocam": "mapocam",
    "authors-ablation": "p2ce-ablation",
    "authors-p2ce": "p2ce",
    # The paper says genetic, its code runs random. The one published figure is compared with all four.
    **dict.fromkeys(("dice-genetic", "dice-free", "dice-random", "dice-code"), "dice"),
}
Z = 1.959963984540054  # 95 % of a normal distribution lie within ± Z
WRONG = {  # what is wrong → the column that is 1 if it is not; a missing value counts as wrong
    "invalid": "valid",
    "not_allowed": "allowed",
    "implausible": "plausible",
    "off_grid": "on_grid",
}


def summarise(people: pd.DataFrame, answers: pd.DataFrame, studies: pd.DataFrame) -> pd.DataFrame:
    """Return everything the tables and figures show: shares between 0 and 1, times in seconds.

    Costs, hypervolumes, times and counts of work are averaged over the people of each seed, then over the
    seeds, with Student's 95 % interval (``_low``, ``_high``) for two seeds or more. Shares of outliers and of
    true fronts are of the people of all seeds, with Wilson's interval.

    Costs, hypervolumes, outliers and ``answers`` count valid counterfactuals only. ``given`` counts all, and
    so do ``invalid``, ``not_allowed``, ``implausible`` and ``off_grid``, for which a missing verdict counts
    as wrong. The outlier share is averaged over the people with a result, so its interval counts people.
    ``requested`` is the number of people of the studies, and ``people`` that of the rows. Times are those of
    a call for one person. ``seconds_in_batch`` is one person's share of a call for all.
    """
    unique = studies.drop_duplicates(["data", "model", "seed"])
    requested = unique.groupby(["data", "model"])["people"].sum()
    given = dict(iter(answers.groupby(KEY, sort=False)))
    by_cell = dict(iter(people.groupby(KEY, sort=False)))
    rows = []
    for key in dict.fromkeys([*by_cell, *given]):
        mine = by_cell.get(key, people[:0])
        proven = by_cell.get((*key[:3], "proven"), people[:0])
        rows.append(
            dict(zip(KEY, key, strict=True))
            | {"requested": requested.get((key[1], key[2]), np.nan)}
            | _people(mine)
            | _costs(mine, proven)
            | _answers(mine, given.get(key, answers[:0]))
            | published(*key)
        )
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*KEY, "requested", "people"])


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
        **{name: over_seeds(mine[name], mine["seed"])[0] for name in WORK},
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
        # Over the same people, so easy people favour no method.
        "cost_of_proven": over_seeds(there["best_cost"], there["seed"])[0],
        **_mean(volumes(mine, "hypervolume"), mine, "hypervolume"),
        **_mean(volumes(mine, "hypervolume_grid"), mine, "hypervolume_grid"),
    }


def _answers(mine: pd.DataFrame, given: pd.DataFrame) -> dict[str, Any]:
    valid = given[given["valid"] == 1]
    answered, people = valid["person"].nunique(), len(mine)
    share = mean_over_people(valid, "outlier")
    low, high = wilson(share, answered)
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


def _mean(values: pd.Series, mine: pd.DataFrame, name: str) -> dict[str, float]:
    found = over_seeds(values, mine["seed"])
    return dict(zip((f"{name}_mean", f"{name}_low", f"{name}_high"), found, strict=True))


def seconds_of_a_call(mine: pd.DataFrame) -> pd.Series:
    """Return the time of a call for one person. Only our methods have other calls, and a second column."""
    return mine["seconds_alone"].fillna(mine["seconds"])


def volumes(mine: pd.DataFrame, column: str) -> pd.Series:
    """Return the volumes: 0 without a result, and none with one objective."""
    measured = mine[column]
    three = mine["experiment"] == "three"
    return measured.mask(three & measured.isna() & ~(mine["answers"] > 0), 0.0)


def mean_over_people(answers: pd.DataFrame, truth: str) -> float:
    """Return a share in which each person has the same weight, as in the authors' code."""
    return float(answers.groupby("person")[truth].mean().mean())


@cache
def _published() -> pd.DataFrame:
    """Load the paper's tables: percentages of outliers, means, and the values after ±."""
    # The figure of the one-objective experiment is not in the paper's source, and is not guessed.
    return pd.read_csv(Path(__file__).parent / "published.csv").set_index(KEY)


def published(experiment: str, data: str, model: str, method: str) -> dict[str, float]:
    """Return the published figures of a row; NaN where there are none."""
    table, key = _published(), (experiment, data, model, PUBLISHED_AS.get(method, method))
    row = table.loc[key] if key in table.index else pd.Series(nan, index=table.columns)
    found = {"published_outliers": float(row["outliers"]) / 100}
    for column in ("cost", "hypervolume", "seconds"):
        found |= {f"published_{column}": row[column], f"published_{column}_sd": row[f"{column}_sd"]}
    return found


def broken_by_kind(answers: pd.DataFrame, known: list[str]) -> pd.DataFrame:
    """Return one row per method, where a counterfactual counts once per kind of constraint that it breaks.

    ``broken`` is a text such as "immutable: Age; changes: 5 > 3". ``only_changes`` counts those that break
    only the limit on changes.
    """
    kinds = answers["broken"].map(
        lambda broken: {part.split(":")[0].strip() for part in broken.split(";") if part.strip()}
    )
    named = {kind for these in kinds for kind in these}
    found = [*(kind for kind in known if kind in named), *sorted(named - set(known))]
    counted = pd.DataFrame(
        {
            "method": answers["method"],
            "given": 1,
            **{name: answers[column] != 1 for name, column in WRONG.items()},
            "only_changes": answers["broken"].str.fullmatch(r"changes: \d+ > \d+"),
            **{f"kind: {kind}": kinds.map(lambda these, kind=kind: kind in these) for kind in found},
        }
    )
    return counted.groupby("method", as_index=False, sort=False).sum()


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return the 95 % interval of a share (0 to 1) among ``count``, or (nan, nan) for a count of 0."""
    if isnan(share) or not count > 0:
        return nan, nan
    centre = (share + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count)) / (1 + Z * Z / count)
    # The limit of a share of exactly 0 or 1 is exact, without a rounding error.
    low, high = min(centre - half, share), max(centre + half, share)
    return max(low, 0.0), min(high, 1.0)


def difference(share: float, count: float, other: float, other_count: float) -> tuple[float, float]:
    """Return the 95 % interval of ``share − other``, shares among different people (Newcombe's method 10)."""
    low, high = wilson(share, count)
    other_low, other_high = wilson(other, other_count)
    apart = share - other
    return (
        apart - sqrt((share - low) ** 2 + (other_high - other) ** 2),
        apart + sqrt((high - share) ** 2 + (other - other_low) ** 2),
    )


def over_seeds(values: pd.Series, seeds: pd.Series) -> tuple[float, float, float]:
    """Return the mean of the seeds' means and its Student 95 % interval, NaN for a single seed."""
    means = values.groupby(seeds.to_numpy()).mean().dropna().to_numpy(float)
    if len(means) < 2:
        return (float(means[0]) if len(means) else nan), nan, nan
    half = float(t.ppf(0.975, len(means) - 1)) * means.std(ddof=1) / np.sqrt(len(means))
    return float(means.mean()), float(means.mean() - half), float(means.mean() + half)
