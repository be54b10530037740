"""Share batches among processes, which are started anew (never forked) and load the problem once.

A process may be killed, for lack of memory or because a model crashes. Finished work is kept. The rows of the
unfinished shares are explained again in a separate process: batch by batch, and row by row in a batch that
ends this process, too. So a row that ends a process every time is identified, and each loss settles as many
shares as there are jobs.
"""

import hashlib
import logging
import traceback
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.calls.budget import charged_to, no_calls
from p2ce.base.visible import as_text, one_line
from p2ce.compile.compiled_problem import Problem
from p2ce.errors import InvalidArgument, InvalidRow, P2CEError, what_happened
from p2ce.run.budgets import explain_charged, new_budget
from p2ce.run.compile_kernels import compile_kernels, is_ready
from p2ce.run.explain_batch import explain_batch
from p2ce.run.time_limits import SearchLimits
from p2ce.run.verified import Failure, Verified

if TYPE_CHECKING:
    from concurrent.futures import Executor

# Some rows of the caller's frame, with the verified results or the reason why there are none.
Solved: TypeAlias = tuple[IntArray, Verified | Failure]


def explain_safely(
    problem: Problem, rows: IntArray, values: FloatArray, limits: SearchLimits
) -> list[Solved]:
    """Explain rows with these values. If the batch fails, explain each half by itself.

    The user's own model or objective may reject one row (because of too large a number, for example), and a
    call with many rows does not say which. The others still share their calls.
    """
    try:
        budget = new_budget(problem, limits.max_calls, limits.max_rows) if limits.has_budget else None
        if budget is not None:
            return [(rows, explain_charged(problem, values, limits, budget))]
        return [(rows, explain_batch(problem, values, limits))]
    except Exception as error:
        if len(rows) == 1:
            return [(rows, failure_of(error))]
    middle = len(rows) // 2
    return [
        part
        for half in (slice(None, middle), slice(middle, None))
        for part in explain_safely(problem, rows[half], values[half], limits)
    ]


def failure_of(error: Exception) -> Failure:
    """Return why a row has no explanation, and what caused it.

    Errors of the user's own objects become errors of this library where they are called. So any other error
    is a bug in this library, unless the machine is out of memory.
    """
    text = f"{type(error).__name__}: {one_line(as_text(error))}"
    if isinstance(error, P2CEError):
        return Failure(kind="row" if isinstance(error, InvalidRow) else "model", message=text)
    if isinstance(error, MemoryError):
        message = f"{text.removesuffix(': ')}. Out of memory: use fewer jobs or candidates."
        return Failure(kind="model", message=message)
    message = f"A bug in p2ce, not a problem of the row: {text}"
    return Failure(kind="fault", message=message, traceback="".join(traceback.format_exception(error)))


log = logging.getLogger("p2ce")

Work: TypeAlias = tuple[IntArray, FloatArray]  # rows of the caller's frame, and their values

# More shares than processes keep all processes busy to the end, and the progress bar moving.
SHARES_PER_JOB = 4
# After so many processes have ended in a row, with nothing explained in between, nothing more is tried.
MOST_LOST = 4
# What happens to a process whose rows are explained again elsewhere.
LOST = (BrokenProcessPool, MemoryError)
ENDS_PROCESSES = (
    "The process that explains this row ended every time. It was killed, perhaps for lack of memory, or "
    "the model crashes on this row. Check the row, use fewer candidates, or use a machine with more memory."
)
NOT_TRIED = (
    "Not tried: the processes that explain rows ended one after another, perhaps for lack of memory, or "
    "because the model crashes. Check the model's log, then explain the row again."
)
LOST_BUDGET = (
    "The process that explains this row, or one next to it, ended unexpectedly. It is not tried again, since "
    "max_calls and max_rows might be exceeded. Explain the row by itself."
)
ONE_JOB = "Use n_jobs=1."
_received: dict[str, Any] = {}  # in a worker: what was loaded last


def job_count(n_jobs: int) -> int:
    """Convert n_jobs to a number of processes. Negative numbers count back from the number of cores."""
    if n_jobs > 0:
        return n_jobs
    from joblib import cpu_count

    return max(1, int(cpu_count()) + 1 + n_jobs)


