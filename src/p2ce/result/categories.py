"""Record which labels a categorical column may hold, and in which order."""

from dataclasses import dataclass
from typing import Any

from p2ce.tables.json_values import Value, plain_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories:
    """The labels of a categorical column, in its declared order, and whether the order has a meaning.

    In JSON, labels that are text, numbers, bools or tuples of those keep their types. All other labels
    (dates, intervals, …) become text, and so do the explanation's values.

    >>> Categories(labels=("own", "rent")).to_dict()
    {'labels': ['own', 'rent'], 'ordered': False, 'dtype': ''}
    """

    labels: tuple[Value, ...]
    ordered: bool = False
    dtype: str = ""  # of the labels themselves ("str", "int64", …); "" lets pandas choose

    def to_dict(self) -> dict[str, Any]:
        """Return the same content as JSON-ready data."""
        data = plain_fields(self)
        if any(
            isinstance(after, str) and not isinstance(before, str)
            for before, after in zip(self.labels, data["labels"], strict=True)
        ):
            data["dtype"] = ""  # labels that became text no longer have their type
        return data
