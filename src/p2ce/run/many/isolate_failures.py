"""Explain a batch so that the failure of one row does not affect the others."""

import traceback
from typing import TypeAlias

from p2ce.base.arrays import FloatArray, IntArray
from p2ce.base.visible import as_text, one_line
from p2ce.compile.compiled_problem import Problem
from p2ce.errors import InvalidRow, P2CEError
from p2ce.run.explain_batch import explain_batch
from p2ce.run.time_limits import SearchLimits
from p2ce.run.verified import Failure, Verified

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
