"""Convert the columns of the reference to the types that the model was fitted on, and report odd labels."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from p2ce.apps.messages import count_of, notice
from p2ce.apps.model_files.model_columns import ModelColumns
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, nearest
from p2ce.tables import typed_columns as cells
from p2ce.tables.cells import is_missing
from p2ce.tables.dates import date_codes, decode_dates, holds_dates
from p2ce.tables.table_files import Table

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.policy.policy import Policy


def typed_reference(
    table: Table, names: list[str], known: ModelColumns, policy: "Policy | None", kind: str
) -> "pd.DataFrame":
    """Return the reference's columns in the types that the model was fitted on, where those are known."""
    import pandas as pd

    renamed = dict(zip(known.names or names, names, strict=True))
    categories = {renamed[name]: labels for name, labels in known.categories.items()}
    if known.loose_labels:
        categories |= _settle_loose(table, names, known, policy, kind)
    numbers_only = known.numbers_only or bool(known.loose_labels)
    columns = {}
    for name in names:
        feature = None if policy is None or name not in policy.names else policy[name]
        order = None if feature is None else feature.order
        if name in categories:
            columns[name] = _category(table, name, categories[name], order)
            _tell_labels(table, name, columns[name], known=categories[name], whose="the model")
        elif name in {renamed[one] for one in known.texts}:
            columns[name] = _as_text(cells.natural(table, name))
        elif feature is not None and feature.labels is not None:
            columns[name] = _labelled(table, name, feature.labels, order)
            _tell_labels(table, name, columns[name], known=feature.labels, whose="the policy")
        elif feature is not None and feature.kind == "date":
            columns[name] = _dates(table, name)
        elif feature is not None or numbers_only:
            who = "the policy" if feature is not None else kind
            found = cells.numbers_of(table, name, who=who)
            columns[name] = found if feature is None else _in_type(found, feature.dtype)
        else:
            columns[name] = cells.natural(table, name)
            if _holds_labels(columns[name]):
                _tell_labels(table, name, columns[name], known=None)
    return pd.DataFrame(columns)


def _settle_loose(
    table: Table, names: list[str], known: ModelColumns, policy: "Policy | None", kind: str
) -> dict[str, tuple[Any, ...] | None]:
    """Find the columns that the model's lists of labels belong to: equally many, in the model's order."""
    by_policy = [
        name for name in names if policy is not None and name in policy.names and policy[name].is_category
    ]
    by_text = [name for name in names if _holds_labels(cells.natural(table, name))]
    for found in (by_policy, by_text):
        if len(found) == len(known.loose_labels):
            return dict(zip(found, known.loose_labels, strict=True))
    raise InvalidArgument(
        f"{kind} was fitted on {count_of(len(known.loose_labels), 'category column')}, but {table.path.name} "
        f"has {count_of(len(by_text), 'text column')}. Mark the categories in a policy: kind: category"
    )


def _holds_labels(column: "pd.Series[Any]") -> bool:
    import pandas as pd

    return not (
        pd.api.types.is_numeric_dtype(column)
        or pd.api.types.is_bool_dtype(column)
        or holds_dates(column.dtype)
    )


def _dates(table: Table, name: str) -> "pd.Series[Any]":
    """Read a column of dates, which a text file holds as ISO text."""
    import numpy as np
    import pandas as pd

    column = table.frame[name]
    if holds_dates(column.dtype):
        return column
    dtype = np.dtype("datetime64[us]")
    known = [None if cells.says_missing(cell) else cell for cell in column.tolist()]
    codes = date_codes(known, dtype)
    if np.isnan(codes).any():
        wrong = known[int(np.flatnonzero(np.isnan(codes))[0])]
        raise InvalidArgument(
            f"Column {echoed(name)} of {table.path.name} holds {echoed(wrong)}, but the policy says "
            "kind: date. Write dates as ISO text, such as 2026-11-18, or change the kind."
        )
    return pd.Series(decode_dates(codes, dtype), index=column.index, name=name)


