"""Encode the values of a table as numbers that the grid can order, and decode them to the column's own type.

Numbers are unchanged. A category becomes the rank of its label: 0 is the most common label of the reference,
or the first label of an ordered column. So nothing depends on the names of labels. A date becomes its
microsecond (`p2ce.tables.dates`). A missing value is minus infinity, below everything, in every column.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.base.whole_numbers import LARGEST_EXACT, is_exact
from p2ce.errors import InvalidReference
from p2ce.tables.cells import MISSING as MISSING
from p2ce.tables.cells import is_missing, label_key
from p2ce.tables.dates import date_codes, date_text, decode_dates, holds_dates

if TYPE_CHECKING:
    import pandas as pd

# A cut here separates a missing value from every number.
ABOVE_MISSING = float(np.finfo(np.float64).min)
MANY = 64  # cells; for more, it is faster to encode each label once


@dataclass(frozen=True, kw_only=True, eq=False)
class Coding:
    """How one column is encoded as numbers and decoded. It never changes: a new label makes a new coding.

    >>> import pandas as pd
    >>> housing = coding_of(pd.Series(["own", "rent", None, "own"], name="Housing"))
    >>> housing.encode(["rent", "own", None]).tolist()
    [1.0, 0.0, -inf]
    >>> housing.plain(1.0)
    'rent'
    """

    name: str
    dtype: Any  # the column's own type, of NumPy or pandas
    # Labels of the codes 0, 1, 2, …; None for a column of numbers or dates.
    labels: tuple[Any, ...] | None = None
    ordered: bool = False  # whether the labels' order has a meaning
    gap: Any = None  # the missing value of a column of objects: None or NaN
    # Labels that the reference lacks: those that only a library knows, and those of the explained rows. Their
    # codes come after all others.
    unseen: tuple[Any, ...] = ()

    @cached_property
    def count(self) -> int:
        """The number of labels with a code; 0 for a column of numbers."""
        return len(self.labels or ()) + len(self.unseen)

    @cached_property
    def is_category(self) -> bool:
        return self.labels is not None

    @cached_property
    def is_date(self) -> bool:
        return self.labels is None and holds_dates(self.dtype)

    @cached_property
    def number_dtype(self) -> "np.dtype[Any]":
        """The NumPy type of the column's numbers, or of the codes of a category or date."""
        if self.is_date:
            return np.dtype(np.float64)
        plain = getattr(self.dtype, "numpy_dtype", self.dtype)
        return np.dtype(np.float64) if self.is_category else np.dtype(plain)

    @property
    def holds_missing(self) -> bool:
        """Whether the column's type can represent a missing value."""
        return not (isinstance(self.dtype, np.dtype) and self.dtype.kind in "biu")

    def code_of(self, label: Any) -> float | None:
        """Return the code of a label, or None for a label without a code."""
        place = self._places.get(label_key(label))
        return None if place is None else float(place)

    def encode(self, values: Any) -> FloatArray:
        """Encode values as numbers. A value that this column cannot hold becomes NaN.

        All labels without a code get the same one, after all others, which cannot be decoded. `encode_all`
        adds a code for each of them.
        """
        if self.is_date:
            return date_codes(values, self.dtype)
        if self.labels is not None and len(values) > MANY and (parts := _factorized(values)) is not None:
            at, labels = parts
            # Only labels that occur. A missing label has the code -1.
            held = np.unique(at[at >= 0])
            found = np.full(len(labels) + 1, MISSING)
            found[held] = self.encode(labels[held])
            return found[at]
        cells = values if isinstance(values, np.ndarray) else _cells(values)
        if self.labels is None:
            return as_floats(cells)
        codes = np.empty(len(cells))
        places, new = self._places, float(self.count)
        for i, cell in enumerate(cells.tolist()):
            codes[i] = MISSING if is_missing(cell) else places.get(label_key(cell), new)
        return codes

    def encode_all(self, values: Any) -> "tuple[FloatArray, Coding]":
        """Encode values, and return the coding with a code for every label of them."""
        codes = self.encode(values)
        new = codes == self.count
        if not self.is_category or not new.any():
            return codes, self
        wider = self.with_labels(_objects(values)[new])
        return wider.encode(values), wider

    def with_labels(self, labels: Iterable[Any]) -> "Coding":
        """Return the same coding with codes for these labels, too."""
        new: dict[Any, Any] = {}
        for label in labels:
            if not is_missing(label) and label_key(label) not in self._places:
                new.setdefault(label_key(label), label)
        return replace(self, unseen=(*self.unseen, *new.values())) if new else self

    @cached_property
    def _places(self) -> Mapping[Any, int]:
        """The codes of the labels; of equal labels, the first counts."""
        places: dict[Any, int] = {}
        for place, label in enumerate([*(self.labels or ()), *self.unseen]):
            places.setdefault(label_key(label), place)
        return places

    @cached_property
    def _label_cells(self) -> npt.NDArray[Any]:
        """None for a missing value, then the labels in the order of their codes."""
        cells = np.empty(self.count + 1, dtype=object)
        for place, label in enumerate([None, *(self.labels or ()), *self.unseen]):
            cells[place] = label
        cells.flags.writeable = False
        return cells

    def decode(self, codes: FloatArray) -> Any:
        """Decode numbers to a column of its own type, a NumPy or pandas array."""
        import pandas as pd

        if self.is_date:
            return decode_dates(codes, self.dtype)
        missing = codes == MISSING
        if self.labels is not None:
            if isinstance(self.dtype, pd.CategoricalDtype) and not (codes >= len(self.labels)).any():
                ranks = np.where(missing, -1, codes).astype(np.int64)
                return pd.Categorical.from_codes(self._declared[ranks], dtype=self.dtype)
            cells = self._label_cells[np.where(missing, -1, codes).astype(np.int64) + 1]
            if isinstance(self.dtype, pd.CategoricalDtype):
                return pd.Categorical(cells, dtype=self._widened(cells, missing))
            if not isinstance(self.dtype, np.dtype):
                return pd.array(cells, dtype=self.dtype)
            cells[missing] = self.gap
            return pd.Series(cells, dtype=object)  # pandas would convert a plain array to text
        if isinstance(self.dtype, np.dtype):
            if not missing.any():
                return codes.astype(self.dtype)
            # pandas turns plain integers and bools with a missing value into floats.
            filled = np.where(missing, np.nan, codes)
            return filled.astype(self.dtype) if self.holds_missing else filled
        plain = np.where(missing, 0.0, codes).astype(self.number_dtype)
        found = pd.array(plain, dtype=self.dtype)
        if missing.any():
            found[missing] = pd.NA
        return found

    def plain(self, code: float) -> Any:
        """Return one value as plain Python: 41 in a whole column, not 41.0; a date as ISO text.

        A missing number is NaN if its type has it. All other missing values are None.
        """
        if self.is_date:
            return None if code == MISSING else date_text(code, self.dtype)
        if code == MISSING:
            if self.labels is not None:
                return self.gap if isinstance(self.dtype, np.dtype) else None
            return float("nan") if self.number_dtype.kind == "f" else None
        if self.labels is not None:
            label = self._label_cells[int(code) + 1]
            return label.item() if isinstance(label, np.generic) else label
        kind = self.number_dtype.kind
        if kind == "b":
            return bool(code)
        return int(code) if kind in "iu" else float(code)

    @cached_property
    def _declared(self) -> npt.NDArray[np.int64]:
        """The position of each label among the categories of the column's type, and -1 for a missing one."""
        declared = {label_key(label): place for place, label in enumerate(self.dtype.categories.tolist())}
        places = np.array([*(declared[label_key(label)] for label in self.labels or ()), -1])
        places.flags.writeable = False
        return places

    def _widened(self, cells: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> Any:
        """Return the categorical type, extended by the unseen labels that occur."""
        import pandas as pd

        if not self.unseen:
            return self.dtype
        known = set(map(label_key, self.dtype.categories))
        new = [cell for cell in dict.fromkeys(cells[~missing].tolist()) if label_key(cell) not in known]
        if not new:
            return self.dtype
        return pd.CategoricalDtype([*self.dtype.categories, *new], ordered=self.dtype.ordered)


@dataclass(frozen=True, eq=False)
class Codebook:
    """The codings of a table's columns, in order."""

    codings: tuple[Coding, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(coding.name for coding in self.codings)

    @property
    def is_category(self) -> npt.NDArray[np.bool_]:
        """Which columns hold categories, (d,)."""
        return np.array([coding.is_category for coding in self.codings], dtype=np.bool_)

    @cached_property
    def dates(self) -> tuple[str, ...]:
        """The names of the columns that hold dates."""
        return tuple(coding.name for coding in self.codings if coding.is_date)

    @cached_property
    def has_unseen(self) -> bool:
        """Whether some column has labels that the reference lacks."""
        return any(coding.unseen for coding in self.codings)

    def __getitem__(self, name: str) -> Coding:
        return self._by_name[name]

    def __iter__(self) -> Iterator[Coding]:
        return iter(self.codings)

    def of(self, names: Sequence[str]) -> "Codebook":
        """Return the codings of some columns, in the order of the names."""
        return Codebook(tuple(self._by_name[name] for name in names))

    @cached_property
    def _by_name(self) -> dict[str, Coding]:
        return {coding.name: coding for coding in self.codings}

    def encode(self, frame: "pd.DataFrame") -> FloatArray:
        """Encode a frame as numbers (n, d). Columns are found by name."""
        labels = {str(label): label for label in frame.columns}
        values = np.empty((len(frame), len(self.codings)))
        for place, coding in enumerate(self.codings):
            values[:, place] = coding.encode(frame[labels[coding.name]])
        return values

    def columns_with_missing(self, codes: FloatArray) -> frozenset[str]:
        """Return the columns in which a value of an encoded table (n, d) is missing."""
        holes = (codes == MISSING).any(axis=0)
        return frozenset(one.name for one, missing in zip(self, holes, strict=True) if missing)

    def encode_all(self, frame: "pd.DataFrame") -> "tuple[FloatArray, Codebook]":
        """Encode a frame, and return the codebook with a code for every label of it."""
        labels = {str(label): label for label in frame.columns}
        columns, codings = zip(*(one.encode_all(frame[labels[one.name]]) for one in self), strict=True)
        return np.column_stack(columns), self.with_codings(codings)

    def with_labels(self, labels: Mapping[str, Iterable[Any]]) -> "Codebook":
        """Return the same codebook with codes for these labels, too: column → labels."""
        return self.with_codings(
            tuple(one.with_labels(labels[one.name]) if one.name in labels else one for one in self)
        )

    def with_codings_of(self, other: "Codebook") -> "Codebook":
        """Return the codebook with another one's codings, where it has the column."""
        return self.with_codings(tuple(other._by_name.get(one.name, one) for one in self))

    def with_codings(self, codings: Sequence[Coding]) -> "Codebook":
        """Return the codebook with other codings of its columns, or itself if they are the same."""
        same = all(one is other for one, other in zip(self.codings, codings, strict=True))
        return self if same else Codebook(tuple(codings))

    def decode(self, values: FloatArray, labels: "pd.Index[Any]") -> "pd.DataFrame":
        """Decode numbers (n, d) to a frame with the columns' own types."""
        import pandas as pd

        kinds = [coding.dtype for coding in self.codings]
        first = kinds[0]
        if isinstance(first, np.dtype) and first.kind in "iuf" and all(kind == first for kind in kinds):
            lacking = values == MISSING
            if not lacking.any():
                return pd.DataFrame(values.astype(first), columns=labels)
            if first.kind == "f":
                return pd.DataFrame(np.where(lacking, np.nan, values).astype(first), columns=labels)
        frame = pd.DataFrame(
            {place: coding.decode(values[:, place]) for place, coding in enumerate(self.codings)}
        )
        frame.columns = labels
        return frame


class GrowingCodebook:
    """A codebook for tables that are encoded one after another: ``codebook`` is replaced by wider ones."""

    def __init__(self, codebook: Codebook) -> None:
        self.codebook = codebook

    @property
    def is_category(self) -> npt.NDArray[np.bool_]:
        """Which columns hold categories, (d,)."""
        return self.codebook.is_category

    def encode(self, frame: "pd.DataFrame") -> FloatArray:
        """Encode a frame as numbers (n, d). From now on, every label of it has a code."""
        codes, self.codebook = self.codebook.encode_all(frame)
        return codes


def codebook_of(frame: "pd.DataFrame") -> Codebook:
    """Determine how the columns of a table are encoded.

    >>> import pandas as pd
    >>> book = codebook_of(pd.DataFrame({"Age": [41, 23, 35], "Job": ["clerk", "cook", "cook"]}))
    >>> book.encode(pd.DataFrame({"Job": ["clerk"], "Age": [30]})).tolist()
    [[30.0, 1.0]]
    """
    return Codebook(tuple(coding_of(frame.iloc[:, place]) for place in range(frame.shape[1])))


def coding_of(column: "pd.Series[Any]") -> Coding:
    """Determine how a column is encoded, and reject a type that is neither number, category nor date."""
    import pandas as pd

    name, dtype = str(column.name), column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        declared = dtype.categories.tolist()
        if dtype.ordered:
            return Coding(name=name, dtype=dtype, labels=tuple(declared), ordered=True)
        # The declared order breaks ties, so renaming categories changes nothing.
        counts = column.value_counts(sort=False).reindex(dtype.categories, fill_value=0).to_numpy()
        order = np.argsort(-counts, kind="stable")
        return Coding(name=name, dtype=dtype, labels=tuple(declared[place] for place in order))
    plain = getattr(dtype, "numpy_dtype", dtype)
    if holds_dates(dtype) or (isinstance(plain, np.dtype) and plain.kind in "biuf" and plain.itemsize <= 8):
        return Coding(name=name, dtype=dtype)
    if isinstance(dtype, pd.StringDtype):
        at, labels = pd.factorize(column)  # in order of first appearance, as for objects below
        order = np.argsort(-np.bincount(at[at >= 0], minlength=len(labels)), kind="stable")
        return Coding(
            name=name,
            dtype=dtype,
            labels=tuple(_objects(labels)[order].tolist()),
            gap=dtype.na_value if (at < 0).any() else np.nan,
        )
    if isinstance(dtype, np.dtype) and dtype.kind in "OUS":
        cells = column.tolist()
        gap = next((cell for cell in cells if is_missing(cell)), np.nan)
        return Coding(name=name, dtype=dtype, labels=_commonest_first(cells), gap=gap)
    raise InvalidReference(
        f"Expected columns of numbers, bools, categories, text or dates, got {echoed(name)} ({dtype}). "
        "Convert it (a duration into days, for example) before fitting the model, or drop it from both."
    )


def _commonest_first(cells: Sequence[Any]) -> tuple[Any, ...]:
    """List the labels by descending frequency. Equally common ones keep the order of first appearance."""
    counts: dict[Any, int] = {}
    labels: dict[Any, Any] = {}
    for cell in cells:
        if is_missing(cell):
            continue
        key = label_key(cell)
        labels.setdefault(key, cell)
        counts[key] = counts.get(key, 0) + 1
    return tuple(labels[key] for key in sorted(labels, key=lambda key: -counts[key]))


def _factorized(values: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]] | None:
    """Return a column of text or categories as positions and labels, or None for other types."""
    import pandas as pd

    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, pd.CategoricalDtype):
        held = values.cat if isinstance(values, pd.Series) else values
        return np.asarray(held.codes, dtype=np.int64), _objects(dtype.categories)
    if isinstance(dtype, pd.StringDtype):
        places, labels = pd.factorize(values)
        return np.asarray(places, dtype=np.int64), _objects(labels)
    return None


