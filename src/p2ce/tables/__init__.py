"""Read tables of every common kind, encode them as codes, and return results in the kind of the input.

Every column becomes float64 codes, and back in its own type. Numbers stay. A category becomes the rank of its
label, the commonest first (ordered categories in their order), so that nothing depends on labels. A date
becomes its microsecond, and is never searched. A missing value is minus infinity, below everything. Unseen
categories get codes behind all others. Everything between encoding and calling the user's objects works on
codes; models and detectors always receive frames of their own types.

polars and Arrow are not dependencies: their tables are recognised by their class and converted by their own
methods.
"""

from p2ce.tables.convert import as_kind, as_pandas, as_row
from p2ce.tables.kinds import KINDS, TableKind, kind_of

__all__ = ["KINDS", "TableKind", "as_kind", "as_pandas", "as_row", "kind_of"]
