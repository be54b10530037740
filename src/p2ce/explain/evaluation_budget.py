"""Look at a model before the search: does it tell people apart, and can everything be evaluated?"""

import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.compilation.compiled_problem import Problem
from p2ce.compilation.grouped_features import moves_as_one
from p2ce.estimates.native import Parsed
from p2ce.explain.build_explanation import count_cells
from p2ce.explain.compile_arguments import Arguments
from p2ce.explain.explain_batch import search_completely
from p2ce.explain.fit_estimate import CompleteSearch, ask_rows, fit_estimate
from p2ce.explain.paper_methods import fit_attributions
from p2ce.explain.slow_steps import telling
from p2ce.solver.branch_and_bound import CELL_WORK

log = logging.getLogger("p2ce")

LOOKED_AT = 256
# A person may take so many evaluations of a black-box model. A grid of no more cells needs no thought; on a
# larger one some people are tried, since most searches evaluate a small part of their grid. By count and not
# by time, so that a slow day gives no other answers. A quick model does them in some ten seconds.
MOST_EVALUATIONS = 500_000
TRIED_PEOPLE = 3


def look_first(problem: Problem, rows: FloatArray) -> FloatArray:
    """Evaluate some reference rows, and give a few that are refused: (at most `TRIED_PEOPLE`, d).

    A model that decides alike about all of them is probably fed wrongly.
    """
    some = rows[:: -(-len(rows) // LOOKED_AT)]  # spread out, since a frame may be sorted
    refused = some[ask_rows(problem)(some) < problem.threshold]
    if len(some) > 1 and len(refused) in (0, len(some)):
        decides = "refuses" if len(refused) else "accepts"
        log.warning(
            "The model %s all %d reference rows that were looked at. If it was trained on scaled or encoded "
            "data, pass it together with that step (a Pipeline, a module that scales by itself).",
            decides,
            len(some),
        )
    return refused[:TRIED_PEOPLE]


def takes_too_long(problem: Problem, refused: FloatArray, search: CompleteSearch) -> bool:
    """Tell whether a complete search takes too many evaluations, by a majority of some people."""
    cells = count_cells(tuple(sorted(problem.grid.lengths.tolist())), problem.max_changes)
    if cells <= MOST_EVALUATIONS:
        return False
    # A majority settles it: the last person is often spared.
    enough = len(refused) // 2 + 1
    done = unfinished = 0
    for people in (refused[:enough], refused[enough:]):
        if len(people) and done < enough and unfinished < enough:
            finished = search(problem, people, CELL_WORK * MOST_EVALUATIONS, None).finished
            done += int(np.count_nonzero(finished))
            unfinished += int(np.count_nonzero(~finished))
    too_long = unfinished > done
    if too_long:
        log.warning(
            "A complete search takes too long (%d of %d people were not done after %d evaluations of the "
            "model, or work worth as much): bound='shap' prunes from here on, and answers are HEURISTIC. "
            "Pass bound='none' to insist on proof, with a time_limit if you like.",
            unfinished,
            done + unfinished,
            MOST_EVALUATIONS,
        )
    return too_long


def with_needed_estimate(
    problem: Problem,
    arguments: Arguments,
    *,
    parse: Callable[[], Parsed | None],
    reference: FloatArray,
    refused: FloatArray,
) -> Problem:
    """Make the estimate that was asked for, or without which a complete search would take too long.

    ``parse`` gives the model as it is supported natively, for SHAP values that need no evaluations.
    """
    if problem.method is not None:
        attributions = fit_attributions(
            problem, evaluate=ask_rows(problem), reference=reference, random_state=arguments.random_state
        )
        return problem if attributions is None else replace(problem, attributions=attributions)
    bound = arguments.bound
    black_box = any(one.score is None for one in problem.models)
    if bound == "auto" and black_box and not moves_as_one(problem.actions):
        with telling(
            "Trying a complete search on a few people; bound='shap' or bound='none' decide without."
        ):
            if takes_too_long(problem, refused, search_completely):
                bound = "shap"
    if bound in ("auto", "none"):
        return problem
    with telling(
        "Calibrating the estimate on people of the reference, once for this question; "
        "ShapEstimate(people=…, evaluations=…, seconds=…) limits it."
    ):
        estimate = fit_estimate(
            problem,
            bound,
            parsed=parse(),
            reference=reference,
            random_state=arguments.random_state,
            search=search_completely,
        )
    return replace(problem, estimate=estimate)
