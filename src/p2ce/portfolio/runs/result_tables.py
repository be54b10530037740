"""Write explanations as two tables: a row per person with the explanation as JSON, and a row per option.

Explanations are read back from the JSON column. All other columns are for queries. They are typed, and the
same for every shard of a run. A missing value is null in every column.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.visible import as_text
from p2ce.errors import not_installed
from p2ce.result.counterfactual import POINTS, SCORES, own_name
from p2ce.result.explanation import Explanation
from p2ce.result.problem_record import ProblemRecord
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import Coding
from p2ce.tables.json_values import to_plain

if TYPE_CHECKING:
    import pyarrow as pa

    from p2ce.explainer import Explainer

# The fields of a certificate that audits read.
PROOF = {"proven": "bool", "unproven_because": "string", "none_because": "string", "grid": "string"}
TEXT_AND_NUMBERS = {str: "string", bool: "bool", int: "int64", float: "float64"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultNames:
    """The names of our columns. They avoid the names of the model's and the caller's columns.

    A name is the same in both tables, so they can be joined. `names["status"]` looks into `own`.
    """

    own: dict[str, str]  # "id", "status", "score", … → column
    best: dict[str, str]  # objective → column of people
    open: dict[str, str]  # objective → column of people: the least that an open box may cost
    costs: dict[str, str]  # objective → column of options
    before: dict[str, str]  # feature that may change → column of options
    after: dict[str, str]
    rounded: dict[str, str]  # only for features whose display rounds

    def __getitem__(self, own: str) -> str:
        return self.own[own]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResultSchema:
    """The columns of the two tables of a run, with their types and names."""

    people: "pa.Schema"
    options: "pa.Schema"
    names: ResultNames
    columns: tuple[str, ...]  # of the model


def require_arrow() -> Any:
    """Import pyarrow, which writes and reads portfolios."""
    try:
        import pyarrow
    except ImportError as error:
        raise not_installed("Reading and writing portfolios as Parquet", "parquet") from error
    return pyarrow


def names_of(record: ProblemRecord, objectives: Sequence[str], kept: Iterable[str] = ()) -> ResultNames:
    """Choose names for our columns that no column of the model and no kept column has."""
    taken = {*record.features, *kept}

    def called(wanted: Mapping[str, str]) -> dict[str, str]:
        found = {}
        for key, name in wanted.items():
            found[key] = own_name(name, taken)
            taken.add(found[key])
        return found

    may_change = [name for name, feature in record.features.items() if feature.may_change]
    own = (
        *(
            "id",
            "status",
            "options",
            "score",
            "points",
            "prediction",
            "error",
            "message",
            *PROOF,
            "explanation",
        ),
        *(
            "option",
            "changed",
            "plausibility",
            "admitted_by",
            "rounded_score",
            "rounded_points",
            "rounded_prediction",
            "flags",
        ),
    )
    return ResultNames(
        own=called({name: name for name in own}),
        best=called({name: f"best_{name}" for name in objectives}),
        open=called({name: f"open_{name}" for name in objectives}),
        costs=called({name: name for name in objectives}),
        before=called({name: f"{name}_before" for name in may_change}),
        after=called({name: f"{name}_after" for name in may_change}),
        rounded=called({name: f"{name}_rounded" for name in may_change}),
    )


def schema_of(explainer: "Explainer", ids: "pa.DataType", kept: "Sequence[pa.Field]" = ()) -> ResultSchema:
    """Return the columns of both tables. They depend only on the explainer, not on its results.

    ``ids`` is the type of the ids. ``kept`` lists the columns to copy; the model's columns are always there.
    """
    from p2ce.explainer import problems_of

    pa = require_arrow()
    problem = problems_of(explainer).own
    kept = [one for one in kept if one.name not in problem.names]
    names = names_of(explainer.problem, problem.objective_names, [one.name for one in kept])
    types = {coding.name: _type_of(coding) for coding in problem.codebook.of(problem.names)}
    rounding = {problem.names[place] for place in problem.rounded_columns}
    predicted = problem.model.predict is not None and not problem.others
    people = {
        names["id"]: _plain_type(ids),
        **{name: types[name] for name in problem.names},
        **{one.name: _plain_type(one.type) for one in kept},
        names["status"]: "string",
        **{names[name]: kind for name, kind in PROOF.items()},
        names["options"]: "int64",
        names["score"]: "float64",
        **({names["points"]: "float64"} if problem.report is not None else {}),
        **({names["prediction"]: "float64"} if predicted else {}),
        **dict.fromkeys([*names.best.values(), *names.open.values()], "float64"),
        names["error"]: "string",
        names["message"]: "string",
        names["explanation"]: "string",
    }
    options = {names["id"]: _plain_type(ids), names["option"]: "int64"}
    for name in names.before:
        options |= {names.before[name]: types[name], names.after[name]: types[name]}
        if name in rounding:
            options[names.rounded[name]] = types[name]
    options[names["changed"]] = pa.list_(pa.string())
    rounds = rounding & set(names.rounded)
    scores = [
        name
        for name in (*SCORES, *POINTS)
        if (predicted or not name.endswith("prediction"))
        and (problem.report is not None or not name.endswith("points"))
        and (rounds or not name.startswith("rounded"))
    ]
    options |= dict.fromkeys([*names.costs.values(), *(names[name] for name in scores)], "float64")
    options[names["admitted_by"]] = "string"
    if problem.relations or any(one.association for one in problem.policy.features):
        options[names["flags"]] = "string"
    return ResultSchema(
        people=_schema(people), options=_schema(options), names=names, columns=tuple(problem.names)
    )


def _type_of(coding: Coding) -> str:
    """Return the name of a column's Arrow type: text if no other type can store all labels."""
    if coding.is_date:
        return "string"
    if coding.labels is None:
        kind = coding.number_dtype
        # Few programs support floats of 16 bits.
        return "bool" if kind.kind == "b" else "float32" if kind == np.float16 else str(kind)
    types = {type(label.item() if isinstance(label, np.generic) else label) for label in coding.labels}
    if types == {int} and not all(-(2**63) <= label < 2**63 for label in coding.labels):
        return "string"
    return TEXT_AND_NUMBERS.get(types.pop(), "string") if len(types) == 1 else "string"


