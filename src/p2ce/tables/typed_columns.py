"""Convert the cells of a file to columns with the types of the model and the policy.

An empty cell is missing. In a column of numbers, so is a cell with one of the usual words, such as "NA". In a
column of labels, such a word is a label, unless all labels are known and it is not one of them.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.visible import echoed, listed
from p2ce.base.whole_numbers import INEXACT, LARGEST_EXACT, is_exact
from p2ce.errors import InvalidArgument
from p2ce.tables.cells import is_missing, label_key
from p2ce.tables.dates import holds_dates
from p2ce.tables.table_files import Table

if TYPE_CHECKING:
    import pandas as pd

BOOLS = {"true": True, "false": False}
# What pandas parses as missing by default, in lower case.
MISSING_WORDS = {
    *("", "na", "n/a", "<na>", "#na", "#n/a", "#n/a n/a", "nan", "-nan", "null", "none"),
    *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
}
THOUSANDS = re.compile(r"[-+]?\d{1,3}([,' ]\d{3})+(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
WHOLE_AS_FLOAT = re.compile(r"[-+]?\d+\.0*")
LONGEST_WHOLE = 400  # digits
NO_NUMBER = re.compile(r"0\d+|\d{16,}")  # 00417 would lose its zeros, a long id its last digits


def natural(table: Table, name: str) -> "pd.Series[Any]":
    """Read a column as pandas would: as bools, whole numbers, numbers or text, depending on its cells."""
    import pandas as pd

    column = table.frame[name]
    if not table.is_text:
        return column
    cells = column.tolist()
    known = [cell for cell in cells if not says_missing(cell)]
    if known and {str(cell).strip().lower() for cell in set(known)} <= set(BOOLS):
        values = [None if says_missing(cell) else BOOLS[str(cell).strip().lower()] for cell in cells]
        whole = len(known) == len(values)
        return pd.Series(values, index=column.index, name=name, dtype="bool" if whole else "object")
    numbers = [_number(cell, decimal_comma=table.decimal_comma) for cell in cells]
    if all(number is not None and is_exact(number) for number in numbers) and (
        known or all(map(is_missing, cells))
    ):
        return _numeric(table, name, numbers)
    _reject_separators(table, name, known)
    return pd.Series(cells, index=column.index, name=name, dtype="str")


def as_written(table: Table, name: str) -> "pd.Series[Any]":
    """Read a column that the model does not use: as pandas would, but ids and codes stay text."""
    column = table.frame[name]
    if table.is_text and any(NO_NUMBER.fullmatch(str(cell).strip()) for cell in column.tolist()):
        return column
    try:
        return natural(table, name)
    except InvalidArgument:  # unused columns need not be clean
        return column


def with_gaps(table: Table) -> "pd.DataFrame":
    """Return the cells as in the file, with words for missing in columns of numbers replaced by None."""
    import pandas as pd

    columns = {}
    for name in table.columns:
        column = table.frame[name]
        if table.is_text and _holds_numbers(table, name):
            cells = [None if says_missing(cell) else cell for cell in column.tolist()]
            column = pd.Series(cells, index=column.index, name=name, dtype="object")
        columns[name] = column
    return pd.DataFrame(columns, index=table.frame.index)


def _holds_numbers(table: Table, name: str) -> bool:
    cells = [cell for cell in table.frame[name].tolist() if not says_missing(cell)]
    return all(_number(cell, decimal_comma=table.decimal_comma, words=True) is not None for cell in cells)


def numbers_of(table: Table, name: str, *, who: str) -> "pd.Series[Any]":
    """Read a column that must hold numbers. The error names the first cell that is not a number."""
    if not table.is_text:
        return table.frame[name]
    cells = table.frame[name].tolist()
    known = [cell for cell in cells if not says_missing(cell)]
    if known and {str(cell).strip().lower() for cell in known} <= set(BOOLS):
        return natural(table, name)
    numbers = [_number(cell, decimal_comma=table.decimal_comma) for cell in cells]
    if None in numbers:
        _reject_separators(table, name, known)
        row = numbers.index(None)
        raise InvalidArgument(
            f"Column {echoed(name)} of {table.path.name} holds {echoed(cells[row])} in row {row}, where "
            f"{who} expects numbers. Write a number there, or leave the cell empty."
        )
    for row, number in enumerate(numbers):
        if not is_exact(number):
            raise InvalidArgument(
                f"Column {echoed(name)} of {table.path.name} holds {echoed(number)} in row {row}, {INEXACT}. "
                "Write a smaller number, or drop the column if the model does not use it."
            )
    return _numeric(table, name, numbers)


def labels_in(table: Table, name: str, known: Sequence[Any], *, all_known: bool = False) -> list[Any]:
    """Read a column of labels. Known labels are recognised by their text, others are unchanged.

    If all labels are known, a word for missing that is not one of them means a missing value.
    """
    exact: dict[Any, Any] = {}
    for label in known:
        exact.setdefault(key_of(label), label)
    # Spaces around a label matter only if two labels differ by nothing else.
    texts = [label for label in known if isinstance(label, str)]
    times = Counter(text.strip() for text in texts)
    loose = {label_key(text.strip()): text for text in texts if times[text.strip()] == 1}

    def label_of(cell: Any) -> Any:
        if is_missing(cell):
            return None
        if key_of(cell) in exact:
            return exact[key_of(cell)]
        forms = _forms(cell, decimal_comma=table.decimal_comma) if isinstance(cell, str) else []
        label = next((held[key] for key in forms for held in (loose, exact) if key in held), cell)
        return None if label is cell and all_known and says_missing(cell) else label

    return _each(table, name, label_of)


def _each(table: Table, name: str, read: Callable[[Any], Any]) -> list[Any]:
    """Read every cell of a column. A text that occurs many times is read once."""
    cells = table.frame[name].tolist()
    if not table.is_text:
        return [read(cell) for cell in cells]
    found = {cell: read(cell) for cell in dict.fromkeys(cells)}
    return [found[cell] for cell in cells]


def typed_rows(
    table: Table, reference: "Mapping[str, pd.Series[Any]] | pd.DataFrame", *, strict: bool = True
) -> "pd.DataFrame":
    """Return columns of rows with the types of the reference. ``strict`` rejects unsuitable columns."""
    import pandas as pd

    columns = {str(name): like(table, str(name), one, strict=strict) for name, one in reference.items()}
    return pd.DataFrame(columns, index=table.frame.index)


def like(table: Table, name: str, reference: "pd.Series[Any]", *, strict: bool = True) -> "pd.Series[Any]":
    """Read a column of rows with the type of the reference.

    A cell that cannot have that type is unchanged, so only its row fails. If most cells are like this, the
    column itself is wrong, and ``strict`` rejects it.
    """
    import pandas as pd

    column = table.frame[name]
    if holds_dates(reference.dtype):  # ISO text is a date, and any other cell fails alone
        return column if holds_dates(column.dtype) else _without_words(column)
    if isinstance(reference.dtype, pd.CategoricalDtype):
        cells = labels_in(table, name, reference.cat.categories.tolist(), all_known=True)
        return pd.Series(cells, index=column.index, name=name, dtype="object")
    if not (pd.api.types.is_numeric_dtype(reference) or pd.api.types.is_bool_dtype(reference)):
        held = reference.dropna().unique().tolist()
        cells = labels_in(table, name, held)
        if strict:
            _require_same_kind(table, name, cells, held)
        return pd.Series(cells, index=column.index, name=name, dtype="object")
    if not table.is_text:
        return column
    cells = column.tolist()
    numbers = _each(table, name, partial(_number, decimal_comma=table.decimal_comma, words=True))
    bad = [place for place, number in enumerate(numbers) if number is None]
    if strict and 2 * len(bad) > len(cells) - sum(map(says_missing, cells)):
        _reject_separators(table, name, [cell for cell in cells if not says_missing(cell)])
        kind = "True and False" if pd.api.types.is_bool_dtype(reference) else "numbers"
        raise InvalidArgument(
            f"Column {echoed(name)} of {table.path.name} holds {echoed(cells[bad[0]])}, where the reference "
            f"has {kind}. Pass the column that the model was trained on."
        )
    if bad or not all(map(is_exact, numbers)):  # only their rows fail
        kept = [cells[place] if number is None else number for place, number in enumerate(numbers)]
        return pd.Series(kept, index=column.index, name=name, dtype="object")
    if pd.api.types.is_bool_dtype(reference) and set(numbers) <= {0.0, 1.0}:
        return pd.Series(numbers, index=column.index, name=name).astype("bool")
    return _numeric(table, name, numbers, whole=not pd.api.types.is_float_dtype(reference))


def _without_words(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return a column with None for each cell that is empty or holds a word for missing."""
    import pandas as pd

    cells = [None if says_missing(cell) else cell for cell in column.tolist()]
    return pd.Series(cells, index=column.index, name=column.name, dtype="object")


