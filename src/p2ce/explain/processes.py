"""Share batches among processes: started anew (never forked), each loading the problem once.

A process may be killed, for want of memory or by a model that crashes. What is finished is kept, and the
rows of the shares that were under way are explained again in a process of their own: batch by batch, and
row by row in a batch that ends this process, too. So a row that ends a process every time is known, and
each loss settles as many shares as there are jobs.
"""

import gc
import hashlib
import logging
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from p2ce.arrays import FloatArray, IntArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.errors import InvalidArgument, what_happened
from p2ce.explain.compile_kernels import compile_kernels, is_ready
from p2ce.explain.isolate_failures import Part, explain_safely
from p2ce.explain.solve_batch import SearchLimits
from p2ce.explain.verified import Failure

if TYPE_CHECKING:
    from concurrent.futures import Executor

log = logging.getLogger("p2ce")

Work: TypeAlias = tuple[IntArray, FloatArray]  # rows of the caller's frame, and their values

# More shares than processes keep everyone busy to the end, and the bar moving.
SHARES_PER_JOB = 4
# So many processes may end one after the other, with nothing explained in between; then nothing is tried.
MOST_LOST = 4
# What happens to a process whose rows are explained again elsewhere.
LOST = (BrokenProcessPool, MemoryError)
ENDS_PROCESSES = (
    "The process that explains this row ended every time: it was killed, for want of memory perhaps, or "
    "the model crashes on this row. Look at the row, allow fewer candidates, or give the machine more memory."
)
NOT_TRIED = (
    "Not tried: the processes that explain rows ended one after the other, for want of memory perhaps, or "
    "because the model crashes. Look at its log, and explain the row again."
)
ONE_JOB = "Use n_jobs=1."
_received: dict[str, Any] = {}  # in a worker: what was loaded last


def job_count(n_jobs: int) -> int:
    """Turn n_jobs into a number of processes; negative ones count back from the number of cores."""
    if n_jobs > 0:
        return n_jobs
    from joblib import cpu_count

    return max(1, int(cpu_count()) + 1 + n_jobs)


def explain_shares(
    problem: Problem, work: list[Work], jobs: int, time_limit: float | None
) -> Iterator[list[Part]]:
    """Explain the batches in ``jobs`` processes; shares come back as they are done."""
    payload, key = send(problem)
    size = -(-len(work) // (jobs * SHARES_PER_JOB))
    waiting = [work[begin : begin + size] for begin in range(0, len(work), size)]
    while waiting:
        done: set[int] = set()
        try:
            with closing(_side_by_side(payload, key, waiting, jobs, time_limit)) as finished:
                for number, parts in finished:
                    done.add(number)
                    yield parts
            return
        except LOST:
            log.warning("A process that explains rows ended abruptly: its rows are explained again.")
        left = [share for number, share in enumerate(waiting) if number not in done]
        # Shares are begun in their order, so that those under way are the first ones that are not done.
        suspected, waiting = left[:jobs], left[jobs:]
        goes_on = yield from _explain_apart(payload, key, suspected, time_limit)
        if not goes_on:
            yield [(rows, Failure(kind="model", message=NOT_TRIED)) for share in waiting for rows, _ in share]
            return


def _side_by_side(
    payload: bytes, key: str, shares: list[list[Work]], jobs: int, time_limit: float | None
) -> Generator[tuple[int, list[Part]], None, None]:
    """Return the parts of each share with its number, as they are done."""
    from joblib import Parallel, delayed

    yield from Parallel(
        n_jobs=jobs, backend="loky", return_as="generator_unordered", pre_dispatch="all", batch_size=1
    )(
        delayed(_explain_numbered)(number, payload, key, share, time_limit)
        for number, share in enumerate(shares)
    )


def _explain_apart(
    payload: bytes, key: str, shares: list[list[Work]], time_limit: float | None
) -> Generator[list[Part], None, bool]:
    """Explain shares that may have ended a process, one at a time; tell whether it is worth going on."""
    waiting = deque(batch for share in shares for batch in share)
    lost = 0  # processes, one after the other
    while waiting and lost < MOST_LOST:
        with _own_process(payload, key) as process:
            while waiting:
                rows, values = waiting.popleft()
                try:
                    parts = process.submit(_explain_share, b"", key, [(rows, values)], time_limit).result()
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
    """Start one process that has loaded the problem."""
    from joblib.externals.loky import ProcessPoolExecutor

    process = ProcessPoolExecutor(max_workers=1, initializer=receive, initargs=(payload, key))
    try:
        yield process
    finally:
        process.shutdown(kill_workers=True)


def warm_processes(problem: Problem, values: FloatArray, n_jobs: int) -> None:
    """Start the processes and load the kernels there; they stay for a few minutes."""
    from joblib import Parallel, delayed

    jobs = job_count(n_jobs)
    payload, key = send(problem)
    try:
        Parallel(n_jobs=jobs, backend="loky", pre_dispatch="all", batch_size=1)(
            delayed(_warm)(payload, key, values) for _ in range(2 * jobs)
        )
    except LOST:
        log.warning("A process ended abruptly while it was prepared. It is started anew when it is needed.")


def pack(thing: object) -> bytes:
    """Pickle something that holds closures, which plain pickle rejects."""
    try:
        import cloudpickle
    except ImportError:
        from joblib.externals import cloudpickle  # older joblibs bring their own

    payload: bytes = cloudpickle.dumps(thing)
    return payload


def send(thing: object, *, instead: str = ONE_JOB) -> tuple[bytes, str]:
    """Pickle something once, with a name by which a process knows that it has it.

    ``instead`` says what to do where that fails.
    """
    try:
        payload = pack(thing)
    except Exception as error:  # of whatever objects of the user's it holds
        raise InvalidArgument(
            "The model, detector or objectives cannot be sent to other processes: pickling them "
            f"{what_happened(error)}. {instead}"
        ) from error
    return payload, hashlib.sha256(payload).hexdigest()


def receive(payload: bytes, key: str, *, instead: str = ONE_JOB) -> Any:
    """Undo `send` in a process, once for all that is done with it there."""
    if key not in _received:
        import pickle

        _received.clear()
        try:
            # What was packed by this very library a moment ago, in the parent process.
            _received[key] = pickle.loads(payload)
            gc.freeze()  # it stays: the collector need not walk through it over and over
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            raise InvalidArgument(
                "The model, detector or objectives cannot be sent to other processes: unpickling them "
                f"{what_happened(error)}. {instead}"
            ) from error
    return _received[key]


def _explain_numbered(number: int, *given: Any) -> tuple[int, list[Part]]:
    return number, _explain_share(*given)


def _explain_share(payload: bytes, key: str, share: list[Work], time_limit: float | None) -> list[Part]:
    problem: Problem = receive(payload, key)
    # Before any clock runs; the paper's algorithms take a moment of their own.
    if not is_ready(problem):
        with suppress(Exception):  # of a row, perhaps, whose own explanation will say so
            compile_kernels(problem, share[0][1][:1])
    return [
        part
        for rows, values in share
        for part in explain_safely(problem, rows, values, SearchLimits(time_limit))
    ]


def _warm(payload: bytes, key: str, values: FloatArray) -> None:
    compile_kernels(receive(payload, key), values)
