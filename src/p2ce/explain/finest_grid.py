"""Before anybody is told that there is no option, search again on the finest grid that the data support."""

from dataclasses import fields, replace

import numpy as np

from p2ce.arrays import BoolArray, FloatArray, IntArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.explain.explain_batch import (
    ON_FINEST,
    OPEN_ON_FINEST,
    PER_POINT,
    PER_SEARCH,
    Answers,
    answer_people,
)
from p2ce.solver.branch_and_bound import CELL_WORK, Listener

# What a person's search on the finest grid may take, in units of the counter WORK: a second or so, counted
# and not timed, so that a slow day gives no other answers.
MOST_WORK = 400_000_000
MOST_EVALUATIONS = 20_000  # where cells are evaluated outside the compiled search, and a model may be slow
# People at a time: their tables are long.
BATCH = 16


def answer_with_finest(
    problem: Problem, values: FloatArray, *, time_limit: float | None = None, listener: Listener | None = None
) -> Answers:
    """Answer for people (n, d), and again on the finest grid for those without an option.

    Only where candidates were inferred: explicit steps, ranges and values are the user's word. What is
    proven of the finest grid replaces what was proven of the coarser one; a search that is cut there leaves
    the coarser proof as it is, and says so, unless it found something.
    """
    answers = answer_people(problem, values, time_limit=time_limit, listener=listener)
    none = np.flatnonzero(_proven_none(problem, answers))
    finer = problem.on_finest_grid() if len(none) else None
    if finer is None:
        return answers
    if problem.is_personal:
        finer = finer.for_person(values[0])
    work = CELL_WORK * MOST_EVALUATIONS if finer.in_waves else MOST_WORK
    for begin in range(0, len(none), BATCH):
        who = none[begin : begin + BATCH]
        left = None
        if time_limit is not None:
            taken = answers.search_seconds[who].max() + answers.verify_seconds / len(values)
            left = max(0.0, time_limit - float(taken))
        again = answer_people(finer, values[who], time_limit=left, most_work=work, listener=listener)
        answers = _merged(answers, again, who)
    return answers


def _proven_none(problem: Problem, answers: Answers) -> BoolArray:
    if problem.estimate is not None:
        return np.zeros(len(answers.favourable), dtype=np.bool_)
    nothing: BoolArray = np.diff(answers.first) == 0
    return nothing & answers.finished & ~answers.favourable & answers.trusted & ~answers.gave_up


def _merged(answers: Answers, again: Answers, who: IntArray) -> Answers:
    """Put the finer answers of some people, who had none before, in the place of the others."""
    found = np.diff(again.first)
    settled = again.finished | (found > 0)
    grid = answers.grid.copy()
    grid[who] = np.where(settled, ON_FINEST, OPEN_ON_FINEST)
    counts = np.diff(answers.first)
    counts[who] = found
    first = np.concatenate([[0], np.cumsum(counts)])
    owner = np.concatenate([np.repeat(np.arange(len(counts)), np.diff(answers.first)), np.repeat(who, found)])
    order = np.argsort(owner, kind="stable")
    changed: dict[str, object] = {"first": first, "grid": grid}
    changed["verify_seconds"] = answers.verify_seconds + again.verify_seconds
    changed["search_seconds"] = answers.search_seconds.copy()
    changed["search_seconds"][who] += again.search_seconds  # type: ignore[index]
    for field in fields(Answers):
        before, after = getattr(answers, field.name), getattr(again, field.name)
        if field.metadata == PER_POINT:
            changed[field.name] = np.concatenate([before, after])[order]
        elif field.metadata == PER_SEARCH:
            changed[field.name] = before.copy()
            changed[field.name][who[settled]] = after[settled]  # type: ignore[index]
    return replace(answers, **changed)  # type: ignore[arg-type]
