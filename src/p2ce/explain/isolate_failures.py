"""Explain a batch so that the failure of one row stays that row's."""

import traceback
from typing import TypeAlias

from p2ce.arrays import FloatArray, IntArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.errors import InvalidRow, P2CEError
from p2ce.explain.explain_batch import explain_batch
from p2ce.explain.solve_batch import SearchLimits
from p2ce.explain.verified import Failure, Verified
from p2ce.visible import as_text, one_line

# Some rows of the caller's frame, with what was verified or with why nothing was.
Part: TypeAlias = tuple[IntArray, Verified | Failure]


def explain_safely(problem: Problem, rows: IntArray, values: FloatArray, limits: SearchLimits) -> list[Part]:
    """Explain rows with these values; where that fails as a whole, each half by itself.

    The user's own model or objective may reject one row (a number too large for it, say), and a call for
    many rows does not tell which. The others still share their calls.
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
    """State why a row has no explanation, and who is to blame.

    Whatever the user's own objects raise is made an error of this library where they are called. So anything
    else that arrives here is a mistake in this library, unless the machine is out of memory.
    """
    text = f"{type(error).__name__}: {one_line(as_text(error))}"
    if isinstance(error, P2CEError):
        return Failure(kind="row" if isinstance(error, InvalidRow) else "model", message=text)
    if isinstance(error, MemoryError):
        message = f"{text.removesuffix(': ')}. Out of memory: use fewer jobs or candidates."
        return Failure(kind="model", message=message)
    message = f"A fault of p2ce, not of the row: {text}"
    return Failure(kind="fault", message=message, traceback="".join(traceback.format_exception(error)))
