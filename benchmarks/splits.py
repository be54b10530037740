"""Split a data set into the parts to train on, to tune on, and to explain."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

SplitKind = Literal["paper", "code"]

TEST = 0.5  # of all rows
# Of the half that is left: the paper says 40/10/50, the authors' code splits 45/5/50.
VALIDATION: dict[str, float] = {"paper": 0.2, "code": 0.1}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """Three parts of one data set; their rows keep the labels that they had."""

    train: pd.DataFrame
    train_outcome: "pd.Series[int]"
    validation: pd.DataFrame
    validation_outcome: "pd.Series[int]"
    test: pd.DataFrame
    test_outcome: "pd.Series[int]"


def split(features: pd.DataFrame, outcome: "pd.Series[int]", *, kind: SplitKind, seed: int) -> Parts:
    """Shuffle and split as the authors' code does; only the share for validation depends on ``kind``."""
    if kind not in VALIDATION:
        raise ValueError(
            f"The split is {kind!r}, but {' and '.join(VALIDATION)} are known. Take one of them."
        )
    first, test, first_outcome, test_outcome = train_test_split(
        features, outcome, test_size=TEST, random_state=seed, shuffle=True
    )
    train, validation, train_outcome, validation_outcome = train_test_split(
        first, first_outcome, test_size=VALIDATION[kind], random_state=seed, shuffle=True
    )
    return Parts(
        train=train,
        train_outcome=train_outcome,
        validation=validation,
        validation_outcome=validation_outcome,
        test=test,
        test_outcome=test_outcome,
    )


def choose(rows: pd.DataFrame, *, count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Choose ``count`` of the rows, each at most once (all, in random order, if there are not that many)."""
    return rows.iloc[rng.choice(len(rows), size=min(count, len(rows)), replace=False)]
