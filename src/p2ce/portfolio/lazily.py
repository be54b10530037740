"""Explain a Dask DataFrame lazily: one task per partition, a Dask DataFrame of people or options back."""

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from p2ce.errors import InvalidArgument, nearest
from p2ce.explain.processes import receive, send
from p2ce.explainer import judged_apart, require_trust
from p2ce.portfolio.cluster import ONE_PROCESS, receiving, require_dask
from p2ce.portfolio.explain_shard import RunContext, keys_of, model_columns
from p2ce.portfolio.manifest import OPTIONS, PEOPLE
from p2ce.portfolio.people_columns import shard_type
from p2ce.portfolio.portfolio_results import WITH_GAPS
from p2ce.portfolio.result_tables import arrow, schema_of, to_tables
from p2ce.result.stated_date import stated_date
from p2ce.visible import echoed

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from p2ce.explainer import Explainer

KEY = "__person__"  # what the index is called on its way


def explain_partitions(
    explainer: "Explainer",
    frame: Any,
    *,
    table: Literal["options", "people"] = "options",
    index_column: str | None = None,
    keep: Sequence[str] = (),
    as_of: str | datetime.date | None = None,
) -> Any:
    """Explain a Dask DataFrame: a row per option, or per person, computed when they are needed.

    Each partition is explained by itself, in one task. A model that contradicts its parsed scores withdraws
    the proofs of its own partition; `run` withdraws all of them.

    Args:
        explainer: explains each person as `explain_many` does.
        frame: a Dask DataFrame with the model's columns.
        table: "options" or "people".
        index_column: the column that names people; without it, they are named by the index.
        keep: columns that the model does not see, to be passed on to the table of people.
        as_of: the day of the data and the decisions, as in `explain`.
    """
    require_dask()
    import dask.dataframe as dd

    if table not in (OPTIONS, PEOPLE):
        raise InvalidArgument(f"table must be 'options' or 'people', got {echoed(table)}.")
    if not isinstance(frame, dd.DataFrame):
        raise InvalidArgument(
            f"explain_partitions() takes a Dask DataFrame, got {type(frame).__name__}. Use explain_many()."
        )
    names = list(explainer.problem.features)
    for name in (*names, *([] if index_column is None else [index_column]), *keep):
        if name not in frame.columns:
            raise InvalidArgument(f"The frame has no column {echoed(name)}. {nearest(name, frame.columns)}")
    require_trust(explainer)
    explainer.warm_up()
    held = _to_arrow(frame._meta_nonempty, index_column, keep)
    schema = schema_of(
        explainer,
        held.schema.field(index_column or KEY).type,
        [held.schema.field(name) for name in keep],
    )
    context = RunContext(
        explainer=explainer, schema=schema, key=index_column or KEY, time_limit=None, as_of=stated_date(as_of)
    )
    payload, key = send(context, instead=ONE_PROCESS)
    meta = _to_pandas((schema.people if table == PEOPLE else schema.options).empty_table())
    # The tables have an index of their own, about which the divisions of the frame say nothing.
    return frame.clear_divisions().map_partitions(
        _explained, _delayed(payload, key), key, index_column, tuple(keep), table, meta=meta
    )


def _delayed(payload: bytes, key: str) -> Any:
    """Make the payload a task of its own, which a cluster sends to each worker once."""
    from dask import delayed

    return delayed(payload, name=f"p2ce-{key}", pure=True)


def _explained(
    people: "pd.DataFrame",
    payload: bytes,
    key: str,
    index_column: str | None,
    keep: tuple[str, ...],
    table: str,
) -> "pd.DataFrame":
    """Explain one partition."""
    with receiving:
        context: RunContext = receive(payload, key, instead=ONE_PROCESS)
    rows = _to_arrow(people, index_column, keep)
    explainer, _ = judged_apart(context.explainer)
    explanations = explainer.explain_many(people[model_columns(context)], as_of=context.as_of)
    tables = to_tables(explanations, context.schema, keys_of(context, rows, 0), rows)
    return _to_pandas(tables[table == OPTIONS])


def _to_arrow(people: "pd.DataFrame", index_column: str | None, keep: Sequence[str]) -> "pa.Table":
    """Return what names people and what is kept, in the types that sources give them."""
    pa = arrow()
    kept = people[list(dict.fromkeys([*keep, *([] if index_column is None else [index_column])]))]
    if index_column is None:
        kept = kept.assign(**{KEY: people.index})
    table = pa.Table.from_pandas(kept, preserve_index=False)
    return table.cast(pa.schema([(one.name, shard_type(one.type, of_model=False)) for one in table.schema]))


def _to_pandas(table: "pa.Table") -> "pd.DataFrame":
    """Return types that do not depend on which values there are: whole numbers have gaps or may have."""
    import pandas as pd

    def typed(kind: "pa.DataType") -> Any:
        return pd.api.types.pandas_dtype(WITH_GAPS[str(kind)]) if str(kind) in WITH_GAPS else None

    found: pd.DataFrame = table.to_pandas(types_mapper=typed)
    return found
