"""Map columns to the inputs of a model behind preprocessing: on which column each depends, and how.

Preprocessing that works on one column at a time makes every input of the inner model a function of one column
of the table. Of a category that function is a table over its codes. Of a number it is a chain of operations,
each of which repeats the library's own arithmetic bit by bit.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.tables.codebook import MISSING


class MonotonePieces(NamedTuple):
    """How a function of floats runs: between cuts it never decreases (1), never rises (-1) or is flat (0).

    A stretch ends with its cut, that value included; the last one has none.
    """

    cuts: FloatArray  # (k,) ascending
    directions: IntArray  # (k + 1,)


def monotone_pieces(cuts: Sequence[float], directions: Sequence[int]) -> MonotonePieces:
    """Write bends down."""
    return MonotonePieces(np.array(cuts, dtype=np.float64), np.array(directions, dtype=np.int64))


RISING = monotone_pieces([], [1])
FALLING = monotone_pieces([], [-1])


class MissingBehaviour(NamedTuple):
    """Of what an operation makes a missing value."""

    missing: bool
    known: bool  # of some number, or of one that an encoder knows
    unseen: bool  # of a number that an encoder does not know


NEVER_MISSING = MissingBehaviour(missing=False, known=False, unseen=False)


class Operation(ABC):
    """One elementwise step on the way from a column of numbers to an input: (n, k) → (n, k).

    A missing value is NaN on the way, a value that the library would reject is infinite.
    """

    @abstractmethod
    def apply(self, values: Any) -> Any:
        """Do it to an array, which may be changed in place: (n, k) → (n, k)."""

    @abstractmethod
    def monotone_pieces(self) -> MonotonePieces | None:
        """Tell how the operation runs along the finite floats; None where nothing is proven."""

    @property
    def missing_behaviour(self) -> "MissingBehaviour":
        """Tell of what the operation makes a missing value: by default only of one."""
        return MissingBehaviour(missing=True, known=False, unseen=False)

    @property
    def kind(self) -> object:
        """Operations of equal kind can be done side by side; None for one that stands alone."""
        return None

    def beside(self, others: Sequence[Self]) -> "Operation":
        """Join this with others of equal kind: the k-th of them all works on column k."""
        assert all(other.kind == self.kind for other in others), "only operations of equal kind are joined"
        return self


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InputMap:
    """One input as a function of one column: what a chain of operations makes of the column's numbers.

    Of a category no operation is kept, as a table will hold all there is. It is ``raw`` as long as it
    carries labels; an encoder turns them into numbers.
    """

    source: int
    operations: tuple[Operation, ...] = ()
    is_category: bool = False
    raw: bool = False

    def apply(self, values: FloatArray) -> FloatArray:
        """Turn the column's numbers into the input, missing ones into minus infinity: (n,) → (n,)."""
        found: Any = np.where(values == MISSING, np.nan, values)[:, None]
        with np.errstate(all="ignore"):
            for operation in self.operations:
                found = operation.apply(found)
        found = np.asarray(found, dtype=np.float64)[:, 0]
        return np.where(np.isnan(found), MISSING, found)


class Bundle(NamedTuple):
    """Inputs that the same operations lead to, done side by side."""

    columns: IntArray  # (k,) of the table
    inputs: IntArray  # (k,)
    operations: tuple[Operation, ...]


class Table(NamedTuple):
    """Inputs that depend on one column of categories."""

    column: int
    inputs: IntArray  # (k,)
    values: FloatArray  # (labels + 2, k) of each code, of a label that nobody has seen, of a missing one

    def rows(self, codes: FloatArray) -> IntArray:
        """Find the table's rows for codes (n,)."""
        labels = len(self.values) - 2
        found: IntArray = np.where(codes == MISSING, labels + 1, np.fmin(codes, labels)).astype(np.int64)
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InputMaps:
    """Show codes of the table's columns (n, d) as the codes of a model's inputs (n, inputs).

    A missing input is minus infinity, as everywhere. Where the library itself would raise, the
    value is NaN, so that nothing is proven about it.
    """

    column_count: int
    maps_by_input: tuple[InputMap, ...]  # (inputs,)
    tables: tuple[Table, ...]
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
        """Show rows of codes: (n, d) → (n, inputs)."""
        shown = self.transform_numbers(codes)
        for table in self.tables:
            shown[:, table.inputs] = table.values[table.rows(codes[:, table.column])]
        return shown

    def transform_numbers(self, codes: FloatArray) -> FloatArray:
        """Show what depends on numbers; inputs that depend on categories are zero."""
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
    maps_by_input: Sequence[InputMap], tables: Sequence[Table], *, column_count: int
) -> InputMaps:
    """Bundle the inputs that can be computed side by side."""
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
    """Tell which inputs can be missing: (inputs,), for columns (d,) of which some may miss a value.

    ``unseen`` tells whether values count that an encoder does not know: some make a missing value of them.
    """
    missing = np.zeros(len(maps.maps_by_input), dtype=np.bool_)
    for table in maps.tables:
        counted = np.ones(len(table.values), dtype=np.bool_)
        counted[-2:] = unseen, nullable[table.column]
        missing[table.inputs] |= (table.values[counted] == MISSING).any(axis=0)
    for j, input_map in enumerate(maps.maps_by_input):
        if not input_map.is_category:
            missing_behaviour = bool(nullable[input_map.source])
            for operation in input_map.operations:
                of = operation.missing_behaviour
                missing_behaviour = (missing_behaviour and of.missing) or of.known or (unseen and of.unseen)
            missing[j] |= missing_behaviour
    return missing
