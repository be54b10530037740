"""Explain a stream of Arrow record batches, in the processes of Dask, Spark or Ray."""

import datetime
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from p2ce.base.files import require_file
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.explainer import Explainer, require_trust
from p2ce.portfolio.runs.explain_shard import RunContext, explain_rows, ids_of
from p2ce.portfolio.runs.manifest import OPTIONS, PEOPLE
from p2ce.portfolio.runs.result_tables import require_arrow, schema_of, to_tables
from p2ce.portfolio.runs.source_columns import SourceColumns, shard_table
from p2ce.result.stated_date import stated_date
from p2ce.run.explain_batch import NO_LIMITS
from p2ce.run.time_limits import SearchLimits

if TYPE_CHECKING:
    import pyarrow as pa

WHAT = "The batch"
_loaded: dict[
    tuple[str, int, int], Explainer
] = {}  # the explainer that this process loaded last, by its file
_loading = threading.Lock()


def explain_batches(
    batches: "Iterable[pa.RecordBatch]",
    *,
    explainer: "str | os.PathLike[str] | Explainer",
    load_model: Callable[[], Any] | None = None,
    table: Literal["people", "options"] = "people",
    id_column: str | None = None,
    keep: Sequence[str] = (),
    time_limit: float | None = None,
    max_calls: int | None = None,
    max_rows: int | None = None,
    as_of: str | datetime.date | None = None,
) -> "Iterator[pa.RecordBatch]":
    """Explain every row of the batches, batch by batch, and yield a batch of results for each.

    The columns are those of a portfolio's tables, and the same for every batch. `result_schema` returns them
    in advance. If the model contradicts its parsed scores, only the proofs of that batch are withdrawn. `run`
    withdraws all proofs.

    Args:
        batches: rows with the model's columns.
        explainer: an explainer, or the path of a file that `Explainer.save` wrote. A process loads a file
            once, and again if it changes.
        load_model: returns the model for that file. It is called once per process.
        table: "people" for a row per person, or "options" for a row per option.
        id_column: the column that holds the ids. Without one, ids are the positions of the rows in these
            batches.
        keep: columns that are not the model's, to be copied to the table of people.
        time_limit: seconds per person.
        max_calls: calls of a black-box model per person, as in `Explainer.explain`.
        max_rows: rows in these calls per person.
        as_of: the date of the data and the decisions, as in `Explainer.explain`.
    """
    pa = require_arrow()
    ready, day = _explainer(explainer, load_model), stated_date(as_of)
    limits = SearchLimits(time_limit, max_calls=max_calls, max_rows=max_rows)
    first = 0
    for batch in batches:
        context, types = _context(ready, batch.schema, id_column, keep, limits, day)
        rows = shard_table(pa.Table.from_batches([batch]), types, WHAT)
        explanations, _ = explain_rows(context, rows)
        tables = to_tables(explanations, context.schema, ids_of(context, rows, first), rows)
        first += batch.num_rows
        yield from tables[_place_of(table)].combine_chunks().to_batches()


def result_schema(
    schema: "pa.Schema",
    *,
    explainer: "str | os.PathLike[str] | Explainer",
    load_model: Callable[[], Any] | None = None,
    table: Literal["people", "options"] = "people",
    id_column: str | None = None,
    keep: Sequence[str] = (),
) -> "pa.Schema":
    """Return the schema of the batches that `explain_batches` yields.

    The arguments are those of `explain_batches`.
    """
    place = _place_of(table)
    context, _ = _context(_explainer(explainer, load_model), schema, id_column, keep)
    return (context.schema.people, context.schema.options)[place]


def _place_of(table: str) -> int:
    if table not in (PEOPLE, OPTIONS):
        raise InvalidArgument(f"table must be 'people' or 'options'; got {echoed(table)}.")
    return (PEOPLE, OPTIONS).index(table)


def _context(
    explainer: Explainer,
    schema: "pa.Schema",
    id_column: str | None,
    keep: Sequence[str],
    limits: SearchLimits = NO_LIMITS,
    as_of: datetime.date | None = None,
) -> "tuple[RunContext, pa.Schema]":
    """Check the columns of a batch, and return its context and the types of its columns."""
    columns = SourceColumns(names=tuple(explainer.problem.features), id_column=id_column, keep=tuple(keep))
    columns.require(schema.names, WHAT)
    types = columns.schema(schema, WHAT)
    ids = require_arrow().int64() if id_column is None else types.field(id_column).type
    results = schema_of(explainer, ids, [types.field(name) for name in keep])
    context = RunContext(explainer=explainer, schema=results, id_column=id_column, limits=limits, as_of=as_of)
    return context, types


def _explainer(
    explainer: "str | os.PathLike[str] | Explainer", load_model: Callable[[], Any] | None
) -> Explainer:
    """Return the explainer, loaded from its file unless this process loaded it last."""
    if isinstance(explainer, Explainer):
        require_trust(explainer)
        return explainer
    if load_model is None:
        raise InvalidArgument(
            "The file of an explainer contains no model. Pass load_model=, a function without arguments that "
            "returns the model."
        )
    path = require_file(Path(os.fsdecode(explainer)), "The explainer")
    state = path.stat()
    identity = (str(path.absolute()), state.st_mtime_ns, state.st_size)
    with _loading:  # a process may have several threads
        if identity not in _loaded:
            _loaded.clear()
            _loaded[identity] = Explainer.load(path, load_model())
        return _loaded[identity]
