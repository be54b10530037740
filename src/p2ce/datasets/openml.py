"""Fetch a raw table from OpenML, through scikit-learn."""

from tempfile import TemporaryDirectory
from warnings import catch_warnings, simplefilter

import pandas as pd

from p2ce.datasets.facts import Facts


def fetch_raw(facts: Facts) -> pd.DataFrame:
    """Download the raw table (n, features and target); raises whatever the network or scikit-learn raise."""
    from sklearn.datasets import fetch_openml

    # What is kept is the prepared file; a raw copy that is damaged would be met again and again.
    with TemporaryDirectory(prefix="p2ce-") as scratch, catch_warnings():
        simplefilter("ignore")  # about trying again: the failure itself raises our own error
        fetched = fetch_openml(
            data_id=facts.openml,
            data_home=scratch,
            as_frame=True,
            n_retries=1,
            # "pandas" stumbles over labels that are numbers, as Taiwan's (scikit-learn 1.9 with pandas 3.1).
            parser="liac-arff",
        )
    table: pd.DataFrame = fetched.frame
    return table
