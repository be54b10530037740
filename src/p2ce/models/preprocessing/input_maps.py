"""Map columns to the inputs of a model behind preprocessing: on which column each depends, and how.

If preprocessing works on one column at a time, every input of the inner model is a function of one column of
the table. For a category, this function is a table over its codes. For a number, it is a chain of operations,
each of which repeats the library's own arithmetic bit by bit.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from p2ce.base.arrays import BoolArray, FloatArray, IntArray
from p2ce.tables.codebook import MISSING


class MonotonePieces(NamedTuple):
    """A function of floats: between cuts it never decreases (1), never increases (-1) or is constant (0).

    A stretch ends with its cut, inclusive; the last stretch has no cut.
    """

    cuts: FloatArray  # (k,) ascending
    directions: IntArray  # (k + 1,)


def monotone_pieces(cuts: Sequence[float], directions: Sequence[int]) -> MonotonePieces:
    """Build MonotonePieces from sequences."""
    return MonotonePieces(np.array(cuts, dtype=np.float64), np.array(directions, dtype=np.int64))


RISING = monotone_pieces([], [1])
FALLING = monotone_pieces([], [-1])


class MissingBehaviour(NamedTuple):
    """For which inputs the result of an operation is a missing value."""

    missing: bool  # for a missing value
    known: bool  # for some number, or for one that an encoder knows
    unseen: bool  # for a number that an encoder does not know


NEVER_MISSING = MissingBehaviour(missing=False, known=False, unseen=False)


class Operation(ABC):
    """One elementwise step from a column of numbers to an input: (n, k) → (n, k).

    In between, a missing value is NaN, and a value that the library would reject is infinite.
    """

    @abstractmethod
    def apply(self, values: Any) -> Any:
        """Apply the operation to an array, which may be changed in place: (n, k) → (n, k)."""

    @abstractmethod
    def monotone_pieces(self) -> MonotonePieces | None:
        """Return where the operation is monotone along the finite floats; None if nothing is proven."""

    @property
    def missing_behaviour(self) -> "MissingBehaviour":
        """For which inputs the result is a missing value: by default only for a missing value."""
        return MissingBehaviour(missing=True, known=False, unseen=False)

    @property
    def kind(self) -> object:
        """The kind of operation; those of equal kind can be joined. None for one that cannot."""
        return None

    def beside(self, others: Sequence[Self]) -> "Operation":
        """Join this operation with others of equal kind: the k-th of all of them works on column k."""
        assert all(other.kind == self.kind for other in others), "only operations of equal kind are joined"
        return self


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InputMap:
    """One input as a function of one column: a chain of operations on the column's numbers.

    A category has no operations, since a table holds all its results. It is ``raw`` as long as it consists of
    labels; an encoder converts these to numbers.
    """

    source: int
    operations: tuple[Operation, ...] = ()
    is_category: bool = False
    raw: bool = False

    def apply(self, values: FloatArray) -> FloatArray:
        """Convert the column's numbers to the input; a missing value is minus infinity: (n,) → (n,)."""
        found: Any = np.where(values == MISSING, np.nan, values)[:, None]
        with np.errstate(all="ignore"):
            for operation in self.operations:
                found = operation.apply(found)
        found = np.asarray(found, dtype=np.float64)[:, 0]
        return np.where(np.isnan(found), MISSING, found)


class Bundle(NamedTuple):
    """Inputs with the same operations, which are computed together."""

    columns: IntArray  # (k,) the table's columns
    inputs: IntArray  # (k,)
    operations: tuple[Operation, ...]


