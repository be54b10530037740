"""Keep the state of a batch over the rounds of solving and verifying: what is open, known and spent."""

import time

import numpy as np

from p2ce.base.arrays import IntArray
from p2ce.compile.batch import Batch
from p2ce.compile.prove_cells import provably_rejected
from p2ce.engine.solver.branch_and_bound import Fronts, Incumbents
from p2ce.run.find_incumbents import find_incumbents, seeks_incumbents
from p2ce.run.solve_batch import LimitsLeft, SearchLimits
from p2ce.run.verified import Outcomes, no_outcomes
from p2ce.run.verify.verify_cells import EXACTLY, VerifiedCells

# If the model keeps contradicting a score, more rounds than this are not worth it.
MOST_ROUNDS = 100
# of an instance's time, if a model or detector is a black box
VERIFY_SHARE = 0.1
# After the limit, calls of models that the search does not call may begin for so many seconds. They take
# milliseconds. Without them, values are not rounded and predictions are unknown.
GRACE = 0.2
# of the time that is left when solving begins, for incumbents
INCUMBENTS_SHARE = 0.5


class Rounds:
    """The rounds of one batch. An instance waits as long as it has to be solved, or solved again."""

    def __init__(self, batch: Batch, limits: SearchLimits, begin: float) -> None:
        self.batch, self.limits = batch, limits
        placement = batch.placement
        objectives = len(batch.problem.objectives)
        self.outcomes: Outcomes = no_outcomes(
            len(batch.values), objectives, placement.highest - placement.lowest
        )
        # Instances that are certainly rejected are solved at once. The models decide about the others first.
        rejected = provably_rejected(batch)
        self.waiting: IntArray = np.flatnonzero(rejected)
        self._undecided = ~rejected
        self.kept: list[VerifiedCells] = []
        self.verify_seconds = 0.0
        self._longest_check = 0.0  # seconds that one round of verification took
        self.number = 0  # of the round; in the first, the instances themselves are verified
        self._verifying = 0.0  # when the current verification began
        self.incumbents: Incumbents | None = None  # accepted cells that are known before solving
        self._has_sought = np.zeros(len(batch.values), dtype=np.bool_)
        self.outcomes.solve_seconds[:] = (time.perf_counter() - begin) / max(len(batch.values), 1)

    def left_to_solve(self) -> LimitsLeft:
        """Return what the waiting instances have left, without the time for verification."""
        left = self._left(self.waiting)
        if left.seconds is None or self.limits.seconds is None or not self.batch.problem.calls_user_code:
            return left
        # So a limit is exceeded by at most one call of a slow model. Rows close to the threshold, each of
        # which takes a call, get at least a share.
        problem = self.batch.problem
        calls = 1 if problem.model.predict is None or problem.others else 2
        check = self._longest_check / len(self.batch.values)
        kept = max(calls * check, VERIFY_SHARE * self.limits.seconds)
        return left._replace(seconds=left.seconds - kept)

    def find_incumbents(self) -> None:
        """Find accepted cells for waiting instances with a time limit, once for each."""
        from p2ce.engine.solver.counters import SCORED

        new = self.waiting[~self._has_sought[self.waiting]]
        left = self.left_to_solve().seconds
        if left is None or not len(new) or not seeks_incumbents(self.batch.problem):
            return
        self._has_sought[new] = True
        seconds = float(np.maximum(left[np.isin(self.waiting, new)], 0.0).sum())
        if seconds == 0.0:
            return
        begin = time.perf_counter()
        found, evaluated = find_incumbents(self.batch, new, seconds=INCUMBENTS_SHARE * seconds)
        self.incumbents = found if self.incumbents is None else self.incumbents.and_those(found)
        self.outcomes.counters[:, SCORED] += evaluated
        self.outcomes.solve_seconds[new] += (time.perf_counter() - begin) / len(new)

    def left_to_verify(self) -> float | None:
        """Return the time at which verification must end; the clock of verification starts here."""
        self._verifying = time.perf_counter()
        return self._left(self.waiting).until

    def left_to_refine(self) -> float | None:
        """Return the time at which refinement must end, for all instances together.

        If a black box is called, some time is kept for verification.
        """
        last = self.last_call()
        if last is None or self.limits.seconds is None or not self.batch.problem.calls_user_code:
            return last
        return last - VERIFY_SHARE * self.limits.seconds * len(self.batch.values)

    def last_call(self) -> float | None:
        """Return the time after which no further call may begin, for all instances together."""
        left = self._left(np.arange(len(self.batch.values))).seconds
        if left is None:
            return None
        grace = 0.0 if self.batch.problem.calls_user_code else GRACE
        return time.perf_counter() + float(left.sum()) + grace

    def note_fronts(self, fronts: Fronts) -> None:
        """Enter the results and the work of a search. Only the last round counts for what is open."""
        who, known = self.waiting, self.outcomes
        known.finished[who] = fronts.finished
        known.counters[who] += fronts.counters
        known.open_boxes[who] = fronts.open_boxes
        known.open_totals[who] = fronts.open_totals
        known.solve_seconds[who] += fronts.seconds

    def note_checked(self, fronts: Fronts, checked: VerifiedCells) -> None:
        """Enter the results of verification. Exclude rejected cells; their instances wait once more."""
        known, batch = self.outcomes, self.batch
        count = len(fronts.points)
        found = checked.taken(slice(count))
        again = np.zeros(len(batch.values), dtype=np.bool_)
        again[found.instance[found.failed]] = True
        excluded = checked.failed & ~checked.unsettled
        if self.number == 0:
            own = checked.taken(slice(count, None))
            known.scores[:], known.favourable[:] = own.scores, ~own.failed
            # A front that is not needed is not verified again, and an instance that was certain is not
            # excluded.
            again = (again | self._undecided) & ~known.favourable
            excluded[count:] &= self._undecided
        np.add.at(known.verified, found.instance, 1)
        known.trusted[checked.instance[checked.contradicted]] = False
        rejected = found.failed & ~found.unsettled
        np.add.at(known.discrepancies, found.instance[rejected | found.contradicted], 1)
        np.add.at(known.discrepancies, checked.instance[count:][checked.contradicted[count:]], 1)
        if excluded.any():
            some = checked.taken(excluded)
            self.batch = batch.excluding(some.instance, some.cells, some.rejected_by)
            if self.incumbents is not None:
                # A cell that a score cannot distinguish from a rejected one is rejected too; that is not
                # looked up here.
                alike = np.isin(self.incumbents.instance, some.instance[some.rejected_by != EXACTLY])
                self.incumbents = self.incumbents.taken(~alike).without(some.instance, some.cells)
        seconds = time.perf_counter() - self._verifying
        self.verify_seconds += seconds
        self._longest_check = max(self._longest_check, seconds)
        self._wait(np.flatnonzero(again), found, stopped=fronts.stopped)

    def _wait(self, again: IntArray, found: VerifiedCells, *, stopped: bool) -> None:
        """Keep the cells of finished instances, and let the others wait while their limits last."""
        known = self.outcomes
        left = self._left(again)
        late = np.full(len(again), stopped)
        for one in (left.seconds, left.work):
            if one is not None:
                late |= one <= 0
        ended = again[late]
        known.open_boxes[ended] = np.maximum(known.open_boxes[ended], 1)
        known.open_totals[ended] = 0.0  # cells that a rejected cell dominated were pruned, and may cost less
        known.finished[ended] = False
        self.waiting = again[~late]
        self.number += 1
        waits = np.isin(found.instance, self.waiting)
        if self.number == MOST_ROUNDS:
            # Too many of their cells lie in the error band: the options found are kept, nothing is proven.
            known.gave_up[self.waiting] = True
            self.waiting = self.waiting[:0]
            waits[:] = False
        self.kept.append(found.taken(~found.failed & ~waits & ~known.favourable[found.instance]))

    def _left(self, who: IntArray) -> LimitsLeft:
        """Return what instances have left of their limits; the time of verification is shared equally."""
        seconds, work, listener = self.limits
        known = self.outcomes
        return LimitsLeft(
            None
            if seconds is None
            else seconds - known.solve_seconds[who] - self.verify_seconds / len(known.scores),
            None if work is None else work - known.work[who],
            listener,
        )
