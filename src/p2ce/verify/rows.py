"""Write points as rows of the user's own column types."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray, Int32Array, IntArray
from p2ce.grid.placement import Placement


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


def point_rows(
    columns: IntArray, values: FloatArray, placement: Placement, owner: IntArray, points: Int32Array
) -> FloatArray:
    """Write points (cells, axes) of people as rows of all the model's columns."""
    rows = values[owner]
    axes = np.arange(points.shape[1])
    rows[:, columns] = placement.values[owner[:, None], axes, points]
    return rows
