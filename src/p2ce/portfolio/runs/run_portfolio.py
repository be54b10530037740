"""Explain a portfolio to a folder of Parquet files. The same call resumes an interrupted run."""

import datetime
import hashlib
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.base.files import remedy_of, write_whole
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.compile.archive import zipped
from p2ce.compile.archive.write_archive import SCORES
from p2ce.compile.arguments import check_time
from p2ce.compile.fingerprint import problem_fingerprint
from p2ce.errors import FAULT_RECORD, InvalidArgument, UnfinishedRun
from p2ce.explainer import parts_to_save, problems_of, require_trust
from p2ce.portfolio.runs.cluster import (
    Workers,
    check_workers,
    local_client,
    quiet,
    require_dask,
    warn_if_open,
)
from p2ce.portfolio.runs.explain_shard import Failed, Notice, Place, RunContext, withdraw_proofs
from p2ce.portfolio.runs.journal import CHANGED, Journal, begin, is_finished
from p2ce.portfolio.runs.manifest import EXPLAINER, RunRequest, code_hash, manifest_of
from p2ce.portfolio.runs.portfolio_results import PortfolioResults
from p2ce.portfolio.runs.result_tables import ResultSchema, require_arrow, schema_of
from p2ce.portfolio.runs.shard import RowSource, Shard
from p2ce.portfolio.runs.sources import open_source
from p2ce.result.stated_date import stated_date
from p2ce.run.budgets import new_budget
from p2ce.run.many.progress_bar import progress_bar
from p2ce.run.time_limits import SearchLimits

if TYPE_CHECKING:
    from distributed import Client

    from p2ce.explainer import Explainer

log = logging.getLogger("p2ce")
ROUNDS = 3  # a worker that seemed lost may overwrite a part late with other bytes: it is explained again
RESUME = "Finished work is kept. Run the same command again to resume."