def _cells(values: Any) -> npt.NDArray[Any]:
    plain = getattr(getattr(values, "dtype", None), "numpy_dtype", getattr(values, "dtype", None))
    if isinstance(plain, np.dtype) and plain.kind in "biuf" and hasattr(values, "to_numpy"):
        found: npt.NDArray[Any] = values.to_numpy(dtype=np.float64, na_value=np.nan)
        if plain.kind == "f" or not (np.abs(found) >= LARGEST_EXACT).any():
            return found
    return _objects(values)


def _objects(values: Any) -> npt.NDArray[Any]:
    """Return the cells as objects, with their types: 7 does not become 7.0, nor True 1.0."""
    cells = np.empty(len(values), dtype=object)
    cells[:] = values.tolist() if hasattr(values, "tolist") else list(values)
    return cells


def as_floats(cells: npt.NDArray[Any]) -> FloatArray:
    """Convert cells to float64. Infinities, and what is not a number that float64 holds, become NaN."""
    if cells.dtype.kind in "biuf":
        found = cells.astype(np.float64)
        if cells.dtype.kind != "f":
            for place in np.flatnonzero(np.abs(found) >= LARGEST_EXACT).tolist():
                found[place] = _number(cells[place])
            return found
        return np.where(np.isnan(found), MISSING, np.where(np.isinf(found), np.nan, found))
    plain = (int, float)  # most cells; a NaN is not below the largest number either
    return np.array(
        [
            cell if type(cell) in plain and abs(cell) < LARGEST_EXACT else _number(cell)
            for cell in cells.tolist()
        ],
        dtype=np.float64,
    )


def _number(cell: Any) -> float:
    if is_missing(cell):
        return MISSING
    if isinstance(cell, str | bytes | complex):
        return np.nan
    try:
        found = float(cell)
    except (TypeError, ValueError, OverflowError):
        return np.nan
    return np.nan if np.isinf(found) or (abs(found) >= LARGEST_EXACT and not is_exact(cell)) else found
