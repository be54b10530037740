"""Explain a shard and write its two files, in a worker of a run.

The outcome is data, even after a failure, so that exceptions of a worker's libraries need not be pickled.
"""

import datetime
import hashlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from p2ce.base.files import require_owner, write_whole
from p2ce.base.visible import echoed
from p2ce.errors import FAULT_RECORD, P2CEError, what_happened
from p2ce.explainer import explain_apart
from p2ce.portfolio.runs.journal import Finished, sees_folder
from p2ce.portfolio.runs.manifest import OPTIONS, PEOPLE, ShardEntry, code_hash, part_name
from p2ce.portfolio.runs.result_tables import ResultSchema, require_arrow, to_parquet, to_tables
from p2ce.portfolio.runs.shard import Shard
from p2ce.result.certificate import Status
from p2ce.result.explanation import Explanation
from p2ce.run.explain_batch import NO_LIMITS
from p2ce.run.time_limits import SearchLimits
from p2ce.run.verified import Trust

if TYPE_CHECKING:
    import pyarrow as pa

    from p2ce.explainer import Explainer

log = logging.getLogger("p2ce")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunContext:
    """What all shards of a run share. It is sent to each process once."""

    explainer: "Explainer"
    schema: ResultSchema
    id_column: str | None  # None if the ids are the positions in the source
    limits: SearchLimits = NO_LIMITS
    as_of: datetime.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The folder of a run's files, and what a process needs in order to write there."""

    folder: Path
    mark: str  # of the journal in it
    code: str  # SHA-256 of the package's sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A message that the library logged in a worker."""

    level: int
    text: str
    is_fault: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A finished shard."""

    finished: Finished
    notices: tuple[Notice, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A failed shard, with the reason."""

    message: str
    stops_run: bool = False  # every other shard would fail, too: for example, the disk is full


def misplaced(place: Place) -> Failed | None:
    """Return why this process cannot take part in a run, or None if it can."""
    if code_hash() != place.code:
        return Failed(
            message="A worker has different code of p2ce than this process. Install the same version on all "
            "machines, and restart the workers.",
            stops_run=True,
        )
    if not sees_folder(place.folder, place.mark):
        return Failed(
            message=f"A worker does not see the folder {echoed(str(place.folder))}. Use a folder on a shared "
            "disk that all machines see under the same path.",
            stops_run=True,
        )
    return None


def explain_shard(context: RunContext, shard: Shard, place: Place) -> Done | Failed:
    """Read the people of a shard, explain them, and write both of its files."""
    times = {"begin": time.perf_counter()}
    try:
        table = shard.read()
    except MemoryError:
        raise
    except P2CEError as error:
        return Failed(message=str(error))
    except Exception as error:  # the library that reads it may raise anything
        return Failed(message=f"It cannot be read: reading it {what_happened(error)}.")
    times["read"] = time.perf_counter()
    with _notices() as notices:
        explanations, trust = explain_rows(context, table)
    times["explain"] = time.perf_counter()
    people, options = to_tables(explanations, context.schema, ids_of(context, table, shard.first), table)
    contents = {PEOPLE: to_parquet(people), OPTIONS: to_parquet(options)}
    times["tables"] = time.perf_counter()
    if (wrong := misplaced(place)) is not None:  # the run may have ended meanwhile
        return wrong
    try:
        for name, content in contents.items():
            _write_part(place.folder / name / part_name(shard.number), content)
    except P2CEError as error:
        return Failed(message=str(error), stops_run=True)
    times["write"] = time.perf_counter()
    return Done(
        finished=Finished(
            shard=ShardEntry(
                number=shard.number,
                where=shard.where,
                rows=people.num_rows,
                options=options.num_rows,
                statuses=_counted(entry.status.value for entry in explanations),
                people_sha256=hashlib.sha256(contents[PEOPLE]).hexdigest(),
                options_sha256=hashlib.sha256(contents[OPTIONS]).hexdigest(),
                contradiction=not trust.holds,
            ),
            seconds={
                **{after: round(times[after] - times[before], 6) for before, after in pairwise(times)},
                # The share of the search itself.
                "search": round(sum(entry.timings.get("search", 0.0) for entry in explanations), 6),
            },
        ),
        notices=tuple(notices),
    )


def withdraw_proofs(finished: Finished, schema: ResultSchema, folder: Path) -> Finished:
    """Rewrite the people of a shard without proofs, after a contradiction in another shard."""
    from pyarrow import parquet

    path = folder / PEOPLE / part_name(finished.shard.number)
    table, names = parquet.read_table(path), schema.names
    texts = table[names["explanation"]].to_pylist()
    explanations = [_without_proof(Explanation.from_json(text)) for text in texts]
    people, _ = to_tables(explanations, schema, table[names["id"]], table)
    content = to_parquet(people)
    _write_part(path, content)
    return replace(
        finished,
        withdrawn=True,
        shard=replace(
            finished.shard,
            statuses=_counted(entry.status.value for entry in explanations),
            people_sha256=hashlib.sha256(content).hexdigest(),
        ),
    )


def _without_proof(explanation: Explanation) -> Explanation:
    """Return an explanation in the form for a model that contradicts its scores."""
    certificate, price, status = (
        explanation.certificate,
        explanation.price_of_plausibility,
        explanation.status,
    )
    if certificate is None:
        return explanation
    because = certificate.unproven_because
    return replace(
        explanation,
        status=Status.HEURISTIC if status in (Status.OPTIMAL, Status.NO_RECOURSE) else status,
        certificate=replace(
            certificate,
            proven=False,
            unproven_because="contradiction" if because in (None, "rounding") else because,
            none_because=None,
        ),
        price_of_plausibility=price and replace(price, with_proven=False, without_proven=False),
    )


def _write_part(path: Path, content: bytes) -> None:
    """Write a part, if the folder still belongs to this user."""
    require_owner(path.parent)
    write_whole(path, content, what="A part of the results", follow_links=False)


def explain_rows(context: RunContext, table: "pa.Table") -> tuple[list[Explanation], Trust]:
    """Explain rows independently of earlier calls, and return whether the scores held."""
    explanations, trust = explain_apart(
        context.explainer,
        table.select(context.schema.columns),
        limits=context.limits,
        as_of=context.as_of,
    )
    return list(explanations), trust


def ids_of(context: RunContext, table: "pa.Table", first: int) -> "pa.Array | pa.ChunkedArray":
    """Return the ids of rows: those of the id column, or the positions in the source."""
    pa = require_arrow()
    if context.id_column is not None:
        return table.column(context.id_column)
    return pa.array(range(first, first + table.num_rows), type=pa.int64())


def _counted(statuses: "Iterator[str] | Sequence[str]") -> dict[str, int]:
    return dict(sorted(Counter(statuses).items()))


@contextmanager
def _notices() -> Iterator[list[Notice]]:
    """Collect the library's messages in this thread, so that the parent can log them."""
    found: list[Notice] = []
    here = threading.get_ident()

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread == here:
                fault = bool(getattr(record, FAULT_RECORD, False))
                found.append(Notice(level=record.levelno, text=record.getMessage(), is_fault=fault))

    collector = Collector(logging.WARNING)
    log.addHandler(collector)
    try:
        yield found
    finally:
        log.removeHandler(collector)
