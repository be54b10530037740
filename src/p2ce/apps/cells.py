"""Turn the cells of a file into columns of the types that the model and the policy speak of."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.apps.table_files import Table
from p2ce.errors import InvalidOption
from p2ce.tables.cells import is_missing

if TYPE_CHECKING:
    import pandas as pd

BOOLS = {"true": True, "false": False}
THOUSANDS = re.compile(r"[-+]?\d{1,3}([,' ]\d{3})+(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")


def natural(table: Table, name: str) -> "pd.Series[Any]":
    """Read a column as pandas would: bools, whole numbers, numbers or text, by what all its cells are."""
    import pandas as pd

    column = table.frame[name]
    if not table.is_text:
        return column
    known = [cell for cell in column.tolist() if not is_missing(cell)]
    lowered = {str(cell).lower() for cell in set(known)}
    if known and lowered <= set(BOOLS):
        values = [None if is_missing(cell) else BOOLS[str(cell).lower()] for cell in column.tolist()]
        whole = len(known) == len(values)
        return pd.Series(values, index=column.index, name=name, dtype="bool" if whole else "object")
    numbers = [_number(cell, decimal_comma=table.decimal_comma) for cell in column.tolist()]
    if all(number is not None for number in numbers):
        return _numeric(table, name, numbers)
    _refuse_separators(table, name, known)
    return pd.Series(column.tolist(), index=column.index, name=name, dtype="str")


def numbers_of(table: Table, name: str, *, who: str) -> "pd.Series[Any]":
    """Read a column that has to hold numbers; the first cell that is none is named."""
    if not table.is_text:
        return table.frame[name]
    cells = table.frame[name].tolist()
    if {str(cell).lower() for cell in cells if not is_missing(cell)} <= set(BOOLS):
        return natural(table, name)
    numbers = [_number(cell, decimal_comma=table.decimal_comma) for cell in cells]
    if None in numbers:
        _refuse_separators(table, name, [cell for cell in cells if not is_missing(cell)])
        row = numbers.index(None)
        raise InvalidOption(
            f"Column {name!r} of {table.path.name} holds {cells[row]!r} in row {row}, where {who} takes "
            "numbers. Write a number there, or leave the cell empty."
        )
    return _numeric(table, name, numbers)


def labels_in(table: Table, name: str, known: Sequence[Any]) -> list[Any]:
    """Read a column of labels: those known are recognised by their text, others stay as they are."""
    keys = _keys(known)
    found: list[Any] = []
    for cell in table.frame[name].tolist():
        if is_missing(cell):
            found.append(None)
        elif not isinstance(cell, str):
            found.append(keys.get(_key(cell), cell))
        else:
            found.append(next((keys[key] for key in _forms(cell) if key in keys), cell))
    return found


def like(table: Table, name: str, reference: "pd.Series[Any]") -> "pd.Series[Any]":
    """Read a column of people in the type that the reference has.

    A cell that cannot be of that type stays as it is, so that only its row fails; if most are such, it is
    the column that is wrong.
    """
    import pandas as pd

    column = table.frame[name]
    if isinstance(reference.dtype, pd.CategoricalDtype):
        cells = labels_in(table, name, reference.cat.categories.tolist())
        return pd.Series(cells, index=column.index, name=name, dtype="object")
    if not (pd.api.types.is_numeric_dtype(reference) or pd.api.types.is_bool_dtype(reference)):
        held = reference.dropna().unique().tolist()
        cells = labels_in(table, name, held)
        _require_same_kind(table, name, cells, held)
        return pd.Series(cells, index=column.index, name=name, dtype="object")
    if not table.is_text:
        return column
    cells = column.tolist()
    numbers: list[Any] = [_number(cell, decimal_comma=table.decimal_comma, words=True) for cell in cells]
    bad = [place for place, number in enumerate(numbers) if number is None]
    if 2 * len(bad) > len(cells) - sum(map(is_missing, cells)):
        _refuse_separators(table, name, [cell for cell in cells if not is_missing(cell)])
        raise InvalidOption(
            f"Column {name!r} of {table.path.name} holds {cells[bad[0]]!r}, where the reference has numbers. "
            "Give the column that the model was trained on."
        )
    if bad:
        kept = [cells[place] if number is None else number for place, number in enumerate(numbers)]
        return pd.Series(kept, index=column.index, name=name, dtype="object")
    if pd.api.types.is_bool_dtype(reference) and set(numbers) <= {0.0, 1.0}:
        return pd.Series(numbers, index=column.index, name=name).astype("bool")
    return _numeric(table, name, numbers, whole=not pd.api.types.is_float_dtype(reference))


def _require_same_kind(table: Table, name: str, cells: list[Any], held: list[Any]) -> None:
    """Refuse a column of which not one label is known: it is another one, or written in another way."""
    known = {_key(label) for label in held}
    present = [cell for cell in cells if not is_missing(cell)]
    if len(present) > 1 and held and not any(_key(cell) in known for cell in present):
        raise InvalidOption(
            f"Column {name!r} of {table.path.name} holds {present[0]!r}, and not one of the labels that the "
            f"reference has ({', '.join(map(repr, held[:4]))}, …). Write them in the same way."
        )


def _numeric(table: Table, name: str, numbers: list[Any], *, whole: bool = True) -> "pd.Series[Any]":
    import pandas as pd

    values = np.array(numbers, dtype=np.float64)
    column = table.frame[name]
    # As pandas reads them: 41 is whole and 41.0 is not, and a column with gaps is one of floats.
    written = column.tolist()
    plain = whole and bool(np.isfinite(values).all()) and all(_is_whole(cell) for cell in written)
    if plain and bool((np.abs(values) < 2**53).all()):
        return pd.Series([int(str(cell)) for cell in written], index=column.index, name=name, dtype="int64")
    return pd.Series(values, index=column.index, name=name)


def _is_whole(cell: object) -> bool:
    return re.fullmatch(r"\s*[-+]?\d+\s*", str(cell)) is not None


def _number(cell: Any, *, decimal_comma: bool, words: bool = False) -> float | None:
    """Read a number; NaN for a missing one, None for what is none."""
    if is_missing(cell):
        return float("nan")
    text = str(cell).strip()
    if words and text.lower() in BOOLS:
        return float(BOOLS[text.lower()])
    if decimal_comma and DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        found = float(text)
    except ValueError:
        return None
    return None if "_" in text else found  # Python reads 1_000, nobody else does


def _refuse_separators(table: Table, name: str, cells: list[Any]) -> None:
    """Tell numbers with separators from text: nobody has labels such as 1,234."""
    texts = [str(cell).strip() for cell in cells]
    separated = [text for text in texts if THOUSANDS.fullmatch(text) or DECIMAL_COMMA.fullmatch(text)]
    plain = re.compile(r"[-+]?\d+(\.\d+)?")
    if separated and all(text in set(separated) or plain.fullmatch(text) for text in texts):
        raise InvalidOption(
            f"Column {name!r} of {table.path.name} writes numbers as {separated[0]!r}. Write them without "
            "separators for thousands, and with a point: 1234.5"
        )


def _keys(labels: Sequence[Any]) -> dict[Any, Any]:
    keys: dict[Any, Any] = {}
    for label in labels:
        keys.setdefault(_key(label), label)
    return keys


def _key(label: Any) -> Any:
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, bool):
        return ("bool", plain)
    if isinstance(plain, int | float):
        return ("number", float(plain))
    return ("text", str(plain))


def _forms(text: str) -> list[Any]:
    """List what a text may stand for, the text itself first."""
    forms: list[Any] = [("text", text), ("text", text.strip())]
    if text.strip().lower() in BOOLS:
        forms.append(("bool", BOOLS[text.strip().lower()]))
    number = _number(text, decimal_comma=False)
    if number is not None:
        forms.append(("number", number))
        if number == int(number) if np.isfinite(number) else False:
            forms += [("text", str(int(number))), ("bool", bool(number)) if number in (0, 1) else ("none",)]
    return forms
