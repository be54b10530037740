"""Read the columns of a table with the types that a policy states, even if all cells are text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.policy.features.feature import FeaturePolicy, Kind
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import MISSING, Codebook, Coding
from p2ce.tables.dates import date_codes

if TYPE_CHECKING:
    import pandas as pd

DATES = np.dtype("datetime64[us]")


@dataclass(frozen=True, slots=True)
class PolicyColumn:
    """A column of the data, encoded as the policy's feature states."""

    feature: FeaturePolicy
    coding: Coding
    codes: FloatArray  # (n,); NaN for a cell that does not fit the policy
    strange: tuple[Any, ...]  # cells that do not fit: text among numbers, labels that the policy lacks

    @property
    def known(self) -> FloatArray:
        """The codes of cells that are not missing and fit the policy."""
        return self.codes[np.isfinite(self.codes)]


def read_policy_column(feature: FeaturePolicy, column: "pd.Series[Any]") -> PolicyColumn:
    """Encode the cells of a column. 1, "1" and 1.0 are the same, since a CSV file holds only text."""
    cells = column.tolist()
    labels = feature.order or feature.labels
    places = {} if labels is None else {_text(label): place for place, label in enumerate(labels)}
    codes = np.full(len(cells), MISSING)
    strange: dict[Any, None] = {}
    for row, cell in enumerate(cells):
        if is_missing(cell):
            continue
        if feature.kind is Kind.DATE:
            code = float(date_codes([cell], DATES)[0])
            found = None if np.isnan(code) else code
        else:
            found = _number(cell) if labels is None else places.get(_text(cell))
        codes[row] = np.nan if found is None else found
        if found is None:
            strange[cell] = None
    if feature.dtype.kind == "f" and labels is None:
        with np.errstate(over="ignore"):
            codes = codes.astype(feature.dtype).astype(np.float64)
    ordered = feature.order is not None
    coding = Coding(name=feature.name, dtype=feature.dtype, labels=labels, ordered=ordered)
    return PolicyColumn(feature, coding, codes, tuple(strange))


def codebook(columns: list[PolicyColumn]) -> Codebook:
    """Return the codings of the columns, as rules need them."""
    return Codebook(tuple(column.coding for column in columns))


def _number(cell: Any) -> float | None:
    words = {"true": 1.0, "false": 0.0}
    try:
        found = words.get(str(cell).strip().lower())
        number = float(cell) if found is None else found
    except (TypeError, ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _text(label: Any) -> str:
    if isinstance(label, bool | np.bool_):
        return str(bool(label)).lower()
    number = _number(label)
    text = str(label)
    if number is not None and text.strip().lower() not in ("true", "false"):
        # "007" is a name, not the number 7. But pandas writes 1 as "1.0" in a column with missing values.
        return text if text[:1] == "0" and text[1:2].isdigit() else repr(number)
    return text.lower() if text.lower() in ("true", "false") else text