def run(
    explainer: "Explainer",
    rows: Any,
    out: "str | os.PathLike[str]",
    *,
    client: "Client | None" = None,
    n_jobs: int = 2,
    progress: bool = False,
    id_column: str | None = None,
    keep: Sequence[str] = (),
    time_limit: float | None = None,
    max_calls: int | None = None,
    max_rows: int | None = None,
    as_of: str | datetime.date | None = None,
    model_sha256: str | None = None,
    limits: Limits = DEFAULT,
) -> PortfolioResults:
    """Explain all rows, shard by shard, in processes of this machine or of a Dask cluster.

    Call it again to resume an interrupted run (Ctrl-C, a crash, `kill -9`): finished work is kept. The
    results are the same to the byte, however often the run was interrupted. A folder with results of another
    model, policy, reference, input or version of this package is rejected.

    Args:
        explainer: the explainer, used as in `explain_many`.
        rows: a Parquet or CSV file, a folder of files of one kind, a pandas, polars or Arrow table, or a Dask
            DataFrame.
        out: the folder of the results: new, or of the same run. It must belong to this user, and no one else
            may write to it. Workers on other machines must see it under the same path.
        client: the client of a Dask cluster. Without one, processes are started on this machine. A script
            then needs its main guard, ``if __name__ == "__main__":``.
        n_jobs: the number of processes without a client.
        progress: show a progress bar on stderr.
        id_column: the column that holds the ids. Without one, the positions of the rows are the ids.
        keep: columns that are not the model's, to be copied to the results.
        time_limit: seconds per person.
        max_calls: calls of a black-box model per person, as in `Explainer.explain`. A shard that a lost
            worker leaves unfinished is explained again, with new budgets.
        max_rows: rows in these calls per person.
        as_of: the date of the data and the decisions, as in `Explainer.explain`.
        model_sha256: the hash of the model file, for the manifest.
        limits: the largest shard of a file, and the largest journal of a run to resume.

    Raises:
        UnfinishedRun: a shard could not be explained, or the results cannot be written. Finished work is
            kept.
    """
    check_time(time_limit)
    budget = new_budget(problems_of(explainer).own, max_calls, max_rows)
    of_each = SearchLimits(time_limit, max_calls=max_calls, max_rows=max_rows)
    day = stated_date(as_of)
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs < 1:
        raise InvalidArgument(f"n_jobs must be a number of processes, at least 1; got {echoed(n_jobs)}.")
    require_trust(explainer)
    require_arrow()
    dask = require_dask()
    if client is not None and (not isinstance(client, dask.Client) or client.asynchronous):
        raise InvalidArgument(
            f"client must be a synchronous Dask client; got {echoed(client)}. Create one: "
            "distributed.Client('tls://127.0.0.1:8786', security=…)"
        )
    began, own = time.monotonic(), time.process_time()
    folder = Path(out)
    if isinstance(keep, str):
        raise InvalidArgument(f"keep must be a list of columns; got {echoed(keep)}. Put it into a list.")
    keep = tuple(dict.fromkeys(keep))
    _require_apart(rows, folder)
    source = _opened(explainer, rows, id_column, keep, limits)
    parts = parts_to_save(explainer)
    request = RunRequest(
        package=version("p2ce"),
        code=code_hash(),
        hashes=_hashes(explainer, source, parts, model_sha256),
        id_column=source.id_column,
        keep=keep,
        time_limit=time_limit,
        max_calls=max_calls,
        max_rows=max_rows,
        as_of=day,
    )
    if is_finished(folder, request, limits):
        return PortfolioResults(folder, limits=limits)
    with ExitStack() as stack:
        stack.enter_context(quiet())
        if client is not None:
            warn_if_open(client)
        crew = client if client is not None else stack.enter_context(local_client(n_jobs))
        check_workers(crew)
        journal = begin(folder, request, limits)
        stack.callback(journal.close)
        write_whole(folder / EXPLAINER, zipped(parts), what="The explainer", follow_links=False)
        if budget is None:
            explainer.warm_up()  # fits an estimate once, so that all workers have the same one
        fields = [source.schema.field(name) for name in keep]
        ids = (
            require_arrow().int64()
            if source.id_column is None
            else source.schema.field(source.id_column).type
        )
        schema = schema_of(explainer, ids, fields)
        context = RunContext(
            explainer=explainer, schema=schema, id_column=source.id_column, limits=of_each, as_of=day
        )
        workers = Workers(crew, context, request.hash)
        stack.callback(workers.dismiss)
        before = sum(one.shard.rows for one in journal.finished.values())
        ready = time.monotonic()
        for _ in range(ROUNDS):
            _explain_all(workers, source, journal, progress=progress)
            _withdraw_proofs(journal, schema)
            if not journal.forget_damaged(schema.names["status"]):
                break
        else:
            raise UnfinishedRun(CHANGED.format(shown=echoed(str(folder))))
        explaining = time.monotonic() - ready
        entries = [journal.finished[number] for number in sorted(journal.finished)]
        timings = {
            "seconds": round(time.monotonic() - began, 3),  # of the last call only, if the run was resumed
            "explaining": round(explaining, 3),  # without the time before the first shard
            "parent": round(time.process_time() - own, 3),  # processor time of this process alone
            "people": sum(one.shard.rows for one in entries) - before,
            "shards": [{"number": one.shard.number, **one.seconds} for one in entries],
        }
        manifest = manifest_of(
            journal.request,
            [one.shard for one in entries],
            objectives=schema.names.costs,
            problem=explainer.problem,
        )
        with _stopping():
            journal.end(manifest, timings)
    return PortfolioResults(folder, limits=limits)


def _opened(
    explainer: "Explainer", rows: Any, id_column: str | None, keep: Sequence[str], limits: Limits
) -> RowSource:
    if isinstance(rows, RowSource):
        return rows
    names = list(explainer.problem.features)
    return open_source(
        rows, names, id_column=id_column, keep=keep, reference=explainer.reference, limits=limits
    )


def _require_apart(rows: Any, folder: Path) -> None:
    """Reject a result folder inside the source: the next call would read results as people."""
    if not isinstance(rows, str | os.PathLike):
        return
    given, out = (Path(os.path.realpath(os.fsdecode(one))) for one in (rows, folder))
    if out == given or given in out.parents:
        shown = echoed(os.fsdecode(rows))
        raise InvalidArgument(
            f"The results would be written into {shown}, among the people. Choose another folder."
        )


