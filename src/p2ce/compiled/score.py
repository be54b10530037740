"""Say what a compiled score is: a sum over trees and columns that must reach a threshold."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compiled.forest import Forest


def seen_as_given(rows: FloatArray) -> FloatArray:
    """Hand the rows on unchanged: the model reads the user's values as they are."""
    return rows


def seen_in_single(rows: FloatArray) -> FloatArray:
    """Show rows to a model that casts them to float32; a cast never decreases."""
    with np.errstate(over="ignore"):
        return np.asarray(rows, dtype=np.float64).astype(np.float32).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledScore:
    """A score in the form that the search understands.

    The score of a row is ``offset``, plus either ``weights @ seen row`` or one leaf value per tree, added
    in float64 and in that order. ``see`` turns the user's values (n, d) into what the trees and
    weights look at (n, d): the scaler of a pipeline, or nothing. It works column by column. Under trees it
    is non-decreasing in each, so that a split stays a cut; under weights it may be any function.

    The two thresholds are the proven part. A row whose score is at least ``sure`` is accepted by the
    user's own model, one below ``maybe`` is refused by it; in between only the model itself knows,
    since the library adds in another order or precision. ``maybe <= sure``; both may be infinite.
    """

    name: str
    column_count: int
    offset: float = 0.0
    forest: Forest | None = None
    weights: FloatArray | None = None  # (d,)
    sure: float
    maybe: float
    see: Callable[[FloatArray], FloatArray] = seen_as_given

    def __post_init__(self) -> None:
        # Ticks of trees are shared by all people, those of weights are each person's own.
        assert (self.forest is None) != (self.weights is None), "a score has trees or weights, not both"
        assert self.maybe <= self.sure
