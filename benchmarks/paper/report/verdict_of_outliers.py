"""Is the share of outliers the paper's? Both shares are of few people, so both have an interval."""

import numpy as np
import pandas as pd

from benchmarks.paper.names import DATA_SETS
from benchmarks.paper.report import words
from benchmarks.paper.report.intervals import difference, wilson
from benchmarks.paper.report.published import ONE_OBJECTIVE_OUTLIERS_BELOW, PEOPLE, published

FEWEST_PEOPLE = 30  # asked; of fewer, chance alone puts a share anywhere
FITS = ("inside", "within chance")
CELLS = (
    *(("inlierness", data, "logistic") for data in DATA_SETS),
    *(("one", data, model) for model in ("lightgbm", "mlp") for data in DATA_SETS),
    *(("three", data, model) for model in ("lightgbm", "mlp") for data in DATA_SETS),
)


def outlier_cells(summary: pd.DataFrame) -> pd.DataFrame:
    """One row per cell of the paper: its share, Wilson's interval for 50 people, ours, and how they compare.

    ``place`` says where our share lies: inside, below (fewer outliers than the paper) or above; "within
    chance" if it is above a share of which the paper says "less than", but not above its interval; "too few"
    or "not everybody" if that cannot be told, "" if it was not measured. ``low`` to ``high`` is the interval
    of the paper's share. ``apart_low`` to ``apart_high`` is the 95 % interval of the difference, which also
    knows that ours is a share of few. ``explanation`` says what a share outside is due to, if that shows.
    """
    rows = []
    for experiment, data, model in CELLS:
        ours = summary[(summary["experiment"] == experiment) & (summary["data"] == data)]
        ours = ours[(ours["model"] == model) & (ours["method"] == "proven")]
        measured = ours.iloc[0] if len(ours) and ours["answers"].iloc[0] else None
        share = np.nan if measured is None else float(measured["outliers"])
        row = published(experiment, data, model, "p2ce")
        # Of the one-objective experiment the text says "less than 5 %" only: any share from 0 is meant.
        at_most = row is None
        theirs = (ONE_OBJECTIVE_OUTLIERS_BELOW if row is None else row.outliers) / 100
        low, high = wilson(theirs, PEOPLE)
        low = 0.0 if at_most else low
        apart = (np.nan, np.nan)
        if not at_most and measured is not None:
            apart = difference(share, measured["answered"], theirs, PEOPLE)
        place = "" if measured is None else _gap(measured)
        if measured is not None and not place:
            place = "below" if share < low else "above" if share > high else "inside"
            if at_most and place == "inside" and share >= theirs:
                place = "within chance"
        explanation = ""
        if measured is not None and place in ("below", "above"):
            by_axes = float(measured["outliers_axis_parallel"])
            other_judge = by_axes <= high if place == "above" else by_axes >= low
            explanation = _explanation(by_axes if other_judge else None, apart)
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
                "people": 0 if measured is None else int(measured["answered"]),
                "place": place,
                "apart_low": apart[0],
                "apart_high": apart[1],
                "explanation": explanation,
                "holds": float(place in FITS or bool(explanation))
                if place in (*FITS, "below", "above")
                else np.nan,
            }
        )
    return pd.DataFrame(rows)


def outliers_in_words(cells: pd.DataFrame) -> str:
    """How many cells lie where."""
    count = cells["place"].value_counts()
    judged = int(cells["holds"].notna().sum())
    few = f"Too few people to tell: at least {FEWEST_PEOPLE} have to be asked. " if "too few" in count else ""
    if not judged:
        return few or "No answer of “P²CE, proven” stands beside a figure of the paper, for everybody asked."
    explained = int((cells["explanation"] != "").sum())
    return (
        f"{few}Of {judged} measured cells {count.get('inside', 0)} lie inside, and "
        f"{count.get('within chance', 0)} above “less than 5 %” by no more than chance. Outside: "
        f"{count.get('below', 0)} with fewer outliers than the paper, {count.get('above', 0)} with more; "
        f"{explained} of these are explained."
    )


def _explanation(by_axes: float | None, apart: tuple[float, float]) -> str:
    """What puts a share outside the paper's interval: the judge, chance, or nothing that shows here."""
    reasons = []
    if by_axes is not None:
        share = words.per_cent(by_axes)
        reasons.append(f"by the axis-parallel judge, which the authors' code used, it is {share} %")
    if apart[0] <= 0.0 <= apart[1]:
        reasons.append("the difference is within chance: its interval holds 0")
    told = "; ".join(reasons)
    return told[:1].upper() + told[1:]


def _gap(measured: pd.Series) -> str:
    """Why nothing can be told; a share of too few people, or of only some of those asked, tells nothing."""
    if measured["people"] != measured["asked"]:
        return "not everybody"
    return "too few" if measured["asked"] < FEWEST_PEOPLE else ""
