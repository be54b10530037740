"""Hand rows through a pipeline's transformers as the pipeline itself would, and write down what comes out."""

import contextlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from p2ce.arrays import FloatArray
from p2ce.preprocessing.fold import Fold, is_sparse
from p2ce.preprocessing.input_maps import InputMap
from p2ce.preprocessing.operations import Cast
from p2ce.tables.codebook import MISSING, Codebook, Coding

CHECKED_ROWS = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preparation:
    """A pipeline's transformers, fitted, in the order in which they work."""

    steps: tuple[Any, ...]
    feed: Callable[[pd.DataFrame], Any]  # hands a frame over as the first one was fitted
    codebook: Codebook  # of the table's columns, in the order of the first one
    labels: "pd.Index[Any]"
    reference: pd.DataFrame

    def transform(self, frame: pd.DataFrame) -> Any:
        """Do what the pipeline does with a frame before its model gets it."""
        given = self.feed(frame)
        for step in self.steps:
            given = step.transform(given)
        return given

    def quietly(self, frame: pd.DataFrame) -> Any:
        """Transform rows of ours, about which nobody has to be warned."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.transform(frame)

    def with_copies(self) -> "Preparation":
        """Hand over copies: a transformer with copy=False writes into what it is given."""
        feed = self.feed
        return replace(self, feed=lambda frame: feed(frame).copy())

    def follow(self) -> tuple[list[InputMap], Fold]:
        """Follow the columns through all transformers."""
        fold = Fold(self.codebook.names)
        maps_by_input = [_start(place, coding) for place, coding in enumerate(self.codebook)]
        given = self.feed(self.reference.head(CHECKED_ROWS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for step in self.steps:
                maps_by_input = fold.follow(step, maps_by_input, given)
                given = step.transform(given.copy())
        return maps_by_input, fold


def _start(place: int, coding: Coding) -> InputMap:
    """Begin with the column itself: a table will hold its labels, and its own type its numbers."""
    if coding.is_category:
        return InputMap(source=place, is_category=True, raw=True)
    dtype = coding.number_dtype
    narrow = dtype.kind == "f" and dtype.itemsize < 8
    return InputMap(source=place, operations=(Cast(dtype),) if narrow else ())


class Prepared:
    """Transformed rows that are not a frame, in the place of one: what takes columns gets all of it.

    A model that was fitted on an array or a sparse matrix must be given just that.
    """

    def __init__(self, rows: Any, columns: "pd.Index[Any]") -> None:
        self.rows, self.columns = rows, columns

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def __getitem__(self, columns: Any) -> "Prepared":
        assert list(columns) == list(self.columns), "a model takes all inputs, in their order"
        return self

    def to_numpy(self, **_: Any) -> Any:
        """Return the rows as the transformers made them, whatever type is requested."""
        return self.rows


def as_frame(rows: Any) -> pd.DataFrame:
    """Write transformed rows as a frame, in the types that they have."""
    if isinstance(rows, pd.DataFrame):
        return rows
    plain = rows.toarray() if is_sparse(rows) else np.asarray(rows)
    if plain.dtype.kind in "Ob":
        # A mixture of numbers and truth values is one of objects, which every model turns into float64.
        with contextlib.suppress(TypeError, ValueError):
            plain = plain.astype(np.float64)
    return pd.DataFrame(plain, columns=[f"x{place}" for place in range(plain.shape[1])])


def as_codes(rows: Any, codebook: Codebook) -> FloatArray:
    """Write transformed rows as codes of the model's inputs."""
    if not codebook.is_category.any() and not isinstance(rows, pd.DataFrame):
        plain = np.array(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)
        odd = ~np.isfinite(plain)
        plain[odd] = np.where(np.isnan(plain[odd]), MISSING, np.nan)
        return plain
    return codebook.encode(as_frame(rows))
