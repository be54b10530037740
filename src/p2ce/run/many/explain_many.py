"""Explain many rows: in batches, in several processes, with a progress bar, and without loss on Ctrl-C."""

import datetime
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.calls.budget import charged_to, no_calls
from p2ce.compile.arguments import Unchanged, check_jobs, check_time
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.lay_out import with_codebook
from p2ce.compile.own_ranges import InstanceRows, LimitedRows, RowLimits
from p2ce.compile.row_limits import limits_of_table
from p2ce.compile.within_reach import parse_again, parsed_for, reaching, within_reach
from p2ce.engine.solver.branch_and_bound import Progress
from p2ce.errors import FAULT_RECORD, P2CEError
from p2ce.objectives.objective_names import Objectives
from p2ce.policy.policy import Policy
from p2ce.result.counterfactual import Layout
from p2ce.result.explanation import Explanation
from p2ce.result.explanations import Explanations
from p2ce.result.stated_date import stated_date
from p2ce.run.budgets import new_budget
from p2ce.run.build_explanation import build_explanation, failed_explanation
from p2ce.run.many.processes import Solved, explain_safely, explain_shares, failure_of, job_count
from p2ce.run.many.progress_bar import ProgressBar, progress_bar
from p2ce.run.problems import Problems
from p2ce.run.time_limits import LimitClock, SearchLimits
from p2ce.run.unseen_categories import report_ignored, report_unseen
from p2ce.run.verified import Failure, Trust, Verified
from p2ce.tables.codebook import MISSING
from p2ce.tables.encode import EncodedRows, encode_table

log = logging.getLogger("p2ce")

# A batch shares one call to the user's model and detector; its tables should stay near the cache.
LARGEST_BATCH = 512
BATCH_BYTES = 32 << 20
BATCH_OUTSIDE = 128  # if cells are evaluated outside the kernel
INTERRUPTED = Failure(
    kind="interrupted", message="Interrupted before this row was explained. Explain it again."
)


def explain_many(
    problems: Problems,
    rows: Any,
    *,
    policy: Policy | None,
    max_changes: int | Unchanged | None,
    objectives: Objectives | None,
    n_jobs: int,
    progress: bool,
    limits: SearchLimits,
    row_limits: Any = None,
    as_of: str | datetime.date | None,
    trust: Trust,
    reported: set[int],
) -> Explanations:
    """Explain every row of a table, and record the reason for the rows that cannot be explained.

    ``row_limits`` is a table of limits for each row. ``trust`` checks all verified results for contradictions
    of the parsed scores. ``reported`` holds the unseen categories that the log names already.
    """
    day = stated_date(as_of)
    time_limit = limits.seconds
    check_time(time_limit)
    check_jobs(n_jobs)
    problem = problems.of_call(policy, max_changes, objectives)
    encoded = encode_table(rows, problem.codebook, kind=problems.known.compiled.kind)
    report_unseen(encoded, reported)
    report_ignored(encoded.ignored, reported)
    of_rows = None if row_limits is None else limits_of_table(problem, row_limits, rows, encoded)
    # What is prepared for all rows counts towards each row's limit by an equal share.
    clock = LimitClock(None if time_limit is None else time_limit * max(len(encoded), 1))
    new_budget(problem, limits.max_calls, limits.max_rows)
    with charged_to(no_calls()) if limits.has_budget else nullcontext():
        problem = with_codebook(problems.prepared(problem, clock), encoded.codebook)
    # Missing values are parsed for all rows at once; a model that fails with them fails these rows only.
    lacking = (encoded.values == MISSING).any(axis=0)
    all_missing = np.where(lacking, MISSING, 0.0)[None, :]
    if not parsed_for(problem, all_missing).all() and not limits.has_budget:
        with suppress(P2CEError):
            problem = parse_again(problems.known.compiled, problem, all_missing)
    left = clock.left()
    return _explain_encoded(
        problem,
        partial(reaching, problems.known.compiled, problem),
        encoded,
        of_rows,
        n_jobs=n_jobs,
        progress=progress,
        limits=limits._replace(seconds=None if left is None else left / max(len(encoded), 1)),
        trust=trust,
        as_of=day,
    )


