"""The score of a black box, which is called: a model, a detector, or a rule that is a function."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from p2ce.base.arrays import FloatArray, Int32Array, IntArray
from p2ce.base.calls.budget import LimitReached
from p2ce.base.calls.model_call import evaluate, evaluate_alone, is_close, no_calls_after
from p2ce.base.calls.remembered import memory
from p2ce.engine.scores.external import ACCEPT, REJECT, Placed, PreparedScore, Verdicts
from p2ce.engine.scores.score import Bound


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlackBoxScore:
    """A call that returns one number per row of the user's frame. It decides, so there is no error band."""

    name: str  # the name in messages
    call: Callable[[Any], FloatArray]  # a frame → (n,)
    frame: Callable[[FloatArray], Any]  # rows (n, d) of codes → a frame of the user's columns
    threshold: float
    tolerance: float = 0.0  # by how much the value of a row may differ from batch to batch
    # From here up to the threshold, values are undecided: the user allows for values that do not repeat.
    undecided_from: float = np.inf

    @property
    def accept_from(self) -> float:
        return self.threshold

    @property
    def reject_below(self) -> float:
        return self.threshold

    @property
    def bound(self) -> Bound:
        """No bound: nothing is known of a whole box."""
        return Bound.COMPLETE

    @property
    def flat(self) -> None:
        """None: it is evaluated in batches outside the kernel."""
        return

    def evaluate_rows(
        self,
        rows: FloatArray,
        *,
        until: float | None = None,
        least: Callable[[FloatArray], FloatArray] | None = None,
    ) -> Verdicts:
        """Evaluate the rows that are not remembered in one call.

        ``least`` returns each row's own threshold for the rows' values.

        The value of a row evaluated alone counts (`evaluate_closely`). A rejected cell is never visited
        again, so one close to the threshold is immediately evaluated alone. An accepted cell is evaluated
        alone if it turns out to be on the front.
        """
        known = None if least is not None else memory()
        if known is None:
            return self._evaluated(rows, until=until, least=least)
        value = known.recall(self.call, rows)
        new = np.flatnonzero(np.isnan(value))
        if len(new):
            value[new] = self._evaluated(rows[new], until=until).value
            known.keep(self.call, rows[new], value[new])
        return Verdicts(np.where(value >= self.threshold, ACCEPT, REJECT), value)

    def _evaluated(
        self,
        rows: FloatArray,
        *,
        until: float | None = None,
        least: Callable[[FloatArray], FloatArray] | None = None,
    ) -> Verdicts:
        frame = self.frame(rows)
        with no_calls_after(until):
            value = evaluate(self.call, frame)
            threshold = self.threshold if least is None else least(value)
        close = np.flatnonzero(is_close(value, threshold, self.tolerance) & (value < threshold))
        if len(close):
            alone = evaluate_alone(self.call, frame.iloc[close], until=until)
            if len(alone) < len(close):
                raise LimitReached
            value[close] = alone
        return Verdicts(np.where(value >= threshold, ACCEPT, REJECT), value)

    def prepare(self, placed: Placed) -> PreparedScore:
        """Return the score for cells of a batch."""
        return PreparedBlackBox(score=self, placed=placed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedBlackBox(PreparedScore):
    """A black box, prepared for a batch of n instances. It proves nothing: only another call can."""

    score: BlackBoxScore
    placed: Placed
    # Cells' instances and values (m,) → the threshold of each cell, if it differs from the score's.
    least: Callable[[IntArray, FloatArray], FloatArray] | None = None

    def evaluate(self, instance: IntArray, cells: Int32Array, *, until: float | None = None) -> Verdicts:
        """Evaluate the cells whose values are unknown, in one call."""
        if self.placed.known is None:
            least = None if self.least is None else partial(self.least, instance)
            return self.score.evaluate_rows(self.placed.rows(instance, cells), until=until, least=least)
        value = self._known(instance, cells, self.placed.known)
        verdict = np.where(value >= self.score.threshold, ACCEPT, REJECT)
        # A known value was computed in a batch. If it is rejected and close to the threshold, the row is
        # evaluated alone.
        close = is_close(value, self.score.threshold, self.score.tolerance) & (verdict == REJECT)
        new = np.flatnonzero(np.isnan(value) | close)
        verdict[new], value[new] = self.score.evaluate_rows(
            self.placed.rows(instance[new], cells[new]), until=until
        )
        return Verdicts(verdict, value)

    def _known(self, instance: IntArray, cells: Int32Array, known: FloatArray) -> FloatArray:
        """Look up the values of cells with a single change; NaN for all others."""
        moved = cells != self.placed.placement.position[instance]
        axis = moved.argmax(axis=1)
        value = known[instance, axis, cells[np.arange(len(cells)), axis]]
        return np.asarray(np.where(moved.sum(axis=1) == 1, value, np.nan))
