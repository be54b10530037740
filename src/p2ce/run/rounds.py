"""Take the results of a round of solving and verifying: what is known, what is rejected, who waits again."""

import time
from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, IntArray
from p2ce.compile.batch import Batch
from p2ce.engine.solver.branch_and_bound import Fronts, Incumbents
from p2ce.run.find_incumbents import find_incumbents, seeks_incumbents
from p2ce.run.time_limits import Budget
from p2ce.run.verified import Outcomes
from p2ce.run.verify.verify_cells import EXACTLY, Checked

# of the time that is left when solving begins, for incumbents
INCUMBENTS_SHARE = 0.5


class Sought(NamedTuple):
    """The accepted cells that are known before solving, and the instances for which some were sought."""

    incumbents: Incumbents | None
    instances: IntArray


NOT_SOUGHT = Sought(None, np.zeros(0, dtype=np.int64))


def seek_incumbents(
    batch: Batch, known: Outcomes, budget: Budget, waiting: IntArray, sought: Sought
) -> tuple[Outcomes, Sought]:
    """Find accepted cells for waiting instances with a time limit, once for each."""
    new = np.setdiff1d(waiting, sought.instances)
    left = budget.left_to_solve(known, waiting).seconds
    if left is None or not len(new) or not seeks_incumbents(batch.problem):
        return known, sought
    from p2ce.engine.solver.counters import SCORED

    instances = np.union1d(sought.instances, new)
    seconds = float(np.maximum(left[np.isin(waiting, new)], 0.0).sum())
    if seconds == 0.0:
        return known, Sought(sought.incumbents, instances)
    begin = time.perf_counter()
    found, evaluated = find_incumbents(batch, new, seconds=INCUMBENTS_SHARE * seconds)
    counters = known.counters.copy()
    counters[:, SCORED] += evaluated
    spent = (time.perf_counter() - begin) / len(new)
    known = known.with_values(slice(None), counters=counters)
    known = known.with_values(new, solve_seconds=known.solve_seconds[new] + spent)
    earlier = sought.incumbents
    return known, Sought(found if earlier is None else earlier.and_those(found), instances)


def after_search(known: Outcomes, who: IntArray, fronts: Fronts) -> Outcomes:
    """Enter the results and the work of a search. Only the last round counts for what is open."""
    return known.with_values(
        who,
        finished=fronts.finished,
        counters=known.counters[who] + fronts.counters,
        open_boxes=fronts.open_boxes,
        open_totals=fronts.open_totals,
        solve_seconds=known.solve_seconds[who] + fronts.seconds,
    )


def after_check(known: Outcomes, found: Checked, own: Checked) -> Outcomes:
    """Enter the results of verifying cells, and the instances' own cells in the first round."""
    count = len(known.scores)
    differs = (found.failed & ~found.unsettled) | found.contradicted
    doubtful = np.concatenate([found.instance[differs], own.instance[own.contradicted]])
    contradicted = np.concatenate([found.instance[found.contradicted], own.instance[own.contradicted]])
    known = known.with_values(own.instance, scores=own.scores, favourable=~own.failed)
    return known.with_values(contradicted, trusted=False).with_values(
        slice(None),
        verified=known.verified + np.bincount(found.instance, minlength=count),
        discrepancies=known.discrepancies + np.bincount(doubtful, minlength=count),
    )


def refuted(found: Checked, own: Checked, rejected: BoolArray) -> Checked:
    """Return the cells to exclude: rejected ones, and those of instances that were not certainly rejected."""
    excluded = np.concatenate([found.failed, own.failed & ~rejected[own.instance]])
    some = joined(found, own)
    return some.taken(excluded & ~some.unsettled)


def waiting_again(known: Outcomes, found: Checked, own: Checked, rejected: BoolArray) -> IntArray:
    """Return the instances to solve again: a rejected cell may have dominated others.

    So do the instances that were not certainly rejected, unless a model accepts them as they are.
    """
    again = np.zeros(len(known.scores), dtype=np.bool_)
    again[found.instance[found.failed]] = True
    again[own.instance[~rejected[own.instance]]] = True
    return np.flatnonzero(again & ~known.favourable)


def without_late(
    known: Outcomes, waiting: IntArray, budget: Budget, *, stopped: bool
) -> tuple[Outcomes, IntArray]:
    """Leave the instances open that have nothing left of a limit. Return the others."""
    left = budget.left(known, waiting)
    late = np.full(len(waiting), stopped)
    for one in (left.seconds, left.work):
        if one is not None:
            late |= one <= 0
    ended = waiting[late]
    known = known.with_values(
        ended,
        finished=False,
        open_boxes=np.maximum(known.open_boxes[ended], 1),
        open_totals=0.0,  # cells that a rejected cell dominated were pruned, and may cost less
    )
    return known, waiting[~late]


def settled(known: Outcomes, found: Checked, waiting: IntArray) -> Checked:
    """Return the cells to keep: verified ones of instances that neither wait nor are accepted already."""
    waits = np.isin(found.instance, waiting)
    return found.taken(~found.failed & ~waits & ~known.favourable[found.instance])


def excluding(sought: Sought, some: Checked) -> Sought:
    """Drop the accepted cells that verification has rejected.

    A cell that a score cannot distinguish from a rejected one is rejected too; that is not looked up here.
    """
    if sought.incumbents is None:
        return sought
    alike = np.isin(sought.incumbents.instance, some.instance[some.rejected_by != EXACTLY])
    kept = sought.incumbents.taken(~alike).without(some.instance, some.cells)
    return sought._replace(incumbents=kept)


def joined(*parts: Checked) -> Checked:
    """Join cells, one part after another."""
    return Checked(*(np.concatenate(part) for part in zip(*parts, strict=True)))
