"""Explain a shard and write its two files: what a worker of a run does.

What comes back is data, also where something fails, so that no exception of a worker's libraries has to
travel: a shard that is finished, or why it is not.
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

from p2ce.check_paths import require_own
from p2ce.errors import FAULT_RECORD, P2CEError, what_happened
from p2ce.explain.trust import Trust
from p2ce.explainer import judged_apart
from p2ce.files import write_whole
from p2ce.portfolio.code_hash import code_hash
from p2ce.portfolio.journal import Finished, sees_folder
from p2ce.portfolio.manifest import OPTIONS, PEOPLE, ShardEntry, part_name
from p2ce.portfolio.result_tables import ResultSchema, arrow, to_parquet, to_tables
from p2ce.portfolio.shard import Shard
from p2ce.result.explanation import Explanation
from p2ce.result.status import Status
from p2ce.visible import echoed

if TYPE_CHECKING:
    import pyarrow as pa

    from p2ce.explainer import Explainer

log = logging.getLogger("p2ce")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunContext:
    """What all shards of a run have in common; it travels to each process once."""

    explainer: "Explainer"
    schema: ResultSchema
    id_column: str | None  # None where the ids are the places in the source
    time_limit: float | None
    as_of: datetime.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the files of a run go, and what a process has to be like to write there."""

    folder: Path
    mark: str  # of the journal in it
    code: str  # SHA-256 of the package's sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What the library logged in the process of a worker."""

    level: int
    text: str
    is_fault: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A shard that is written."""

    finished: Finished
    notices: tuple[Notice, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Why a shard is not written."""

    message: str
    stops_run: bool = False  # no other shard would fare better: a full disk, say


def misplaced(place: Place) -> Failed | None:
    """State why this process cannot take part in a run; None if it can."""
    if code_hash() != place.code:
        return Failed(
            message="A worker has other code of p2ce than this process. Install the same version on all "
            "machines, and start the workers again.",
            stops_run=True,
        )
    if not sees_folder(place.folder, place.mark):
        return Failed(
            message=f"A worker does not see the folder {echoed(str(place.folder))}. Name a folder on a disk "
            "that all machines share, under the same path.",
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
    except Exception as error:  # of whatever library reads it
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
                # Of which the search itself took this.
                "search": round(sum(entry.timings.get("search", 0.0) for entry in explanations), 6),
            },
        ),
        notices=tuple(notices),
    )


def withdraw_proofs(finished: Finished, schema: ResultSchema, folder: Path) -> Finished:
    """Write the people of a shard again, without proof, since the model contradicts its scores elsewhere."""
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
    """Return an explanation as it is where the model contradicts its scores."""
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
    """Write a part into a folder that is still this user's."""
    require_own(path.parent)
    write_whole(path, content, what="A part of the results", follow_links=False)


def explain_rows(context: RunContext, table: "pa.Table") -> tuple[list[Explanation], Trust]:
    """Explain rows as if nothing had been explained before, and return whether the scores held."""
    explainer, trust = judged_apart(context.explainer)
    explanations = explainer.explain_many(
        table.select(context.schema.columns), time_limit=context.time_limit, as_of=context.as_of
    )
    return list(explanations), trust


def ids_of(context: RunContext, table: "pa.Table", first: int) -> "pa.Array | pa.ChunkedArray":
    """Return the ids of rows: those of the id column, or their places in the source."""
    pa = arrow()
    if context.id_column is not None:
        return table.column(context.id_column)
    return pa.array(range(first, first + table.num_rows), type=pa.int64())


def _counted(statuses: "Iterator[str] | Sequence[str]") -> dict[str, int]:
    return dict(sorted(Counter(statuses).items()))


@contextmanager
def _notices() -> Iterator[list[Notice]]:
    """Collect what the library logs in this thread, for the parent to log: few people read a worker's log."""
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
