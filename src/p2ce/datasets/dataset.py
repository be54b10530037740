"""Define a loaded data set in scikit-learn's terms: data, target, and the immutable columns."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """A data set. The paper's data sets are complete, with the rows in their original order.

    ``data`` (n, d) holds numbers, and columns of type category for those named in ``categories``. ``target``
    (n,) is 1 for a favourable outcome and 0 otherwise. ``immutable`` names the columns of ``data`` that
    cannot change, such as age.
    """

    name: str
    data: pd.DataFrame
    target: "pd.Series[int]"
    immutable: tuple[str, ...]
    categories: tuple[str, ...]