def _require_same_kind(table: Table, name: str, cells: list[Any], held: list[Any]) -> None:
    """Raise if no label is known: it is another column, or its labels are written differently."""
    known = {key_of(label) for label in held}
    present = [cell for cell in cells if not is_missing(cell)]
    if len(present) > 1 and held and not any(key_of(cell) in known for cell in present):
        raise InvalidArgument(
            f"Column {echoed(name)} of {table.path.name} holds {echoed(present[0])}, but none of the "
            f"labels of the reference ({listed(held[:4])}, …). Write the labels as the "
            "reference does."
        )


def _numeric(table: Table, name: str, numbers: list[Any], *, whole: bool = True) -> "pd.Series[Any]":
    import pandas as pd

    values = np.array(numbers, dtype=np.float64)
    column = table.frame[name]
    # As pandas does: 41 is whole and 41.0 is not, and a column with missing values holds floats.
    plain = whole and bool(np.isfinite(values).all()) and all(map(_is_whole, set(column.tolist())))
    if plain and bool((np.abs(values) < 2**53).all()):
        return pd.Series(values, index=column.index, name=name).astype("int64")
    return pd.Series(values, index=column.index, name=name)


def _is_whole(cell: object) -> bool:
    return re.fullmatch(r"\s*[-+]?\d+\s*", str(cell)) is not None