def _category(
    table: Table, name: str, labels: tuple[Any, ...] | None, order: tuple[Any, ...] | None
) -> "pd.Series[Any]":
    """Make pandas categories: the model's labels in its order, then the other labels of the file."""
    import pandas as pd

    column = table.frame[name]
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column
    if labels is None:
        plain = cells.natural(table, name)
        found = sorted(plain.dropna().unique().tolist(), key=lambda label: (isinstance(label, str), label))
        labels = tuple(found)
    values = cells.labels_in(table, name, labels, all_known=True)
    first = labels if order is None else order
    new = [one for one in dict.fromkeys(values) if one is not None and one not in first]
    kind = pd.CategoricalDtype([*first, *new], ordered=order is not None)
    return pd.Series(pd.Categorical(values, dtype=kind), index=column.index, name=name)


def _labelled(
    table: Table, name: str, labels: tuple[Any, ...], order: tuple[Any, ...] | None
) -> "pd.Series[Any]":
    """Read labels as the policy writes them, so that the label "7" differs from the number 7."""
    import pandas as pd

    if not table.is_text and order is None:
        return table.frame[name]
    if order is not None:
        return _category(table, name, order, order)
    values = cells.labels_in(table, name, labels, all_known=True)
    texts = all(isinstance(one, str) for one in values if one is not None)
    return pd.Series(values, index=table.frame.index, name=name, dtype="str" if texts else "object")


def _as_text(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Turn floats into text, since CatBoost accepts no float as a category."""
    return column.astype("str") if column.dtype.kind == "f" else column


def _in_type(column: "pd.Series[Any]", dtype: Any) -> "pd.Series[Any]":
    """Return a column in the policy's type, if that loses nothing."""
    if column.dtype == dtype or column.isna().any():
        return column
    changed = column.astype(dtype)
    return changed if bool((changed.astype("float64") == column.astype("float64")).all()) else column


def tell_new_labels(table: Table, people: "pd.DataFrame", reference: "pd.DataFrame") -> None:
    """Report suspicious labels of people, such as labels that the reference lacks."""
    for name in reference.columns:
        if _holds_labels(reference[name]):
            _tell_new_labels(table, people[name], reference[name])


def _tell_new_labels(table: Table, column: "pd.Series[Any]", reference: "pd.Series[Any]") -> None:
    import pandas as pd

    if isinstance(reference.dtype, pd.CategoricalDtype):
        known, whose = reference.cat.categories.tolist(), "the model"
    else:
        known, whose = reference.dropna().unique().tolist(), "the reference"
    _tell_labels(table, str(column.name), column, known=known, whose=whose)


def _tell_labels(
    table: Table, name: str, values: Iterable[Any], *, known: Sequence[Any] | None, whose: str = ""
) -> None:
    """Report suspicious labels of a column whose cells were parsed as these values.

    ``whose`` names the owner of the known labels. None for ``known`` means that there is no list.
    """
    values = list(values)
    column = f"{echoed(name)} of {table.path.name}"
    labels = [value for value in values if not is_missing(value)]
    words = _different(value for value in labels if isinstance(value, str) and cells.says_missing(value))
    if words:
        notice(f"{column} contains {listed(words)} as a label. If it means missing, leave the cells empty.")
    if known is None:
        return
    written = table.frame[name].tolist()
    gaps = _different(cell for cell, value in zip(written, values, strict=True) if is_missing(value))
    if gaps:
        notice(f"{column} contains {listed(gaps)}, parsed as missing: {whose} has no such label.")
    keys = {cells.key_of(label) for label in known}
    strange = _different(value for value in labels if cells.key_of(value) not in keys)
    if strange:
        notice(
            f"{column} contains {listed(strange)}, which {whose} does not know. {nearest(strange[0], known)}"
        )


def _different(values: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(str(value) for value in values if not is_missing(value)))
