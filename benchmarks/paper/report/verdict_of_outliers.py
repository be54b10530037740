"""Is the share of outliers the paper's? Both shares are of few people, so both have an interval."""

import numpy as np
import pandas as pd

from benchmarks.paper.names import DATA_SETS
from benchmarks.paper.report.explanations import EXPLANATIONS
from benchmarks.paper.report.intervals import difference, wilson
from benchmarks.paper.report.published import ONE_OBJECTIVE_OUTLIERS_BELOW, PEOPLE, published

CELLS = (
    *(("inlierness", data, "logistic") for data in DATA_SETS),
    *(("one", data, model) for model in ("lightgbm", "mlp") for data in DATA_SETS),
    *(("three", data, model) for model in ("lightgbm", "mlp") for data in DATA_SETS),
)


def outlier_cells(summary: pd.DataFrame) -> pd.DataFrame:
    """One row per cell of the paper: its share, Wilson's interval for 50 people, ours, and how they compare.

    ``place`` says where our share lies: inside, below (fewer outliers than the paper) or above; "" if it
    was not measured. ``low`` to ``high`` is the interval of the paper's share. ``apart_low`` to
    ``apart_high`` is the 95 % interval of the difference, which also knows that ours is a share of few.
    """
    rows = []
    for experiment, data, model in CELLS:
        ours = summary[(summary["experiment"] == experiment) & (summary["data"] == data)]
        ours = ours[(ours["model"] == model) & (ours["method"] == "proven")]
        share = float(ours["outliers"].iloc[0]) if len(ours) else np.nan
        people = int(ours["answered"].iloc[0]) if len(ours) else 0
        answers = int(ours["answers"].iloc[0]) if len(ours) else 0
        row = published(experiment, data, model, "p2ce")
        # Of the one-objective experiment the text says "less than 5 %" only: any share from 0 is meant.
        at_most = row is None
        theirs = (ONE_OBJECTIVE_OUTLIERS_BELOW if row is None else row.outliers) / 100
        low, high = wilson(theirs, PEOPLE)
        low = 0.0 if at_most else low
        apart = (np.nan, np.nan)
        if not at_most and not np.isnan(share):
            apart = difference(share, people, theirs, PEOPLE)
        place = "" if np.isnan(share) else "below" if share < low else "above" if share > high else "inside"
        explanation = EXPLANATIONS.get((experiment, data, model), "")
        rows.append(
            {
                "experiment": experiment,
                "data": data,
                "model": model,
                "paper": theirs,
                "at_most": at_most,
                "low": low,
                "high": high,
                "share": share,
                "answers": answers,
                "people": people,
                "place": place,
                "apart_low": apart[0],
                "apart_high": apart[1],
                "explanation": explanation,
                "holds": np.nan if not place else float(place == "inside" or bool(explanation)),
            }
        )
    return pd.DataFrame(rows)
