"""Group people by each column alone, and by all columns combined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.arrays import IntArray
from p2ce.base.visible import as_text, echoed, listed
from p2ce.errors import InvalidArgument, nearest
from p2ce.portfolio.audits.outcomes import AuditOutcomes
from p2ce.result.counterfactual import own_name
from p2ce.tables import as_pandas
from p2ce.tables.kinds import PANDAS, kind_of, package_of

if TYPE_CHECKING:
    import pandas as pd

MISSING = "(missing)"  # the group of people whose value is missing
MOST_VALUES = 200  # of one column
MOST_GROUPS = 2_000  # of all columns combined


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouping:
    """People by the values of some columns."""

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]  # of each group, a text per column, in the order of the values
    codes: IntArray  # (n,) the group of each person


def groupings_of(
    groups: Any, outcomes: AuditOutcomes, data: Any, id_column: str | None
) -> tuple[Grouping, ...]:
    """Group by each column alone, then by all columns combined.

    ``groups`` are names of columns of ``data`` or of the people, or a table of groups.
    """
    if id_column is not None and data is None:
        raise InvalidArgument("id_column names a column of data, but data is missing. Add data=…")
    columns = _columns(groups, outcomes, data, id_column)
    alone = [_by_one(name, column) for name, column in columns.items()]
    return (*alone, *([_by_all(alone)] if len(alone) > 1 else []))


def _columns(
    groups: Any, outcomes: AuditOutcomes, data: Any, id_column: str | None
) -> "dict[str, pd.Series[Any]]":
    """Return the columns of groups, each in the order of the people."""
    names = [groups] if isinstance(groups, str) else groups
    if not (isinstance(names, Sequence) and all(isinstance(name, str) for name in names)):
        if data is not None:
            raise InvalidArgument("With data, groups must be names of its columns. Pass only one table.")
        return _table_columns(groups, outcomes, "groups", None)
    if not len(names):
        raise InvalidArgument("groups must name at least one column, as in groups=['sex']; got none.")
    if len(set(names)) < len(names):
        raise InvalidArgument(f"groups names a column twice: {echoed(list(names))}. Name each column once.")
    given = {} if data is None else _table_columns(data, outcomes, "data", id_column)
    known = (*given, *outcomes.columns)
    for name in names:
        if name not in known:
            where = "the people or of data" if data is not None else "the people"
            raise InvalidArgument(
                f"{echoed(name)} is not a column of {where}. {nearest(name, known)} "
                "To use a column of another table, add data=… (or --data)."
            )
    return {name: given[name] if name in given else outcomes.column(name) for name in names}


def _table_columns(
    table: Any, outcomes: AuditOutcomes, what: str, id_column: str | None
) -> "dict[str, pd.Series[Any]]":
    """Return the columns of a table, each in the order of the people."""
    frame = _in_order(table, outcomes, what, id_column)
    if not frame.shape[1]:
        raise InvalidArgument(f"{what} has no columns. Pass a table with at least one column of groups.")
    if not frame.columns.is_unique:
        raise InvalidArgument(
            f"{what} has several columns of one name: {echoed(list(frame.columns))}. Rename them."
        )
    return {as_text(name): frame[name].reset_index(drop=True) for name in frame.columns}


def _in_order(table: Any, outcomes: AuditOutcomes, what: str, id_column: str | None) -> "pd.DataFrame":
    """Put the rows of a table into the order of the people: by id if it has ids, else by position."""
    import pandas as pd

    if package_of(type(table)) == "pandas" and isinstance(table, pd.Series):
        table = table.to_frame(name="group" if table.name is None else table.name)
    if isinstance(table, Mapping) and id_column is None:
        return _by_place(table, len(outcomes), what)
    if kind_of(table) is None:
        raise InvalidArgument(
            f"{what} must be a table with a row per person, or names of columns; got {type(table).__name__}. "
            "Pass a DataFrame, a Series or a dict of columns."
        )
    frame, kind = as_pandas(table, error=InvalidArgument)
    if id_column is not None:
        if id_column not in frame.columns:
            raise InvalidArgument(
                f"id_column {echoed(id_column)} is not a column of data. {nearest(id_column, frame.columns)}"
            )
        return _by_id(frame.set_index(id_column), outcomes.ids, what)
    by_place = kind != PANDAS or (
        isinstance(frame.index, pd.RangeIndex) and not outcomes.ids.isin(frame.index).all()
    )
    if not by_place and not frame.index.equals(outcomes.ids):
        return _by_id(frame, outcomes.ids, what)
    _require_rows(len(frame), len(outcomes), what)
    return frame


def _by_place(columns: Mapping[Any, Any], people: int, what: str) -> "pd.DataFrame":
    """Build a frame from lists and arrays in the order of the people."""
    import pandas as pd

    found = {}
    for name, values in columns.items():
        flat = hasattr(values, "__len__") and getattr(values, "ndim", 1) == 1
        if isinstance(values, str | bytes) or not flat:
            raise InvalidArgument(
                f"{what} needs a list for {echoed(name, most=60)}, with one group per person; "
                f"got {echoed(values)}."
            )
        _require_rows(len(values), people, what)
        typed = hasattr(values, "dtype")  # an array, a series or categories
        column = pd.Series(values) if typed else pd.Series(list(values), dtype="object")
        found[name] = column.reset_index(drop=True)
    return pd.DataFrame(found)


def _require_rows(rows: int, people: int, what: str) -> None:
    if rows != people:
        raise InvalidArgument(
            f"{what} must have a row per person, but there are {people:,} people and {rows:,} rows. "
            "Set the ids of the people as its index, or remove the other rows."
        )


def _by_id(frame: "pd.DataFrame", ids: "pd.Index[Any]", what: str) -> "pd.DataFrame":
    index = frame.index
    if index.dtype != ids.dtype and not ids.isin(index).any():  # 17 in Parquet is "17" in CSV
        index, ids = index.map(as_text), ids.map(as_text)
    if not index.is_unique:
        twice = index[index.duplicated()].unique().tolist()
        raise InvalidArgument(f"{what} has several rows for {listed(twice, most=3)}. Keep one of each.")
    places = index.get_indexer(ids)
    if (places < 0).any():
        lacking = ids[places < 0].tolist()
        raise InvalidArgument(
            f"{what} has no row for {listed(lacking, most=3)}. Its index (or id_column) must contain all "
            "people. If a group is unknown, add a row with a missing value."
        )
    return frame.iloc[places]


def _by_one(name: str, column: "pd.Series[Any]") -> Grouping:
    """Group by one column: categories in their order, other values sorted, missing values last."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        codes, values = column.cat.codes.to_numpy(dtype=np.int64), column.cat.categories.tolist()
    else:
        try:
            found, uniques = pd.factorize(column)
        except (TypeError, OverflowError):  # pandas 2 takes no whole numbers beyond those of a float
            raise InvalidArgument(
                f"The groups of {echoed(name)} must be text or numbers; got {echoed(column.iloc[0])}."
            ) from None
        order = sorted(range(len(uniques)), key=lambda place: _sort_key(uniques[place]))
        codes = np.append(np.argsort(order), -1)[found] if len(uniques) else found.astype(np.int64)
        values = [uniques[place] for place in order]
    if len(values) > MOST_VALUES:
        raise InvalidArgument(
            f"{echoed(name)} has {len(values):,} different values, but an audit compares at most "
            f"{MOST_VALUES} groups of a column. Make bands first: pandas.cut(frame[{echoed(name)}], 5)."
        )
    texts = [as_text(value) for value in values]
    if len(set(texts)) < len(texts):  # 1 and "1"
        texts = [echoed(value) for value in values]
    if (codes < 0).any():
        texts.append(own_name(MISSING, texts))
        codes = np.where(codes < 0, len(values), codes)
    return Grouping(columns=(name,), values=tuple((text,) for text in texts), codes=codes.astype(np.int64))


def _by_all(alone: Sequence[Grouping]) -> Grouping:
    """Group by all columns combined. Combinations without people are left out."""
    mixed = np.zeros(len(alone[0].codes), dtype=np.int64)
    for one in alone:  # at most 200 values each, so a few columns fit
        _, mixed = np.unique(mixed * len(one.values) + one.codes, return_inverse=True)
    _, first, codes = np.unique(mixed, return_index=True, return_inverse=True)
    if len(first) > MOST_GROUPS:
        raise InvalidArgument(
            f"These columns combined make {len(first):,} groups, but an audit compares at most "
            f"{MOST_GROUPS:,}. Use fewer columns, or coarser bands."
        )
    values = tuple(tuple(one.values[one.codes[place]][0] for one in alone) for place in first.tolist())
    return Grouping(columns=tuple(one.columns[0] for one in alone), values=values, codes=codes)


def _sort_key(value: Any) -> tuple[int, Any]:
    """Return a sort key: numbers by size come first, then everything else by its text."""
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return 0, value
    return 1, as_text(value)
