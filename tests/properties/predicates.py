"""Functions that a policy file names, as a user's own package would have them."""

import pandas as pd


def even_sum(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows have columns a and b that add up to an even number."""
    return (rows["a"] + rows["b"]) % 2 == 0
