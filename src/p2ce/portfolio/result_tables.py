"""Lay explanations out as two tables, a row per person and a row per option, and build them again from rows.

The tables are typed, and the same for every shard of a run. What all people of a run share is in no row:
`common_of` gives it, and the manifest of the run holds it. A missing value is null in every column.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from p2ce.arrays import FloatArray, IntArray
from p2ce.compilation.encode import EncodedRows
from p2ce.errors import not_installed
from p2ce.explain.build_explanation import failed_explanation
from p2ce.result.counterfactual import SCORES, Counterfactual
from p2ce.result.counterfactual_table import own_name
from p2ce.result.explanation import FORMAT, Explanation
from p2ce.result.price_of_plausibility import PriceOfPlausibility
from p2ce.result.problem_record import ProblemRecord
from p2ce.tables.cells import is_missing
from p2ce.tables.codebook import MISSING, Codebook, Coding
from p2ce.tables.json_values import LONGEST, to_plain
from p2ce.tables.pandas_columns import text_dtype

if TYPE_CHECKING:
    import pyarrow as pa

    from p2ce.explainer import Explainer

# What a certificate says of one person, with the Arrow type. `cells` is text: it exceeds any machine integer.
CERTIFICATE = {
    "proven": "bool",
    "unproven_because": "string",
    "model_family": "string",
    "detector_family": "string",
    "plausibility_today": "float64",
    "none_because": "string",
    "bound": "string",
    "grid": "string",
    "finest_open": "bool",
    "refined": "int64",
    "cells": "string",
    "axes": "int64",
    "boxes": "int64",
    "scored": "int64",
    "verified": "int64",
    "discrepancies": "int64",
    "open_boxes": "int64",
}
# What it says of its estimate, by the column that has it; all are null where there is none.
ESTIMATE = {
    "estimate_method": "string",
    "estimate_attributed": "int64",
    "estimate_miss_rate": "float64",
    "estimate_sample_size": "int64",
    "estimate_residual": "float64",
}
# Rules that remove boxes, as certificates call them. Some problems have no use for the last two.
PRUNED = ("dominated", "too many changes", "model bound", "plausibility bound", "rules", "estimate")
# What explanations of one run do not share.
VARYING = (
    *("format", "status", "person", "person_score", "person_prediction"),
    *("counterfactuals", "certificate", "price_of_plausibility", "message", "as_of", "kind"),
)
NO_CERTIFICATE = SimpleNamespace(**dict.fromkeys([*CERTIFICATE, "estimate", "open_costs"]), pruned={})
NAN = to_plain(math.nan)
WITHOUT_PROVEN = "without_plausibility_proven"  # whether those costs are; null where none were searched for


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What our columns are called: a column of the model or of the caller keeps its name, ours gives way.

    A name is the same in both tables, so that they join on it. `names["status"]` looks into `own`.
    """

    own: dict[str, str]  # "person", "status", "score", … → column
    pruned: dict[str, str]  # rule → column
    best: dict[str, str]  # objective → column of people
    open: dict[str, str]  # objective → column of people: the least that an open box may cost
    free: dict[str, str]  # objective → column of people: the least cost without plausibility
    costs: dict[str, str]  # objective → column of options
    before: dict[str, str]  # feature that may change → column of options
    after: dict[str, str]
    rounded: dict[str, str]  # only features whose display rounds

    def __getitem__(self, own: str) -> str:
        return self.own[own]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResultSchema:
    """Columns and types of the two tables of a run, what its columns are called, and what people share."""

    people: "pa.Schema"
    options: "pa.Schema"
    names: Names
    common: Mapping[str, Any] = field(repr=False)  # as `common_of` gives it


def arrow() -> Any:
    """Import pyarrow, which portfolios are written and read with."""
    try:
        import pyarrow
    except ImportError as error:
        raise not_installed("A portfolio, which is tables of Parquet,", "parquet") from error
    return pyarrow


