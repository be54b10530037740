"""Transformers of one column without known arithmetic: they are evaluated themselves, once for each value.

Nothing is known about values in between. So sums and networks behind them are proven on the values that were
evaluated, which are the candidates and the instances' own values, and forests are scored on their inputs.

The bits of a result may depend on the rows that are evaluated together with it, since libraries vectorise.
This is checked on some values. Beyond the check, results count as exact up to `LOOSE`: scores leave to the
model what lies closer to a threshold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pandas as pd

from p2ce.base.arrays import FloatArray
from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.fold import Fold, as_plain, encoded, extended, transformed
from p2ce.models.preprocessing.input_maps import InputMap, MissingBehaviour, MonotonePieces, Operation
from p2ce.models.preprocessing.operations import REJECT

# How far a result may be off in other company, relative to the largest one: some dozens of roundings.
LOOSE = 2.0**-46
# A table that outgrows this many values starts again.
MOST_VALUES = 200_000
_ALONE = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnTable:
    """A transformer's outputs for numbers in one of its columns, each evaluated when it is first needed."""

    step: Any
    given: Any  # (1, columns) a row of its input, which fills the other columns
    place: int
    outputs: int  # all of the transformer
    rejects_missing: bool = False  # whether a number without a result is rejected, and not missing
    _known: list[tuple[FloatArray, FloatArray]] = field(
        default_factory=lambda: [(np.empty(0), np.empty((0, 0)))]
    )

    def at(self, values: FloatArray) -> FloatArray:
        """Return the outputs for numbers, NaN for a missing one: (n,) → (n, outputs)."""
        wanted, back = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
        keys, rows = self._known[0]
        rows = rows.reshape(len(keys), self.outputs)
        place = np.searchsorted(keys, wanted)
        # A missing value is the last of the keys, as NumPy sorts them.
        same = np.append(keys, 0.0)[place]
        found = (place < len(keys)) & ((same == wanted) | (np.isnan(same) & np.isnan(wanted)))
        new = wanted[~found]
        if len(new):
            added = evaluate_column(self.step, self.given, self.place, new, self.outputs)
            if self.rejects_missing:
                added[np.isnan(added) & ~np.isnan(new)[:, None]] = REJECT
            keys, rows = np.concatenate([wanted[found], new]), np.concatenate([rows[place[found]], added])
            order = np.argsort(keys, kind="stable")
            result = rows[order]  # the wanted ones, in their order
            self._remember(keys[order], result)
            return result[back]
        return rows[place][back]

    def _remember(self, keys: FloatArray, rows: FloatArray) -> None:
        """Add values, which replaces the table at once: other threads may read the old one."""
        old, of_old = self._known[0]
        if len(old) + len(keys) <= MOST_VALUES:
            keys, first = np.unique(np.concatenate([old, keys]), return_index=True)
            rows = np.concatenate([of_old.reshape(len(old), self.outputs), rows])[first]
        self._known[0] = keys, rows


@dataclass(frozen=True, slots=True, eq=False)
class Tabulated(Operation):
    """Look up outputs of a transformer in a table that grows as values are needed."""

    table: ColumnTable
    outputs: tuple[int, ...]  # (k,)

    def apply(self, values: Any) -> Any:
        # All columns of a bundle hold the same values: they come from one column of the table.
        one = np.asarray(values[:, 0], dtype=np.float64)
        is_value = ~np.isinf(one)  # what an earlier transformer rejects stays rejected
        found = np.full((len(one), len(self.outputs)), REJECT)
        if is_value.any():
            found[is_value] = self.table.at(one[is_value])[:, list(self.outputs)]
        return found

    def monotone_pieces(self) -> MonotonePieces | None:
        return None

    @property
    def missing_behaviour(self) -> MissingBehaviour:
        of_missing = self.table.at(np.array([np.nan]))[0, list(self.outputs)]
        may = not self.table.rejects_missing
        return MissingBehaviour(missing=bool(np.isnan(of_missing).any()), known=may, unseen=may)

    @property
    def kind(self) -> object:
        return "tabulated", id(self.table)

    def beside(self, others: Sequence[Self]) -> Operation:
        return Tabulated(self.table, sum((other.outputs for other in others), self.outputs))


def follow_tabulated(step: Any, maps_by_input: list[InputMap], given: Any, fold: Fold) -> list[InputMap]:
    """Follow a transformer that works column by column; every column has as many outputs, in their order."""
    name = type(step).__name__
    together = transformed_row_by_row(step, given, name=name)
    each, left = divmod(together.shape[1], len(maps_by_input))
    if left:
        raise UnsupportedModel(
            f"This Pipeline contains {name}, which works column by column, but returns {together.shape[1]} "
            f"columns for {len(maps_by_input)}. Use one for each column, in a ColumnTransformer."
        )
    found: list[InputMap] = []
    for place, input_map in enumerate(maps_by_input):
        if input_map.is_category:
            fold.knows_unseen = fold.knows_unseen and not input_map.raw
            found += [encoded(input_map)] * each
            continue
        mine = range(place * each, (place + 1) * each)
        table = table_of(step, given, place, together, mine)
        found += [extended(input_map, Tabulated(table, (j,)), name=name, fold=fold) for j in mine]
    return found