def _hashes(
    explainer: "Explainer", source: RowSource, parts: Mapping[str, bytes], model: str | None
) -> dict[str, str]:
    problems, hashes = problems_of(explainer), explainer.problem.hashes
    digest = hashlib.sha256()
    for name in sorted(parts):
        if name != SCORES:  # its last bits differ between machines; the model's hash covers the rest
            digest.update(name.encode() + b"\0" + parts[name] + b"\0")
    # An archive only names the user's own objects.
    digest.update(problem_fingerprint(problems.own, problems.known.compiled.values).encode())
    return {
        **{name: hashes[name] for name in ("model", "policy", "reference")},
        "explainer": digest.hexdigest(),
        "input": source.hash,
        **({} if model is None else {"model_file": model}),
    }


def _explain_all(workers: Workers, source: RowSource, journal: Journal, *, progress: bool) -> None:
    """Explain the shards that the journal lacks. A shard that fails does not affect the others."""
    place = Place(folder=Path(os.path.abspath(journal.folder)), mark=journal.mark, code=code_hash())
    failures: list[tuple[Shard, Failed]] = []
    seen: set[str] = set()
    before = sum(entry.shard.rows for entry in journal.finished.values())
    with (
        progress_bar(source.rows, doing="explaining", shown=progress, done=before) as bar,
        closing(workers.explain(_left(source, journal), place)) as outcomes,
    ):
        for shard, outcome in outcomes:
            if isinstance(outcome, Failed):
                if outcome.stops_run:
                    raise UnfinishedRun(f"{outcome.message} {RESUME}")
                failures.append((shard, outcome))
                continue
            journal.add(outcome.finished)
            _log(outcome.notices, seen)
            bar.update(outcome.finished.shard.rows)
    if failures:
        shard, first = min(failures, key=lambda one: one[0].number)
        count = "1 shard" if len(failures) == 1 else f"{len(failures):,} shards"
        raise UnfinishedRun(
            f"{count} could not be explained. The first is {shard.where}: {first.message} The other shards "
            "are kept. Run the same command again to retry."
        )


def _left(source: RowSource, journal: Journal) -> Iterator[Shard]:
    """Yield the unfinished shards, and drop journal entries that match no shard."""
    planned = 0
    for shard in source.shards():
        planned += 1
        entry = journal.finished.get(shard.number)
        if entry is None or (entry.shard.where, entry.shard.rows) != (shard.where, shard.rows):
            journal.finished.pop(shard.number, None)
            yield shard
    for number in [number for number in journal.finished if number >= planned]:
        del journal.finished[number]


def _withdraw_proofs(journal: Journal, schema: ResultSchema) -> None:
    """Withdraw the proofs of all shards if one has a contradiction, as an explainer does for one call."""
    if not any(entry.shard.contradiction for entry in journal.finished.values()):
        return
    log.warning(
        "The model or detector contradicts its parsed scores, so all explanations of this run are HEURISTIC. "
        "If it was changed after the explainer was built, build a new explainer and use another folder."
    )
    for entry in list(journal.finished.values()):
        if not entry.shard.contradiction and not entry.withdrawn:
            with _stopping():
                journal.add(withdraw_proofs(entry, schema, journal.folder))


@contextmanager
def _stopping() -> Iterator[None]:
    """Turn an error while writing into `UnfinishedRun`, which says that finished work is kept."""
    try:
        yield
    except InvalidArgument as error:
        raise UnfinishedRun(f"{error} {RESUME}") from None
    except OSError as error:
        what = f"The results cannot be written: {error.strerror or error}. {remedy_of(error)}."
        raise UnfinishedRun(f"{what} {RESUME}") from None


def _log(notices: Sequence[Notice], seen: set[str]) -> None:
    """Log each message of the workers once."""
    for notice in notices:
        if notice.text not in seen:
            seen.add(notice.text)
            log.log(notice.level, "%s", notice.text, extra={FAULT_RECORD: notice.is_fault})
