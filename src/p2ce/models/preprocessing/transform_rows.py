"""Transform rows by a pipeline's transformers as the pipeline itself would, and encode the results."""

import contextlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.library import without_warnings
from p2ce.base.calls.model_call import RowFormat
from p2ce.base.visible import listed
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.fold import is_sparse
from p2ce.tables.codebook import MISSING, Codebook, GrowingCodebook


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preparation:
    """A pipeline's fitted transformers, in their order."""

    steps: tuple[Any, ...]
    feed: RowFormat  # converts a frame to what the first transformer was fitted on
    codebook: Codebook  # of the table's columns, in the order of the first transformer
    labels: "pd.Index[Any]"
    reference: pd.DataFrame

    def transform(self, frame: pd.DataFrame) -> Any:
        """Transform a frame as the pipeline does before calling its model."""
        given = self.feed(frame)
        for step in self.steps:
            given = step.transform(given)
        return given

    def quietly(self, frame: pd.DataFrame) -> Any:
        """Transform rows that the user did not pass, without warnings."""
        with without_warnings():
            return self.transform(frame)

    def with_copies(self) -> "Preparation":
        """Return the same transformers with copied input: one with copy=False writes into its input."""
        return replace(self, feed=Copied(inner=self.feed))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Copied:
    """Pass a copy of rows in another format."""

    inner: RowFormat

    def __call__(self, frame: Any) -> Any:
        return self.inner(frame).copy()


class Prepared:
    """Transformed rows that are not a frame, used in place of one; selecting columns returns all of them.

    A model that was fitted on an array or a sparse matrix must receive exactly that.
    """

    def __init__(self, rows: Any, columns: "pd.Index[Any]") -> None:
        self.rows, self.columns = rows, columns

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def __getitem__(self, columns: Any) -> "Prepared":
        if list(columns) != list(self.columns):
            raise UnsupportedModel(
                f"The model behind this Pipeline selects {listed(list(columns), 5)}, but the transformers "
                f"return {listed(list(self.columns), 5)}, in this order. Fit the Pipeline as a whole."
            )
        return self

    def to_numpy(self, **_: Any) -> Any:
        """Return the rows as the transformers returned them; a requested type is ignored."""
        return self.rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Transformed:
    """Pass rows through a pipeline's transformers, then in the format of the model behind them.

    The model receives the same object from the transformers as in the pipeline's own call.
    """

    preparation: Preparation
    labels_inside: "pd.Index[Any]"  # of the transformed columns
    inner: RowFormat

    def transform_rows(self, frame: Any) -> Any:
        """Transform a frame as the pipeline does, and convert it for the model."""
        rows = self.preparation.feed(frame)
        for step in self.preparation.steps:
            rows = step.transform(rows)
        return self.inner(rows if isinstance(rows, pd.DataFrame) else Prepared(rows, self.labels_inside))

    __call__ = transform_rows


def as_frame(rows: Any) -> pd.DataFrame:
    """Convert transformed rows to a frame with the same types."""
    if isinstance(rows, pd.DataFrame):
        return rows
    plain = rows.toarray() if is_sparse(rows) else np.asarray(rows)
    if plain.dtype.kind in "Ob":
        # A mixture of numbers and bools is an array of objects, which every model converts to float64.
        with contextlib.suppress(TypeError, ValueError):
            plain = plain.astype(np.float64)
    return pd.DataFrame(plain, columns=[f"x{place}" for place in range(plain.shape[1])])


def as_codes(rows: Any, codebook: Codebook | GrowingCodebook) -> FloatArray:
    """Convert transformed rows to codes of the model's inputs."""
    if not codebook.is_category.any() and not isinstance(rows, pd.DataFrame):
        plain = np.array(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)
        odd = ~np.isfinite(plain)
        plain[odd] = np.where(np.isnan(plain[odd]), MISSING, np.nan)
        return plain
    return codebook.encode(as_frame(rows))
