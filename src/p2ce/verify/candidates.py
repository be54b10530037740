"""Find out early which candidates the user's own model refuses to look at."""

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.errors import InvalidActions
from p2ce.result.numbers import readable
from p2ce.verify.setup import Setup

MOST_TRIED = 500  # per axis
LONGEST_SECONDS = 1.0  # a model that takes longer to answer is not bothered


def require_candidates(setup: Setup, row: FloatArray, *, per_row: float) -> None:
    """Show every candidate to every model, in a row (d,) that it takes; raise naming those that it refuses.

    An encoder that was fitted on some numbers may raise at others: better here than amid a search.
    """
    rows, what = _rows(setup, row)
    if not len(rows) or len(rows) * per_row > LONGEST_SECONDS:
        return
    for number, model in enumerate(setup.models):
        try:
            model.ask(setup.frame(rows))
        except Exception as error:
            refused = [place for place in range(len(rows)) if not _answers(setup, number, rows[[place]])]
            if refused and _answers(setup, number, row[None, :]):
                raise _refusal(setup, [what[place] for place in refused], error) from error
            raise


def _rows(setup: Setup, row: FloatArray) -> tuple[FloatArray, list[tuple[int, float]]]:
    """Put one candidate at a time into the row; columns that move as one are left out."""
    what = [
        (int(column), float(value))
        for column, values in zip(setup.grid.columns, setup.grid.values, strict=True)
        if column < len(row)
        for value in values[:: -(-len(values) // MOST_TRIED)]
    ]
    rows = np.repeat(row[None, :], len(what), axis=0)
    for place, (column, value) in enumerate(what):
        rows[place, column] = value
    return rows, what


def _answers(setup: Setup, number: int, rows: FloatArray) -> bool:
    try:
        setup.models[number].ask(setup.frame(rows))
    except Exception:
        return False
    return True


def _refusal(setup: Setup, refused: list[tuple[int, float]], error: Exception) -> InvalidActions:
    column = refused[0][0]
    coding = setup.codebook.codings[column]
    values = [readable(coding.plain(value)) for place, value in refused if place == column]
    more = ", …" if len(values) > 5 else ""
    return InvalidActions(
        f"The model refuses {coding.name!r} at {', '.join(values[:5])}{more} "
        f"({type(error).__name__}: {error}). "
        f"Name the values that it takes: actions.values({{{coding.name!r}: [...]}}), or fix the feature."
    )
