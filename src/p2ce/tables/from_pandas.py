"""Convert a pandas DataFrame to another kind of table."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from p2ce.tables.arrow_tables import write_arrow
from p2ce.tables.kinds import ARROW, DICT, NUMPY, PANDAS, POLARS, RECORDS, check_kind
from p2ce.tables.plain_tables import write_columns, write_records, write_structured
from p2ce.tables.polars_tables import write_polars

if TYPE_CHECKING:
    import pandas as pd

WRITERS: "dict[str, Callable[[pd.DataFrame], Any]]" = {
    POLARS: write_polars,
    ARROW: write_arrow,
    NUMPY: write_structured,
    DICT: write_columns,
    RECORDS: write_records,
}


def as_kind(frame: "pd.DataFrame", kind: str) -> Any:
    """Convert a pandas DataFrame to a kind of table, with its types and missing values where possible.

    >>> import pandas as pd
    >>> as_kind(pd.DataFrame({"Age": [41], "Housing": ["own"]}), "records")
    [{'Age': 41, 'Housing': 'own'}]
    """
    check_kind(kind)
    return frame if kind == PANDAS else WRITERS[kind](frame)
