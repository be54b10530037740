"""The elementwise arithmetic of transformers, and where each operation is monotone along the floats.

Additions, multiplications and divisions in IEEE arithmetic round correctly. So they never decrease (or never
increase) where the real operations do not. The same holds for casts and comparisons. It is not known for
logarithms, powers and the like: their results are computed, but nothing is proven about values in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.models.preprocessing.input_maps import (
    FALLING,
    NEVER_MISSING,
    RISING,
    MissingBehaviour,
    MonotonePieces,
    Operation,
    monotone_pieces,
)

# Neither a number nor missing: the library would raise.
REJECT = np.inf
_LEAST = float(np.nextafter(0.0, -1.0))


@dataclass(frozen=True, slots=True, eq=False)
class Cast(Operation):
    """Cast to the precision in which the library computes."""

    dtype: np.dtype[Any]

    def apply(self, values: Any) -> Any:
        return values.astype(self.dtype, copy=False)

    def monotone_pieces(self) -> MonotonePieces | None:
        return RISING if self.dtype.kind == "f" else None

    @property
    def kind(self) -> object:
        return "cast", self.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Arithmetic(Operation):
    """Subtract, add, multiply by or divide by one number per column, in place as scalers do."""

    how: str  # NumPy's name of the operation: "subtract", "add", "multiply" or "divide"
    by: Any  # (k,) in the precision that the library uses

    def apply(self, values: Any) -> Any:
        return getattr(np, self.how)(values, self.by, out=values, casting="same_kind")

    def monotone_pieces(self) -> MonotonePieces | None:
        assert self.by.shape == (1,)
        if not np.isfinite(self.by[0]) or (self.by[0] == 0.0 and self.how == "divide"):
            return None
        if self.how in ("subtract", "add"):
            return RISING
        return RISING if self.by[0] > 0.0 else FALLING if self.by[0] < 0.0 else monotone_pieces([], [0])

    @property
    def kind(self) -> object:
        return self.how, self.by.dtype

    def beside(self, others: Sequence[Self]) -> Operation:
        return Arithmetic(self.how, np.concatenate([self.by, *(other.by for other in others)]))


@dataclass(frozen=True, slots=True, eq=False)
class Clip(Operation):
    """Keep values between two ends."""

    low: Any
    high: Any

    def apply(self, values: Any) -> Any:
        return np.clip(values, self.low, self.high, out=values)

    def monotone_pieces(self) -> MonotonePieces | None:
        return RISING

    @property
    def kind(self) -> object:
        return "clip", float(self.low), float(self.high)


@dataclass(frozen=True, slots=True, eq=False)
class FillMissing(Operation):
    """Replace a missing value, or the number that marks missing values, by a number."""

    value: Any  # (k,)
    marker: float = np.nan

    def apply(self, values: Any) -> Any:
        if np.isnan(self.marker):
            return np.where(np.isnan(values), self.value, values)
        values = np.where(np.isnan(values), REJECT, values)
        return np.where(values == self.marker, self.value, values)

    def monotone_pieces(self) -> MonotonePieces | None:
        return RISING if np.isnan(self.marker) else _spikes(np.array([self.marker]), around=1)

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        return NEVER_MISSING

    @property
    def kind(self) -> object:
        return "fill", self.value.dtype, "nan" if np.isnan(self.marker) else self.marker

    def beside(self, others: Sequence[Self]) -> Operation:
        return FillMissing(np.concatenate([self.value, *(other.value for other in others)]), self.marker)


@dataclass(frozen=True, slots=True, eq=False)
class FlagMissing(Operation):
    """Return 1 for a missing value, otherwise 0."""

    marker: float = np.nan

    def apply(self, values: Any) -> Any:
        found = np.isnan(values) if np.isnan(self.marker) else values == self.marker
        return found.astype(np.float64)

    def monotone_pieces(self) -> MonotonePieces | None:
        return (
            monotone_pieces([], [0]) if np.isnan(self.marker) else _spikes(np.array([self.marker]), around=0)
        )

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        return NEVER_MISSING

    @property
    def kind(self) -> object:
        return "flag", "nan" if np.isnan(self.marker) else self.marker


@dataclass(frozen=True, slots=True, eq=False)
class Above(Operation):
    """Return 1 above a threshold, otherwise 0; a missing value is rejected."""

    threshold: float

    def apply(self, values: Any) -> Any:
        return np.where(np.isnan(values), REJECT, np.where(values > self.threshold, 1.0, 0.0))

    def monotone_pieces(self) -> MonotonePieces | None:
        return monotone_pieces([self.threshold], [0, 0])

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        return NEVER_MISSING

    @property
    def kind(self) -> object:
        return "above", self.threshold


@dataclass(frozen=True, slots=True, eq=False)
class Bins(Operation):
    """Return the number of the bin; an edge belongs to the bin above it, and a missing value is rejected."""

    edges: FloatArray  # (bins - 1,)

    def apply(self, values: Any) -> Any:
        # All columns of a bundle hold the same values: they come from one column of the table.
        one = values[:, :1]
        found = np.searchsorted(self.edges, one, side="right").astype(np.float64)
        found = np.where(np.isnan(one), REJECT, found)
        return np.repeat(found, values.shape[1], axis=1)

    def monotone_pieces(self) -> MonotonePieces | None:
        below = np.unique(np.nextafter(self.edges, -np.inf))
        return MonotonePieces(below, np.zeros(len(below) + 1, dtype=np.int64))

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        return NEVER_MISSING

    @property
    def kind(self) -> object:
        return "bins", id(self.edges)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup(Operation):
    """Look up an encoder's results: for numbers that are labels, other numbers, and missing values."""

    keys: FloatArray  # (m,) ascending
    values: FloatArray  # (m + 2, k) for each key, for any other number, and for a missing value

    def apply(self, values: Any) -> Any:
        # All columns of a bundle hold the same values: they come from one column of the table.
        one = values[:, 0]
        place = np.searchsorted(self.keys, one)
        known = np.append(self.keys, np.nan)[place] == one
        row = np.where(known, place, len(self.keys))
        row = np.where(np.isnan(one), len(self.keys) + 1, row)
        return self.values[row]

    def monotone_pieces(self) -> MonotonePieces | None:
        return _spikes(self.keys, around=0)

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        odd = np.asarray(np.isnan(self.values).any(axis=1))
        return MissingBehaviour(missing=bool(odd[-1]), known=bool(odd[:-2].any()), unseen=bool(odd[-2]))

    @property
    def kind(self) -> object:
        return "lookup", id(self.keys)

    def beside(self, others: Sequence[Self]) -> Operation:
        return Lookup(self.keys, np.hstack([self.values, *(other.values for other in others)]))


