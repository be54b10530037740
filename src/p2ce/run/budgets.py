"""Explain one instance within a budget of calls and rows, which is never exceeded.

Every call of a model or a detector of the user is charged before it is made (`base/calls/budget.py`). What is
spent, and in which order: the instance itself; accepted rows of the reference, moved back towards it, with
half of what is left; the search; verification; refinement and rounding. A search reserves what verification
needs of objects that it does not call itself. A black box need not be called again: if nothing is left, the
value that it returned in the search counts, unless it lies close to the threshold.
"""

from p2ce.base.arrays import FloatArray
from p2ce.base.calls.budget import CallBudget, LimitReached, charged_to
from p2ce.base.calls.model_call import calls_of
from p2ce.base.visible import as_text
from p2ce.compile.arguments import check_budget
from p2ce.compile.compiled_problem import Problem
from p2ce.errors import InvalidArgument
from p2ce.run.explain_batch import explain_batch
from p2ce.run.time_limits import SearchLimits
from p2ce.run.verified import Verified


def new_budget(problem: Problem, max_calls: int | None, max_rows: int | None) -> CallBudget | None:
    """Check what a caller passed, and return the budget of one instance; None if there is no limit.

    A budget needs a black box: of a natively supported model, the search calls nothing.
    """
    check_budget(max_calls, max_rows)
    if max_calls is None and max_rows is None:
        return None
    name = "max_calls" if max_calls is not None else "max_rows"
    if problem.method is not None:
        raise InvalidArgument(f"{name}= needs method='exact'; got method={problem.method_name!r}.")
    parsed = [*problem.models, *([] if problem.detector is None else [problem.detector])]
    if not any(one.is_black_box for one in parsed):
        raise InvalidArgument(
            f"{name}= limits the calls of black-box models, but {problem.family} is supported natively: its "
            "parsed form is searched, and the model itself is called about twice, to verify the options. "
            f"Leave {name}= out."
        )
    return CallBudget(max_calls, max_rows)


def explain_charged(
    problem: Problem, values: FloatArray, limits: SearchLimits, budget: CallBudget
) -> Verified:
    """Explain one instance (1, d), and state what it spent of a budget that may be charged already."""
    with charged_to(budget):
        try:
            verified = explain_batch(problem, values, limits)
        except LimitReached as error:
            raise _too_small(budget, problem, error) from error
    return verified.with_spent(budget)


def _too_small(budget: CallBudget, problem: Problem, error: LimitReached) -> InvalidArgument:
    """Build the error of a budget that does not even cover scoring the instance."""
    name = budget.reached or "max_calls"
    needed = sum(calls_of(model.evaluate) for model in problem.models)
    why = f" A call failed before: {as_text(error.__cause__)}" if error.__cause__ is not None else ""
    return InvalidArgument(
        f"{name}={getattr(budget, name)} does not cover scoring the person as they are. This takes at least "
        f"{needed} call{'s' * (needed > 1)}, with one row each. Pass a larger {name}.{why}"
    )
