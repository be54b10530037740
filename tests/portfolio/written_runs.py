"""Write the folder of a run by hand: what a run does, without its scheduling."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import p2ce
from p2ce.portfolio.runs.result_tables import schema_of, to_parquet, to_tables
from p2ce.tables import as_kind
from tests.optional import LazyLibrary

pa = LazyLibrary("pyarrow")


@dataclass(frozen=True)
class Written:
    """A folder, and the explanations that are in it."""

    folder: Path
    explanations: tuple[p2ce.Explanation, ...]


def write_run(
    folder: Path,
    explainer: p2ce.Explainer,
    people: Any,
    *,
    sizes: Sequence[int] = (),
    ids: Sequence[Any] | None = None,
    kept: Any = None,  # an Arrow table
    time_limit: float | None = None,
) -> Written:
    """Explain people of any kind of table, as shards of these sizes; by default as one."""
    names = list(range(len(people)) if ids is None else ids)
    schema = schema_of(explainer, pa.array(names).type, [] if kept is None else list(kept.schema))
    shards, found, first = [], [], 0
    for name in ("people", "options"):
        (folder / name).mkdir(parents=True)
    for number, size in enumerate(sizes or [len(people)]):
        some = people[first : first + size]
        explanations = explainer.explain_many(some, time_limit=time_limit)
        tables = to_tables(
            explanations,
            schema,
            pa.array(names[first : first + size], type=pa.array(names).type),
            None if kept is None else kept.slice(first, size),
        )
        contents = dict(zip(("people", "options"), map(to_parquet, tables), strict=True))
        for name, content in contents.items():
            (folder / name / f"part-{number:05d}.parquet").write_bytes(content)
        shards.append(
            {
                "number": number,
                "where": f"shard {number}",
                "rows": len(explanations),
                "options": tables[1].num_rows,
                "statuses": _counted(explanations),
                **{f"{name}_sha256": hashlib.sha256(part).hexdigest() for name, part in contents.items()},
            }
        )
        found += list(explanations)
        first += size
    manifest = {
        "format": "p2ce.portfolio/1",
        "package": "0.1.0",
        "code": "",
        "hashes": dict(explainer.problem.hashes),
        "id_column": None,
        "keep": [] if kept is None else kept.column_names,
        "time_limit": time_limit,
        "people": len(found),
        "options": sum(map(len, found)),
        "statuses": _counted(found),
        "objectives": list(schema.names.costs),
        "problem": explainer.problem.to_dict(),
        "shards": shards,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, allow_nan=False), encoding="utf-8")
    return Written(folder, tuple(found))


def as_arrow(frame: Any) -> Any:
    """Return people as a source does."""
    return as_kind(frame, "arrow")


def _counted(explanations: Any) -> dict[str, int]:
    return dict(sorted(Counter(entry.status.value for entry in explanations).items()))
