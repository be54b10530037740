"""Read tables of every common kind, and return results in the kind of the input."""

from p2ce.tables.from_pandas import as_kind
from p2ce.tables.kinds import KINDS, TableKind, kind_of
from p2ce.tables.one_row import as_person
from p2ce.tables.to_pandas import as_pandas

__all__ = ["KINDS", "TableKind", "as_kind", "as_pandas", "as_person", "kind_of"]