def common_of(explainer: "Explainer") -> dict[str, Any]:
    """Return what all explanations of an explainer share, as JSON-ready data.

    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from p2ce import Explainer
    >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
    >>> model = DecisionTreeClassifier().fit(people, [0, 0, 1, 1])
    >>> common = common_of(Explainer(model, people, target=1, plausibility=None))
    >>> common["target"], common["columns"], common["certificate"]["method"]
    (1, ['Income', 'Debts'], 'exact')
    """
    problem = explainer._problem
    nobody = EncodedRows(
        labels=(None,),
        columns=tuple([None] for _ in problem.names),
        values=np.zeros((1, len(problem.names))),
        problems={},
    )
    stated = failed_explanation(problem, nobody, 0, "").to_dict()
    assert problem.record is not None
    may_change = [name for name, one in problem.record.features.items() if one.may_change]
    rounding = {problem.names[place] for place in problem.rounded_columns}
    codings = problem.codebook.of(problem.names)
    return {
        **{name: part for name, part in stated.items() if name not in VARYING},
        "certificate": {
            "method": problem.method_name,
            "max_changes": problem.max_changes,
            "ties": bool(problem.keep_ties),
            "rules": to_plain([rule.data for rule in problem.rules if not rule.is_predicate]),
            "checked_rules": to_plain([rule.data for rule in problem.rules if rule.is_predicate]),
        },
        "layout": {
            "may_change": may_change,
            "rounded": [name for name in may_change if name in rounding],
            "predictions": problem.model.predict is not None and not problem.others,
            "flags": bool(problem.relations) or any(one.association for one in problem.policy.features),
            # Columns that hold JSON, since their labels are of several types.
            "json": [one.name for one in codings if _kind_of(one) is None],
            # Null is NaN to Python in these columns, and None in the others; in people, and in options.
            "nan": [one.name for one in codings if _given_as_nan(one)],
            "nan_after": [one.name for one in codings if one.plain(MISSING) is not None],
        },
    }


def _kind_of(coding: Coding) -> str | None:
    """Name the Arrow type of a column; None if no type holds all of its labels."""
    if coding.labels is None:
        kind = coding.number_dtype
        # Few programs know floats of 16 bits.
        return "bool" if kind.kind == "b" else "float32" if kind == np.float16 else str(kind)
    types = {type(label.item() if isinstance(label, np.generic) else label) for label in coding.labels}
    if types == {int} and not all(-(2**63) <= label < 2**63 for label in coding.labels):
        return None
    if types == {str} and any(_as_utf8(label) != label for label in coding.labels):
        return None
    known = {str: "string", bool: "bool", int: "int64", float: "float64"}
    return known.get(types.pop()) if len(types) == 1 else None


def _given_as_nan(coding: Coding) -> bool:
    """Return whether a null of Arrow is NaN in the person's row, as our tables give it."""
    if coding.labels is None:
        return coding.number_dtype.kind == "f"
    # Text has NaN from pandas 3 on, categories always.
    return hasattr(coding.dtype, "categories") or not isinstance(text_dtype(), np.dtype)


def names_of(common: Mapping[str, Any], kept: Iterable[str] = ()) -> Names:
    """Name our columns so that none has the name of a column of the model, or of one that is kept."""
    taken = {*common["columns"], *kept}

    def called(wanted: Mapping[str, str]) -> dict[str, str]:
        found = {}
        for key, name in wanted.items():
            found[key] = own_name(name, taken)
            taken.add(found[key])
        return found

    objectives, layout = common["objectives"], common["layout"]
    own = (
        *(
            "person",
            "status",
            "options",
            "score",
            "prediction",
            "message",
            "as_of",
            "given",
            *CERTIFICATE,
            *ESTIMATE,
        ),
        WITHOUT_PROVEN,
        *("option", "changed", "plausibility", "admitted_by", "rounded_score", "rounded_prediction", "flags"),
    )
    return Names(
        own=called({name: name for name in own}),
        pruned=called({rule: f"pruned_{rule.replace(' ', '_')}" for rule in PRUNED}),
        best=called({name: f"best_{name}" for name in objectives}),
        open=called({name: f"open_{name}" for name in objectives}),
        free=called({name: f"without_plausibility_{name}" for name in objectives}),
        costs=called({name: name for name in objectives}),
        before=called({name: f"{name}_before" for name in layout["may_change"]}),
        after=called({name: f"{name}_after" for name in layout["may_change"]}),
        rounded=called({name: f"{name}_rounded" for name in layout["rounded"]}),
    )


