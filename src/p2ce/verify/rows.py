"""Write points as rows of the user's own column types."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray


def rows_frame(
    values: FloatArray, labels: "pd.Index[Any]", dtypes: Mapping[str, np.dtype[Any]]
) -> pd.DataFrame:
    """Give rows (n, d) as a frame with the reference's column labels and types."""
    kinds = list(dtypes.values())
    if all(kind == kinds[0] for kind in kinds):
        return pd.DataFrame(values.astype(kinds[0]), columns=labels)
    frame = pd.DataFrame({i: values[:, i].astype(kind) for i, kind in enumerate(kinds)})
    frame.columns = labels
    return frame
