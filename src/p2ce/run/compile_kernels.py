"""Compile the kernels ahead of time, by solving a small problem, and say so if a step takes long."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.batch import place_and_price, provably_rejected
from p2ce.compile.compiled_problem import Problem
from p2ce.engine.kernels.kernel_cache import CacheUse, cache_use
from p2ce.engine.solver.branch_and_bound import compile_rest, kernels_are_loaded
from p2ce.run.explain_batch import external_scores, solve_batch
from p2ce.run.time_limits import LimitsLeft

log = logging.getLogger("p2ce")
PATIENCE = 1.5  # seconds


def is_ready(problem: Problem) -> bool:
    """Return whether such a problem was solved in this process, so its kernels are compiled and loaded."""
    return problem.method is None and kernels_are_loaded(external=not problem.kernel_decides_alone)


def preparing_text(before: CacheUse) -> str:
    """Name the slow step: compiling kernels, if any were since `before`, or only loading them."""
    if cache_use().compiled > before.compiled:
        return "Compiling the solver: up to half a minute, once for each kind of model."
    return "Loading the compiled solver takes longer than usual."


def compile_kernels(problem: Problem, values: FloatArray) -> None:
    """Run every kernel once on a small problem with single changes."""
    batch = place_and_price(problem, values)
    everyone = np.arange(len(values))
    provably_rejected(batch)
    small = replace(batch, problem=replace(problem, max_changes=1, estimate=None))
    solve_batch(small, everyone, LimitsLeft())
    if problem.method is not None:
        return
    if problem.flat_detector is not None:
        batch.scores[problem.flat_detector].prove(everyone, batch.placement.position)
    if not problem.kernel_decides_alone:
        external = external_scores(batch, everyone)
        compile_rest(problem.layout, batch.instances, small.problem.settings, external)


@contextmanager
def warn_if_slow(message: str | Callable[[], str]) -> Iterator[None]:
    """Log the message if the step is not finished soon. A function writes the message when it is needed."""
    notice = threading.Timer(
        PATIENCE, lambda: log.warning(message if isinstance(message, str) else message())
    )
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