def _plain_type(kind: "pa.DataType") -> "pa.DataType":
    """Return the type that every program reads: plain text for its variants, labels for codes."""
    types = require_arrow().types
    if types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    is_text = types.is_large_string(kind) or str(kind) == "string_view"
    return require_arrow().string() if is_text else kind


def _schema(columns: "Mapping[str, str | pa.DataType]") -> "pa.Schema":
    pa = require_arrow()
    return pa.schema(
        [
            pa.field(name, pa.type_for_alias(kind) if isinstance(kind, str) else kind)
            for name, kind in columns.items()
        ]
    )


def to_tables(
    explanations: Sequence[Explanation],
    schema: ResultSchema,
    ids: "pa.Array | pa.ChunkedArray",
    kept: "pa.Table | None" = None,
) -> "tuple[pa.Table, pa.Table]":
    """Return a row per person, and a row per option.

    ``ids`` are the people's ids in the order of the explanations. ``kept`` has a row per person, with at
    least the kept columns.
    """
    pa = require_arrow()
    entries = list(explanations)
    options = [option for entry in entries for option in entry.counterfactuals]
    certificates = [entry.certificate for entry in entries]
    names = schema.names
    counts = np.array([len(entry) for entry in entries], dtype=np.int64)
    costs = {
        name: np.array([option.costs[name] for option in options], dtype=np.float64) for name in names.costs
    }
    people = {
        **({} if kept is None else dict(zip(kept.column_names, kept.columns, strict=True))),
        names["id"]: ids,
        **{
            name: _typed([entry.person[name] for entry in entries], schema.people.field(name).type)
            for name in schema.columns
        },
        names["status"]: [entry.status.value for entry in entries],
        **{names[name]: [getattr(one, name, None) for one in certificates] for name in PROOF},
        names["options"]: counts,
        names["score"]: [entry.person_score for entry in entries],
        names["points"]: [None if entry.points is None else entry.points.person for entry in entries],
        names["prediction"]: [entry.person_prediction for entry in entries],
        **{names.best[name]: _least(costs[name], counts) for name in names.best},
        **{
            column: [None if one is None else (one.open_costs or {}).get(name) for one in certificates]
            for name, column in names.open.items()
        },
        names["error"]: [entry.error for entry in entries],
        names["message"]: [_as_utf8(entry.message) for entry in entries],
        names["explanation"]: list(map(_to_json, entries)),
    }
    owners = pa.array(np.repeat(np.arange(len(entries)), counts))
    found = {
        names["id"]: ids.take(owners),
        names["option"]: [option.number for option in options],
        **{names.before[name]: people[name].take(owners) for name in names.before},
        **{
            column: _typed([option.values[name] for option in options], schema.people.field(name).type)
            for name, column in names.after.items()
        },
        **{
            column: _typed([option.rounded.get(name) for option in options], schema.people.field(name).type)
            for name, column in names.rounded.items()
        },
        names["changed"]: [list(option.changes) for option in options],
        **{names[name]: list(map(attrgetter(name), options)) for name in (*SCORES, *POINTS, "admitted_by")},
        names["flags"]: [json.dumps(to_plain(option.flags)) if option.flags else None for option in options],
        **{names.costs[name]: costs[name] for name in names.costs},
    }
    return _table(people, schema.people), _table(found, schema.options)


