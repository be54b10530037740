"""List the columns to read from a source, and convert them to the Arrow types of shards.

Text becomes `string`, a dictionary its values, and a decimal of the model a float. So the same rows give the
same table from any source.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import as_text, echoed
from p2ce.errors import InvalidArgument, nearest
from p2ce.tables.arrow_tables import read_arrow
from p2ce.tables.cells import is_missing, plain_cells
from p2ce.tables.table_files import require_own_names, require_text_bytes

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceColumns:
    """The columns of a source that a run reads."""

    names: tuple[str, ...]  # the model's
    id_column: str | None = None
    keep: tuple[str, ...] = ()  # the model's columns are written for every row anyway
    numbers: frozenset[str] = frozenset()  # columns in which the reference has numbers
    labels: frozenset[str] = frozenset()  # columns in which the reference has text

    def __post_init__(self) -> None:
        """Reject a model column as the id column: in the model's type, 00417 is 417."""
        if self.id_column in self.names:
            raise InvalidArgument(
                f"The id column {echoed(self.id_column)} is a column of the model. Choose another column."
            )

    @property
    def needed(self) -> list[str]:
        """All columns, each once: the model's, the ids, and the kept ones."""
        ids = () if self.id_column is None else (self.id_column,)
        return list(dict.fromkeys([*self.names, *ids, *self.keep]))

    def require(self, given: Sequence[str], what: str) -> None:
        """Raise if a source lacks a column or has one twice. ``what`` names the source."""
        require_own_names(list(given), what)
        missing = [name for name in self.names if name not in given]
        if missing:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise InvalidArgument(
                f"{what} has no column {echoed(missing[0])}{more}, which the model needs. "
                f"{nearest(missing[0], given)}"
            )
        if self.id_column is not None and self.id_column not in given:
            raise InvalidArgument(
                f"The id column {echoed(self.id_column)} is not a column of {_inside(what)}. "
                f"{nearest(self.id_column, given)}"
            )
        for name in self.keep:
            if name not in given:
                raise InvalidArgument(
                    f"The column to keep, {echoed(name)}, is not a column of {_inside(what)}. "
                    f"{nearest(name, given)}"
                )

    def schema(self, given: "pa.Schema", what: str) -> "pa.Schema":
        """Return the columns' types in a shard; raise if the model or the ids cannot have them."""
        import pyarrow as pa

        fields = [
            pa.field(name, shard_type(given.field(name).type, of_model=name in self.names))
            for name in self.needed
        ]
        found = pa.schema(fields)
        no_rows = [pa.chunked_array([], type=found.field(name).type) for name in self.names]
        read_arrow(pa.table(no_rows, names=self.names), InvalidArgument)
        for field in found:
            no_number = pa.types.is_string(field.type) or pa.types.is_temporal(field.type)
            no_text = pa.types.is_primitive(field.type)  # dates and times too
            if (no_number and field.name in self.numbers) or (no_text and field.name in self.labels):
                wanted = "numbers" if field.name in self.numbers else "text"
                raise InvalidArgument(
                    f"{what} has {field.type} in its column {echoed(field.name)}, but the reference has "
                    f"{wanted}. Use the values that the model was trained on."
                )
        if self.id_column is not None and not _holds_ids(kind := found.field(self.id_column).type):
            raise InvalidArgument(
                f"The id column {echoed(self.id_column)} of {what} contains {kind}. Choose a column of text "
                "or numbers."
            )
        return found


def _holds_ids(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_primitive(kind) or pa.types.is_decimal(kind))


def shard_type(kind: Any, *, of_model: bool) -> Any:
    """Return the type in a shard of a column of this type."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return shard_type(kind.value_type, of_model=of_model)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if of_model and pa.types.is_decimal(kind):
        return pa.float64()
    if not of_model and pa.types.is_union(kind):  # no file can store it
        return pa.string()
    return kind


def same_types(schema: "pa.Schema", other: "pa.Schema", what: str, first: str) -> "pa.Schema":
    """Return the common types of two parts of a source; raise if they differ.

    A column without values has no type, and takes the type of the other part.
    """
    import pyarrow as pa

    fields = []
    for one, two in zip(schema, other, strict=True):
        if one.type != two.type and not pa.types.is_null(one.type) and not pa.types.is_null(two.type):
            raise InvalidArgument(
                f"{what} has another schema: its column {echoed(one.name)} is {two.type}, but {one.type} in "
                f"{first}. Write all parts of a source with the same types."
            )
        fields.append(two if pa.types.is_null(one.type) else one)
    return pa.schema(fields)


def shard_table(table: "pa.Table", schema: "pa.Schema", what: str, limits: Limits = DEFAULT) -> "pa.Table":
    """Convert a table's columns to the types of a shard."""
    import pyarrow as pa

    columns = []
    for field in schema:
        column = table.column(field.name)
        if pa.types.is_dictionary(column.type):
            if pa.types.is_string(field.type):
                require_text_bytes(column, what, limits)
            column = column.cast(column.type.value_type)
        if pa.types.is_decimal(column.type) and column.type != field.type:
            column = column.cast(pa.string())  # its digits are then parsed to the nearest float
        if pa.types.is_union(column.type) and pa.types.is_string(field.type):
            cells = [None if cell is None else as_text(cell) for cell in column.to_pylist()]
            column = pa.chunked_array([cells], type=pa.string())
        columns.append(column if pa.types.is_union(column.type) else column.cast(field.type))
    return pa.table(columns, schema=pa.schema(zip(schema.names, (one.type for one in columns), strict=True)))


def _inside(what: str) -> str:
    """Write the start of a sentence for use inside a sentence."""
    return what[:1].lower() + what[1:]


def arrow_column_of(column: "pd.Series[Any]") -> "pa.ChunkedArray":
    """Turn a pandas column into Arrow. A missing value becomes null."""
    import pyarrow as pa

    try:
        found = pa.array(column, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        found = mixed_array(plain_cells(column))
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])


def mixed_array(cells: Sequence[Any]) -> "pa.Array":
    """Build a union of cells with their types. A type that shards lack becomes text."""
    import pyarrow as pa

    kinds: dict[type, tuple[int, Any, list[Any]]] = {
        bool: (0, pa.bool_(), []),
        int: (1, pa.int64(), []),
        float: (2, pa.float64(), []),
        str: (3, pa.string(), []),
    }
    codes, places = [], []
    for cell in map(_of_these_types, cells):
        code, _, held = kinds[str if cell is None else type(cell)]
        codes.append(code)
        places.append(len(held))
        held.append(cell)
    children = [pa.array(held, type=kind) for _, kind, held in kinds.values()]
    types, offsets = pa.array(codes, type=pa.int8()), pa.array(places, type=pa.int32())
    return pa.UnionArray.from_dense(types, offsets, children, [kind.__name__ for kind in kinds])


def _of_these_types(cell: Any) -> bool | int | float | str | None:
    """Return a cell unchanged if shards have its type, else as a number or as text."""
    if is_missing(cell):
        return None
    if type(cell) in (bool, float, str) or (type(cell) is int and -(2**63) <= cell < 2**63):
        return cell  # type: ignore[no-any-return]
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return as_text(cell)
