"""Find out early which candidates the user's own model rejects with an error."""

import numpy as np

from p2ce.base.arrays import FloatArray, evenly, every_nth
from p2ce.base.visible import echoed
from p2ce.compile.compiled_problem import Problem
from p2ce.errors import InvalidPolicy, P2CEError

MOST_TRIED = 2_000  # candidates in total: a slow model takes some seconds for them


def require_candidates(problem: Problem, row: FloatArray) -> None:
    """Evaluate every candidate with every model, in an otherwise valid row (d,). Raise for those that fail.

    An encoder that was fitted on some numbers may raise an error for others, which is better known before the
    search. If there are more than `MOST_TRIED` candidates, at most that many are tried, spread over the axes.
    """
    rows, what = _rows(problem, row)
    if not len(rows):
        return
    for number, model in enumerate(problem.models):
        try:
            model.evaluate(problem.frame(rows))
        except P2CEError as error:
            failed = [place for place in range(len(rows)) if not _works(problem, number, rows[[place]])]
            if failed and _works(problem, number, row[None, :]):
                raise _failure(problem, [what[place] for place in failed], error) from error
            raise


def _rows(problem: Problem, row: FloatArray) -> tuple[FloatArray, list[tuple[int, float]]]:
    """Put one candidate at a time into the row. Columns that move together are left out."""
    axes = [
        (int(column), values)
        for column, values in zip(problem.grid.columns, problem.grid.values, strict=True)
        if column < len(row)
    ]
    most = max(1, _fair_share([len(values) for _, values in axes], MOST_TRIED))
    what = [(column, float(value)) for column, values in axes for value in values[evenly(len(values), most)]]
    what = what[every_nth(len(what), MOST_TRIED)]  # with thousands of axes, not every one
    rows = np.repeat(row[None, :], len(what), axis=0)
    for place, (column, value) in enumerate(what):
        rows[place, column] = value
    return rows, what


def _fair_share(sizes: list[int], total: int) -> int:
    """Return the most that each may have if all share the total. Small ones leave more for the others."""
    left = total
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0)


def _works(problem: Problem, number: int, rows: FloatArray) -> bool:
    try:
        problem.models[number].evaluate(problem.frame(rows))
    except P2CEError:
        return False
    return True


def _failure(problem: Problem, failed: list[tuple[int, float]], error: P2CEError) -> InvalidPolicy:
    column = failed[0][0]
    coding = problem.codebook.codings[column]
    values = [echoed(coding.plain(value)) for place, value in failed if place == column]
    more = ", …" if len(values) > 5 else ""
    return InvalidPolicy(
        f"The model fails if {echoed(coding.name)} is {', '.join(values[:5])}{more} "
        f"({type(error).__name__}: {error}). "
        f"Name the values that it takes: policy.candidates({{{echoed(coding.name)}: [...]}}), or fix the "
        "feature."
    )
