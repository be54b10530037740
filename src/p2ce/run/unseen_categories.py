"""Report unseen categories and unused columns once, and name labels that make the user's objects fail."""

import logging

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.model_call import evaluate
from p2ce.base.visible import echoed, listed
from p2ce.compile.batch import place_and_price
from p2ce.compile.compiled_problem import Problem
from p2ce.errors import InvalidRow, nearest
from p2ce.run.verify.constraints import check_constraints
from p2ce.tables.cells import label_key
from p2ce.tables.encode import EncodedRows, has_unseen_categories, unseen_labels

log = logging.getLogger("p2ce")
MOST_REPORTED = 10_000  # labels; after so many, earlier ones are reported again


def report_unseen(rows: EncodedRows, reported: set[int]) -> None:
    """Log the labels of rows that the reference does not have. ``reported`` holds hashes of those logged.

    The model may treat such a label in any way, and most of them are typing errors.
    """
    if not has_unseen_categories(rows.codebook, rows.values).any():
        return
    for column, coding in enumerate(rows.codebook):
        if coding.labels is None:
            continue
        codes = np.unique(rows.values[rows.values[:, column] >= len(coding.labels), column]).tolist()
        found = {hash((coding.name, label_key(label))): label for label in map(coding.plain, codes)}
        labels = [label for key, label in found.items() if key not in reported]
        if labels:
            if len(reported) > MOST_REPORTED:
                reported.clear()
            reported.update(found)
            log.warning(
                "%s holds %s, which the reference does not know. %s",
                *(echoed(coding.name), listed(labels), nearest(labels[0], coding.labels)),
                extra={"on_command_line": ""},  # the caller also names the file
            )


def report_ignored(ignored: tuple[str, ...], reported: set[int]) -> None:
    """Log the columns of the reference or of rows that the model does not use, once."""
    if ignored and (key := hash(ignored)) not in reported:
        reported.add(key)
        log.warning("Columns that the model does not use are ignored: %s.", listed(ignored))


def blame_labels(error: Exception, problem: Problem, values: FloatArray) -> None:
    """If labels that the reference lacks are the cause of an error, raise an error that names them."""
    unseen = unseen_labels(problem.codebook, values)
    if unseen and _is_about_labels(error, problem, values):
        raise InvalidRow(
            f"{type(error).__name__}: {str(error).rstrip('.')}. The reason: {unseen}, which is not "
            "in the reference."
        ) from error


def _is_about_labels(error: Exception, problem: Problem, values: FloatArray) -> bool:
    """Return whether unseen labels are the cause: the same instances with known labels do not fail."""
    counts = [np.inf if coding.labels is None else len(coding.labels) for coding in problem.codebook]
    known = np.where(values >= np.array(counts), 0.0, values)
    return type(_trial(problem, values)) is type(error) and _trial(problem, known) is None


def _trial(problem: Problem, values: FloatArray) -> Exception | None:
    """Evaluate instances with each of the user's objects that sees their labels. Return what is raised."""
    try:
        place_and_price(problem, values)
        frame = problem.frame(values)
        for model in problem.models:
            evaluate(model.evaluate, frame)
        if problem.detector is not None and not problem.detector.is_its_score:
            evaluate(problem.detector.evaluate, frame)
        check_constraints(problem, values, values, frame)
    except Exception as error:
        return error
    return None
