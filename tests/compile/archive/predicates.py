"""A predicate that a policy can name."""

import numpy as np
import pandas as pd


def modest(rows: pd.DataFrame) -> np.ndarray:
    """Accept incomes that are not too high."""
    return np.asarray(rows["Income"] < 58)
