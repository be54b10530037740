"""Read --limits, a table with a row of limits for each person, and match it to the people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from p2ce.apps.messages import count_of, notice
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, nearest
from p2ce.tables import typed_columns as cells
from p2ce.tables.cells import is_missing
from p2ce.tables.table_files import Table

if TYPE_CHECKING:
    import pandas as pd

ENDS = ("_low", "_high")


def limits_of_people(
    table: Table, ids: Sequence[Any], places: Sequence[int], *, id_column: str | None
) -> "pd.DataFrame":
    """Return the limits of the people at ``places``, in that order: by their ids, or else row by row.

    ``ids`` are those of all people, if ``id_column`` names the column that holds them.
    """
    import pandas as pd

    name = table.path.name
    if id_column is None:
        if len(table.frame) != len(ids):
            raise InvalidArgument(
                f"--limits needs one row for each of {count_of(len(ids), 'person', 'people')}; {name} has "
                f"{len(table.frame):,}. To match by ids, add --id-column."
            )
        rows = list(places)
    else:
        rows = _rows_of_ids(table, [ids[place] for place in places], id_column)
        others = len(table.frame) - len(set(rows))
        if others and len(places) == len(ids):
            notice(f"{name} also has limits for {count_of(others, 'person', 'people')} not in --data.")
    found = {
        column: cells.numbers_of(table, column, who="--limits")
        if column.endswith(ENDS)
        else table.frame[column]  # the explainer says what is wrong with it
        for column in table.columns
        if column != id_column
    }
    return pd.DataFrame(found).iloc[rows]


def _rows_of_ids(table: Table, ids: list[Any], id_column: str) -> list[int]:
    """Find the only row of each id. Ids are compared as they are written: 00417 and 417 are two people."""
    name = table.path.name
    if id_column not in table.columns:
        raise InvalidArgument(
            f"--limits {echoed(name)} has no column {echoed(id_column)}, which --id-column names. "
            f"{nearest(id_column, table.columns)} Add it, so that the limits of one person are never used "
            "for another."
        )
    row_of: dict[str, int] = {}
    for row, one in enumerate(table.frame[id_column].tolist()):
        if not is_missing(one) and row_of.setdefault(str(one), row) != row:
            raise InvalidArgument(
                f"--limits {echoed(name)} has two rows for {echoed(str(one))}: rows {row_of[str(one)]} and "
                f"{row}. Keep one of them."
            )
    for one in ids:
        if str(one) not in row_of or one is None:
            who = "a person without an id" if one is None else echoed(str(one))
            raise InvalidArgument(
                f"--limits {echoed(name)} has no row for {who}. Add one. Its empty cells set no limit."
            )
    return [row_of[str(one)] for one in ids]
