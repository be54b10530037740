"""Who is faster? The proven answers' share of a batch, and a call of their own, beside the peers' calls."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from benchmarks.paper.experiments import plan
from benchmarks.paper.report import words
from benchmarks.paper.report.results import CELL

MODELS = ("logistic", "lightgbm")  # of which the claim speaks
PEERS = ("nice", "dice-genetic", "dice-random")
# Of the MLP, and of NICE with a bare model, the claim does not speak; they are shown and decide nothing.
SHOWN_PEERS = ("nice", "nice-bare", "dice-genetic", "dice-random")
PLANNED = {
    (task.experiment, task.data, task.model, task.method)
    for task in plan()
    if task.model in MODELS and task.method in PEERS
}


def time_cells(summary: pd.DataFrame) -> pd.DataFrame:
    """One row per cell and peer, with median seconds; ``holds`` is NaN for what is shown only.

    It is also NaN where one of the two has no row for somebody who was asked.
    """
    rows = []
    for (experiment, data, model), found in summary.groupby(CELL, sort=False):
        methods = found.set_index("method")
        if "proven" not in methods.index or np.isnan(methods.loc["proven", "seconds_in_batch"]):
            continue
        proven = methods.loc["proven"]
        for peer in SHOWN_PEERS:
            if peer not in methods.index or np.isnan(methods.loc[peer, "seconds_median"]):
                continue
            theirs = methods.loc[peer, "seconds_median"]
            decides = model in MODELS and peer in PEERS
            everybody = proven["people"] == proven["asked"] == methods.loc[peer, "people"]
            faster = float(proven["seconds_in_batch"] < theirs)
            rows.append(
                {
                    "experiment": experiment,
                    "data": data,
                    "model": model,
                    "peer": peer,
                    "batch": int(proven["people"]),
                    "proven": proven["seconds_in_batch"],
                    "alone": proven["seconds_median"],
                    "theirs": theirs,
                    "times": theirs / proven["seconds_in_batch"],
                    # Slower is slower, however few were timed.
                    "holds": faster if decides and (everybody or not faster) else np.nan,
                }
            )
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*CELL, "peer", "holds"])


def times_in_words(cells: pd.DataFrame) -> str:
    """What was compared with what, and how that comes out; then what the claim does not speak of."""
    judged = cells[cells["holds"].notna()]
    if judged.empty:
        return "No peer was timed beside “P²CE, proven”, for everybody, on logistic regression or LightGBM."
    spoken = cells[cells["model"].isin(MODELS)]
    nice, bare = spoken[spoken["peer"] == "nice"], spoken[spoken["peer"] == "nice-bare"]
    dice = spoken[spoken["peer"].str.startswith("dice")]
    network = cells[(cells["model"] == "mlp") & (cells["peer"] == "nice")]
    found = {(row.experiment, row.data, row.model, row.peer) for row in judged.itertuples()}
    said = [
        f"The time of “P²CE, proven” is a person's share of a batch of {_range(judged['batch'], str)} "
        f"people; a peer's is a call of its own. So measured it is faster in {int(judged['holds'].sum())} of "
        f"{len(judged)} comparisons; the peers take {_factors(judged['times'])} times as long.",
        f"{len(PLANNED & found)} of {len(PLANNED)} planned comparisons were measured for everybody asked.",
    ]
    alone = [
        f"{name} in {int((these['alone'] < these['theirs']).sum())} of {len(these)}"
        for name, these in (("NICE", nice), ("DiCE", dice))
        if len(these)
    ]
    said.append(f"One explain alone, without a batch, is faster than {' and than '.join(alone)}.")
    if len(bare):
        said.append(
            f"NICE with a bare model, at its quickest, takes {_factors(bare['times'])} times as long as the "
            f"share of a batch, and {_factors(bare['theirs'] / bare['alone'])} times as long as one explain."
        )
    if len(network):
        said.append(
            "On the MLP, of which the claim does not speak, the share of a batch is below NICE's time in "
            f"{int((network['proven'] < network['theirs']).sum())} of {len(network)}."
        )
    return " ".join(said)


def _factors(times: pd.Series) -> str:
    return _range(times, words.factor)


def _range(values: pd.Series, written: Callable[[float], str]) -> str:
    return " to ".join(dict.fromkeys(written(end) for end in (values.min(), values.max())))
