"""Keep which labels a column of categories may hold, and in which order."""

from dataclasses import dataclass
from typing import Any

from p2ce.tables.json_values import Value, plain_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories:
    """The labels of a column in the order that it declares, and whether that order has a meaning.

    Labels that are text, numbers, bools or tuples of those survive JSON as what they are. All others
    (dates, intervals, …) become their text there, in the explanation's values as well.

    >>> Categories(labels=("own", "rent")).to_dict()
    {'labels': ['own', 'rent'], 'ordered': False, 'dtype': ''}
    """

    labels: tuple[Value, ...]
    ordered: bool = False
    dtype: str = ""  # of the labels themselves ("str", "int64", …), "" to leave it to pandas

    def to_dict(self) -> dict[str, Any]:
        """Return the same content as JSON-ready data."""
        data = plain_fields(self)
        if any(
            isinstance(after, str) and not isinstance(before, str)
            for before, after in zip(self.labels, data["labels"], strict=True)
        ):
            data["dtype"] = ""  # labels that turned into text are no longer of their type
        return data