def explain_shares(
    problem: Problem, work: list[Work], jobs: int, limits: SearchLimits
) -> Iterator[list[Solved]]:
    """Explain the batches in ``jobs`` processes, and yield shares as they finish."""
    payload, key = send(problem)
    size = -(-len(work) // (jobs * SHARES_PER_JOB))
    waiting = [work[begin : begin + size] for begin in range(0, len(work), size)]
    while waiting:
        done: set[int] = set()
        try:
            with closing(_side_by_side(payload, key, waiting, jobs, limits)) as finished:
                for number, parts in finished:
                    done.add(number)
                    yield parts
            return
        except LOST:
            log.warning("A process that explains rows ended unexpectedly. Its rows are explained again.")
        left = [share for number, share in enumerate(waiting) if number not in done]
        # Shares begin in their order, so the unfinished ones in progress are the first.
        suspected, waiting = left[:jobs], left[jobs:]
        if limits.has_budget:
            # No one knows what a lost process has spent, so nothing of theirs is called again.
            yield [
                (rows, Failure(kind="model", message=LOST_BUDGET)) for share in suspected for rows, _ in share
            ]
            continue
        goes_on = yield from _explain_apart(payload, key, suspected, limits)
        if not goes_on:
            yield [(rows, Failure(kind="model", message=NOT_TRIED)) for share in waiting for rows, _ in share]
            return


def _side_by_side(
    payload: bytes, key: str, shares: list[list[Work]], jobs: int, limits: SearchLimits
) -> Generator[tuple[int, list[Solved]], None, None]:
    """Yield the parts of each share with its number, as they finish."""
    from joblib import Parallel, delayed

    yield from Parallel(
        n_jobs=jobs, backend="loky", return_as="generator_unordered", pre_dispatch="all", batch_size=1
    )(delayed(_explain_numbered)(number, payload, key, share, limits) for number, share in enumerate(shares))


def _explain_apart(
    payload: bytes, key: str, shares: list[list[Work]], limits: SearchLimits
) -> Generator[list[Solved], None, bool]:
    """Explain shares that may have ended a process, one at a time. Return whether to continue."""
    waiting = deque(batch for share in shares for batch in share)
    lost = 0  # processes in a row
    while waiting and lost < MOST_LOST:
        with _own_process(payload, key) as process:
            while waiting:
                rows, values = waiting.popleft()
                try:
                    parts = process.submit(_explain_share, b"", key, [(rows, values)], limits).result()
                except LOST:
                    lost += 1
                    if len(rows) == 1:
                        yield [(rows, Failure(kind="model", message=ENDS_PROCESSES))]
                    else:
                        alone = [(rows[[at]], values[[at]]) for at in range(len(rows))]
                        waiting.extendleft(reversed(alone))
                    break
                lost = 0
                yield parts
    yield [(rows, Failure(kind="model", message=NOT_TRIED)) for rows, _ in waiting]
    return lost < MOST_LOST


@contextmanager
def _own_process(payload: bytes, key: str) -> "Iterator[Executor]":
    """Start a process that has loaded the problem."""
    from joblib.externals.loky import ProcessPoolExecutor

    process = ProcessPoolExecutor(max_workers=1, initializer=receive, initargs=(payload, key))
    try:
        yield process
    finally:
        process.shutdown(kill_workers=True)


def warm_processes(problem: Problem, values: FloatArray, n_jobs: int) -> None:
    """Start the processes and load the kernels there. They stay for a few minutes."""
    from joblib import Parallel, delayed

    jobs = job_count(n_jobs)
    payload, key = send(problem)
    try:
        Parallel(n_jobs=jobs, backend="loky", pre_dispatch="all", batch_size=1)(
            delayed(_warm)(payload, key, values) for _ in range(2 * jobs)
        )
    except LOST:
        log.warning("A process ended unexpectedly during warm-up. It is restarted when needed.")


def pack(thing: object) -> bytes:
    """Pickle an object that holds closures, which plain pickle rejects."""
    try:
        import cloudpickle
    except ImportError:
        from joblib.externals import cloudpickle  # older versions of joblib include their own

    payload: bytes = cloudpickle.dumps(thing)
    return payload


def send(thing: object, *, instead: str = ONE_JOB) -> tuple[bytes, str]:
    """Pickle an object once, and return it with a name, so a process can recognise that it already has it.

    ``instead`` says what to do if that fails.
    """
    try:
        payload = pack(thing)
    except Exception as error:  # raised by any of the user's objects in it
        raise InvalidArgument(
            "The model, detector or objectives cannot be sent to other processes: pickling them "
            f"{what_happened(error)}. {instead}"
        ) from error
    return payload, hashlib.sha256(payload).hexdigest()


def receive(payload: bytes, key: str, *, instead: str = ONE_JOB) -> Any:
    """Undo `send` in a process, once for all uses there."""
    if key not in _received:
        import pickle

        _received.clear()
        try:
            # Packed by this library a moment ago, in the parent process.
            _received[key] = pickle.loads(payload)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            raise InvalidArgument(
                "The model, detector or objectives cannot be sent to other processes: unpickling them "
                f"{what_happened(error)}. {instead}"
            ) from error
    return _received[key]


def _explain_numbered(number: int, *given: Any) -> tuple[int, list[Solved]]:
    return number, _explain_share(*given)


def _explain_share(payload: bytes, key: str, share: list[Work], limits: SearchLimits) -> list[Solved]:
    problem: Problem = receive(payload, key)
    # Before any clock starts. The paper's algorithms take a moment as well.
    if not is_ready(problem):
        # perhaps of a row, whose explanation will then state it
        with suppress(Exception), charged_to(no_calls()) if limits.has_budget else nullcontext():
            compile_kernels(problem, share[0][1][:1])
    return [part for rows, values in share for part in explain_safely(problem, rows, values, limits)]


def _warm(payload: bytes, key: str, values: FloatArray) -> None:
    compile_kernels(receive(payload, key), values)
