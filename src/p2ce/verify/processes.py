"""Share batches among processes: started anew (never forked), each reading the question once."""

import hashlib
from collections.abc import Iterator
from typing import TypeAlias

from p2ce.arrays import FloatArray, IntArray
from p2ce.search.engine import kernels_are_loaded
from p2ce.verify.answer import compile_kernels
from p2ce.verify.safely import Part, answer_safely
from p2ce.verify.setup import Setup

Work: TypeAlias = tuple[IntArray, FloatArray]  # rows of the caller's frame, and their values

# More shares than processes keep everyone busy to the end, and the bar moving.
SHARES_PER_JOB = 4
_setups: dict[str, Setup] = {}  # in a worker: the question read last


def job_count(n_jobs: int) -> int:
    """Turn n_jobs into a number of processes; negative ones count back from the number of cores."""
    if n_jobs > 0:
        return n_jobs
    from joblib import cpu_count

    return max(1, int(cpu_count()) + 1 + n_jobs)


def answer_shares(
    setup: Setup, work: list[Work], jobs: int, time_limit: float | None
) -> Iterator[list[Part]]:
    """Answer the batches in ``jobs`` processes; shares come back in order."""
    from joblib import Parallel, delayed

    payload, key = _pack(setup)
    size = -(-len(work) // (jobs * SHARES_PER_JOB))
    shares = [work[begin : begin + size] for begin in range(0, len(work), size)]
    yield from Parallel(n_jobs=jobs, backend="loky", return_as="generator", pre_dispatch="all")(
        delayed(_answer_share)(payload, key, share, time_limit) for share in shares
    )


def warm_processes(setup: Setup, values: FloatArray, n_jobs: int) -> None:
    """Start the processes and load the kernels there; they stay for a few minutes."""
    from joblib import Parallel, delayed

    jobs = job_count(n_jobs)
    payload, key = _pack(setup)
    Parallel(n_jobs=jobs, backend="loky", pre_dispatch="all", batch_size=1)(
        delayed(_warm)(payload, key, values) for _ in range(2 * jobs)
    )


def pack(thing: object) -> bytes:
    """Pickle something that holds closures, which plain pickle refuses."""
    try:
        import cloudpickle
    except ImportError:
        from joblib.externals import cloudpickle  # older joblibs bring their own

    payload: bytes = cloudpickle.dumps(thing)
    return payload


def _pack(setup: Setup) -> tuple[bytes, str]:
    """Pickle the question once, with a name by which a process knows that it has it."""
    payload = pack(setup)
    return payload, hashlib.sha256(payload).hexdigest()


def _unpack(payload: bytes, key: str) -> Setup:
    if key not in _setups:
        import pickle

        _setups.clear()
        # What was packed by this very library a moment ago, in the parent process.
        _setups[key] = pickle.loads(payload)
    return _setups[key]


def _answer_share(payload: bytes, key: str, share: list[Work], time_limit: float | None) -> list[Part]:
    setup = _unpack(payload, key)
    # Before anybody's clock runs; the paper's algorithms take a moment of their own.
    if setup.method is not None or not kernels_are_loaded(in_waves=setup.in_waves):
        compile_kernels(setup, share[0][1][:1])
    return [
        part for rows, values in share for part in answer_safely(setup, rows, values, time_limit=time_limit)
    ]


def _warm(payload: bytes, key: str, values: FloatArray) -> None:
    compile_kernels(_unpack(payload, key), values)
