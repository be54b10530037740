"""Name the unseen categories of instances where they are why the user's own objects fail."""

import numpy as np

from p2ce.adapters.evaluate import evaluate
from p2ce.arrays import FloatArray
from p2ce.compilation.batch import place_and_price
from p2ce.compilation.compiled_problem import Problem
from p2ce.compilation.encode import unseen_labels
from p2ce.errors import InvalidPerson
from p2ce.verification.constraints import check_constraints


def blame_labels(error: Exception, problem: Problem, values: FloatArray) -> None:
    """Raise an error that names labels which the reference lacks, where they are what fails."""
    unseen = unseen_labels(problem.codebook, values)
    if unseen and _is_about_labels(error, problem, values):
        raise InvalidPerson(
            f"{type(error).__name__}: {str(error).rstrip('.')}. The reason: {unseen}, which is not "
            "in the reference."
        ) from error


def _is_about_labels(error: Exception, problem: Problem, values: FloatArray) -> bool:
    """Tell whether unseen labels are what fails: the same instances with known labels do not."""
    counts = [np.inf if coding.labels is None else len(coding.labels) for coding in problem.codebook]
    known = np.where(values >= np.array(counts), 0.0, values)
    return type(_trial(problem, values)) is type(error) and _trial(problem, known) is None


def _trial(problem: Problem, values: FloatArray) -> Exception | None:
    """Show instances to every object of the user's that sees their labels; give what is raised."""
    try:
        place_and_price(problem, values)
        frame = problem.frame(values)
        for number, model in enumerate(problem.models):
            evaluate(model.evaluate, frame, problem.name_of(number))
        if problem.detector is not None and problem.detector.evaluate is not None:
            evaluate(problem.detector.evaluate, frame, "detector")
        check_constraints(problem, values, values, frame)
    except Exception as error:
        return error
    return None
