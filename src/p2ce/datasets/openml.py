"""Download a raw table from OpenML, through scikit-learn."""

from tempfile import TemporaryDirectory
from warnings import catch_warnings, simplefilter

import pandas as pd

from p2ce.datasets.facts import Facts


def fetch_raw(facts: Facts) -> pd.DataFrame:
    """Download the raw table (n, features and target). Errors of scikit-learn and the network propagate."""
    from sklearn.datasets import fetch_openml

    # Only the prepared file is kept. A damaged raw copy in a cache would fail again and again.
    with TemporaryDirectory(prefix="p2ce-") as scratch, catch_warnings():
        simplefilter("ignore")  # warnings about retries; a final failure raises our own error
        fetched = fetch_openml(
            data_id=facts.openml,
            data_home=scratch,
            as_frame=True,
            n_retries=1,
            # "pandas" fails for labels that are numbers, such as Taiwan's (scikit-learn 1.9, pandas 3.1).
            parser="liac-arff",
        )
    table: pd.DataFrame = fetched.frame
    return table