def _explain_encoded(
    problem: Problem,
    problem_for: Callable[[FloatArray], Problem],
    rows: EncodedRows,
    row_limits: RowLimits | None,
    *,
    n_jobs: int,
    progress: bool,
    limits: SearchLimits,
    trust: Trust,
    as_of: datetime.date | None,
) -> Explanations:
    """Explain every row that can be encoded.

    ``problem_for`` compiles the problem for instances that ``problem`` does not cover.
    """
    encoded = np.array([i for i in range(len(rows)) if i not in rows.problems], dtype=np.int64)
    near = within_reach(problem, rows.values[encoded])
    instances: InstanceRows = (
        rows.values if row_limits is None else LimitedRows(codes=rows.values, limits=row_limits)
    )
    alone: dict[int, Problem] = {}
    parts: list[Solved] = []
    for row in encoded[~near].tolist():
        try:
            with charged_to(no_calls()) if limits.has_budget else nullcontext():
                alone[row] = problem_for(rows.values[[row]])
        except P2CEError as error:  # for example, a value that the model does not allow to be missing
            parts.append((np.array([row]), replace(failure_of(error), message=str(error))))
        except Exception as error:
            parts.append((np.array([row]), failure_of(error)))
    with progress_bar(len(rows), doing="explaining", shown=progress) as bar:
        bar.update(len(rows.problems))
        try:
            for part in _explain_batches(problem, encoded[near], instances, n_jobs, limits, bar):
                parts.append(part)
            for row, own in alone.items():
                parts += explain_safely(own, np.array([row]), instances[[row]], limits)
                bar.update(1)
        except KeyboardInterrupt:
            parts = [_without_unsearched(some, result) for some, result in parts]
            log.warning(
                "Interrupted. Finished rows are kept, the other rows have the status ERROR.",
                extra={"on_command_line": ""},  # its message says where results are kept
            )
    verified = iter(trust.judge([result for _, result in parts if isinstance(result, Verified)]))
    parts = [(some, next(verified) if isinstance(result, Verified) else result) for some, result in parts]
    _log_faults(parts)
    place = {
        int(row): (number, at)
        for number, (some, _) in enumerate(parts)
        for at, row in enumerate(some)
        if row >= 0
    }

    def build(position: int) -> Explanation:
        if position not in place:
            text = rows.problems.get(position)
            failure = INTERRUPTED if text is None else Failure(kind="row", message=text)
            return failed_explanation(problem, rows, position, failure, as_of=as_of)
        number, at = place[position]
        result = parts[number][1]
        if isinstance(result, Failure):
            return failed_explanation(problem, rows, position, result, as_of=as_of)
        return build_explanation(
            alone.get(position, problem), rows, position, result, at, limits=row_limits, as_of=as_of
        )

    layout = Layout(
        dtypes=problem.dtype_names, categories=problem.categories, objectives=problem.objective_names
    )
    return Explanations._lazy(len(rows), build, ids=rows.ids, layout=layout, kind=rows.kind)


def _log_faults(parts: list[Solved]) -> None:
    """Log the bugs of this library once, with the place of the first one."""
    faults = [(rows, one) for rows, one in parts if isinstance(one, Failure) and one.kind == "fault"]
    if faults:
        log.error(
            "%d of %d rows failed because of a bug in p2ce. Please report it with the versions (p2ce version "
            "--verbose) and this traceback of the first one:\n%s",
            sum(len(rows) for rows, _ in faults),
            sum(len(rows) for rows, _ in parts),
            faults[0][1].traceback,
            extra={FAULT_RECORD: True},
        )


def _without_unsearched(rows: IntArray, result: Verified | Failure) -> Solved:
    """Remove the instances of an interrupted batch that were not searched at all: their rows become -1."""
    if isinstance(result, Failure):
        return rows, result
    known = result.outcomes
    unseen = ~known.finished & ~known.favourable & (known.counters.sum(axis=1) == 0)
    return np.where(unseen, -1, rows), result


def batch_size(problem: Problem) -> int:
    """Choose the batch size so that a batch's cost and value tables fit into a few megabytes."""
    cells = problem.grid.slots * max(len(problem.grid.names), 1)
    per_instance = cells * (8 * len(problem.layout.views) + 16 * len(problem.objectives) + 24)
    return int(np.clip(BATCH_BYTES // per_instance, 1, LARGEST_BATCH))


def _explain_batches(
    problem: Problem,
    some: IntArray,
    rows: InstanceRows,
    n_jobs: int,
    limits: SearchLimits,
    bar: ProgressBar,
) -> Iterator[Solved]:
    """Explain batch after batch, here or in other processes, and update the progress bar."""
    size = batch_size(problem)
    if not problem.kernel_decides_alone:
        # Evaluation is slow enough to share among processes, and to show progress.
        size = max(1, min(size, BATCH_OUTSIDE, -(-len(some) // job_count(n_jobs))))
    if limits.has_budget:
        size = 1  # a person's budget pays for no one else
    batches = [some[begin : begin + size] for begin in range(0, len(some), size)]
    jobs = min(job_count(n_jobs), len(batches))
    if jobs > 1:
        work = [(batch, rows[batch]) for batch in batches]
        for share in explain_shares(problem, work, jobs, limits):
            for part in share:
                bar.update(len(part[0]))
                yield part
        return
    with noting_interrupts() as interrupted:
        for batch in batches:
            shown = 0

            def listen(news: Progress, size: int = len(batch)) -> bool:
                nonlocal shown
                bar.update(max(0, min(news.person, size) - shown))
                shown = max(shown, min(news.person, size))
                return not interrupted.is_set()

            yield from explain_safely(problem, batch, rows[batch], limits._replace(listener=listen))
            if interrupted.is_set():
                raise KeyboardInterrupt
            bar.update(len(batch) - shown)


@contextmanager
def noting_interrupts() -> Iterator[threading.Event]:
    """Return an event that Ctrl-C sets; a second Ctrl-C stops at once. It only works in the main thread."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # Ctrl-C is ignored here, or was set outside of Python
        yield noted
        return

    def note(number: int, _: object) -> None:
        noted.set()
        signal.signal(number, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)