def schema_of(explainer: "Explainer", key: "pa.DataType", kept: "Sequence[pa.Field]" = ()) -> ResultSchema:
    """Return the columns of both tables; they depend on the explainer alone, not on what it finds.

    ``key`` is the type of what names people. ``kept`` are columns that are passed on; one that the model has
    is there anyway.
    """
    pa = arrow()
    common = common_of(explainer)
    kept = [one for one in kept if one.name not in common["columns"]]
    names = names_of(common, [one.name for one in kept])
    types = _column_types(explainer._problem.codebook)
    predicted = common["layout"]["predictions"]
    people = {
        names["person"]: _plain_type(key),
        **{name: types[name] for name in common["columns"]},
        **{one.name: _plain_type(one.type) for one in kept},
        names["status"]: "string",
        names["proven"]: "bool",
        names["options"]: "int64",
        names["score"]: "float64",
        **({names["prediction"]: "float64"} if predicted else {}),
        **dict.fromkeys(names.best.values(), "float64"),
        names["message"]: "string",
        names["as_of"]: "date32",
        names["given"]: "string",
        **{names[name]: kind for name, kind in (CERTIFICATE | ESTIMATE).items()},
        **dict.fromkeys(names.pruned.values(), "int64"),
        **dict.fromkeys(names.open.values(), "float64"),
        **dict.fromkeys(names.free.values(), "float64"),
        names[WITHOUT_PROVEN]: "bool",
    }
    options = {names["person"]: _plain_type(key), names["option"]: "int64"}
    for name in common["layout"]["may_change"]:
        options |= {names.before[name]: types[name], names.after[name]: types[name]}
        if name in names.rounded:
            options[names.rounded[name]] = types[name]
    scores = ["score", *(["prediction"] if predicted else []), "plausibility"]
    if names.rounded:
        scores += ["rounded_score", *(["rounded_prediction"] if predicted else [])]
    options[names["changed"]] = pa.list_(pa.string())
    options |= dict.fromkeys([*names.costs.values(), *(names[name] for name in scores)], "float64")
    options[names["admitted_by"]] = "string"
    if common["layout"]["flags"]:
        options[names["flags"]] = "string"
    return ResultSchema(people=_schema(people), options=_schema(options), names=names, common=common)


def _plain_type(kind: "pa.DataType") -> "pa.DataType":
    """Return the type that every program reads: text in place of its variants, labels in place of codes."""
    types = arrow().types
    if types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    is_text = types.is_large_string(kind) or str(kind) == "string_view"
    return arrow().string() if is_text else kind


def _column_types(codebook: Codebook) -> dict[str, str]:
    return {coding.name: _kind_of(coding) or "string" for coding in codebook}


def _schema(columns: "Mapping[str, str | pa.DataType]") -> "pa.Schema":
    pa = arrow()
    return pa.schema(
        [
            pa.field(name, pa.type_for_alias(kind) if isinstance(kind, str) else kind)
            for name, kind in columns.items()
        ]
    )


def to_tables(
    explanations: Sequence[Explanation],
    schema: ResultSchema,
    keys: "pa.Array | pa.ChunkedArray",
    kept: "pa.Table | None" = None,
) -> "tuple[pa.Table, pa.Table]":
    """Return a row per person, and a row per option.

    ``keys`` name the people, in the order of the explanations. ``kept`` has a row for each of them, and at
    least the columns that are kept.
    """
    pa = arrow()
    entries = list(explanations)
    options = [option for entry in entries for option in entry.counterfactuals]
    names = schema.names
    counts = np.array([len(entry) for entry in entries], dtype=np.int64)
    costs = {
        name: np.array([option.costs[name] for option in options], dtype=np.float64) for name in names.costs
    }
    people = {
        **({} if kept is None else dict(zip(kept.column_names, kept.columns, strict=True))),
        names["person"]: keys,
        **_given_columns([entry.person for entry in entries], schema),
        names["status"]: [entry.status.value for entry in entries],
        names["options"]: counts,
        names["score"]: [entry.person_score for entry in entries],
        names["prediction"]: [entry.person_prediction for entry in entries],
        **{names.best[name]: _least(costs[name], counts) for name in names.best},
        names["message"]: [_as_utf8(entry.message) for entry in entries],
        names["as_of"]: [entry.as_of for entry in entries],
        **_certificate_columns([entry.certificate or NO_CERTIFICATE for entry in entries], names),
        **_price_columns([entry.price_of_plausibility for entry in entries], names),
    }
    owners = pa.array(np.repeat(np.arange(len(entries)), counts))
    found = {
        names["person"]: keys.take(owners),
        **{names.before[name]: people[name].take(owners) for name in names.before},
        **_option_columns(options, schema),
        **{names.costs[name]: costs[name] for name in names.costs},
    }
    return _table(people, schema.people), _table(found, schema.options)


def _given_columns(rows: Sequence[Mapping[str, Any]], schema: ResultSchema) -> dict[str, Any]:
    """Return the model's columns, and as JSON whatever these cannot hold."""
    columns: dict[str, Any] = {}
    misfits: dict[int, dict[str, Any]] = {}
    for name in schema.common["columns"]:
        cells = [row[name] for row in rows]
        columns[name], unfit = _typed_cells(cells, name, schema)
        for at in unfit:
            misfits.setdefault(at, {})[name] = to_plain(cells[at])
    given = [json.dumps(misfits[at]) if at in misfits else None for at in range(len(rows))]
    return {**columns, schema.names["given"]: given}


