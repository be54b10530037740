"""Report labels in a file that may be parsed wrongly: unseen labels, and words for missing."""

from collections.abc import Iterable, Sequence
from typing import Any

from p2ce.apps.messages import notice
from p2ce.apps.table_files import Table
from p2ce.apps.typed_columns import key_of, says_missing
from p2ce.errors import nearest
from p2ce.tables.cells import is_missing
from p2ce.visible import echoed, listed


def tell_labels(
    table: Table, name: str, values: Iterable[Any], *, known: Sequence[Any] | None, whose: str = ""
) -> None:
    """Report what is suspicious about a column whose cells were parsed as these values.

    ``whose`` says who knows the known labels; None means that they are not known.
    """
    values = list(values)
    column = f"{echoed(name)} of {table.path.name}"
    labels = [value for value in values if not is_missing(value)]
    words = _different(value for value in labels if isinstance(value, str) and says_missing(value))
    if words:
        notice(f"{column} holds {listed(words)} as a label. Leave cells empty where nothing is known.")
    if known is None:
        return
    cells = table.frame[name].tolist()
    gaps = _different(cell for cell, value in zip(cells, values, strict=True) if is_missing(value))
    if gaps:
        notice(f"{column} holds {listed(gaps)}, parsed as missing: {whose} knows no such label.")
    keys = {key_of(label) for label in known}
    strange = _different(value for value in labels if key_of(value) not in keys)
    if strange:
        notice(f"{column} holds {listed(strange)}, which {whose} does not know. {nearest(strange[0], known)}")


def _different(values: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(str(value) for value in values if not is_missing(value)))
