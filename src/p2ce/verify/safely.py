"""Answer a batch so that one person's failure stays that person's."""

from typing import TypeAlias

from p2ce.arrays import FloatArray, IntArray
from p2ce.search.engine import Listener
from p2ce.verify.answer import Answers
from p2ce.verify.finest import answer_with_finest
from p2ce.verify.setup import Setup

# Some rows of the caller's frame, with their answers or with why there are none.
Part: TypeAlias = tuple[IntArray, Answers | str]


def answer_safely(
    setup: Setup,
    rows: IntArray,
    values: FloatArray,
    *,
    time_limit: float | None,
    listener: Listener | None = None,
) -> list[Part]:
    """Answer for rows with these values; where that fails as a whole, one by one.

    The user's own model or objective may refuse one row (a number too large for it, say), and a call for
    many rows does not tell which.
    """
    try:
        return [(rows, answer_with_finest(setup, values, time_limit=time_limit, listener=listener))]
    except Exception as error:
        if len(rows) == 1:
            return [(rows, f"{type(error).__name__}: {error}")]
    return [
        part
        for at in range(len(rows))
        for part in answer_safely(
            setup, rows[at : at + 1], values[at : at + 1], time_limit=time_limit, listener=listener
        )
    ]