def _certificate_columns(certificates: Sequence[Any], names: Names) -> dict[str, list[Any]]:
    """Return what certificates do not share."""
    return {
        **{names[name]: list(map(attrgetter(name), certificates)) for name in CERTIFICATE},
        **{
            names[name]: [getattr(one.estimate, name.removeprefix("estimate_"), None) for one in certificates]
            for name in ESTIMATE
        },
        names["cells"]: [_whole_text(one.cells) for one in certificates],
        **{names.pruned[rule]: [one.pruned.get(rule) for one in certificates] for rule in PRUNED},
        **{
            names.open[name]: [(one.open_costs or {}).get(name) for one in certificates]
            for name in names.open
        },
    }


def _price_columns(prices: Sequence[PriceOfPlausibility | None], names: Names) -> dict[str, list[Any]]:
    """Return the least costs without plausibility; those with it are the best of the options."""
    found = [(None if one is None else one.without_plausibility) or {} for one in prices]
    return {
        **{column: [one.get(name) for one in found] for name, column in names.free.items()},
        names[WITHOUT_PROVEN]: [None if one is None else one.without_proven for one in prices],
    }


def _price(person: Mapping[str, Any], certificate: Mapping[str, Any] | None, names: Names) -> Any:
    """Return the price of plausibility as JSON-ready data."""
    if person[names[WITHOUT_PROVEN]] is None:
        return None
    return {
        "with_plausibility": to_plain(_known(person, names.best)) or None,
        "with_proven": certificate is not None and certificate["proven"],
        "without_plausibility": to_plain(_known(person, names.free)) or None,
        "without_proven": person[names[WITHOUT_PROVEN]],
    }


def _option_columns(options: Sequence[Counterfactual], schema: ResultSchema) -> dict[str, Any]:
    """Return what options have beside their person and their costs."""
    names = schema.names
    return {
        names["option"]: [option.number for option in options],
        # What does not fit is a person's own unseen label, which does not change.
        **{
            column: _typed_cells([option.values[name] for option in options], name, schema)[0]
            for name, column in names.after.items()
        },
        **{
            column: [option.rounded.get(name) for option in options] for name, column in names.rounded.items()
        },
        names["changed"]: [list(option.changes) for option in options],
        **{names[name]: list(map(attrgetter(name), options)) for name in (*SCORES, "admitted_by")},
        names["flags"]: [json.dumps(to_plain(option.flags)) if option.flags else None for option in options],
    }


