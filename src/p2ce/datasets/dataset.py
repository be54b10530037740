"""Hold a loaded data set: rows, outcomes, and which columns never change."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """A data set; one of the paper's is complete and in its original order of rows.

    ``features`` (n, d) has numbers, and columns of type category for ``categories``. ``outcome`` (n,) is 1
    where the decision was favourable and 0 elsewhere, and carries the name of the target column.
    ``immutable`` and ``categories`` name columns of ``features`` only.
    """

    name: str
    features: pd.DataFrame
    outcome: "pd.Series[int]"
    immutable: tuple[str, ...]
    categories: tuple[str, ...]
