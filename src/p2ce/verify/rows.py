"""Write points as rows of the user's own column types."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray


def rows_frame(
    values: FloatArray, labels: Sequence[Any], dtypes: Mapping[str, np.dtype[Any]]
) -> pd.DataFrame:
    """Give rows (n, d) as a frame with the reference's column labels and types."""
    kinds = list(dtypes.values())
    if all(kind == kinds[0] for kind in kinds):
        return pd.DataFrame(values.astype(kinds[0]), columns=list(labels))
    return pd.DataFrame(
        {label: values[:, i].astype(kind) for i, (label, kind) in enumerate(zip(labels, kinds, strict=True))}
    )