def _table(columns: Mapping[str, Any], schema: "pa.Schema") -> "pa.Table":
    pa = arrow()
    arrays = [_column(columns[one.name], one.type) for one in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _column(cells: Any, kind: "pa.DataType") -> "pa.Array | pa.ChunkedArray":
    pa = arrow()
    if isinstance(cells, pa.Array | pa.ChunkedArray):
        return cells if cells.type == kind else cells.cast(kind)
    return pa.array(cells, type=kind)


def _least(costs: FloatArray, counts: IntArray) -> "pa.Array":
    """Return the least cost of each person, null for people without options."""
    pa = arrow()
    found = np.full(len(counts), np.nan)
    some = counts > 0
    if some.any():
        found[some] = np.minimum.reduceat(costs, (np.cumsum(counts) - counts)[some])
    return pa.array(found, mask=~some)


def _whole_text(number: int | None) -> str | None:
    """Write a whole number of any length; Python writes no more than some thousand decimal digits."""
    if number is None:
        return None
    return str(number) if number.bit_length() < LONGEST else hex(number)


def _as_utf8(text: str | None) -> str | None:
    """Escape halves of surrogate pairs, which no file can hold."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _typed_cells(cells: list[Any], name: str, schema: ResultSchema) -> "tuple[pa.Array, list[int]]":
    """Make a column of its type, and list the cells that it cannot hold exactly: they are null there."""
    pa = arrow()
    kind, layout = schema.people.field(name).type, schema.common["layout"]
    as_nan = name in layout["nan"]
    if name in layout["json"]:
        cells = [cell if is_missing(cell) else json.dumps(to_plain(cell)) for cell in cells]
    own, gap = _python_type(kind), float if as_nan else type(None)
    if all(type(cell) is gap and is_missing(cell) for cell in cells if type(cell) is not own):
        try:
            column = pa.array(cells, type=kind, from_pandas=True)
        except (pa.ArrowException, ValueError, OverflowError):
            pass  # a whole number that is too large, text that is not UTF-8: found below
        else:
            if kind != pa.float32() or _is_single(cells):
                return column, []
    fits = [_fits(cell, kind, as_nan=as_nan) for cell in cells]
    held = [cell if fit else None for cell, fit in zip(cells, fits, strict=True)]
    return pa.array(held, type=kind, from_pandas=True), [at for at, fit in enumerate(fits) if not fit]


def _python_type(kind: "pa.DataType") -> type:
    """Return the type of the cells of a column."""
    types = arrow().types
    if types.is_string(kind):
        return str
    return bool if types.is_boolean(kind) else float if types.is_floating(kind) else int


def _is_single(cells: list[Any]) -> bool:
    """Return whether single precision holds numbers exactly."""
    numbers = np.array(cells, dtype=np.float64)
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32).astype(np.float64)
    return bool(np.array_equal(single, numbers, equal_nan=True))


def _fits(cell: Any, kind: "pa.DataType", *, as_nan: bool) -> bool:
    """Return whether a column of the type gives a cell back as it is."""
    pa = arrow()
    if is_missing(cell):
        return bool(to_plain(cell) == (NAN if as_nan else None))
    try:
        return bool(to_plain(pa.scalar(cell, type=kind).as_py()) == to_plain(cell))
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False


def to_explanation(
    person: Mapping[str, Any],
    options: Iterable[Mapping[str, Any]],
    common: Mapping[str, Any],
    names: Names,
    record: ProblemRecord | None = None,
) -> Explanation:
    """Build the explanation of a row of people and its rows of options, as `explain_many` gave it.

    ``record`` saves making the one of ``common`` again, for many people.
    """
    nan, json_columns = set(common["layout"]["nan"]), set(common["layout"]["json"])
    row = {
        name: _plain(person[name], nan=name in nan, as_json=name in json_columns)
        for name in common["columns"]
    }
    if person[names["given"]] is not None:
        row |= json.loads(person[names["given"]])
    certificate = None
    if person[names["cells"]] is not None:
        certificate = {
            **common["certificate"],
            **{name: to_plain(person[names[name]]) for name in CERTIFICATE},
            "estimate": None
            if person[names["estimate_method"]] is None
            else {name.removeprefix("estimate_"): to_plain(person[names[name]]) for name in ESTIMATE},
            "cells": to_plain(int(person[names["cells"]], 0)),
            "pruned": _known(person, names.pruned),
            "open_costs": to_plain(_known(person, names.open)) or None,
        }
    stated = {name: part for name, part in common.items() if name not in ("certificate", "layout", "problem")}
    explanation = Explanation.from_dict(
        {
            "format": FORMAT,
            **stated,
            "status": person[names["status"]],
            "person": row,
            "person_score": to_plain(person[names["score"]]),
            "person_prediction": to_plain(person.get(names["prediction"])),
            "counterfactuals": [_option_data(option, row, common, names) for option in options],
            "certificate": certificate,
            "price_of_plausibility": _price(person, certificate, names),
            "message": person[names["message"]],
            "as_of": to_plain(person[names["as_of"]]),
        }
    )
    return replace(explanation, problem=record or ProblemRecord.from_dict(common["problem"]))


def _option_data(
    option: Mapping[str, Any], row: Mapping[str, Any], common: Mapping[str, Any], names: Names
) -> dict[str, Any]:
    """Return an option as JSON-ready data; what it leaves as it is comes from the person's row."""
    nan, json_columns = set(common["layout"]["nan_after"]), set(common["layout"]["json"])
    after = {
        name: _plain(option[names.after[name]], nan=name in nan, as_json=name in json_columns)
        for name in option[names["changed"]]
    }
    return {
        "number": option[names["option"]],
        "values": {**row, **after},
        "changes": {name: [row[name], value] for name, value in after.items()},
        "costs": to_plain({name: option[column] for name, column in names.costs.items()}),
        "rounded": to_plain(_known(option, names.rounded)),
        **{name: to_plain(option.get(names[name])) for name in (*SCORES, "admitted_by")},
        "flags": json.loads(option.get(names["flags"]) or "[]"),
    }


def _known(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """Take the columns that hold something in this row, under what they stand for."""
    return {name: row[column] for name, column in columns.items() if row[column] is not None}


def _plain(cell: Any, *, nan: bool, as_json: bool) -> Any:
    """Return a cell as JSON-ready data."""
    if cell is None:
        return NAN if nan else None
    return json.loads(cell) if as_json else to_plain(cell)


def to_parquet(table: "pa.Table") -> bytes:
    """Write a table as a Parquet file, the same to the byte for the same table."""
    pa = arrow()
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd", row_group_size=max(table.num_rows, 1))
    return bytes(sink.getvalue().to_pybytes())