def _number(cell: Any, *, decimal_comma: bool, words: bool = False) -> float | None:
    """Read a number, or return NaN for a missing value and None for other text.

    A whole number that float64 does not hold is returned as an int.
    """
    if says_missing(cell):
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
    if "_" in text:  # only Python accepts 1_000
        return None
    # Python does not convert thousands of digits, which no float64 holds either.
    is_large = abs(found) >= LARGEST_EXACT and len(text) < LONGEST_WHOLE and _is_whole(text)
    return int(text) if is_large and not is_exact(int(text)) else found


def _reject_separators(table: Table, name: str, cells: list[Any]) -> None:
    """Reject a column of numbers with separators, such as 1,234, which are never labels."""
    texts = [str(cell).strip() for cell in cells]
    separated = [text for text in texts if THOUSANDS.fullmatch(text) or DECIMAL_COMMA.fullmatch(text)]
    plain = re.compile(r"[-+]?\d+(\.\d+)?")
    if separated and all(text in set(separated) or plain.fullmatch(text) for text in texts):
        raise InvalidArgument(
            f"Column {echoed(name)} of {table.path.name} writes numbers as {echoed(separated[0])}. Write "
            "them without separators for thousands, and with a point: 1234.5"
        )


def says_missing(cell: Any) -> bool:
    """Return whether a cell is empty or holds a word for missing."""
    return is_missing(cell) or (isinstance(cell, str) and cell.strip().lower() in MISSING_WORDS)


def key_of(label: Any) -> tuple[bool, Any]:
    """Return the `label_key` of a label; one that is neither text nor a number counts as its text."""
    is_plain = isinstance(label, str | bool | int | float | np.generic)
    return label_key(label if is_plain else str(label))


def _forms(text: str, *, decimal_comma: bool) -> list[tuple[bool, Any]]:
    """List the keys of the values that a text may mean, the most likely first."""
    plain = text.strip()
    forms = [label_key(plain)]
    if plain.lower() in BOOLS:
        forms.append(label_key(BOOLS[plain.lower()]))
    number = _number(plain, decimal_comma=decimal_comma)
    if number is None or not np.isfinite(number):
        return forms
    forms.append(label_key(number))
    if number in (0, 1):
        forms.append(label_key(bool(number)))
    if WHOLE_AS_FLOAT.fullmatch(plain):  # pandas writes 1 as 1.0 next to missing values; 01 is another label
        forms.append(label_key(str(int(number))))
    return forms