def transformed_row_by_row(step: Any, given: Any, *, name: str) -> FloatArray:
    """Transform rows (n, outputs); raise if the result of a row depends on the others."""
    together = as_plain(transformed(step, given)).astype(np.float64)
    for at in np.linspace(0, len(together) - 1, min(_ALONE, len(together))).astype(np.int64).tolist():
        row = given.iloc[[at]] if isinstance(given, pd.DataFrame) else given[[at]]
        alone = as_plain(transformed(step, row)).astype(np.float64)
        if not np.array_equal(alone[0], together[at], equal_nan=True):
            raise UnsupportedModel(
                f"This Pipeline contains {name}, whose result for a row depends on the rows that are "
                "transformed together with it. Let it look at each row by itself."
            )
    return np.asarray(together)


def table_of(step: Any, given: Any, place: int, together: FloatArray, mine: Sequence[int]) -> ColumnTable:
    """Make the table of one column, on which the outputs ``mine`` of all (n, outputs) depend."""
    column = given.iloc[:, place] if isinstance(given, pd.DataFrame) else as_plain(given)[:, place]
    values = np.asarray(pd.to_numeric(pd.Series(column)), dtype=np.float64)
    of_numbers = together[~np.isnan(values)][:, list(mine)]
    return ColumnTable(
        step=step,
        given=given[:1],
        place=place,
        outputs=together.shape[1],
        rejects_missing=not bool(np.isnan(of_numbers).any()),
    )


def evaluate_columns(
    step: Any, given: Any, values: Mapping[int, FloatArray], outputs: int
) -> dict[int, FloatArray]:
    """Evaluate a transformer for numbers in several columns, by place: (m,) → (m, outputs) for each.

    As it works column by column, one call does for all columns, unless it raises. Numbers are float64.
    """
    longest = max(map(len, values.values()), default=0)
    first = np.zeros(longest, dtype=np.int64)
    rows: Any
    if isinstance(given, pd.DataFrame):
        rows = given.iloc[first].reset_index(drop=True)
    else:
        rows = given[first].astype(np.float64) if given.dtype.kind in "iub" else given[first]
    try:
        for place, tried in values.items():
            padded = np.append(tried, np.full(longest - len(tried), tried[0]))
            if isinstance(rows, pd.DataFrame):
                rows = rows.assign(**{rows.columns[place]: padded})
            else:
                rows[:, place] = padded
        own = as_plain(transformed(step, rows)).astype(np.float64)
        return {place: own[: len(tried)] for place, tried in values.items()}
    except Exception:  # some value is rejected, so each column is tried separately
        return {place: evaluate_column(step, given, place, tried, outputs) for place, tried in values.items()}


def evaluate_column(step: Any, given: Any, place: int, values: FloatArray, outputs: int) -> FloatArray:
    """Evaluate a transformer for numbers in one column: (m,) → (m, outputs); infinite where it raises."""
    exact = _fits(given, place, values)
    found = np.empty((len(values), outputs))
    for those, cast in ((exact, True), (~exact, False)):
        if those.any():
            found[those] = _evaluated(step, given, place, values[those], outputs, cast=cast)
    return found


def _evaluated(
    step: Any, given: Any, place: int, values: FloatArray, outputs: int, *, cast: bool
) -> FloatArray:
    try:
        own = as_plain(transformed(step, _rows(given, place, values, cast=cast)))
        return np.asarray(own, dtype=np.float64).reshape(len(values), outputs)
    except Exception:  # libraries raise various errors for values that they reject
        if len(values) == 1:
            return np.full((1, outputs), REJECT)
    half = len(values) // 2
    parts = values[:half], values[half:]
    return np.concatenate([_evaluated(step, given, place, part, outputs, cast=cast) for part in parts])


def _fits(given: Any, place: int, values: FloatArray) -> Any:
    """Return which numbers the type of a column holds exactly; the others are passed as float64."""
    dtype = given.dtypes.iloc[place] if isinstance(given, pd.DataFrame) else given.dtype
    if not isinstance(dtype, np.dtype):
        is_float = pd.api.types.is_float_dtype(dtype)
        return np.full(len(values), True) if is_float else np.isnan(values) | (values % 1 == 0)
    if dtype.kind not in "fiub":
        return np.full(len(values), True)
    with np.errstate(all="ignore"):
        there = np.nan_to_num(values).astype(dtype).astype(np.float64)
    return (there == values) | (np.isnan(values) & (dtype.kind == "f"))


def _rows(given: Any, place: int, values: FloatArray, *, cast: bool) -> Any:
    """Repeat the first row of a transformer's input, with these numbers in one column."""
    first = np.zeros(len(values), dtype=np.int64)
    if isinstance(given, pd.DataFrame):
        rows = given.iloc[first].reset_index(drop=True)
        column = pd.Series(values)
        if cast:
            column = column.astype(given.dtypes.iloc[place])
        before, behind = rows.iloc[:, :place], rows.iloc[:, place + 1 :]
        return pd.concat([before, column.rename(given.columns[place]), behind], axis=1)
    plain = as_plain(given)
    rows = plain[first] if cast else plain[first].astype(np.float64)
    rows[:, place] = values
    return type(given)(rows) if plain is not given else rows
