"""Refine the fronts of an inferred grid: try values between its candidates, close to the options found.

The grid is searched completely, and the proof is about the grid. Since the data and not the user chose its
candidates, a value between two of them may cost less. Around the front of every instance:

1. *Shrink.* Every changed number moves back towards today's value by halving, as far as the row is accepted.
2. *Profile.* If a grid is thinned, every feature alone takes a few values up to the cost of the front.
3. *Combine.* The scores of single changes, added up, estimate those of two and three changes. The cheapest
   combinations that are probably accepted are evaluated, and shrunk if they are accepted.

Every row is evaluated by the same model, detector and rules as a cell. The estimate prunes nothing: it only
chooses which rows are tried, and a row that fails is not offered.
"""

from typing import NamedTuple

import numpy as np

from p2ce.base.arrays import BoolArray, IntArray
from p2ce.base.comparing import quanta
from p2ce.compile.batch import Batch
from p2ce.compile.refine_grid import Detail
from p2ce.engine.solver.undominated import dominates, undominated
from p2ce.run.refinement.combine_changes import combine
from p2ce.run.refinement.move_options import even_out, shrink
from p2ce.run.refinement.trials import Options, Trials, bests_of, by_instance, undominated_options

GAIN = 0.01  # of an objective: a new trade-off has to improve it by more than this
PASSES = 3  # as long as an objective improves


class Refined(NamedTuple):
    """Fronts after refinement."""

    front: Options
    tried: IntArray  # (n,) rows tried
    confirmed: IntArray  # (n,) of these, rows that the user's own objects evaluated


def refine_fronts(batch: Batch, front: Options, who: BoolArray, until: float | None) -> Refined:
    """Refine the fronts of the instances that ``who`` (n,) marks.

    ``until`` is the end of the time, by the clock of `time.perf_counter`. Results found by then count.
    """
    trials = Trials(batch, until)
    mine = who[front.instance]
    if not trials.axes or not mine.any():
        return Refined(front, trials.tried, np.zeros_like(trials.tried))
    own = front.taken(mine)
    found = shrink(trials, own)
    found = found.joined(even_out(trials, undominated_options(own.joined(found))))
    if batch.problem.detail is Detail.THINNED:
        front_now, waiting = undominated_options(own.joined(found)), np.unique(own.instance)
        for _ in range(PASSES):
            if not len(waiting) or trials.is_late:
                break
            found = found.joined(combine(trials, front_now, waiting))
            before, front_now = front_now, undominated_options(front_now.joined(found))
            waiting = waiting[_improved(before, front_now, waiting)]
    found = undominated_options(found)
    confirmed = np.bincount(found.instance, minlength=len(batch.values))
    found = trials.confirmed(found)
    changes = trials.changes(own), trials.changes(found)
    chosen = _choose(own, found, np.concatenate(changes), keep_ties=batch.problem.keep_ties)
    return Refined(front.taken(~mine).joined(chosen), trials.tried, confirmed)


def _improved(before: Options, after: Options, who: IntArray) -> BoolArray:
    """Return for which instances the best value of an objective improved by more than `GAIN`."""
    least = [
        np.array([front.totals[front.instance == one].min(axis=0) for one in who.tolist()])
        for front in (before, after)
    ]
    return np.asarray((least[1] < (1.0 - GAIN) * least[0]).any(axis=1))


def _choose(grid: Options, found: Options, changes: IntArray, *, keep_ties: bool) -> Options:
    """Replace options by new ones that dominate them, and add new ones that are far better at something.

    So the result is nowhere worse than the front of the grid, and has hardly more options. Between two
    options, there are any number of trade-offs that differ by little.
    """
    everything = grid.joined(found)
    costs, prices = everything.totals, quanta(everything.totals)
    own = {int(grid.instance[mine[0]]): mine for mine in by_instance(grid)}
    more = {int(found.instance[mine[0]]): mine + len(grid.rows) for mine in by_instance(found)}
    kept = []
    for one, mine in own.items():
        if one not in more:
            kept.append(mine)
            continue
        new = more[one]
        new = new[np.lexsort(costs[new].T[::-1])]  # cheapest first
        chosen: list[int] = []
        for at in mine.tolist():
            better = dominates(prices[new], prices[at])
            chosen.append(int(new[np.argmax(better)]) if better.any() else at)
        now = bests_of(costs[chosen], changes[chosen])
        for (cost, at), (known, _) in zip(bests_of(costs[new], changes[new]), now, strict=True):
            if at >= 0 and cost < (1.0 - GAIN) * known:
                chosen.append(int(new[at]))
        some = np.array(list(dict.fromkeys(chosen)), dtype=np.int64)
        some = some[undominated(prices[some])]
        if not keep_ties:
            _, first_of = np.unique(prices[some], axis=0, return_index=True)
            some = some[np.sort(first_of)]
        kept.append(some)
    return everything.taken(np.concatenate(kept))