class LabelTable(NamedTuple):
    """Inputs that depend on one column of categories."""

    column: int
    inputs: IntArray  # (k,)
    values: FloatArray  # (labels + 2, k) for each code, for an unseen label, and for a missing one

    def rows(self, codes: FloatArray) -> IntArray:
        """Return the rows of ``values`` for codes (n,)."""
        labels = len(self.values) - 2
        found: IntArray = np.where(codes == MISSING, labels + 1, np.fmin(codes, labels)).astype(np.int64)
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InputMaps:
    """Convert codes of the table's columns (n, d) to codes of a model's inputs (n, inputs).

    A missing input is minus infinity, as everywhere. If the library itself would raise, the value is NaN, so
    nothing is proven about it.
    """

    column_count: int
    maps_by_input: tuple[InputMap, ...]  # (inputs,)
    tables: tuple[LabelTable, ...]
    bundles: tuple[Bundle, ...]

    @property
    def sources(self) -> IntArray:
        """The column of each input, (inputs,)."""
        return np.array([input_map.source for input_map in self.maps_by_input], dtype=np.int64)

    @property
    def number_inputs(self) -> IntArray:
        """The inputs that depend on columns of numbers."""
        return np.array(
            [j for j, input_map in enumerate(self.maps_by_input) if not input_map.is_category], dtype=np.int64
        )

    def show(self, codes: FloatArray) -> FloatArray:
        """Convert rows of codes: (n, d) → (n, inputs)."""
        shown = self.transform_numbers(codes)
        for table in self.tables:
            shown[:, table.inputs] = table.values[table.rows(codes[:, table.column])]
        return shown

    def transform_numbers(self, codes: FloatArray) -> FloatArray:
        """Convert the inputs that depend on numbers; those that depend on categories are zero."""
        shown = np.zeros((len(codes), len(self.maps_by_input)))
        for bundle in self.bundles:
            # A copy, which operations may change in place.
            values: Any = np.array(codes[:, bundle.columns], dtype=np.float64)
            if np.isneginf(values).any():
                values[values == MISSING] = np.nan
            with np.errstate(all="ignore"):
                for operation in bundle.operations:
                    values = operation.apply(values)
            shown[:, bundle.inputs] = values
        odd = ~np.isfinite(shown)
        if odd.any():
            shown[odd] = np.where(np.isnan(shown[odd]), MISSING, np.nan)
        return shown


def input_maps_of(
    maps_by_input: Sequence[InputMap], tables: Sequence[LabelTable], *, column_count: int
) -> InputMaps:
    """Bundle the inputs that can be computed together."""
    groups: dict[Any, list[int]] = {}
    for j, input_map in enumerate(maps_by_input):
        if not input_map.is_category:
            kinds = tuple(operation.kind for operation in input_map.operations)
            alone = j if any(kind is None for kind in kinds) else -1
            groups.setdefault((kinds, alone), []).append(j)
    bundles = []
    for members in groups.values():
        first, *others = (maps_by_input[j] for j in members)
        bundles.append(
            Bundle(
                columns=np.array([maps_by_input[j].source for j in members], dtype=np.int64),
                inputs=np.array(members, dtype=np.int64),
                operations=tuple(
                    operation.beside([other.operations[place] for other in others])
                    for place, operation in enumerate(first.operations)
                ),
            )
        )
    return InputMaps(
        column_count=column_count,
        maps_by_input=tuple(maps_by_input),
        tables=tuple(tables),
        bundles=tuple(bundles),
    )


def may_be_missing(maps: InputMaps, nullable: BoolArray, *, unseen: bool) -> BoolArray:
    """Return which inputs can be missing (inputs,), if values may be missing in some columns (d,).

    ``unseen`` says whether to include values that an encoder does not know: some encoders convert these to
    missing values.
    """
    missing = np.zeros(len(maps.maps_by_input), dtype=np.bool_)
    for table in maps.tables:
        counted = np.ones(len(table.values), dtype=np.bool_)
        counted[-2:] = unseen, nullable[table.column]
        missing[table.inputs] |= (table.values[counted] == MISSING).any(axis=0)
    for j, input_map in enumerate(maps.maps_by_input):
        if not input_map.is_category:
            can_be_missing = bool(nullable[input_map.source])
            for operation in input_map.operations:
                of = operation.missing_behaviour
                can_be_missing = (can_be_missing and of.missing) or of.known or (unseen and of.unseen)
            missing[j] |= can_be_missing
    return missing