def _to_json(explanation: Explanation) -> str:
    """Write an explanation as JSON, without the problem that all people share."""
    return json.dumps(explanation.to_dict(problem=False), allow_nan=False)


def _table(columns: Mapping[str, Any], schema: "pa.Schema") -> "pa.Table":
    pa = require_arrow()
    arrays = [_column(columns[one.name], one.type) for one in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _column(cells: Any, kind: "pa.DataType") -> "pa.Array | pa.ChunkedArray":
    pa = require_arrow()
    if isinstance(cells, pa.Array | pa.ChunkedArray):
        return cells if cells.type == kind else cells.cast(kind)
    return pa.array(cells, type=kind)


def _least(costs: FloatArray, counts: IntArray) -> "pa.Array":
    """Return the least cost of each person, null for people without options."""
    pa = require_arrow()
    found = np.full(len(counts), np.nan)
    some = counts > 0
    if some.any():
        found[some] = np.minimum.reduceat(costs, (np.cumsum(counts) - counts)[some])
    return pa.array(found, mask=~some)


def _as_utf8(text: str | None) -> str | None:
    """Escape halves of surrogate pairs, which cannot be stored as UTF-8."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _typed(cells: list[Any], kind: "pa.DataType") -> "pa.Array":
    """Build a column of cells. A cell that the type cannot store becomes null."""
    pa = require_arrow()
    types = pa.types
    if types.is_string(kind):
        return pa.array([None if is_missing(cell) else _as_utf8(as_text(cell)) for cell in cells], type=kind)
    own = bool if types.is_boolean(kind) else float if types.is_floating(kind) else int
    if all(type(cell) is own or is_missing(cell) for cell in cells):
        try:
            return pa.array(cells, type=kind, from_pandas=True)
        except (pa.ArrowException, OverflowError):
            pass  # too large a whole number
    return pa.array([_fitting(cell, kind) for cell in cells], type=kind)


def _fitting(cell: Any, kind: "pa.DataType") -> Any:
    """Return a cell if the type can store it, else None."""
    pa = require_arrow()
    try:
        held = None if is_missing(cell) else pa.scalar(cell, type=kind).as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    return held if held == cell else None  # Arrow truncates 8.5 to the whole number 8


def to_parquet(table: "pa.Table") -> bytes:
    """Write a table as a Parquet file. The same table gives the same bytes."""
    pa = require_arrow()
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd", row_group_size=max(table.num_rows, 1))
    return bytes(sink.getvalue().to_pybytes())