@dataclass(frozen=True, slots=True, eq=False)
class StepTable(Operation):
    """Look up a constant for each stretch of numbers, and one for a missing value."""

    ends: FloatArray  # (m,) ascending: a stretch ends with its number, inclusive
    values: FloatArray  # (m + 2, k) for each stretch, the last without an end, and for a missing value

    def apply(self, values: Any) -> Any:
        # All columns of a bundle hold the same values: they come from one column of the table.
        one = np.asarray(values[:, 0], dtype=np.float64)
        place = np.where(np.isnan(one), len(self.ends) + 1, np.searchsorted(self.ends, one, side="left"))
        return np.where(np.isinf(one)[:, None], REJECT, self.values[place])

    def monotone_pieces(self) -> MonotonePieces | None:
        return MonotonePieces(self.ends, np.zeros(len(self.ends) + 1, dtype=np.int64))

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        odd = np.asarray(np.isnan(self.values).any(axis=1))
        known = bool(odd[:-1].any())
        return MissingBehaviour(missing=bool(odd[-1]), known=known, unseen=known)

    @property
    def kind(self) -> object:
        return "steps", id(self.ends)

    def beside(self, others: Sequence[Self]) -> Operation:
        return StepTable(self.ends, np.hstack([self.values, *(other.values for other in others)]))


@dataclass(frozen=True, slots=True, eq=False)
class ZeroIsMissing(Operation):
    """Treat zeros as missing: for XGBoost, entries that a sparse matrix does not store are missing."""

    def apply(self, values: Any) -> Any:
        return np.where(values == 0.0, np.nan, values)

    def monotone_pieces(self) -> MonotonePieces | None:
        return _spikes(np.zeros(1), around=1)

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        return MissingBehaviour(missing=True, known=True, unseen=True)

    @property
    def kind(self) -> object:
        return "zero is missing"


@dataclass(frozen=True, slots=True, eq=False)
class RejectMissing(Operation):
    """Reject missing values, as a model that does not accept them would."""

    def apply(self, values: Any) -> Any:
        return np.where(np.isnan(values), REJECT, values)

    def monotone_pieces(self) -> MonotonePieces | None:
        return RISING

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        return NEVER_MISSING

    @property
    def kind(self) -> object:
        return "reject missing"


# Where functions are monotone that round correctly in IEEE arithmetic, and map every number to a number.
_KNOWN = {
    "absolute": monotone_pieces([_LEAST], [-1, 1]),
    "fabs": monotone_pieces([_LEAST], [-1, 1]),
    "square": monotone_pieces([_LEAST], [-1, 1]),
    "negative": FALLING,
    "positive": RISING,
    "floor": RISING,
    "ceil": RISING,
    "rint": RISING,
    "trunc": RISING,
    "sign": RISING,
}


@dataclass(frozen=True, slots=True, eq=False)
class Elementwise(Operation):
    """Apply a NumPy function of one number.

    NumPy is assumed to return the same result for the same number at every position of an array.
    """

    function: np.ufunc

    def apply(self, values: Any) -> Any:
        return self.function(values)

    def monotone_pieces(self) -> MonotonePieces | None:
        return _KNOWN.get(self.function.__name__)

    @property
    def kind(self) -> object:
        return "function", self.function


def _spikes(keys: FloatArray, *, around: int) -> MonotonePieces:
    """Return the pieces of a function that is arbitrary at single numbers, with one direction around them."""
    cuts = np.unique(np.concatenate([np.nextafter(keys, -np.inf), keys]))
    # A stretch is a single number if its cut is a key: there is nothing between neighbouring floats.
    directions = np.where(np.isin(cuts, keys), 0, around)
    return MonotonePieces(cuts, np.append(directions, around).astype(np.int64))
