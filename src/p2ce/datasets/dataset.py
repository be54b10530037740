"""Hold a loaded data set in scikit-learn's words: data, target, and which columns never change."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """A data set; one of the paper's is complete and in its original order of rows.

    ``data`` (n, d) has numbers, and columns of type category for ``categories``. ``target`` (n,) is 1 where
    the decision was favourable and 0 elsewhere, and has the name of its column. ``immutable`` and
    ``categories`` name columns of ``data`` only.
    """

    name: str
    data: pd.DataFrame
    target: "pd.Series[int]"
    immutable: tuple[str, ...]
    categories: tuple[str, ...]
