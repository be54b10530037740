"""Answer a batch so that one person's failure stays that person's."""

import traceback
from dataclasses import dataclass
from typing import TypeAlias

from p2ce.arrays import FloatArray, IntArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.errors import FAULT, P2CEError
from p2ce.explain.explain_batch import Answers
from p2ce.explain.finest_grid import answer_with_finest
from p2ce.solver.branch_and_bound import Listener


@dataclass(frozen=True, slots=True)
class Failure:
    """Why some rows have no answer."""

    message: str
    traceback: str = ""  # of a fault of p2ce; "" where the row or an object of the user's is to blame


# Some rows of the caller's frame, with their answers or with why there are none.
Part: TypeAlias = tuple[IntArray, Answers | Failure]


def answer_safely(
    problem: Problem,
    rows: IntArray,
    values: FloatArray,
    *,
    time_limit: float | None,
    listener: Listener | None = None,
) -> list[Part]:
    """Answer for rows with these values; where that fails as a whole, for each half by itself.

    The user's own model or objective may refuse one row (a number too large for it, say), and a call for
    many rows does not tell which. The others still share their calls.
    """
    try:
        return [(rows, answer_with_finest(problem, values, time_limit=time_limit, listener=listener))]
    except Exception as error:
        if len(rows) == 1:
            return [(rows, failure_of(error))]
    middle = len(rows) // 2
    return [
        part
        for half in (slice(None, middle), slice(middle, None))
        for part in answer_safely(problem, rows[half], values[half], time_limit=time_limit, listener=listener)
    ]


def failure_of(error: Exception) -> Failure:
    """Say why a person has no answer, and who is to blame.

    Whatever the user's own objects raise is made an error of this library where they are called. So anything
    else that arrives here is a mistake in this library, unless the machine is at its end.
    """
    told = f"{type(error).__name__}: {error}"
    if isinstance(error, P2CEError):
        return Failure(told)
    if isinstance(error, MemoryError):
        return Failure(f"{told.removesuffix(': ')}. The memory does not do: use fewer jobs or candidates.")
    return Failure(FAULT + told, "".join(traceback.format_exception(error)))
