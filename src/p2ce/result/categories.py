"""Keep which labels a column of categories may hold, and in which order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from p2ce.limits import DEFAULT, Limits
from p2ce.result.plain import to_plain
from p2ce.result.untrusted_json import Entry, entry_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories:
    """The labels of a column in the order that it declares, and whether that order has a meaning.

    Labels that are text, numbers, bools or tuples of those survive JSON as what they are. All others
    (dates, intervals, …) become their text there, in the explanation's values as well.

    >>> housing = Categories(labels=("own", "rent"), ordered=False)
    >>> Categories.from_dict(housing.to_dict()) == housing
    True
    """

    labels: tuple[Any, ...]
    ordered: bool = False
    dtype: str = ""  # of the labels themselves ("str", "int64", …), "" to leave it to pandas

    def to_dict(self) -> dict[str, Any]:
        """Give the same content as JSON-ready data."""
        plain = [to_plain(label) for label in self.labels]
        as_text = any(
            isinstance(after, str) and not isinstance(before, str)
            for before, after in zip(self.labels, plain, strict=True)
        )
        # Labels that turned into text are no longer of their type.
        return {"labels": plain, "ordered": bool(self.ordered), "dtype": "" if as_text else self.dtype}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, limits: Limits = DEFAULT) -> "Categories":
        """Undo `to_dict`."""
        return cls._read(entry_of(data, cls, limits))

    @classmethod
    def _read(cls, entry: Entry) -> "Categories":
        labels = tuple(label.value() for label in entry["labels"].each())
        return cls(labels=labels, ordered=entry["ordered"].flag(), dtype=entry.get("dtype", "").text())
