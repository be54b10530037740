"""Lay out a problem without some of its restrictions, once for all people, and search it for any option."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import FloatArray
from p2ce.compile.batch import place_and_price, provably_rejected
from p2ce.compile.compile_arguments import Compiled
from p2ce.compile.compiled_problem import Problem
from p2ce.compile.within_reach import reaching
from p2ce.engine.grid.placement import Join
from p2ce.objectives.number_of_changes import Changes, FittedChanges
from p2ce.run.analysis.restrictions import Relaxable, lifted
from p2ce.run.explain_batch import solve_batch
from p2ce.run.time_limits import LimitsLeft, SearchLimits

# Of the problems used last, so many are kept. Each takes some hundred kilobytes.
MOST_KEPT = 256
FEWEST_CHANGES = FittedChanges(name=Changes.name, join=Join.SUM)
ALONE = np.zeros(1, dtype=np.int64)  # the number of the only instance of a batch


class RelaxedProblems:
    """The problems without some restrictions. People who share a problem share them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Problem, frozenset[str]], Problem] = OrderedDict()

    def of(self, problem: Problem, lifting: Sequence[Relaxable]) -> Problem:
        """Return a problem without some restrictions: remembered, or laid out."""
        key = problem, frozenset(repr(one.restriction) for one in lifting)
        if key not in self._kept:
            self._kept[key] = lifted(problem, lifting)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


class AnyOption(NamedTuple):
    """Whether the scores of a problem accept any allowed cell."""

    exists: bool | None  # None if that is not known: a limit was reached, or only the model can tell
    row: FloatArray | None = None  # (d,) such a cell with few changes; the model may still reject it
    work: int = 0


NOT_KNOWN = AnyOption(None)


def seek_any_option(known: Compiled, problem: Problem, values: FloatArray, limits: SearchLimits) -> AnyOption:
    """Search for any allowed cell that the scores of a problem accept for an instance (1, d).

    If there is none, that is a proof, as in an explanation. An explanation would also find the cheapest
    cells, and call the model to verify them. Here the number of changes is the only cost.
    """
    from p2ce.engine.solver.fronts import WORK

    if problem.method is not None or problem.calls_user_code:
        return NOT_KNOWN
    problem = reaching(known, problem, values)
    batch = place_and_price(replace(problem, objectives=(FEWEST_CHANGES,), keep_ties=False), values)
    if not provably_rejected(batch).all():
        return NOT_KNOWN  # the model itself decides about the instance
    seconds, work = (None if one is None else np.array([one]) for one in (limits.seconds, limits.work))
    fronts = solve_batch(batch, ALONE, LimitsLeft(seconds, work))
    spent = int(fronts.counters[0, WORK])
    if len(fronts.points):
        return AnyOption(True, batch.rows(ALONE, fronts.points[:1])[0], spent)
    return AnyOption(False if fronts.finished[0] else None, None, spent)
