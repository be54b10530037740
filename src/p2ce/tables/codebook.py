"""Encode the values of a table as numbers that the grid can order, and decode them to the column's own type.

Numbers are unchanged. A category becomes the rank of its label: 0 is the most common label of the reference,
or the first label of an ordered column. So nothing depends on the names of labels. A missing value is minus
infinity, below everything, in every column.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import FloatArray
from p2ce.base.visible import echoed
from p2ce.errors import InvalidReference
from p2ce.tables.cells import is_missing as is_missing

if TYPE_CHECKING:
    import pandas as pd

MISSING = -np.inf
# A cut here separates a missing value from every number.
ABOVE_MISSING = float(np.finfo(np.float64).min)
MANY = 64  # cells; for more, it is faster to encode each label once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coding:
    """How one column is encoded as numbers and decoded.

    >>> import pandas as pd
    >>> housing = coding_of(pd.Series(["own", "rent", None, "own"], name="Housing"))
    >>> housing.encode(["rent", "own", None]).tolist()
    [1.0, 0.0, -inf]
    >>> housing.plain(1.0)
    'rent'
    """

    name: str
    dtype: Any  # the column's own type, of NumPy or pandas
    labels: tuple[Any, ...] | None = None  # labels of the codes 0, 1, 2, …; None for a column of numbers
    ordered: bool = False  # whether the labels' order has a meaning
    gap: Any = None  # the missing value of a column of objects: None or NaN
    # Unseen categories of later instances. Their codes come after all others.
    unseen: list[Any] = field(default_factory=list)

    @property
    def is_category(self) -> bool:
        return self.labels is not None

    @property
    def number_dtype(self) -> "np.dtype[Any]":
        """The NumPy type of the column's numbers, or of a category's codes."""
        plain = getattr(self.dtype, "numpy_dtype", self.dtype)
        return np.dtype(np.float64) if self.is_category else np.dtype(plain)

    @property
    def holds_missing(self) -> bool:
        """Whether the column's type can represent a missing value."""
        return not (isinstance(self.dtype, np.dtype) and self.dtype.kind in "biu")

    def code_of(self, label: Any) -> float | None:
        """Return the code of a label, or None for an unseen label."""
        place = _places(self).get(_key(label))
        return None if place is None else float(place)

    def encode(self, values: Any) -> FloatArray:
        """Encode values as numbers. A value that this column cannot hold becomes NaN.

        A label that the reference does not have gets a new code, after all others.
        """
        if self.labels is not None and len(values) > MANY and (parts := _factorized(values)) is not None:
            at, labels = parts
            # Only labels that occur. A missing label has the code -1.
            held = np.unique(at[at >= 0])
            found = np.full(len(labels) + 1, MISSING)
            found[held] = self.encode(labels[held])
            return found[at]
        cells = values if isinstance(values, np.ndarray) else _cells(values)
        if self.labels is None:
            return _numbers(cells)
        codes = np.empty(len(cells))
        places = _places(self)
        for i, cell in enumerate(cells.tolist()):
            if is_missing(cell):
                codes[i] = MISSING
                continue
            key = _key(cell)
            if key not in places:
                # Equal labels get equal codes even if two threads add one: the first position counts.
                self.unseen.append(cell)
                places = _places(self)
            codes[i] = places[key]
        return codes

    def decode(self, codes: FloatArray) -> Any:
        """Decode numbers to a column of its own type, a NumPy or pandas array."""
        import pandas as pd

        missing = codes == MISSING
        if self.labels is not None:
            if isinstance(self.dtype, pd.CategoricalDtype) and not (codes >= len(self.labels)).any():
                declared = {_key(label): place for place, label in enumerate(self.dtype.categories.tolist())}
                places = np.array([*(declared[_key(label)] for label in self.labels), -1])
                ranks = np.where(missing, -1, codes).astype(np.int64)
                return pd.Categorical.from_codes(places[ranks], dtype=self.dtype)
            known = np.empty(len(self.labels) + len(self.unseen) + 1, dtype=object)
            known[:-1] = [*self.labels, *self.unseen]
            known[-1] = None
            cells = known[np.where(missing, -1, codes).astype(np.int64)]
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
        """Return one value as plain Python: 41 in a whole column, not 41.0; None for a missing label."""
        if code == MISSING:
            if self.labels is not None:
                return self.gap if isinstance(self.dtype, np.dtype) else None
            return float("nan") if self.number_dtype.kind == "f" else None
        if self.labels is not None:
            label = [*self.labels, *self.unseen][int(code)]
            return label.item() if isinstance(label, np.generic) else label
        kind = self.number_dtype.kind
        if kind == "b":
            return bool(code)
        return int(code) if kind in "iu" else float(code)

    def _widened(self, cells: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> Any:
        """Return the categorical type, extended by the unseen labels that occur."""
        import pandas as pd

        if not self.unseen:
            return self.dtype
        known = set(map(_key, self.dtype.categories))
        new = [cell for cell in dict.fromkeys(cells[~missing].tolist()) if _key(cell) not in known]
        if not new:
            return self.dtype
        return pd.CategoricalDtype([*self.dtype.categories, *new], ordered=self.dtype.ordered)


@dataclass(frozen=True, eq=False)
class Codebook:
    """The codings of a table's columns, in order."""

    codings: tuple[Coding, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(coding.name for coding in self.codings)

    @property
    def is_category(self) -> npt.NDArray[np.bool_]:
        """Which columns hold categories, (d,)."""
        return np.array([coding.is_category for coding in self.codings], dtype=np.bool_)

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


def codebook_of(frame: "pd.DataFrame") -> Codebook:
    """Determine how the columns of a table are encoded.

    >>> import pandas as pd
    >>> book = codebook_of(pd.DataFrame({"Age": [41, 23, 35], "Job": ["clerk", "cook", "cook"]}))
    >>> book.encode(pd.DataFrame({"Job": ["clerk"], "Age": [30]})).tolist()
    [[30.0, 1.0]]
    """
    return Codebook(tuple(coding_of(frame.iloc[:, place]) for place in range(frame.shape[1])))


def coding_of(column: "pd.Series[Any]") -> Coding:
    """Determine how a column is encoded, and reject a type that is neither number nor category."""
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
    if isinstance(plain, np.dtype) and plain.kind in "biuf" and plain.itemsize <= 8:
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
        f"Expected columns of numbers, bools, categories or text, got {echoed(name)} ({dtype}). "
        "Convert it (a date into days, for example) before fitting the model, or drop it from both."
    )


def _commonest_first(cells: Sequence[Any]) -> tuple[Any, ...]:
    """List the labels by descending frequency. Equally common ones keep the order of first appearance."""
    counts: dict[Any, int] = {}
    labels: dict[Any, Any] = {}
    for cell in cells:
        if is_missing(cell):
            continue
        key = _key(cell)
        labels.setdefault(key, cell)
        counts[key] = counts.get(key, 0) + 1
    return tuple(labels[key] for key in sorted(labels, key=lambda key: -counts[key]))


def _key(label: Any) -> tuple[bool, Any]:
    """Return a key that distinguishes True from 1, which Python does not. 1 and 1.0 are the same label."""
    plain = label.item() if isinstance(label, np.generic) else label
    return isinstance(plain, bool), plain


def _places(coding: Coding) -> Mapping[Any, int]:
    assert coding.labels is not None
    places: dict[Any, int] = {}
    for place, label in enumerate([*coding.labels, *coding.unseen]):
        places.setdefault(_key(label), place)
    return places


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
        return found
    return _objects(values)


def _objects(values: Any) -> npt.NDArray[Any]:
    """Return the cells as objects, with their types: 7 does not become 7.0, nor True 1.0."""
    cells = np.empty(len(values), dtype=object)
    cells[:] = values.tolist() if hasattr(values, "tolist") else list(values)
    return cells


def _numbers(cells: npt.NDArray[Any]) -> FloatArray:
    """Convert cells to float64. Infinities and values that are not numbers become NaN."""
    if cells.dtype.kind in "biuf":
        found = cells.astype(np.float64)
        return np.where(np.isnan(found), MISSING, np.where(np.isinf(found), np.nan, found))
    return np.array([_number(cell) for cell in cells.tolist()], dtype=np.float64)


def _number(cell: Any) -> float:
    if is_missing(cell):
        return MISSING
    if isinstance(cell, str | bytes | complex):
        return np.nan
    try:
        found = float(cell)
    except (TypeError, ValueError, OverflowError):
        return np.nan
    return np.nan if np.isinf(found) else found
