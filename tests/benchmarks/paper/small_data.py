"""Small worlds for the paper's experiments: three data sets of a few hundred rows, under the real names."""

from functools import lru_cache

import numpy as np
import pandas as pd

from p2ce.datasets import Dataset

ROWS = 500


@lru_cache
def small_data(name: str) -> Dataset:
    """People with binary, whole and fractional columns; the outcome follows three of them."""
    rng = np.random.default_rng(["german", "taiwan", "adult"].index(name))
    features = pd.DataFrame(
        {
            "Age": rng.integers(20, 70, ROWS),
            "Income": rng.gamma(4.0, 500.0, ROWS).round(1),
            "Debts": rng.integers(0, 8, ROWS),
            "Guarantor": rng.integers(0, 2, ROWS),
            "Years": rng.integers(0, 15, ROWS),
        }
    )
    # Savings follow income, so that some combinations are rare: those are what plausibility is about.
    features["Savings"] = (features["Income"] * 3 + rng.normal(0, 400, ROWS)).round(-1)
    pull = features["Income"] / 700 - features["Debts"] / 2 + features["Guarantor"] + features["Years"] / 8
    good = pull + rng.normal(0, 0.4, ROWS) > 2.5
    return Dataset(
        name=name,
        features=features,
        outcome=pd.Series(good.astype(int), name="Good"),
        immutable=("Age",),
        categories=(),
    )
